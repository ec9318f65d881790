import { useMutation } from '@tanstack/react-query';
import type { ListWithSettings } from '../../../contract/list-pages.ts';
import type { CategoryKind } from '../../../contract/lists.ts';
import { ask, queries } from '../../api.ts';
import { lookAgain } from '../change-list.ts';
import { listQuery } from '../queries.ts';
import { useChangeAtOnce } from './changing.ts';

const LONGEST = 255;

/** Which one is looked at, beside. */
export type Chosen = { kind: CategoryKind; category: string | undefined };

/** Why a name cannot be a category's; undefined where it can. */
export function faultOf(name: string, others: string[]): string | undefined {
  if (name.trim() === '') return 'Write a name first.';
  if (name.includes(',')) return 'A name has no comma: programs separate names by it.';
  if (name.trim().length > LONGEST)
    return `A name has ${LONGEST} characters at most; this one has ${name.trim().length}.`;
  if (others.includes(name.trim())) return `${name.trim()} is there already.`;
  return undefined;
}

/** What can be done with the categories of a list. */
export function useCategories(list: ListWithSettings) {
  const change = useChangeAtOnce(list);
  const set = (kind: CategoryKind, of: (names: string[]) => string[]) =>
    change.mutateAsync(({ categories }) => ({ categories: { [kind]: of(categories[kind] ?? []) } }));
  const without = (names: string[], name: string) => names.filter((one) => one !== name);
  return {
    add: (kind: CategoryKind, name: string) => set(kind, (names) => [...without(names, name.trim()), name.trim()]),
    remove: (kind: CategoryKind, name: string) => set(kind, (names) => without(names, name)),
    move: (kind: CategoryKind, name: string, to: number) => {
      const moved = (names: string[]) => (names.includes(name) ? without(names, name).toSpliced(to, 0, name) : names);
      // What was refused has been told.
      void set(kind, moved).catch(() => undefined);
    },
    retry: (category: string, retry: ListWithSettings['retries'][string]) =>
      change.mutate({ retries: { [category]: retry } }),
  };
}

export type Categories = ReturnType<typeof useCategories>;

/** The leads that carry it go along. */
export const useRenaming = (list: ListWithSettings, kind: CategoryKind, from: string, done: () => void) =>
  useMutation({
    scope: { id: `list ${list.id}` },
    mutationFn: (to: string) => {
      const { versions } = queries.getQueryData<ListWithSettings>(listQuery(list.id).queryKey) ?? list;
      return ask<ListWithSettings>('POST', `/lists/${list.id}/categories`, {
        category: { kind, from, to: to.trim() },
        seen: { outcomes: versions.outcomes ?? 0 },
      });
    },
    onSuccess: (renamed) => {
      queries.setQueryData(listQuery(list.id).queryKey, renamed);
      done();
    },
    onSettled: () => lookAgain(list.id),
  });
