import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Field, FieldChange, Fields } from '../../../contract/list-pages.ts';
import { ask, queries } from '../../api.ts';
import { useIsHere } from '../../ui/dialog.tsx';
import { tellFailure } from '../../ui/notices.ts';
import { lookAgain } from '../change-list.ts';
import { keyOfChanges, showChange, type ChangeOfField } from '../pending-fields.ts';
import { fieldsQuery } from '../queries.ts';

/** What is being changed about a field, and not saved yet; `at` is where one begins. */
export type FieldDraft = Pick<Field, 'id'> &
  Partial<Pick<Field, 'label' | 'kind' | 'options'>> & { at?: 'label' | 'kind' };

/** What of it would be saved. */
export function changesOf(field: Field, draft: FieldDraft): FieldChange {
  const { label, kind, options } = { ...field, ...draft };
  return {
    ...(label !== field.label && { label }),
    ...(kind !== field.kind && { kind }),
    ...(kind === 'options' && options.join('\n') !== field.options.join('\n') && { options }),
  };
}

/** One change of a list's fields after the other, in whichever form it is asked for. */
export const scopeOf = (listId: number) => ({ id: `fields ${listId}` });

const versionOf = (listId: number) => queries.getQueryData<Fields>(fieldsQuery(listId).queryKey)?.version ?? 0;

/** The versions that were made here. Whoever makes one is not told that somebody has changed the fields. */
const own = new Set<string>();
const nameVersion = (listId: number, version: number) => `${listId} ${version}`;

const withOwn = (listId: number, seen: number): number =>
  own.has(nameVersion(listId, seen + 1)) ? withOwn(listId, seen + 1) : seen;

/** Each change names the version that it saw, and makes the next. */
export async function askOfFields<T>(
  listId: number,
  act: (version: number) => Promise<T>,
  version = versionOf(listId),
): Promise<T> {
  const { queryKey } = fieldsQuery(listId);
  const answer = await act(version).catch((error: unknown) => {
    lookAgain(listId);
    throw error;
  });
  own.add(nameVersion(listId, version + 1));
  queries.setQueryData<Fields>(queryKey, (now) => now && { ...now, version: version + 1 });
  // What is shown already and only waits its turn is not taken back by an older answer.
  if (queries.isMutating({ mutationKey: keyOfChanges(listId) }) <= 1) lookAgain(listId);
  return answer;
}

const changeField = (listId: number, { id, field }: ChangeOfField, seen?: number): Promise<Field> =>
  askOfFields(
    listId,
    (version) => ask<Field>('PATCH', `/lists/${listId}/fields/${id}`, { field, seen: { fields: version } }),
    seen,
  );

/** Saves what was written about a field. Where others changed the fields meanwhile it says so, and to save again is meant. */
export function useFieldSaving(listId: number, id: number, done: () => void) {
  const [seen, setSeen] = useState(() => versionOf(listId));
  const isHere = useIsHere(true);
  return useMutation({
    scope: scopeOf(listId),
    mutationFn: (field: FieldChange) => changeField(listId, { id, field }, withOwn(listId, seen)),
    // Closed meanwhile and opened again, it is another form.
    onSuccess: () => isHere() && done(),
    onError: async (error) => {
      if (!isHere()) tellFailure(error);
      setSeen((await queries.fetchQuery({ ...fieldsQuery(listId), staleTime: 0 })).version);
    },
  });
}

/** Hides, shows or moves a field at once; what is refused goes back, and says why. */
export function useFieldChange(listId: number) {
  const { queryKey } = fieldsQuery(listId);
  return useMutation({
    mutationKey: keyOfChanges(listId),
    scope: scopeOf(listId),
    mutationFn: (change: ChangeOfField) => changeField(listId, change),
    onMutate: async (change) => {
      await queries.cancelQueries({ queryKey });
      queries.setQueryData<Fields>(queryKey, (now) => now && { ...now, fields: showChange(now.fields, change) });
    },
    onError: tellFailure,
  });
}
