import { useQuery } from '@tanstack/react-query';
import type { BulkKind } from '../../../contract/bulk.ts';
import type { Colleague } from '../../../contract/users.ts';
import { useColleagues } from '../../colleagues.ts';
import { sayCount } from '../../counts.ts';
import { listsQuery, listsToMoveTo } from '../../lists.ts';
import { subjectsQuery } from '../filter/subjects.ts';
import type { Field } from '../table/fields.ts';
import { VERBS } from './verbs.ts';

/** What an act needs to know besides the leads, while it is being chosen. */
export type Draft = {
  people: string[];
  list: string | null;
  givesBack: boolean;
  category: string | null;
  field: string | null;
  value: string;
};
export const BLANK: Draft = { people: [], list: null, givesBack: false, category: null, field: null, value: '' };

/** As the service takes it; undefined while something is missing. */
export function leadOf(kind: BulkKind, draft: Draft): Record<string, unknown> | undefined {
  const { people, list, givesBack, category, field, value } = draft;
  if (kind === 'delegate') return people.length > 0 ? { delegate_to: people.map(Number) } : undefined;
  if (kind === 'migrate') return list ? { to_list_id: Number(list), give_back_leads: givesBack } : undefined;
  if (kind === 'archive') return category ? { category } : {};
  if (kind === 'change') return field ? { field, value } : undefined;
  return {};
}

export type Offered = {
  people: Colleague[];
  lists: { id: number; name: string }[];
  categories: string[];
  fields: Field[];
};

/** What there is to choose from, for leads of these lists; none: of any. */
export function useOffered(lists: number[]): Offered {
  const people = useColleagues().filter(({ active }) => active);
  const { data: all = [] } = useQuery(listsQuery);
  const { data: subjects } = useQuery(subjectsQuery(lists));
  return {
    people,
    lists: listsToMoveTo(all, lists.length === 1 ? lists[0] : undefined),
    categories: subjects?.archive_categories ?? [],
    fields: subjects?.fields ?? [],
  };
}

/** `Move 100,000 leads to Northern depots`. */
export function sayAct(kind: BulkKind, leads: string, draft: Draft, offered: Offered): string {
  const { people, list, category } = draft;
  const person = offered.people.find(({ id }) => String(id) === people[0])?.name;
  const to = offered.lists.find(({ id }) => String(id) === list)?.name;
  const said = sayShortly(kind, leads, draft, offered);
  if (kind === 'delegate' && people.length > 0)
    return `${said} to ${people.length === 1 ? person : sayCount(people.length, 'person', 'people')}`;
  if (kind === 'migrate' && to) return `${said} to ${to}`;
  if (kind === 'archive' && category) return `${said} as ${category}`;
  if (kind === 'change' && draft.field && draft.value !== '') return `${said} to ${draft.value}`;
  return said;
}

/** `Move 100,000 leads`: as it stands on a button. */
export function sayShortly(kind: BulkKind, leads: string, draft: Draft, offered: Offered): string {
  if (kind === 'renew') return `Make ${leads} new again`;
  if (kind !== 'change') return `${VERBS[kind].word} ${leads}`;
  const field = offered.fields.find(({ key }) => key === draft.field)?.label;
  if (!field) return `Set a field of ${leads}`;
  return `${draft.value === '' ? 'Clear' : 'Set'} ${field} of ${leads}`;
}
