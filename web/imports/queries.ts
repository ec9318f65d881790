import { queryOptions } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Import, ImportSample } from '../../contract/imports.ts';
import { paths } from '../../contract/paths.ts';
import { ask, get, queries } from '../api.ts';
import { isUnderWay } from '../importing.tsx';

/** What has just changed is looked at more often. */
const YOUNG_MS = 2_000;

const changes = new Map<number, { stand: string; at: number }>();

/** How long it has been doing what it does now. */
function ageOf({ id, state, version }: Import): number {
  const stand = `${state} ${version}`;
  if (changes.get(id)?.stand !== stand) changes.set(id, { stand, at: Date.now() });
  return Date.now() - changes.get(id)!.at;
}

export const importQuery = (id: number) =>
  queryOptions({
    queryKey: ['import', id],
    queryFn: () => get<Import>(`/imports/${id}`),
    refetchInterval: ({ state: { data } }) => {
      if (!data) return false;
      // Perhaps another browser sends it.
      if (data.state === 'uploading') return 2_000;
      if (!isUnderWay(data)) return false;
      return ageOf(data) < YOUNG_MS ? 500 : 1_000;
    },
    refetchOnWindowFocus: 'always',
  });

/** The first rows as they will be. While rows are being looked at, more become known. */
export const sampleQuery = ({ id, version, exact, state }: Import) =>
  queryOptions({
    queryKey: ['import sample', id, version, exact, state === 'reading'],
    queryFn: () => get<ImportSample>(`/imports/${id}/sample`),
    placeholderData: (before) => before,
    refetchInterval: exact ? false : 1_500,
    staleTime: 60_000,
  });

/** Shows it as the service has just told it; whatever lists imports asks again. */
export async function tellImport(told: Import): Promise<void> {
  const { queryKey } = importQuery(told.id);
  // What was asked before it would be shown after it.
  await queries.cancelQueries({ queryKey });
  queries.setQueryData(queryKey, told);
  void queries.invalidateQueries({ queryKey: ['imports'] });
}

/** Leads came or went. */
export function lookAtLeads(): void {
  for (const what of ['leads', 'lead', 'lists', 'list', 'imports'])
    void queries.invalidateQueries({ queryKey: [what] });
}

/** Stops or undoes. */
export async function act(id: number, verb: 'stop' | 'undo'): Promise<Import> {
  const told = await ask<Import>('POST', `/imports/${id}/${verb}`);
  await tellImport(told);
  return told;
}

/** While it runs: what is in by the time it stands still goes again. */
export async function stopAndUndo(id: number): Promise<void> {
  const { made, updated } = await act(id, 'stop');
  if (made + updated > 0) await act(id, 'undo');
}

/** Before it ran: the file goes, and nothing else does. */
export function useDiscard({ id, list }: Import) {
  const navigate = useNavigate();
  return async (): Promise<void> => {
    await ask('DELETE', `/imports/${id}`);
    queries.removeQueries({ queryKey: importQuery(id).queryKey });
    void queries.invalidateQueries({ queryKey: ['imports'] });
    // Also of whoever has closed the question meanwhile: what is gone would stand there as if it were not.
    if (location.pathname === paths.import(id))
      await navigate({ to: paths.newImport, search: (list ? { list: list.id } : {}) as never });
  };
}
