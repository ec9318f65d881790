import { IconArrowRight } from '@tabler/icons-react';
import { memo, useEffect, useMemo, useRef } from 'react';
import type { Import, Match, Plan } from '../../../contract/imports.ts';
import { actsOn, type Acts, type Current } from './acts.ts';
import { kindOf, type KnownField } from './matching.ts';
import { MatchStatus } from './match-status.tsx';
import { TargetSelect } from './target-select.tsx';
import './match-table.css';

type Props = {
  columns: Import['columns'];
  matches: Plan['matches'];
  fields: KnownField[];
  isNewList: boolean;
  change: (matches: Plan['matches']) => void;
};

/** What each column of the file becomes. */
export function MatchTable({ columns, matches, fields, isNewList, change }: Props) {
  const table = useRef<HTMLTableElement>(null);
  // Rows that did not change are not drawn again; what they do is done to what holds by then.
  const current = useRef<Current>(undefined!);
  current.current = { fields, columns, matches, isNewList, change };
  const acts = useMemo(() => actsOn(current), []);
  useFirstUnsure(table, columns.length);
  return (
    <>
      {/* Roles in full: on a narrow screen the rows are laid out as blocks. */}
      <table ref={table} className="matches" role="table">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader">In the file</th>
            <th role="columnheader">First values</th>
            <th role="columnheader" aria-hidden />
            <th role="columnheader">In Leadline</th>
            <th role="columnheader">
              <span className="unseen">How sure</span>
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {columns.map((column, place) => {
            const match = matches.find((one) => one.columns.includes(place));
            return (
              <Row
                key={place}
                place={place}
                column={column}
                match={match}
                kind={match && kindOf(match, fields)}
                known={current}
                acts={acts}
                fields={fields}
                isNewList={isNewList}
              />
            );
          })}
        </tbody>
      </table>
    </>
  );
}

type RowProps = {
  place: number;
  column: Import['columns'][number];
  match: Match | undefined;
  kind: ReturnType<typeof kindOf>;
  known: { current: Current };
  acts: Acts;
  /** What becomes of it is said anew with these. */
  fields: KnownField[];
  isNewList: boolean;
};

const Row = memo(({ place, column, match, kind, known, acts }: RowProps) => (
  <tr role="row" data-unsure={match?.sure === false || undefined}>
    <td role="cell" className="match-name">
      <strong>{column.name}</strong>
    </td>
    <td role="cell" className="match-samples">
      {column.samples.length === 0 ? <span className="dim">Empty</span> : column.samples[0]}
      {column.samples.length > 1 && <span className="unseen">, {column.samples.slice(1, 3).join(', ')}</span>}
    </td>
    <td role="cell" className="match-arrow" aria-hidden>
      <IconArrowRight size={16} stroke={1.75} />
    </td>
    <td role="cell" className="match-target">
      <TargetSelect place={place} column={column} match={match} known={known} acts={acts} />
    </td>
    <td role="cell" className="match-status">
      <MatchStatus place={place} column={column} match={match} kind={kind} acts={acts} />
    </td>
  </tr>
));

/** Whoever comes is where something may be wrong. */
function useFirstUnsure(table: { current: HTMLElement | null }, columns: number): void {
  const isThere = columns > 0;
  useEffect(() => {
    if (!isThere || document.activeElement !== document.body) return;
    table.current?.querySelector<HTMLElement>('[data-unsure] input')?.focus();
    // Only as they first come: what is unsure later is so because of what someone does now.
  }, [isThere]);
}
