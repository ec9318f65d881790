import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ListChange, ListWithSettings } from '../../../contract/list-pages.ts';
import { queries } from '../../api.ts';
import { useRight } from '../../session.ts';
import { writtenSince } from '../../ui/form.tsx';
import { tellFailure } from '../../ui/notices.ts';
import { changeList, lookAgain } from '../change-list.ts';
import { listQuery } from '../queries.ts';

/** Who changes a list, as a sentence. */
export const WHO = 'Data managers and owners change this.';

export const useMayChange = (): boolean => useRight('lists.write');

type Draft<Values> = { values: Partial<Values>; seen: ListWithSettings['versions'] };

/** What is written and not saved yet, with the versions that were shown when one began to write. */
export function useDraft<Values extends object>({ versions }: ListWithSettings) {
  const [draft, setDraft] = useState<Draft<Values>>();
  const values = draft?.values ?? {};
  const sent = useRef<Partial<Values>>({});
  return {
    values,
    seen: draft?.seen ?? versions,
    set: (of: Partial<Values>) =>
      setDraft((now) => ({ values: { ...now?.values, ...of }, seen: now?.seen ?? versions })),
    drop: () => setDraft(undefined),
    /** Said when it is sent: what is written from then on stays when that is saved. */
    send: () => {
      sent.current = values;
    },
    settle: (saved: ListWithSettings) =>
      setDraft((now) => {
        const written = writtenSince(sent.current, now?.values ?? {});
        return Object.keys(written).length > 0 ? { values: written, seen: saved.versions } : undefined;
      }),
  };
}

/** `now`: with what was changed before it. Done again to what it made, it makes the same. */
type Change = ListChange | ((now: ListWithSettings) => ListChange);

const changeOf = (change: Change, now: ListWithSettings): ListChange =>
  typeof change === 'function' ? change(now) : change;

/** Shows what was chosen at once, one change after the other; what is refused goes back to what holds, and says why. */
export function useChangeAtOnce(list: ListWithSettings) {
  const { queryKey } = listQuery(list.id);
  const mutationKey = ['change list', list.id];
  // What is shown already and only waits its turn is not taken back by an older answer.
  const isMore = () => queries.isMutating({ mutationKey }) > 1;
  return useMutation({
    mutationKey,
    scope: { id: `list ${list.id}` },
    mutationFn: async (change: Change) => {
      // What came before it may have been a new name, which is known only now.
      const current = queries.getQueryData<ListWithSettings>(queryKey) ?? list;
      const changed = await changeList(current.id, changeOf(change, current), current.versions);
      queries.setQueryData<ListWithSettings>(queryKey, (now) =>
        now && isMore() ? { ...now, versions: changed.versions } : changed,
      );
    },
    onMutate: async (change) => {
      await queries.cancelQueries({ queryKey });
      queries.setQueryData<ListWithSettings>(
        queryKey,
        (now) => now && { ...now, ...shown(now, changeOf(change, now)) },
      );
    },
    onError: tellFailure,
    onSettled: (_, error) => (error || !isMore()) && lookAgain(list.id),
  });
}

/** Categories and retries are told in parts. */
function shown(now: ListWithSettings, { categories, retries, ...rest }: ListChange): Partial<ListWithSettings> {
  return {
    ...(rest as Partial<ListWithSettings>),
    ...(categories && { categories: { ...now.categories, ...categories } }),
    ...(retries && { retries: { ...now.retries, ...withRetries(now, retries) } }),
  };
}

const withRetries = (now: ListWithSettings, retries: NonNullable<ListChange['retries']>) =>
  Object.fromEntries(
    Object.entries(retries).map(([category, retry]) => [category, { ...now.retries[category], ...retry }]),
  );
