import {
  FIELD,
  isField,
  LONGEST_VALUE,
  MOST_TOKENS,
  MOST_VALUES,
  OPERATORS_OF,
  SUBJECTS,
  valuesOf,
  type Subject,
  type Token,
} from '../../contract/filters.ts';
import { isWholeNumber } from '../../contract/fits.ts';
import { MOST_LISTS, type Matching } from '../../contract/lead-table.ts';
import type { ColumnKind } from '../../contract/lists.ts';
import { STATES } from '../../contract/states.ts';
import { readTime } from '../../contract/times.ts';
import { readOfKind } from '../leads/values.ts';
import { readQuery } from '../leads/words.ts';
import { worksList } from '../lists/people.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one } from '../platform/db.ts';
import type { HttpError } from '../platform/errors.ts';
import { invalid } from '../platform/read.ts';
import { sqlFor, whenRun } from '../platform/sql.ts';
import { whenIn, writeTime } from '../platform/times.ts';
import type { Reading } from '../platform/work.ts';
import type { Bound, Filter, ReadToken } from './conditions.ts';

/** From tokens as they are asked to a filter, or to the sentence that says which of them is wrong. */

type SeenList = { id: number; worked: boolean; unsettled: boolean; fields: { key: string; kind: ColumnKind }[] | null };
type Person = { id: number; email: string };
type Known = { time_zone: string; lists: SeenList[]; people: Person[] };

const WHOM = whenRun('$2::bigint');
const LISTS = whenRun('$3::bigint[]');
const WORKED = `(${WHOM} is null or ${worksList('li', 'id', WHOM)})`;

/** Where none are named, what someone claims in others is seen too. */
const WHICH = {
  named: `li.id = any (${LISTS}::bigint[]) and ${WORKED}`,
  all: `$3::bigint[] is null and (${WORKED} or li.id in (
                select l.list_id from leads l where l.account_id = $1 and l.claimed_by = ${WHOM}))`,
};

// Of the fields those alone that are asked for: there may be hundreds of lists with hundreds of fields.
const KNOW = sqlFor(
  'filters/read.know',
  (which: keyof typeof WHICH) => `
  select a.time_zone,
         coalesce((select json_agg(seen) from (
           select li.id, li.unsettled, ${WORKED} as worked,
                  case when cardinality($4::text[]) > 0 then (
                    select json_agg(json_build_object('key', c.key, 'kind', c.kind)) from list_columns c
                     where c.account_id = li.account_id and c.list_id = li.id and c.key = any ($4)) end as fields
             from lists li
            where li.account_id = a.id and li.deleted_at is null and ${WHICH[which]}
            order by li.id) seen), '[]') as lists,
         coalesce((select json_agg(json_build_object('id', u.id, 'email', u.email_folded)) from users u
            where u.account_id = a.id and (u.id = any ($5::bigint[]) or u.email_folded = any ($6::text[]))), '[]')
           as people
    from accounts a where a.id = $1`,
  [['named'], ['all']],
);

/** `keys`: of fields that are asked for besides. What is seen, and who is who, is looked up once. */
export async function readFilter(
  { db }: Reading,
  actor: Actor,
  { list_ids, filter: tokens = [], query = '' }: Matching,
  keys: string[] = [],
): Promise<Filter & { kinds: Map<string, Set<ColumnKind>> }> {
  refuseTooMuch(tokens, list_ids);
  const asked = [...tokens.filter(({ name }) => isField(name)).map(({ name }) => keyOf(name)), ...keys];
  const people = tokens.filter(({ name }) => kindOf(name) === 'person').flatMap(({ values }) => values.map(readPerson));
  const bound = boundOf(actor, 'leads.read');
  const known = await one<Known>(db, KNOW(list_ids ? 'named' : 'all'), [
    actor.account.id,
    bound,
    list_ids ?? null,
    asked,
    people.flatMap(({ id }) => id ?? []),
    people.flatMap(({ email }) => email ?? []),
  ]);
  const strange = list_ids?.find((id) => !known.lists.some((list) => list.id === id));
  if (strange !== undefined) throw invalid({ lists: [`name ${strange}, which is no list that you may see`] });
  const kinds = new Map(asked.map((key) => [key, new Set<ColumnKind>()]));
  const having = new Map<string, number[]>(asked.map((key) => [key, []]));
  for (const { id, fields } of known.lists)
    for (const { key, kind } of fields ?? []) {
      kinds.get(key)!.add(kind);
      having.get(key)!.push(id);
    }
  for (const key of asked) if (kinds.get(key)!.size === 0) throw noField(key);
  return {
    lists: known.lists.filter(({ worked }) => worked).map(({ id }) => id),
    elsewhere: known.lists.filter(({ worked }) => !worked).map(({ id }) => id),
    bound,
    tokens: tokens.map((token) => readOne(token, known, kinds)),
    search: query.trim() === '' ? undefined : (readQuery(query) ?? null),
    having,
    unsettled: known.lists.filter(({ unsettled }) => unsettled).map(({ id }) => id),
    kinds,
  };
}

const keyOf = (name: string): string => name.slice(FIELD.length);
const kindOf = (name: string) => (Object.hasOwn(SUBJECTS, name) ? SUBJECTS[name as Subject] : undefined);

const noField = (key: string): HttpError =>
  invalid({
    [`${FIELD}${key}`]: [
      'is no field of these lists; it may have been removed or renamed: take it out or choose another',
    ],
  });

/** Before anything is looked up: what is asked is bounded, and made of names and operators there are. */
function refuseTooMuch(tokens: Token[], lists: number[] | undefined): void {
  if (lists && lists.length > MOST_LISTS) throw invalid({ lists: [`must be at most ${MOST_LISTS}`] });
  if (tokens.length > MOST_TOKENS) throw invalid({ filter: [`must have at most ${MOST_TOKENS} tokens`] });
  for (const { name, operator, values } of tokens) {
    const refuse = (fault: string): never => {
      throw invalid({ [name.slice(0, 100)]: [fault] });
    };
    const kind = isField(name) ? 'field' : kindOf(name);
    if (!kind)
      return refuse(`is nothing a filter knows; take one of ${Object.keys(SUBJECTS).join(', ')}, or field.KEY`);
    if (!OPERATORS_OF[kind].includes(operator))
      refuse(`cannot be asked with ${operator}; take one of ${OPERATORS_OF[kind].join(', ')}`);
    const [least, most] = valuesOf(operator);
    if (values.length > MOST_VALUES) refuse(`must have at most ${MOST_VALUES} values`);
    if (values.length < least || values.length > most)
      refuse(`${operator} takes ${most === 0 ? 'no value' : most === least ? plural(most) : `1 to ${plural(most)}`}`);
    if (values.some((value) => value === '')) refuse(`${operator} takes no empty value; ask with empty instead`);
    if (values.some((value) => value.length > LONGEST_VALUE))
      refuse(`must have values of at most ${LONGEST_VALUE} characters`);
  }
}

const plural = (number: number): string => (number === 1 ? 'one value' : `${number} values`);

function readPerson(text: string): { id?: number; email?: string } {
  const typed = text.trim();
  return /^\d{1,15}$/.test(typed) ? { id: Number(typed) } : { email: typed.toLowerCase() };
}

function readOne(token: Token, known: Known, kinds: Map<string, Set<ColumnKind>>): ReadToken {
  const { name, operator, values } = token;
  if (isField(name)) return readFieldToken(token, kinds.get(keyOf(name))!);
  const subject = name as Subject;
  switch (subject) {
    case 'state':
      for (const value of values)
        if (!Object.hasOwn(STATES, value))
          throw invalid({ state: [`must be one of ${Object.keys(STATES).join(', ')}`] });
      return { name: subject, operator, values };
    case 'claimed_by':
    case 'imported_by':
      return { name: subject, operator, values, people: findPeople(subject, values, known) };
    case 'import':
      if (!/^\d{1,15}$/.test(values[0]!)) throw invalid({ import: ['must be the id of an import'] });
      return { name: subject, operator, values };
    case 'duplicate':
      if (values[0] !== 'yes' && values[0] !== 'no') throw invalid({ duplicate: ['must be yes or no'] });
      return { name: subject, operator, values };
    case 'attempts':
      return { name: subject, operator, values, ...readRange(name, token, (text) => readNumber(name, text)) };
    case 'category':
      return { name: subject, operator, values };
    default:
      return {
        name: subject,
        operator,
        values,
        ...readRange(name, token, (text, end) => readDay(name, text, end, known)),
      };
  }
}

function findPeople(name: string, values: string[], { people }: Known): number[] {
  const ids = values.map((value) => {
    const { id, email } = readPerson(value);
    const found = people.find((person) => (id === undefined ? person.email === email : person.id === id));
    if (!found) throw invalid({ [name]: [`must be the id or e-mail of a user, and ${value.slice(0, 100)} is none`] });
    return found.id;
  });
  return [...new Set(ids)];
}

type ReadBound = (text: string, end: boolean) => Bound;

/** `is` asks for what lies between a number and itself. */
function readRange(name: string, { operator, values }: Token, read: ReadBound): { from?: Bound; to?: Bound } {
  const [first, second] = values;
  switch (operator) {
    case 'at_least':
    case 'is':
      return { from: read(first!, false) };
    case 'at_most':
      return { to: read(first!, true) };
    case 'between': {
      const [from, to] = [read(first!, false), read(second!, true)];
      if (from.at > to.at || (to.open && from.at >= to.at))
        throw invalid({ [name]: ['between takes the lower value first'] });
      return { from, to };
    }
    default:
      return {};
  }
}

const MOST_DIGITS = 30;

function readNumber(name: string, text: string): Bound {
  const typed = text.trim();
  if (!isWholeNumber(typed) || typed.length > MOST_DIGITS) throw invalid({ [name]: ['must be a whole number'] });
  return { at: BigInt(typed.replace('+', '')) };
}

const A_TIME = 'must be a time such as 2026-12-01 09:30, or a day such as 2026-12-01';
const DAY = /^\d{4}-\d\d-\d\d$/;
const HAS_ZONE = /^.{10}.*(?:UTC|GMT|Z|[+-]\d\d(?::?\d\d)?)$/i;
const DAY_MS = 86_400_000;

/** Without a zone it is the account's. A day lasts until the next begins. */
function readDay(name: string, text: string, end: boolean, { time_zone }: Known): Bound {
  const typed = text.trim();
  const read = readTime(typed);
  if (!read) throw invalid({ [name]: [A_TIME] });
  if (HAS_ZONE.test(typed)) return { at: read };
  if (!DAY.test(typed)) return { at: whenIn(time_zone, read.getTime()) };
  return end
    ? { at: whenIn(time_zone, read.getTime() + DAY_MS), open: true }
    : { at: whenIn(time_zone, read.getTime()) };
}

const RANGES = new Set(['at_least', 'at_most', 'between']);
const AS_TYPED = new Set(['contains', 'starts_with']);

function readFieldToken(token: Token, kinds: Set<ColumnKind>): ReadToken {
  const { name, operator, values } = token;
  const key = keyOf(name);
  if (AS_TYPED.has(operator)) return { name: 'field', key, operator, values };
  if (!RANGES.has(operator)) {
    const read = values.flatMap((value) => readLikeStored(name, value, kinds));
    return { name: 'field', key, operator, values: read };
  }
  // What is a date in one list may be text in another.
  const asTime = kinds.has('date') && (kinds.size === 1 || values.every((value) => readTime(value)));
  return asTime
    ? { name: 'field', key, operator, values, ranges: 'time', ...readRange(name, token, readStoredTime(name)) }
    : {
        name: 'field',
        key,
        operator,
        values,
        ranges: 'number',
        ...readRange(name, token, (text) => readNumber(name, text)),
      };
}

/** As it may be stored, which depends on what the field is in each list. */
function readLikeStored(name: string, value: string, kinds: Set<ColumnKind>): string[] {
  const read = [...kinds].map((kind) => readOfKind({ kind, options: [] }, value));
  const texts = new Set(read.flatMap((stored) => ('text' in stored ? stored.text : [])));
  const [first] = read;
  if (texts.size === 0) throw invalid({ [name]: [first && 'fault' in first ? first.fault : 'is not valid'] });
  return [...texts];
}

const readStoredTime =
  (name: string): ReadBound =>
  (text, end) => {
    const typed = text.trim();
    const read = readTime(typed);
    if (!read) throw invalid({ [name]: [A_TIME] });
    return { at: writeTime(end && DAY.test(typed) ? new Date(read.getTime() + DAY_MS - 1_000) : read) };
  };
