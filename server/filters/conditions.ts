import type { Operator, Subject } from '../../contract/filters.ts';
import type { Query } from '../leads/words.ts';
import { DELETED_LISTS } from '../lists/people.ts';

/** What each token asks of a lead, in SQL. Values are parameters, all of them; `$1` is the account. */

/** Adds a value to those of the statement, and tells what stands for it. */
export type Put = (value: unknown) => string;

/** A moment, or up to the end of it: a whole day ends where the next begins. */
export type Bound = { at: Date | string | number | bigint; open?: true };

/** A token whose values are read. */
export type ReadToken = { operator: Operator; values: string[]; from?: Bound; to?: Bound } & (
  | { name: Exclude<Subject, 'claimed_by' | 'imported_by'> }
  | { name: 'claimed_by' | 'imported_by'; people: number[] }
  | { name: 'field'; key: string; ranges?: 'number' | 'time' }
);
export type FieldToken = Extract<ReadToken, { name: 'field' }>;

/** Which leads are meant, read for what someone sees at this moment. */
export type Filter = {
  /** Whole lists. */
  lists: number[];
  /** Lists of which they see what they claim. */
  elsewhere: number[];
  /** Who that is; null: they see the whole account. */
  bound: number | null;
  tokens: ReadToken[];
  /** Words; null where nothing can be asked with what was typed, and so nothing is found. */
  search: Query | null | undefined;
  /** Of the lists, those that have a field that is asked for: key → lists. */
  having: Map<string, number[]>;
  /** Lists whose values are being sorted anew. */
  unsettled: number[];
};

/** Of one lead `l`: where it is. */
export const scopeSql = ({ lists, elsewhere, bound }: Filter, put: Put): string => {
  const own = `l.list_id = any (${put(lists)}::bigint[])`;
  if (elsewhere.length === 0) return own;
  return `(${own} or (l.claimed_by = ${put(bound)} and l.list_id = any (${put(elsewhere)}::bigint[])))`;
};

/** What a lead says in a field, from `lead_data d`, as server/leads/told.ts tells it; null for nothing. */
export function valueSql({ having, unsettled }: Filter, key: string, put: Put): string {
  const name = `${put(key)}::text`;
  if (unsettled.length === 0) return `(d.data ->> ${name})`;
  return `case when d.list_id = any (${put(having.get(key) ?? [])}::bigint[]) then coalesce(d.data ->> ${name},
    case when d.list_id = any (${put(unsettled)}::bigint[]) then d.hidden ->> ${name} end) end`;
}

/** `lead`: what `leads l` and what belongs to it decide; `data`: what `lead_data d` decides. All of them have to hold. */
export function conditionsSql(filter: Filter, put: Put): { lead: string[]; data: string[] } {
  const lead: string[] = [];
  const data: string[] = [];
  for (const token of filter.tokens) {
    if (token.name === 'field') data.push(fieldSql(filter, token, put));
    else if (token.name === 'duplicate') data.push(duplicateSql(filter, token.values[0] === 'yes', put));
    else lead.push(subjectSql(token, put));
  }
  if (filter.search) data.push(`(d.words || d.said) @@ ${put(filter.search.matches)}::tsquery`);
  if (filter.search === null) lead.push('false');
  return { lead, data };
}

/** The same as one condition on `leads l`, whose data is looked up by itself: joined, a walk over all of it might look cheaper. */
export function matchSql(filter: Filter, put: Put): string {
  const { lead, data } = conditionsSql(filter, put);
  const looked =
    data.length === 0
      ? []
      : [`(select ${data.join(' and ')} from lead_data d where d.account_id = l.account_id and d.lead_id = l.id)`];
  return [...lead, ...looked].join(' and ') || 'true';
}

type SubjectToken = Exclude<ReadToken, FieldToken>;

function subjectSql(token: SubjectToken, put: Put): string {
  switch (token.name) {
    case 'state':
      return textSql('l.state', token, put);
    case 'category':
      return textSql('l.category', token, put);
    case 'claimed_by':
      return personSql('l.claimed_by', token, put);
    case 'imported_by':
      return personSql(IMPORTED_BY, token, put);
    case 'import':
      return `exists (select from import_leads il where il.account_id = l.account_id
        and il.import_id = ${put(token.values[0])}::bigint and il.lead_id = l.id)`;
    case 'attempts':
      return rangeSql(ATTEMPTS, { ...token, ...(token.operator === 'is' && { to: token.from! }) }, put);
    case 'due':
      return dueSql(token, put);
    case 'created':
      return rangeSql('l.created_at', token, put);
    case 'updated':
      return rangeSql('l.last_updated', token, put);
    default:
      return rangeSql(LAST_OUTCOME, token, put);
  }
}

// Whoever made it, not whoever made one that was merged into it later. An import is no event of its leads; of an account's imports that ran
// when a lead came there is one, so it is looked up by few keys.
const IMPORTED_BY = `coalesce(
  (select i.user_id from imports i
    where i.account_id = l.account_id and i.begun_at <= l.created_at
      and (i.finished_at is null or i.finished_at >= l.created_at)
      and exists (select from import_leads il where il.account_id = i.account_id and il.import_id = i.id
                     and il.lead_id = l.id and il.before is null) limit 1),
  (select e.user_id from events e
    where e.account_id = l.account_id and e.lead_id = l.id and e.kind = 'lead_created' order by e.id limit 1))`;
const ATTEMPTS = `(select count(*)::numeric from calls c
  where c.account_id = l.account_id and c.lead_id = l.id and c.direction = 'outbound')`;
const LAST_OUTCOME = `(select max(e.created_at) from events e
  where e.account_id = l.account_id and e.lead_id = l.id
    and e.kind in ('winner', 'call_back', 'loser', 'archive', 'skip'))`;

function textSql(value: string, { operator, values }: Pick<ReadToken, 'operator' | 'values'>, put: Put): string {
  if (operator === 'is_set') return `${value} is not null`;
  if (operator === 'empty') return `${value} is null`;
  if (operator === 'is_not') return `(${value} = any (${put(values)}::text[])) is not true`;
  return `${value} = any (${put(values)}::text[])`;
}

function personSql(value: string, { operator, people }: { operator: Operator; people: number[] }, put: Put): string {
  if (operator === 'is_set') return `${value} is not null`;
  if (operator === 'empty') return `${value} is null`;
  const among = `${value} = any (${put(people)}::bigint[])`;
  return operator === 'is_not' ? `(${among}) is not true` : among;
}

function rangeSql(value: string, { operator, from, to }: Omit<ReadToken, 'name' | 'values'>, put: Put): string {
  if (operator === 'is_set') return `${value} is not null`;
  if (operator === 'empty') return `${value} is null`;
  const least = from ? [`${value} >= ${put(from.at)}`] : [];
  const most = to ? [`${value} ${to.open ? '<' : '<='} ${put(to.at)}`] : [];
  return [...least, ...most].join(' and ') || 'true';
}

/** As the index leads_due has it. */
export const IS_DUE = `l.state = 'call_back' and l.scheduled_for is not null`;

const dueSql = (token: SubjectToken, put: Put): string =>
  token.operator === 'is_set'
    ? `(${IS_DUE})`
    : token.operator === 'empty'
      ? `not (${IS_DUE})`
      : `${IS_DUE} and ${rangeSql('l.scheduled_for', token, put)}`;

function fieldSql(filter: Filter, token: FieldToken, put: Put): string {
  const value = valueSql(filter, token.key, put);
  const typed = () => `lower(${put(token.values[0])}::text)`;
  switch (token.operator) {
    case 'contains':
      return `strpos(lower(${value}), ${typed()}) > 0`;
    case 'starts_with':
      return `starts_with(lower(${value}), ${typed()})`;
    case 'at_least':
    case 'at_most':
    case 'between':
      return rangeSql(token.ranges === 'time' ? timeOf(value) : numberOf(value), token, put);
    default:
      return textSql(value, token, put);
  }
}

/** What a field says as a whole number; null where it says none. */
export const numberOf = (value: string): string =>
  `case when ${value} ~ '^ *[+-]?[0-9]{1,30} *$' then (${value})::numeric end`;

/** As stored: text that is in the order of time. */
const timeOf = (value: string): string =>
  `case when ${value} ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$' then ${value} end collate "C"`;

/** Among the leads of the lists one sees; pairs that were found to be two are none. Where a mark is that of thousands, the first will do. */
function duplicateSql({ bound, lists }: Filter, yes: boolean, put: Put): string {
  const others =
    bound === null
      ? `select k.lead_id from lead_marks k
          where k.account_id = d.account_id and k.mark = own.mark and k.lead_id <> d.lead_id
            and k.list_id not in ${DELETED_LISTS}`
      : `select k.lead_id from unnest(${put(lists)}::bigint[]) as of_list (id)
          cross join lateral (select k.lead_id from lead_marks k
            where k.account_id = d.account_id and k.list_id = of_list.id and k.mark = own.mark
              and k.lead_id <> d.lead_id offset 0) k`;
  return `${yes ? '' : 'not '}exists (
    select from unnest(d.marks) as own (mark) cross join lateral (${others}) other
     where not exists (select from ignored_duplicates i where i.account_id = d.account_id
                          and i.lead_id = d.lead_id and i.other_id = other.lead_id))`;
}
