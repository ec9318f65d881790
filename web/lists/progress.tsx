import { Link } from '@tanstack/react-router';
import type { Import } from '../../contract/imports.ts';
import type { ListJob } from '../../contract/list-pages.ts';
import { paths } from '../../contract/paths.ts';
import type { State } from '../../contract/states.ts';
import { sayCount } from '../counts.ts';
import { STATES } from '../ui/states.tsx';
import { sayLeads, sayLeft } from './queries.ts';
import './progress.css';

/** In the order in which a campaign is told: what came of it, what is still to come, what is over. */
export const ORDER = ['won', 'call_back', 'new', 'lost', 'archived'] as const satisfies State[];

type Counts = Record<State, number>;

export const totalOf = (counts: Counts): number => ORDER.reduce((sum, state) => sum + counts[state], 0);

/** One bar of all leads by their state. Its numbers stand beside it, so nobody has to see it. */
const Shares = ({ counts }: { counts: Counts }) => (
  <div className="shares-bar" aria-hidden>
    {ORDER.filter((state) => counts[state] > 0).map((state) => (
      <span key={state} className={`share ${state}`} style={{ flexGrow: counts[state] }} />
    ))}
  </div>
);

/** The words over the five counts. */
export const Legend = () => (
  <span className="legend">
    {ORDER.map((state) => (
      <span key={state}>
        <span className={`share ${state}`} aria-hidden />
        {STATES[state].word}
      </span>
    ))}
  </span>
);

/** The bar over its counts, each under its word. */
export const Progress = ({ counts }: { counts: Counts }) => (
  <div className="progress">
    <Shares counts={counts} />
    <ul className="shares-counts">
      {ORDER.map((state) => (
        <li key={state} className={state}>
          <span className="figures">{counts[state].toLocaleString()}</span>{' '}
          <span className="share-word">{STATES[state].word}</span>
        </li>
      ))}
      <li className="all figures">{sayLeads(totalOf(counts))}</li>
    </ul>
  </div>
);

/** What is done to all leads of a list just now, and how far it is. */
export const JobProgress = ({ job }: { job: ListJob }) => (
  <div className="progress">
    <progress className="job-bar" max={Math.max(1, job.total)} value={job.done} aria-label={job.what} />
    <p className="job-words">
      <span className="grow">
        {job.what} <span className="figures">{sayDone(job)}</span>
      </span>
      <span className="dim figures">{sayLeft(job)}</span>
    </p>
  </div>
);

/** A file is being stored in it. */
export const ImportProgress = ({ importing: { id, file_name, done, rows, seconds_left } }: { importing: Import }) => (
  <div className="progress">
    <progress className="job-bar" max={Math.max(1, rows)} value={done} aria-label={`Importing ${file_name}`} />
    <p className="job-words">
      <span className="grow">
        <Link to={paths.import(id)} className="link job-link">
          Importing
        </Link>
        , <span className="figures">{`${done.toLocaleString()} of ${rows.toLocaleString()}`}</span>
      </span>
      <span className="dim figures">{sayLeft({ seconds_left })}</span>
    </p>
  </div>
);

const sayDone = ({ done, total }: ListJob): string => `${done.toLocaleString()} of ${sayCount(total, 'lead')}`;
