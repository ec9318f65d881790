import { IconArrowBackUp, IconCheck, IconDownload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Import } from '../../contract/imports.ts';
import { paths } from '../../contract/paths.ts';
import { sayCount } from '../counts.ts';
import { sayWhenWithin } from '../times.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { Time } from '../ui/parts.tsx';
import { FaultyFile } from './faulty-file.tsx';
import { ImportFrame } from './import-frame.tsx';
import { act } from './queries.ts';
import { sayUndo } from './running.tsx';
import { nameOfList, sayBy, sayHow } from './words.ts';
import '../ui/panel.css';
import './card.css';
import './ended.css';

/** What came of it; what its undo did, too. */
export function Ended({ import: one }: { import: Import }) {
  const { list, undone } = one;
  const isUndone = one.state === 'undone';
  return (
    <ImportFrame title={`Import into ${nameOfList(one)}`} step={isUndone ? 2 : 3} className="import-alone">
      <section className="panel import-card" aria-label={isUndone ? 'Undone' : 'Imported'}>
        <div className="ended-head">
          {isUndone ? (
            <IconArrowBackUp size={20} stroke={1.75} aria-hidden />
          ) : (
            <IconCheck size={20} stroke={1.75} aria-hidden />
          )}
          <div className="grow">
            <div role="status">
              <h2>{sayEnd(one)}</h2>
            </div>
            <p className="meta">
              {one.file_name}, {sayHow(one)}. {one.by},{' '}
              <Time at={one.finished_at ?? one.created_at} say={sayWhenWithin} />
            </p>
          </div>
        </div>
        {isUndone ? <Undone import={one} /> : <Figures import={one} />}
      </section>
      {one.counts.faulty > 0 && !isUndone && <FaultyFile import={one} />}
      {undone && undone.kept > 0 && <Kept import={one} />}
      <div className="import-acts">
        {list && (
          <Link to={paths.listLeads(list.id)} className={isUndone ? 'button default' : 'button filled'}>
            See the leads
          </Link>
        )}
        <Link
          to={paths.newImport}
          search={(list ? { list: list.id } : {}) as never}
          className={isUndone ? 'button filled' : 'button default'}
        >
          Import another file
        </Link>
        <Undo import={one} />
      </div>
    </ImportFrame>
  );
}

function sayEnd({ state, made, updated, stopped_at }: Import): string {
  if (state === 'undone') return 'Undone';
  if (stopped_at) return `Stopped. ${sayCount(made, 'lead')} came in before`;
  if (made === 0 && updated > 0) return `${sayCount(updated, 'lead')} updated`;
  return `${sayCount(made, 'lead')} imported`;
}

const Figures = ({ import: one }: { import: Import }) => {
  const { made, updated, left_out, rows, done, stopped_at, matched_by, counts } = one;
  const lines: Line[] = [
    [made, 'new lead', 'new leads'],
    [updated, 'lead that was there, updated', 'leads that were there, updated'],
    [left_out, ...both((s) => `duplicate${s} left out, ${sayBy(matched_by)}`)],
    [counts.faulty, ...both((s) => `faulty row${s}, left out`)],
    [stopped_at ? rows - done : 0, ...both((s) => `row${s} that it did not come to`)],
  ];
  return <Lines lines={lines} />;
};

const Undone = ({ import: { undone } }: { import: Import }) => (
  <Lines
    lines={[
      [undone?.removed ?? 0, 'lead is gone again', 'leads are gone again'],
      [undone?.put_back ?? 0, 'lead is as it was before', 'leads are as they were before'],
      [undone?.kept ?? 0, 'lead stays: someone has worked on it since', 'leads stay: someone has worked on them since'],
    ]}
  />
);

/** What is said of one, and of several. */
type Line = [number: number, one: string, many: string];

const both = (say: (s: string) => string): [string, string] => [say(''), say('s')];

/** Only what there is any of; the first always. */
const Lines = ({ lines }: { lines: Line[] }) => (
  <ul className="ended-lines">
    {lines
      .filter(([number], place) => number > 0 || place === 0)
      .map(([number, one, many]) => (
        <li key={many}>
          <strong className="figures">{number.toLocaleString()}</strong>
          <span>{number === 1 ? one : many}</span>
        </li>
      ))}
  </ul>
);

const Kept = ({ import: { id, undone } }: { import: Import }) => (
  <section className="panel ended-kept" aria-label="Leads that stay">
    <p className="grow">
      <strong className="strong figures">{sayCount(undone!.kept, 'lead')}</strong>{' '}
      {undone!.kept === 1 ? 'stays' : 'stay'}, each named in a file with who changed it.
    </p>
    <a className="button default" href={`/app/imports/${id}/kept`} download>
      <IconDownload size={16} stroke={1.75} aria-hidden />
      <span>Leads that stay</span>
    </a>
  </section>
);

/** For a week after its end. */
export function Undo({ import: one, size = 'sm' }: { import: Import; size?: 'xs' | 'sm' }) {
  const [asks, setAsks] = useState(false);
  if (!one.undo_until || one.state !== 'finished') return null;
  return (
    <>
      <Button
        variant="default"
        size={size}
        aria-label={`Undo the import of ${one.file_name}`}
        leftSection={<IconArrowBackUp size={16} stroke={1.75} aria-hidden />}
        onClick={() => setAsks(true)}
      >
        Undo
      </Button>
      <span className="meta ended-until">
        until <Time at={one.undo_until} say={sayWhenWithin} />
      </span>
      <Confirm
        opened={asks}
        close={() => setAsks(false)}
        title={`Undo the import of ${one.file_name}`}
        safe="Keep the leads"
        verb="Undo the import"
        act={() => act(one.id, 'undo')}
      >
        {sayUndo(one)}
      </Confirm>
    </>
  );
}
