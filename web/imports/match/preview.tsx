import type { ImportSample } from '../../../contract/imports.ts';
import { sayDate } from '../../times.ts';
import { Failure, Loading } from '../../ui/parts.tsx';
import { Panel } from '../../ui/panel.tsx';
import './preview.css';

const SHOWN = 10;
const FIGURES = new Set(['integer', 'date', 'phone']);

/** A day as tables of leads say it; what is no day stands as it is. */
const sayValue = (value: string, kind: string): string =>
  kind === 'date' && !Number.isNaN(Date.parse(value)) ? sayDate(value) : value;

type Props = { sample: ImportSample | undefined; error: Error | null; again: () => void };

/** The first rows as leads: what was read, in the way the fields write it. */
export function Preview({ sample, error, again }: Props) {
  return (
    <Panel title="Preview" aside="as the leads will look" flush>
      {sample ? <Rows sample={sample} /> : error ? <Failure error={error} again={again} /> : <Loading rows={5} />}
    </Panel>
  );
}

function Rows({ sample: { columns, rows } }: { sample: ImportSample }) {
  if (columns.length === 0)
    return <p className="panel-note">No column is matched yet, so a lead would have nothing in it.</p>;
  if (rows.length === 0) return <p className="panel-note">There are no rows yet.</p>;
  return (
    // Wider than the page on purpose: so the keyboard can scroll it, too.
    <div className="preview-scroll" role="region" aria-label="First rows" tabIndex={0}>
      <table className="preview">
        <thead>
          <tr>
            <th scope="col">Row</th>
            {columns.map(({ label }, place) => (
              <th key={place} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map(({ row, values, fault }) => (
            <tr key={row} className={fault === null ? undefined : 'faulty'}>
              <td className="figures dim">{row.toLocaleString()}</td>
              {fault === null ? (
                columns.map(({ kind }, place) => (
                  <td key={place} className={FIGURES.has(kind) ? 'figures' : undefined} title={values[place]}>
                    {sayValue(values[place] ?? '', kind)}
                  </td>
                ))
              ) : (
                <td colSpan={columns.length} className="fault">
                  {fault}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
