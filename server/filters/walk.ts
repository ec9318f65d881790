import { COUNTED } from '../../contract/lead-table.ts';
import type { Actor } from '../platform/actor.ts';
import { one, PLAN_ANEW } from '../platform/db.ts';
import { sqlFor } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';
import { conditionsSql, matchSql, type Filter, type Put } from './conditions.ts';
import type { Count } from './counts.ts';
import { placeSql, type Mark } from './marks.ts';
import { beyondSql, columnsOf, RANK, walkBy, type Order } from './orders.ts';
import { rankedFrom, stretchesOf, type Stretch } from './stretches.ts';

/**
 * A page where there are many: the order's index is walked, list by list, and what it yields is looked at lead by lead, in rounds that grow,
 * until the page is full or enough was looked at.
 */

/** How far the table goes for a page. */
export type Bounds = {
  /** Up to here hits are counted, and put in any order. */
  counted: number;
  /** So few that one counts up to them from an end. */
  near: number;
  /** Leads in the first round of a walk that leaves some out, where many match. */
  firstRound: number;
  /** In all rounds of a page: that takes some tens of milliseconds; more, and others would wait. */
  lookedAt: number;
  /** The same where what a lead says, or what happened to it, has to be looked up besides. */
  lookedInto: number;
};

export const BOUNDS: Bounds = {
  counted: COUNTED,
  near: 2_000,
  firstRound: 400,
  lookedAt: 10_000,
  lookedInto: 5_000,
};

const GROWS = 4;

export type Hit = { id: number; keys: (number | string)[] };
export type Walked = {
  hits: Hit[];
  lookedAt: number;
  /** Where the walk ended for having looked at enough; unset: at the end, or the page was full. */
  stopped?: Hit;
  /** More than were wanted are there. */
  more: boolean;
};

/** `looked` and `stopped` where fewer were found than are wanted. */
type Round = {
  looked: number | null;
  hits: (Hit & { place: number })[];
  stopped: (Hit & { stretch: number }) | null;
};

/** The texts are written here alone. */
type Parts = {
  keys: string[];
  told: string[];
  by: string;
  plainBy: string;
  /** One stretch alone. */
  isOne: boolean;
  /** Of a list, from where its stretch begins. */
  inList: string;
  /** Of what is claimed elsewhere, where anything is. */
  elsewhere: { which: string; most: string } | undefined;
  upTo: string;
  matches: string;
};

const EXAMPLE: Parts = {
  keys: ['l.created_at as k1'],
  told: ['l.k1'],
  by: 'l.created_at, l.id',
  plainBy: 'k1, id',
  isOne: false,
  inList: 'true',
  elsewhere: undefined,
  upTo: 'true',
  matches: 'true',
};

const WALK = sqlFor(
  'filters/walk.walk',
  ({ keys, told, by, plainBy, isOne, inList, elsewhere, upTo, matches }: Parts) => {
    const stretch = (which: string, most: string) => `
      select l.*, row_number() over () as nth, row_number() over () >= ${most} as is_last from (
        select l.account_id, l.id, l.list_id, l.state, l.category, l.claimed_by, l.scheduled_for, l.created_at,
               l.last_updated, ${keys.join(', ')}
          from leads l where l.account_id = $1 and ${which} order by ${by} limit ${most}) l`;
    const ofList = stretch(`l.list_id = s.list_id and ${inList}`, 's.most');
    const claimed = elsewhere && stretch(elsewhere.which, elsewhere.most);
    // What comes after the last that was read of some stretch is not known to be the next: the walk is sure up to the first such place. One
    // stretch is in order as it is, and read no further than the page needs.
    const sure = isOne
      ? `sure as materialized (
        select 0 as stretch, l.*, l.nth as place
          from (select ($2::bigint[])[1] as list_id, ($3::int[])[1] as most, ($4::int[])[1] as from_rank,
                       ($5::bigint[])[1] as from_turn, ($6::bigint[])[1] as from_id, ($7::int[])[1] as to_rank) s
         cross join lateral (${ofList} order by ${plainBy}) l order by ${plainBy}
      ), cut as materialized (
        select * from sure where is_last
      )`
      : `walked as materialized (
        select s.place::int - 1 as stretch, l.*
          from unnest($2::bigint[], $3::int[], $4::int[], $5::bigint[], $6::bigint[], $7::int[])
               with ordinality as s (list_id, most, from_rank, from_turn, from_id, to_rank, place)
         cross join lateral (${ofList}) l
        ${claimed ? `union all (select cardinality($2::bigint[]), l.* from (${claimed}) l)` : ''}
      ), cut as materialized (
        select * from walked where is_last order by ${plainBy} limit 1
      ), sure as materialized (
        select l.*, row_number() over (order by ${plainBy}) as place from walked l
         where ${upTo} or not exists (select from cut) order by ${plainBy}
      )`;
    return `${PLAN_ANEW}
      with ${sure}, hits as materialized (
        select l.id, jsonb_build_array(${told.join(', ')}) as keys, l.place from sure l where ${matches}
         order by ${plainBy} limit $8
      )
      select coalesce((select jsonb_agg(h order by h.place) from hits h), '[]') as hits,
             case when (select count(*) from hits) < $8 then (select count(*) from sure) end as looked,
             case when (select count(*) from hits) < $8 then (
               select jsonb_build_object('id', l.id, 'keys', jsonb_build_array(${told.join(', ')}),
                                         'stretch', l.stretch) from cut l) end as stopped`;
  },
  [[EXAMPLE], [{ ...EXAMPLE, isOne: true }]],
);

/** What is looked for, in what order, and how far. */
export type Search = { reading: Reading; actor: Actor; filter: Filter; order: Order; size: number; bounds: Bounds };

/** `likely`: about how many match in all, where more is known of that than the counters tell. */
export type Way = { from: Mark | undefined; backwards: boolean; wanted: number; likely?: number | undefined };

/** Up to `wanted` leads from a place on, in the direction one goes. */
export async function walk(search: Search, counts: Count[], way: Way): Promise<Walked> {
  const { from, backwards, wanted } = way;
  const { reading, filter, order, bounds } = search;
  const all: Walked = { hits: [], lookedAt: 0, more: false };
  const filtered = isFiltered(filter, order);
  const most = filtered ? mostOf(filter, bounds) : Infinity;
  const stretches = stretchesOf(counts, order);
  const sum = (what: 'leads' | 'matching') => stretches.reduce((total, stretch) => total + stretch[what], 0);
  const leads = sum('leads');
  const apart = leads / Math.max(1, Math.min(way.likely ?? Infinity, sum('matching')));
  const generous = new Set<number>();
  let mark = from;
  for (let round = filtered ? firstRound(bounds, wanted, apart) : wanted + 1; ;) {
    const now = Math.min(round, most - all.lookedAt);
    // Each is likely to give its share; one that gave all of it may have all that is wanted.
    const shared = stretches.map((stretch, index) => ({
      ...stretch,
      most: generous.has(index) ? now : Math.min(now, Math.ceil((1.5 * now * stretch.leads) / leads) + 5),
    }));
    const { text, values } = write(search, shared, mark, backwards, wanted + 1 - all.hits.length);
    const { looked, hits, stopped } = await one<Round>(reading.db, text, values);
    all.hits.push(...hits.map(({ id, keys }) => ({ id, keys })));
    if (all.hits.length > wanted) {
      all.lookedAt += hits.at(-1)!.place;
      all.hits.length = wanted;
      return { ...all, more: true };
    }
    all.lookedAt += looked!;
    if (!stopped) return all;
    const { stretch, ...last } = stopped;
    generous.add(stretch);
    mark = { ...last, place: 0 };
    if (all.lookedAt >= most) return { ...all, stopped: last, more: true };
    // As many as it should take, going by those so far.
    const likely = 1.5 * (wanted + 1 - all.hits.length) * (all.lookedAt / Math.max(1, all.hits.length));
    round = Math.ceil(Math.min(round * GROWS, Math.max(round, likely)));
  }
}

/** So many times as many as should be enough are looked at. */
const MARGIN = 1.3;

/** A second round would take as long as the first; in a long one for few, most would be for nothing where these stand at the beginning. */
const firstRound = (bounds: Bounds, wanted: number, apart: number): number =>
  Math.max(
    wanted + 1,
    bounds.firstRound,
    Math.min(Math.ceil(MARGIN * (wanted + 1) * apart), GROWS * bounds.firstRound),
  );

const mostOf = (filter: Filter, { lookedAt, lookedInto }: Bounds): number =>
  filter.search || filter.tokens.some(({ name }) => !OWN.has(name)) ? lookedInto : lookedAt;
/** What the lead's own row tells. */
const OWN = new Set(['state', 'category', 'claimed_by', 'due', 'created', 'updated']);

/** Whether anything is left that the index does not decide. */
export const isFiltered = (filter: Filter, order: Order): boolean =>
  filter.search !== undefined || filter.tokens.some((token) => !isServed(token, order));

type Token = Filter['tokens'][number];

/** Whether the index of an order decides a token: by the ranks of states in the queue's, by a range in the others'. */
export const isServed = (token: Token, order: Order): boolean =>
  (token.name === 'state' && order.letter === 'q') || isRange(token, order);

const isRange = ({ name, operator }: Token, { letter }: Order): boolean =>
  name === { c: 'created', u: 'updated', d: 'due' }[letter] && operator !== 'empty';

/**
 * A stretch is entered by one bound alone: with two the index may be entered at the one that lies further back, and walked up to the other.
 * All of them are asked again of what it yields.
 */
function write(
  { actor, filter, order }: Search,
  stretches: (Stretch & { most: number })[],
  mark: Mark | undefined,
  backwards: boolean,
  wanted: number,
) {
  const up = order.back === backwards;
  const inQueue = order.letter === 'q';
  const own = stretches.filter(({ list }) => list > 0);
  const claimed = stretches.find(({ list }) => list === 0);
  const from = own.map((stretch) => (inQueue ? rankedFrom(stretch, mark, up) : [0, 0, 0, 0]));
  const values: unknown[] = [
    actor.account.id,
    own.map(({ list }) => list),
    // Passed by: nothing is read of it.
    own.map(({ most }, index) => (from[index] ? most : 0)),
    ...[0, 1, 2, 3].map((part) => from.map((begin) => begin?.[part] ?? 0)),
    wanted,
  ];
  const put: Put = (value) => `$${values.push(value)}`;
  const columns = columnsOf(order);
  const plain = columns.map((name) => `l.${name}`);
  const inIndex = order.keys.map(({ sql }) => sql(put));
  const ahead = () => [
    ...(mark ? [beyondSql(order, [...inIndex, 'l.id'], placeSql(order, mark, put), backwards)] : []),
    ...conditionsSql({ ...filter, tokens: ranges, search: undefined }, put).lead,
  ];
  const way = up ? '' : ' desc';
  const ranges = filter.tokens.filter((token) => isRange(token, order)).map((token) => openUp(token, mark, up));
  const parts: Parts = {
    keys: inIndex.map((sql, index) => `${sql} as k${index + 1}`),
    told: order.keys.map(({ tell }, index) => tell(`l.k${index + 1}`)),
    by: walkBy(order, backwards, put),
    plainBy: columns.map((name) => `${name}${way}`).join(', '),
    isOne: own.length === 1 && !claimed,
    inList: inQueue
      ? `(${inIndex.join(', ')}, l.id) ${up ? '>' : '<'}
           (s.from_rank, s.from_turn * interval '1 millisecond', s.from_id)
         and ${RANK} ${up ? '<=' : '>='} s.to_rank`
      : ahead().join(' and ') || 'true',
    elsewhere: claimed && {
      which: [
        `l.claimed_by = ${put(filter.bound)}`,
        `l.list_id = any (${put(filter.elsewhere)}::bigint[])`,
        ...ahead(),
      ].join(' and '),
      most: `${put(claimed.most)}::int`,
    },
    upTo: `(${plain.join(', ')}) ${up ? '<=' : '>='} (select ${columns.join(', ')} from cut)`,
    matches: matchSql(filter, put),
  };
  return { text: WALK(parts), values };
}

/** Without the bound that lies behind the mark. */
function openUp(token: Token, mark: Mark | undefined, up: boolean): Token {
  if (!mark) return token;
  const { from, to, ...rest } = token;
  const open = up ? { ...rest, ...(to && { to }) } : { ...rest, ...(from && { from }) };
  return token.name === 'due' && !(up ? to : from) ? { ...open, operator: 'is_set' } : open;
}
