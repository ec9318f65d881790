import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Import } from '../../contract/imports.ts';
import { paths } from '../../contract/paths.ts';
import { ImportButton, isRunning, isUnderWay, percentOf, useImports } from '../importing.tsx';
import { listsQuery } from '../lists.ts';
import { Missing } from '../ui/missing.tsx';
import { Page } from '../ui/page.tsx';
import { Empty, Failure, Loading, Time } from '../ui/parts.tsx';
import { Bar } from './bar.tsx';
import { Undo } from './ended.tsx';
import { faultyAddress } from './faulty-file.tsx';
import { lookAtLeads } from './queries.ts';
import { nameOfList, sayBytes } from './words.ts';
import '../ui/panel.css';
import './history-page.css';

/** Every file that was imported, the newest first, or those of one list. */
export function HistoryPage() {
  const { list } = useSearch({ strict: false });
  const { may, data, error, refetch } = useImports(list);
  const name = useQuery(listsQuery).data?.find(({ id }) => id === list)?.name;
  useEnds(data);
  if (!may) return <Missing />;
  return (
    <Page
      title={name ? `Imports into ${name}` : 'Imports'}
      className="imports-page"
      action={
        <>
          {list !== undefined && (
            <Link to={paths.imports} className="button default">
              All imports
            </Link>
          )}
          {(data === undefined || data.length > 0) && (
            <ImportButton variant="filled" {...(list !== undefined && { listId: list })} />
          )}
        </>
      }
    >
      <section className="panel flush" aria-label="Imports">
        {!data && (error ? <Failure error={error} again={() => void refetch()} /> : <Loading />)}
        {data?.length === 0 && (
          <Empty
            title="Nothing was imported yet."
            action={
              <ImportButton variant="filled" {...(list !== undefined && { listId: list })}>
                Upload a file
              </ImportButton>
            }
          >
            A file with leads is matched and checked first; then it stands here, and can be undone for a week.
          </Empty>
        )}
        {data && data.length > 0 && <Table imports={data} />}
      </section>
      {data && data.length >= 100 && <p className="meta">The last 100.</p>}
    </Page>
  );
}

/** What shows leads asks again once one is through. */
function useEnds(imports: Import[] | undefined): void {
  const before = useRef(new Set<number>());
  useEffect(() => {
    if (!imports) return;
    const now = new Set(imports.filter(isUnderWay).map(({ id }) => id));
    const hasEnded = [...before.current].some((id) => !now.has(id));
    before.current = now;
    if (hasEnded) lookAtLeads();
  }, [imports]);
}

/** Roles in full: on a narrow screen the rows are laid out as blocks. */
const Table = ({ imports }: { imports: Import[] }) => (
  <table className="imports" role="table">
    <thead role="rowgroup">
      <tr role="row">
        <th role="columnheader">File</th>
        <th role="columnheader">List</th>
        <th role="columnheader">By</th>
        <th role="columnheader">Rows</th>
        <th role="columnheader">New</th>
        <th role="columnheader">Updated</th>
        <th role="columnheader">Left out</th>
        <th role="columnheader">Faulty</th>
        <th role="columnheader">State</th>
      </tr>
    </thead>
    <tbody role="rowgroup">
      {imports.map((one) => (
        <Row key={one.id} import={one} />
      ))}
    </tbody>
  </table>
);

const Row = ({ import: one }: { import: Import }) => {
  const hasRun = one.begun_at !== null;
  return (
    <tr role="row">
      <td role="cell" className="imports-file">
        <Link to={paths.import(one.id)}>{one.file_name}</Link>
        <span className="meta figures block">{sayBytes(one.bytes)}</span>
      </td>
      <td role="cell" className="wrap">
        {one.list ? <Link to={paths.list(one.list.id)}>{one.list.name}</Link> : nameOfList(one)}
      </td>
      <td role="cell" className="wrap">
        {one.by}
        <span className="meta block">
          <Time at={one.begun_at ?? one.created_at} />
        </span>
      </td>
      <Figure label="Rows" number={one.rows} />
      <Figure label="New" number={hasRun ? one.made : undefined} />
      <Figure label="Updated" number={hasRun ? one.updated : undefined} />
      <Figure label="Left out" number={hasRun ? one.left_out : undefined} />
      <Figure
        label="Faulty"
        number={one.counts.faulty}
        file={one.has_faulty ? faultyAddress(one.id) : undefined}
        of={one.file_name}
      />
      <td role="cell">
        <Standing import={one} />
      </td>
    </tr>
  );
};

type FigureProps = { label: string; number: number | undefined; file?: string | undefined; of?: string };

const Figure = ({ label, number, file, of }: FigureProps) => (
  <td role="cell" className="imports-figure figures">
    <span className="imports-label">{label} </span>
    {number === undefined ? (
      <span className="dim">–</span>
    ) : file ? (
      <a className="link" href={file} download aria-label={`${number.toLocaleString()} faulty rows of ${of}, as file`}>
        {number.toLocaleString()}
      </a>
    ) : (
      number.toLocaleString()
    )}
  </td>
);

function Standing({ import: one }: { import: Import }) {
  const { state, stopped_at, undone } = one;
  if (isRunning(one)) return <Doing words="Importing" done={one.done} total={one.rows} />;
  switch (state) {
    case 'uploading':
      return <Doing words="Not all of it is here" done={one.received} total={one.bytes} />;
    case 'reading':
      return 'Being read';
    case 'checking':
      return <Doing words="Being checked" done={one.checked} total={one.rows} />;
    case 'checked':
      return (
        <Link to={paths.import(one.id)} className="link">
          Waits to be imported
        </Link>
      );
    case 'undoing': {
      const { removed = 0, put_back = 0, kept = 0 } = undone ?? {};
      return <Doing words="Being undone" done={removed + put_back + kept} total={one.made + one.updated} />;
    }
    case 'undone':
      return undone && undone.kept > 0 ? `Undone, ${undone.kept.toLocaleString()} stay` : 'Undone';
    case 'refused':
      return <span title={one.refusal ?? undefined}>Could not be read</span>;
    default:
      return (
        <span className="imports-ended">
          {stopped_at ? 'Stopped' : 'Imported'}
          <Undo import={one} size="xs" />
        </span>
      );
  }
}

const Doing = ({ words, done, total }: { words: string; done: number; total: number }) => (
  <div className="imports-doing">
    <span className="figures">
      {words}, {percentOf(done, total)} %
    </span>
    <Bar label={words} done={done} total={total} />
  </div>
);
