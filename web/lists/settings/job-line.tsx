import { IconRefresh } from '@tabler/icons-react';
import type { ListJob } from '../../../contract/list-pages.ts';
import { isRunning, sayLeft } from '../queries.ts';
import './job-line.css';

const FOLLOWS: Partial<Record<ListJob['kind'], string>> = {
  settle: 'Search and duplicates follow',
  rename_category: 'Leads take the new name',
};

/** What is under way in the leads of the list, one line each, until it is through. It comes and goes below, where nothing moves under the hand. */
export const JobLines = ({ jobs }: { jobs: ListJob[] }) => (
  <div className="job-lines">
    {jobs
      .filter((job) => isRunning(job) && FOLLOWS[job.kind] !== undefined)
      .map((job) => (
        <JobLine key={job.id} job={job} />
      ))}
  </div>
);

function JobLine({ job }: { job: ListJob }) {
  const { kind, what, total, done } = job;
  const percent = total === 0 ? 0 : Math.min(100, Math.floor((done / total) * 100));
  return (
    <div className="job-line" role="group" aria-label={what}>
      <IconRefresh size={16} stroke={1.75} aria-hidden />
      <p>
        <span className="strong">{what}</span> {FOLLOWS[kind]}: <span className="figures">{percent} %</span>
      </p>
      <progress value={percent} max={100} aria-label={FOLLOWS[kind]} />
      <span className="meta figures">{sayLeft(job)}</span>
    </div>
  );
}
