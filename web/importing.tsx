import { IconUpload } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import type { Import } from '../contract/imports.ts';
import { paths } from '../contract/paths.ts';
import { get } from './api.ts';
import { useRight } from './session.ts';
import { GuardedButton } from './ui/guarded.tsx';

/** What pages besides its own know of importing: the way to it, and what is under way. */

export const WHO_IMPORTS = 'Data managers and owners import files.';

const UNDER_WAY = new Set<Import['state']>(['reading', 'checking', 'running', 'undoing']);

/** The service is at it; what waits for someone, or has ended, is not. */
export const isUnderWay = ({ state }: Pick<Import, 'state'>): boolean => UNDER_WAY.has(state);

/** Once it was started it puts leads into its list until it ends, whatever it does in between. */
export const isRunning = ({ state, begun_at }: Pick<Import, 'state' | 'begun_at'>): boolean =>
  state === 'running' || (begun_at !== null && (state === 'reading' || state === 'checking'));

/** 0 to 1. */
export const shareOf = (done: number, total: number): number => (total <= 0 ? 0 : Math.min(1, done / total));

/** Whole percents; all of it only when it is. */
export const percentOf = (done: number, total: number): number => Math.floor(100 * shareOf(done, total));

export const importsQuery = (listId?: number) =>
  queryOptions({
    queryKey: listId === undefined ? ['imports'] : ['imports', listId],
    queryFn: () => get<Import[]>(`/imports${listId === undefined ? '' : `?list_id=${listId}`}`),
    refetchInterval: ({ state: { data } }) => (data?.some(isUnderWay) ? 1_000 : false),
  });

/** Not asked for by those who may not import. */
export function useImports(listId?: number) {
  const may = useRight('leads.import');
  return { may, ...useQuery({ ...importsQuery(listId), enabled: may }) };
}

/** The one that puts leads into each list now. */
export function useRunningImports(): Map<number, Import> {
  const { data = [] } = useImports();
  return new Map(data.flatMap((one) => (one.list && isRunning(one) ? [[one.list.id, one]] : [])));
}

type Props = Pick<ComponentProps<typeof GuardedButton>, 'variant' | 'size' | 'children'> & { listId?: number };

/** The way to the upload; those who may not are told who may. */
export function ImportButton({ listId, children = 'Import a file', ...rest }: Props) {
  const may = useRight('leads.import');
  const navigate = useNavigate();
  return (
    <GuardedButton
      variant="default"
      {...rest}
      may={may}
      who={WHO_IMPORTS}
      leftSection={<IconUpload size={16} stroke={1.75} aria-hidden />}
      onClick={() => void navigate({ to: paths.newImport, search: (listId ? { list: listId } : {}) as never })}
    >
      {children}
    </GuardedButton>
  );
}
