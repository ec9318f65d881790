import { FIELD, isField } from '../../contract/filters.ts';
import { ORDERS } from '../../contract/lead-table.ts';
import { invalid } from '../platform/read.ts';
import { numberOf, valueSql, type Filter, type Put } from './conditions.ts';

/** In which order the table shows leads. Those that an index has are written as it has them. */

/** What leads are ordered by before their id: an expression on `leads l`, what tells it in JSON, and how that is read again. */
type Key = { sql: (put: Put) => string; tell: (key: string) => string; from: (told: string) => string };

export type Order = {
  /** In marks: one of another order is refused. */
  letter: string;
  keys: Key[];
  /** Turned round. */
  back: boolean;
  /** A field, by its key: no index has it. */
  field?: string;
  /** What a lead says there, from `lead_data d`: its keys find that as `l.value`. */
  value?: (put: Put) => string;
};

const millisecondsOf = (span: string) => `(extract(epoch from ${span}) * 1000)::bigint`;
const SPAN = (told: string) => `${told}::bigint * interval '1 millisecond'`;

const time = (sql: string): Key => ({
  sql: () => sql,
  tell: millisecondsOf,
  from: (told) => `timestamptz 'epoch' + ${SPAN(told)}`,
});

/** As the index leads_in_table: the place of each kind of waiting, then of won, lost and archived. */
export const RANKS = { call_back: [1, 2], new: [3, 3], won: [4, 4], lost: [5, 5], archived: [6, 6] } as const;
export const RANK = `coalesce(l.rank, case l.state when 'won' then 4 when 'lost' then 5 else 6 end)`;
const TURN = `case when l.rank is null then timestamptz 'epoch' - l.last_updated else l.turn_at - timestamptz 'epoch' end`;

const BY_INDEX: Record<(typeof ORDERS)[number], Omit<Order, 'back'>> = {
  queue: {
    letter: 'q',
    keys: [
      { sql: () => RANK, tell: (key) => key, from: (told) => `${told}::int` },
      { sql: () => TURN, tell: millisecondsOf, from: SPAN },
    ],
  },
  created: { letter: 'c', keys: [time('l.created_at')] },
  updated: { letter: 'u', keys: [time('l.last_updated')] },
  due: { letter: 'd', keys: [time('l.scheduled_for')] },
};

/** The key of the field that an order asks for, before anything is known of it. */
export function fieldOf(order: string): string | undefined {
  const name = order.replace(/^-/, '');
  return isField(name) ? name.slice(FIELD.length) : undefined;
}

// Marks hold the key, so it is no longer than they may be.
export const LONGEST_KEY = 40;

export function readOrder(text: string, filter: Filter & { kinds: Map<string, Set<string>> }): Order {
  const back = text.startsWith('-');
  const name = back ? text.slice(1) : text;
  const field = fieldOf(text);
  if (field !== undefined) return orderOfField(filter, field, filter.kinds.get(field)!, back);
  const found = Object.hasOwn(BY_INDEX, name) ? BY_INDEX[name as keyof typeof BY_INDEX] : undefined;
  if (!found) throw invalid({ order: [`must be one of ${ORDERS.join(', ')}, or field.KEY; a minus turns it round`] });
  return { ...found, back };
}

/** Numbers by what they are, all else by how it begins, in small letters; what says nothing comes last, either way round. */
function orderOfField(filter: Filter, field: string, kinds: Set<string>, back: boolean): Order {
  const isNumber = kinds.size === 1 && kinds.has('integer');
  const value = (put: Put) => {
    const told = valueSql(filter, field, put);
    return isNumber ? numberOf(told) : `left(lower(${told}), ${LONGEST_KEY})`;
  };
  return {
    letter: isNumber ? 'n' : 't',
    field,
    value,
    back,
    keys: [
      {
        sql: () => `case when l.value is null then 1 else 0 end`,
        tell: (key) => key,
        from: (told) => `${told}::int`,
      },
      {
        sql: () => `coalesce(l.value, ${isNumber ? '0' : `''`})`,
        tell: (key) => `${key}::text`,
        from: (told) => (isNumber ? `${told}::numeric` : `${told}::text`),
      },
    ],
  };
}

/** Only what has a time can be in the order of times. */
export const shownIn = <F extends Filter>({ letter }: Order, filter: F): F =>
  letter === 'd' ? { ...filter, tokens: [...filter.tokens, { name: 'due', operator: 'is_set', values: [] }] } : filter;

/** Which way each key goes, and the id: what says nothing stays last. */
const waysOf = ({ keys, back, field }: Order): boolean[] => [
  ...keys.map((_, index) => back && !(field !== undefined && index === 0)),
  back,
];

export const columnsOf = ({ keys }: Order): string[] => [...keys.map((_, index) => `k${index + 1}`), 'id'];

/** As `order by` has it, of columns k1, k2 … and id. */
export const orderBy = (order: Order): string => {
  const ways = waysOf(order);
  return columnsOf(order)
    .map((column, index) => `${column}${ways[index] ? ' desc' : ''}`)
    .join(', ');
};

/** The same where an index has it, turned round where one goes backwards through the table. */
export const walkBy = ({ keys, back }: Order, backwards: boolean, put: Put): string => {
  const way = back === backwards ? '' : ' desc';
  return [...keys.map(({ sql }) => `${sql(put)}${way}`), `l.id${way}`].join(', ');
};

/** Condition: `columns` come after a place in the table, or before it. */
export function beyondSql(order: Order, columns: string[], place: string[], before: boolean): string {
  const ways = waysOf(order);
  if (ways.every((way) => way === ways[0])) {
    const sign = ways[0] === before ? '>' : '<';
    return `(${columns.join(', ')}) ${sign} (${place.join(', ')})`;
  }
  const [first, ...rest] = columns;
  const [at, ...others] = place;
  const less = before ? '<' : '>';
  const more = before ? '>' : '<';
  return `(${first} ${less} ${at} or (${first} = ${at} and (${rest.join(', ')}) ${more} (${others.join(', ')})))`;
}
