import { useMutation } from '@tanstack/react-query';
import type { ListChange, ListWithSettings } from '../../contract/list-pages.ts';
import { ask, queries, Refused } from '../api.ts';
import { listQuery } from './queries.ts';

type Versions = ListWithSettings['versions'];

export const changeList = (id: number, list: ListChange, seen?: Versions): Promise<ListWithSettings> =>
  ask<ListWithSettings>('PATCH', `/lists/${id}`, { list, ...(seen && { seen }) });

/** Everything that shows something of the list asks for it again. */
export function lookAgain(listId: number): void {
  void queries.invalidateQueries({ queryKey: ['list', listId] });
  void queries.invalidateQueries({ queryKey: ['lists'] });
  void queries.invalidateQueries({ queryKey: ['desk', listId] });
}

type Asked<Given> = { given: Given; seen: Versions };

export type Saving<Given> = {
  /** `seen`: the versions of what was shown when one began to type, where that is longer ago than now. */
  save: (given: Given, seen?: Versions) => void;
  isPending: boolean;
  isSaved: boolean;
  error: Error | null;
  /** Someone has changed the same meanwhile: the sentence says who. */
  clash: Refused | undefined;
  /** What was refused goes once more, over what the other has changed. */
  saveMine: () => void;
  /** Forgets what was refused, and tells what the other has made of the list. */
  takeTheirs: () => Promise<ListWithSettings>;
};

/** Saves something about a list with what was seen of it. Where two change the same, the second decides whose it is to be; see Clash. */
export function useListSaving<Given, Answer>(
  list: Pick<ListWithSettings, 'id' | 'versions'>,
  send: (given: Given, seen: Versions) => Promise<Answer>,
  onSaved?: (answer: Answer) => void,
): Saving<Given> {
  const saving = useMutation({
    mutationFn: ({ given, seen }: Asked<Given>) => send(given, seen),
    onSuccess: (answer) => onSaved?.(answer),
    onSettled: () => lookAgain(list.id),
  });
  const { error, variables } = saving;
  const readNow = () => queries.fetchQuery({ ...listQuery(list.id), staleTime: 0 });
  const saveMine = useMutation({
    mutationFn: async ({ given }: Asked<Given>) => saving.mutate({ given, seen: (await readNow()).versions }),
  });
  const clash = error instanceof Refused && error.code === 'list_changed' ? error : undefined;
  return {
    save: (given, seen = list.versions) => saving.mutate({ given, seen }),
    isPending: saving.isPending || saveMine.isPending,
    isSaved: saving.isSuccess,
    error: saveMine.error ?? (clash ? null : error),
    clash,
    saveMine: () => variables && saveMine.mutate(variables),
    takeTheirs: async () => {
      const theirs = await readNow();
      saving.reset();
      return theirs;
    },
  };
}

/** The settings that one change can say. */
export const useListChange = (
  list: Pick<ListWithSettings, 'id' | 'versions'>,
  onSaved?: (list: ListWithSettings) => void,
): Saving<ListChange> =>
  useListSaving(
    list,
    (change, seen) => changeList(list.id, change, seen),
    (saved) => {
      queries.setQueryData(listQuery(list.id).queryKey, saved);
      onSaved?.(saved);
    },
  );
