import { createHash } from 'node:crypto';
import type { Match, Plan } from '../../contract/imports.ts';
import type { LeadList } from '../leads/access.ts';
import { nameApart, planColumn, type ListColumn } from '../lists/columns.ts';

/** The list that rows are checked by, before it is as it will be. */

/** By what leads are recognised in a list that an import makes. */
export const RULES_OF_NEW = {
  duplicates_match_on_phone: true,
  duplicates_match_on_email: true,
  duplicates_match_on: '',
};

/** With the fields that are made when the import runs; or the list itself, where that is made. */
export function provisionalList(plan: Plan, list: LeadList | null, country: string): LeadList {
  const own = list?.columns ?? [];
  const columns = nameApart([...own, ...plan.matches.flatMap(planField)]);
  if (list) return { ...list, columns };
  return {
    id: 0,
    name: plan.new_list?.name ?? '',
    categories: {},
    former_categories: [],
    identifiers: columns.slice(0, 3).map(({ key }) => key),
    ...RULES_OF_NEW,
    columns,
    country,
  };
}

function planField({ new_field }: Match): ListColumn[] {
  if (!new_field) return [];
  const { key, label, kind, required, options } = planColumn(new_field);
  return [{ key, label, kind, required, options }];
}

/** Of each match the field that it fills; none where it says something else of the lead, or names one that is not there. */
export function fieldsOf(plan: Plan, list: Pick<LeadList, 'columns'>): (ListColumn | undefined)[] {
  const made = plan.matches.filter(({ new_field }) => new_field).length;
  let next = list.columns.length - made;
  return plan.matches.map(({ field, new_field }) => {
    if (!new_field) return list.columns.find(({ key }) => key === field);
    next += 1;
    return list.columns[next - 1];
  });
}

/** Digest of all that rows are read and recognised by: where it has changed they are checked anew. A list that is made gets the categories of its rows. */
export function shapeOf(list: LeadList, { matches, list_id }: Plan): string {
  const columns = list.columns.map(({ key, label, kind, required, options }) => [key, label, kind, required, options]);
  const namesCategories = list_id !== null && matches.some(({ part }) => part === 'category');
  const rules = [list.duplicates_match_on_phone, list.duplicates_match_on_email, list.duplicates_match_on];
  return createHash('sha256')
    .update(JSON.stringify([columns, rules, list.country, ...(namesCategories ? [list.categories] : [])]))
    .digest('base64url');
}

/** By what rows are found to be the same, as people call it. */
export function matchedBy(plan: Plan, list: LeadList): string[] {
  const fields = fieldsOf(plan, list).filter((field) => field !== undefined);
  const chosen = fields.find(({ key, label }) => [key, label].includes(list.duplicates_match_on));
  return [
    ...(list.duplicates_match_on_phone && fields.some(({ kind }) => kind === 'phone') ? ['phone'] : []),
    ...(list.duplicates_match_on_email && fields.some(({ kind }) => kind === 'email') ? ['e-mail'] : []),
    ...(chosen ? [chosen.label] : []),
    ...(plan.matches.some(({ part }) => part === 'id') ? ['number'] : []),
  ];
}
