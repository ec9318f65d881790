import { one, PLAN_ANEW } from '../platform/db.ts';
import { sqlFor } from '../platform/sql.ts';
import {
  conditionsSql,
  matchSql,
  scopeSql,
  type FieldToken,
  type Filter,
  type Put,
  type ReadToken,
} from './conditions.ts';
import { isAskedOfCounters, type Rough } from './counts.ts';
import { askOnce, nameOf, Remembered } from './remembered.ts';
import { placeSql, type Mark } from './marks.ts';
import { beyondSql, columnsOf, orderBy, RANK, RANKS, type Order } from './orders.ts';
import { statisticsOf } from './statistics.ts';
import type { Search } from './walk.ts';

/**
 * Few leads: an index names all that can match, so they are counted, put in any order, and a page is cut from them. Where it names too many
 * of them, this is not the way (`over`).
 */

/**
 * An index that names all leads that can match: a select of rows of `leads l`, at most `$2`; and what is left of the filter. `hasValue`: with
 * what the order looks for in `lead_data`, where the index has led already. `isSeen`: none but of the lists that are asked for.
 */
export type Source = { sql: (put: Put) => string; rest: Filter; hasValue?: true; isSeen?: boolean };

/** In each list by itself: the indexes are led by it. What someone claims elsewhere comes besides. */
const inLists = (filter: Filter, put: Put, which: string): string => {
  const own = `
    select l.* from unnest(${put(filter.lists)}::bigint[]) as of_list (id)
     cross join lateral (
       select * from leads l where l.account_id = $1 and l.list_id = of_list.id and ${which} limit $2) l`;
  if (filter.elsewhere.length === 0) return own;
  return `${own} union all (
    select l.* from leads l where l.account_id = $1 and l.claimed_by = ${put(filter.bound)}
       and l.list_id = any (${put(filter.elsewhere)}::bigint[]) and ${which} limit $2)`;
};

const isOneOf = ({ operator }: { operator: string }) => operator === 'is' || operator === 'in';
const without = (filter: Filter, served: ReadToken[]): Filter => ({
  ...filter,
  tokens: filter.tokens.filter((token) => !served.includes(token)),
});

/** By ids of what was found elsewhere, with what else was read there. */
const leadsOf = (found: string, read = ''): string => `
  select l.*${read} from (select found.* from (${found}) found limit $2) found
   cross join lateral (select * from leads l where l.account_id = $1 and l.id = found.lead_id offset 0) l`;

/** The same of `lead_data d`. */
const leadsOfData = ({ value }: Order, where: string, put: Put): string =>
  value
    ? leadsOf(`select d.lead_id, ${value(put)} as value from lead_data d where ${where}`, ', found.value')
    : leadsOf(`select d.lead_id from lead_data d where ${where}`);

/** Where an index of `lead_data` looks. */
type Where = { isMost: boolean; words: Set<string> };

/** Where the lists are most of what there is, walking along them takes several times as long as the rest: written so, no index has it. */
const unlessMost = (column: string, { isMost }: Where) => (isMost ? `${column} + 0` : column);

/** What `lead_data d` is about. */
const among = ({ lists, elsewhere }: Filter, where: Where, put: Put): string =>
  `${unlessMost('d.list_id', where)} = any (${put([...lists, ...elsewhere])}::bigint[])`;

/** Of lists that are seen in part, the others are named too. */
const isWithin = ({ elsewhere }: Filter): boolean => elsewhere.length === 0;

/** A value is looked for in each list, so many of both would be too many looks. */
const MOST_LOOKS = 2_000;

/** Tokens about fields that the index of exact values serves. */
export function exactFields(filter: Filter): FieldToken[] {
  const fields = filter.tokens.filter((token): token is FieldToken => token.name === 'field' && isOneOf(token));
  const lists = filter.lists.length + filter.elsewhere.length;
  const looks = lists * fields.reduce((sum, { values }) => sum + values.length, 0);
  // While values are being sorted anew, some are where the index does not look.
  return looks > MOST_LOOKS || filter.unsettled.length > 0 ? [] : fields;
}

/** The same as that index has it. */
export const holdsSql = (fields: FieldToken[], put: Put): string =>
  fields
    .map(({ key, values }) => {
      const texts = values.map((value) => JSON.stringify({ [key]: value }));
      return `(${texts.map((text) => `d.data @> ${put(text)}::jsonb`).join(' or ')})`;
    })
    .join(' and ');

function byFields(filter: Filter, where: Where, order: Order): Source[] {
  const fields = exactFields(filter);
  if (fields.length === 0) return [];
  // By the list, which is the account's, and without a limit of its own: with either, the account's leads one by one may look as cheap.
  const sql = (put: Put) =>
    leadsOfData(order, `${among(filter, where, put)} and ${holdsSql(fields, put)} offset 0`, put);
  return [{ sql, rest: without(filter, fields), hasValue: true, isSeen: isWithin(filter) }];
}

/** By words, in all lists at once: this index has the account first. */
function byWords(filter: Filter, where: Where, order: Order): Source[] {
  const { search } = filter;
  if (!search) return [];
  // A word that many have is looked for as it is and, apart from that, as the beginning of others: for beginnings the index puts together all it finds.
  // And each word by itself: asked about several in one go, the index works out for each lead of the rarest what that comes to.
  const { longer } = search;
  const ways = longer && where.words.has(search.last) ? [search.words, [longer]] : [[search.matches]];
  const sql = (put: Put) => {
    const holds = (query: string) => `(d.words || d.said) @@ ${put(query)}::tsquery`;
    const found = ways.map((way) => way.map(holds).join(' and ')).join(' or ');
    const own = `${unlessMost('d.account_id', where)} = $1 and ${among(filter, where, put)}`;
    return leadsOfData(order, `${own} and (${found}) limit $2`, put);
  };
  return [{ sql, rest: { ...filter, search: undefined }, hasValue: true, isSeen: isWithin(filter) }];
}

function byClaim(filter: Filter): Source[] {
  const token = filter.tokens.find(
    (asked) => asked.name === 'claimed_by' && (isOneOf(asked) || asked.operator === 'is_set'),
  );
  if (!token || !('people' in token)) return [];
  const sql = (put: Put) =>
    token.operator === 'is_set'
      ? 'select l.* from leads l where l.account_id = $1 and l.claimed_by is not null limit $2'
      : `
    select l.* from unnest(${put(token.people)}::bigint[]) as person (id)
     cross join lateral (select * from leads l where l.account_id = $1 and l.claimed_by = person.id limit $2) l`;
  return [{ sql, rest: without(filter, [token]) }];
}

function byImport(filter: Filter): Source[] {
  const token = filter.tokens.find(({ name }) => name === 'import');
  if (!token) return [];
  const sql = (put: Put) =>
    leadsOf(`select il.lead_id from import_leads il
      where il.account_id = $1 and il.import_id = ${put(token.values[0])}::bigint`);
  return [{ sql, rest: without(filter, [token]) }];
}

const RANGES = new Set(['at_least', 'at_most', 'between']);
const TIMES = new Set(['due', 'created', 'updated']);

const byTime = (filter: Filter): Source[] =>
  filter.tokens.flatMap((token): Source[] => {
    const isRange = RANGES.has(token.operator) || (token.name === 'due' && token.operator === 'is_set');
    if (!TIMES.has(token.name) || !isRange) return [];
    const sql = (put: Put) =>
      inLists(filter, put, conditionsSql({ ...filter, tokens: [token], search: undefined }, put).lead.join(' and '));
    return [{ sql, rest: without(filter, [token]), isSeen: true }];
  });

/** By state and category: in which states any can match, the counters know. */
async function byState(filter: Filter, rough: () => Promise<Rough>, most: number): Promise<Source[]> {
  const { counts } = await rough();
  const states = new Set(counts.filter(({ matching }) => matching > 0).map(({ state }) => state));
  const named = counts.filter(({ state }) => states.has(state)).reduce((sum, { leads }) => sum + leads, 0);
  if (named > most) return [];
  const ranks = [...states].flatMap((state) => RANKS[state]);
  const sql = (put: Put) => inLists(filter, put, `${RANK} = any (${put(ranks)}::int[])`);
  return [{ sql, rest: filter, isSeen: true }];
}

/** What may name few enough, the likeliest first. The counters are asked where it comes to that: for most filters something else is enough. */
async function* sourcesOf(search: Search, rough: () => Promise<Rough>): AsyncGenerator<Source> {
  const { filter, order, bounds } = search;
  if (exactFields(filter).length > 0 || filter.search) {
    const where = await whereToLook(search, rough);
    yield* byFields(filter, where, order);
    yield* byWords(filter, where, order);
  }
  yield* byImport(filter);
  yield* byClaim(filter);
  const isByCounters = isAskedOfCounters(filter);
  if (!isByCounters) yield* byTime(filter);
  yield* await byState(filter, rough, bounds.counted);
  if (isByCounters) yield* byTime(filter);
}

/** Whether lists are most of what there is. */
const MOST = new Remembered<Promise<boolean>>(60_000, 1_000);

async function whereToLook({ reading, actor, filter }: Search, rough: () => Promise<Rough>): Promise<Where> {
  const { leads, words } = await statisticsOf(reading);
  const lists = nameOf(actor, { ...filter, tokens: [], search: undefined, having: new Map() });
  const isMost = await askOnce(MOST, lists, async () => leads > 0 && (await rough()).all * 2 > leads);
  return { isMost, words };
}

/** Where a page begins, in a set that is counted. */
export type Cut = { size: number } & ({ at: number } | { after: Mark } | { before: Mark });

/** `first`, `last`: what these of the page are ordered by. */
export type Narrow = { over: boolean; total: number; start: number; ids: number[]; first: Keys; last: Keys };
type Keys = Mark['keys'] | null;

type Parts = {
  /** What is named, where something is left to be looked at before it matches. */
  named: string;
  /** What matches, and its keys. */
  keyed: string;
  /** Whether the index named too many. */
  over: string;
  by: string;
  told: string;
  start: string;
};

/** What conditions and orders look at of a lead: thousands of them are put aside. */
const LOOKED_AT = `l.account_id, l.id, l.list_id, l.state, l.rank, l.turn_at, l.category, l.claimed_by, l.scheduled_for,
    l.created_at, l.last_updated`;

const EXAMPLE: Parts = {
  named: '',
  keyed: 'select id, created_at as k1 from leads where account_id = $1 limit $2',
  over: 'total >= $2',
  by: 'k1, id',
  told: 'jsonb_build_array(l.k1)',
  start: '0',
};
const WITH_REST: Parts = {
  ...EXAMPLE,
  named: 'named as materialized (select * from leads where account_id = $1 limit $2), ',
  keyed: 'select id, created_at as k1 from named',
  over: '(select count(*) from named) >= $2',
};

const NARROW = sqlFor(
  'filters/narrow.narrow',
  ({ named, keyed, over, by, told, start }: Parts) => `${PLAN_ANEW}
    with ${named}keyed as materialized (
      ${keyed}
    ), begun as materialized (
      select count(*) as total, ${start} as start from keyed
    ), page as materialized (
      select * from keyed order by ${by} offset (select greatest(start, 0) from begun)
       limit (select $3 + least(start, 0) from begun)
    )
    select ${over} as over, total, greatest(start, 0) as start, array(select id from page) as ids,
           (select ${told} from page l limit 1) as first,
           (select ${told} from (select * from page offset (select greatest(count(*) - 1, 0) from page)) l) as last
      from begun`,
  [[EXAMPLE], [WITH_REST]],
);

/** Filters that no index narrows down enough: asking it again for each page would take longer than the page. */
const WIDE = new Remembered<true>(30_000, 1_000);

/** A page of those that match, where these are few enough to be counted; undefined where no index says so. */
export async function cutPage(search: Search, rough: () => Promise<Rough>, cut: Cut): Promise<Narrow | undefined> {
  const { actor, filter, bounds } = search;
  const name = `${bounds.counted} ${nameOf(actor, filter)}`;
  if (WIDE.has(name)) return undefined;
  for await (const source of sourcesOf(search, rough)) {
    const found = await cutFrom(search, source, cut);
    if (!found.over) return found;
  }
  WIDE.set(name, true);
  return undefined;
}

async function cutFrom({ reading, actor, filter, order, bounds }: Search, source: Source, cut: Cut): Promise<Narrow> {
  const values: unknown[] = [actor.account.id, bounds.counted + 1, cut.size];
  const put: Put = (value) => `$${values.push(value)}`;
  const parts: Parts = {
    ...matchingSql(source, filter, order, put),
    by: orderBy(order),
    told: `jsonb_build_array(${order.keys.map(({ tell }, index) => tell(`l.k${index + 1}`)).join(', ')})`,
    start: startSql(order, cut, put),
  };
  return one<Narrow>(reading.db, NARROW(parts), values);
}

/** What the index names is what matches; or, where something is left to be looked at, it is put aside and counted first: it may be too much. */
function matchingSql(source: Source, filter: Filter, order: Order, put: Put): Pick<Parts, 'named' | 'keyed' | 'over'> {
  const named = source.sql(put);
  const keys = ['l.id', ...order.keys.map(({ sql }, index) => `${sql(put)} as k${index + 1}`)].join(', ');
  const { value } = order;
  const matches = matchSql(source.rest, put);
  if (source.isSeen && matches === 'true' && (!value || source.hasValue))
    return { named: '', keyed: `select ${keys} from (${named}) l limit $2`, over: 'total >= $2' };
  const carried = value && source.hasValue ? ', l.value' : '';
  const lookedUp =
    value && !source.hasValue
      ? `, (select ${value(put)} from lead_data d where d.account_id = l.account_id and d.lead_id = l.id) as value`
      : '';
  return {
    named: `named as materialized (select ${LOOKED_AT}${carried} from (${named}) l limit $2), `,
    keyed: `select ${keys} from (select l.*${lookedUp} from named l
      where (select count(*) from named) < $2 and ${scopeSql(filter, put)} and ${matches} offset 0) l`,
    over: '(select count(*) from named) >= $2',
  };
}

/** How many are in front of the page; less than none where it is shorter than asked. */
function startSql(order: Order, cut: Cut, put: Put): string {
  if ('at' in cut) {
    const at = `${put(cut.at)}::bigint`;
    return `case when ${at} < count(*) then ${at} else greatest(0, count(*) - $3) end`;
  }
  const place = placeSql(order, 'after' in cut ? cut.after : cut.before, put);
  const beyond = (before: boolean) => beyondSql(order, columnsOf(order), place, before);
  if ('before' in cut) return `count(*) filter (where ${beyond(true)}) - $3`;
  return `count(*) filter (where not ${beyond(false)})`;
}
