import { IconUserPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Import } from '../../contract/imports.ts';
import type { ListProgress } from '../../contract/list-pages.ts';
import { nameOf } from '../../contract/names.ts';
import { paths } from '../../contract/paths.ts';
import { useRunningImports } from '../importing.tsx';
import { useKeys } from '../keys.ts';
import { useRight } from '../session.ts';
import { Actions, type Action } from '../ui/actions.tsx';
import { Ago, Initials } from '../ui/parts.tsx';
import { Tag } from '../ui/states.tsx';
import { useListJobs } from './jobs.ts';
import { useListActs } from './list-acts.tsx';
import { ImportProgress, JobProgress, Legend, Progress } from './progress.tsx';
import { isRunning, sayConversion } from './queries.ts';
import './list-table.css';

/** One row a campaign. Enter opens it; J and K, or the arrows, go from one to the next. */
export function ListTable({ lists }: { lists: ListProgress[] }) {
  const table = useRef<HTMLTableElement>(null);
  const { shown, hold, letGo } = useSteady(lists);
  const acts = useListActs(letGo);
  const imports = useRunningImports();
  // What one does oneself shows at once.
  const actsOf = (list: ListProgress) =>
    [...acts.ofPlaces(list), ...acts.ofStanding(list), ...acts.ofAll(list)].map((one) => ({
      ...one,
      act: () => {
        letGo();
        one.act();
      },
    }));
  const step = (by: number) => {
    const links = [...(table.current?.querySelectorAll<HTMLElement>('.list-name') ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    links.at(at < 0 ? (by > 0 ? 0 : -1) : (at + by) % links.length)?.focus();
  };
  useKeys({ j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1) });
  return (
    <>
      {/* Roles in full: on a narrow screen the rows are laid out as blocks. */}
      <table ref={table} className="lists" role="table" onPointerEnter={hold} onPointerLeave={letGo}>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader">List</th>
            <th role="columnheader">
              <Legend />
            </th>
            <th role="columnheader">Due now</th>
            <th role="columnheader">Conversion</th>
            <th role="columnheader">People</th>
            <th role="columnheader">Last activity</th>
            <th role="columnheader">
              <span className="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {shown.map((list) => (
            <Row key={list.id} list={list} importing={imports.get(list.id)} items={actsOf(list)} />
          ))}
        </tbody>
      </table>
      {acts.question}
    </>
  );
}

/** Rows do not move under the pointer: those that are new wait until it has left, those that are gone stay so long. */
function useSteady(lists: ListProgress[]) {
  const [held, setHeld] = useState<ListProgress[]>();
  const now = new Map(lists.map((list) => [list.id, list]));
  return {
    shown: held?.map((list) => now.get(list.id) ?? list) ?? lists,
    hold: () => setHeld(lists),
    letGo: () => setHeld(undefined),
  };
}

type RowProps = { list: ListProgress; importing: Import | undefined; items: Action[] };

const Row = ({ list, importing, items }: RowProps) => (
  <tr role="row">
    <td role="cell">
      <Link to={paths.list(list.id)} className="list-name">
        {list.name}
      </Link>{' '}
      {list.paused && <Tag>Paused</Tag>}
      <p className="meta wrap">{list.purpose}</p>
    </td>
    <td role="cell">{importing ? <ImportProgress importing={importing} /> : <Standing list={list} />}</td>
    <td role="cell" className="list-figure">
      <span className="list-label">Due now </span>
      {list.due > 0 ? <b className="due figures">{sayDue(list.due)}</b> : <span className="dim">None</span>}
    </td>
    <td role="cell" className="list-figure">
      <span className="list-label">Conversion </span>
      {list.counts.won + list.counts.lost > 0 ? (
        <b className="figures">{sayConversion(list.counts)}</b>
      ) : (
        <span className="dim">Not yet</span>
      )}
    </td>
    <td role="cell">
      <People list={list} />
    </td>
    <td role="cell" className="list-when">
      {list.last_activity ? <Ago at={list.last_activity} /> : <span className="dim">Never</span>}
    </td>
    <td role="cell">
      <Actions of={list.name} items={items} />
    </td>
  </tr>
);

function Standing({ list: { id, job, counts } }: { list: ListProgress }) {
  const running = useListJobs({ id, jobs: job ? [job] : [] }).find(isRunning);
  return running ? <JobProgress job={running} /> : <Progress counts={counts} />;
}

const MOST_DUE = 1_000;
/** So many are counted, and no more. */
export const sayDue = (due: number): string => `${due.toLocaleString()}${due >= MOST_DUE ? '+' : ''}`;

const SHOWN = 3;

export function People({ list, shown = SHOWN }: { list: ListProgress; shown?: number }) {
  const assigns = useRight('users.assign');
  if (list.people_count === 0 && assigns)
    return (
      <Link to={paths.listSettings(list.id, 'people')} className="add-people">
        <IconUserPlus size={14} stroke={1.75} aria-hidden />
        Add people
      </Link>
    );
  if (list.people_count === 0) return <span className="dim">Nobody yet</span>;
  const people = list.people.slice(0, shown);
  const more = list.people_count - people.length;
  return (
    <span className="list-people">
      {people.map((person) => (
        <Initials key={person.email} name={nameOf(person)} />
      ))}
      {more > 0 && <span className="meta">+{more}</span>}
    </span>
  );
}
