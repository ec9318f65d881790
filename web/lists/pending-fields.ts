import type { Field, FieldChange, Fields } from '../../contract/list-pages.ts';
import { queries } from '../api.ts';

export type ChangeOfField = { id: number; field: FieldChange };

/** Of the changes that are shown before they are saved. */
export const keyOfChanges = (listId: number) => ['fields of list', listId];

export function showChange(fields: Field[], { id, field: { position, ...change } }: ChangeOfField): Field[] {
  const from = fields.findIndex((field) => field.id === id);
  if (from < 0) return fields;
  const changed = { ...fields[from]!, ...(change as Partial<Field>) };
  return fields.toSpliced(from, 1).toSpliced(position ?? from, 0, changed);
}

/** What is being saved is shown already, and no answer from before takes it back: the row would jump, and the keyboard lose it. */
export const withPending = (listId: number, told: Fields): Fields => ({
  ...told,
  fields: queries
    .getMutationCache()
    .findAll({ mutationKey: keyOfChanges(listId), status: 'pending' })
    .map(({ state }) => state.variables as ChangeOfField)
    .reduce(showChange, told.fields),
});
