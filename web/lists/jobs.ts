import type { ListJob } from '../../contract/list-pages.ts';
import { useJobs } from '../live.ts';

/** What is done to a list's leads in the background: as far as it is now, where the stream has told of it. */
export function useListJobs({ id: listId, jobs }: { id: number; jobs: ListJob[] }): ListJob[] {
  const heard = useJobs().filter(({ list_id }) => list_id === listId);
  const known = new Set(heard.map(({ id }) => id));
  return [...heard, ...jobs.filter(({ id }) => !known.has(id))].toSorted((a, b) => a.id - b.id);
}
