import type { LeadTable, Total } from '../../contract/lead-table.ts';
import type { Actor } from '../platform/actor.ts';
import { HttpError } from '../platform/errors.ts';
import type { Reading } from '../platform/work.ts';
import type { Filter } from './conditions.ts';
import { countRoughly, isCounted, type Rough } from './counts.ts';
import { readMark, writeMark, type Mark } from './marks.ts';
import { cutPage, type Narrow } from './narrow.ts';
import { readOrder, shownIn, type Order } from './orders.ts';
import { readRows } from './rows.ts';
import { takeSample, type Sample } from './sample.ts';
import { BOUNDS, isFiltered, isServed, walk, type Search, type Walked } from './walk.ts';

/** A page of the table: cut from all that match where these are few, walked along the order's index where they are many. */

export type Asked = { size: number; fields: string[]; order: string; after?: string; before?: string; at?: number };

/** Where a page begins. */
type Begin = { after: Mark } | { before: Mark } | { at: number };

/** `ids` in the order of the table; `place` of the first. */
type Page = Pick<LeadTable, 'place' | 'total' | 'looked_at' | 'hint'> & {
  ids: number[];
  before: Mark | null;
  after: Mark | null;
};

type Known = Filter & { kinds: Map<string, Set<string>> };

/** Where every so-manieth matches, walking finds a page sooner than all could be put in order. */
const DENSE = 1 / 50;

export async function readTable(
  reading: Reading,
  actor: Actor,
  known: Known,
  asked: Asked,
  bounds = BOUNDS,
): Promise<LeadTable> {
  const order = readOrder(asked.order, known);
  const filter = shownIn(order, known);
  const begin = readBegin(order, asked);
  const page = await findPage({ reading, actor, filter, order, size: asked.size, bounds }, begin);
  const leads = await readRows(reading, actor, page.ids, asked.fields);
  const { total, place, looked_at, hint } = page;
  const write = (mark: Mark | null) => mark && writeMark(order, mark);
  return { leads, total, place, before: write(page.before), after: write(page.after), looked_at, hint };
}

function readBegin(order: Order, { after, before, at = 0 }: Asked): Begin {
  if (after !== undefined) return { after: readMark(order, 'after', after) };
  if (before !== undefined) return { before: readMark(order, 'before', before) };
  return { at };
}

async function findPage(search: Search, begin: Begin): Promise<Page> {
  const { reading, actor, filter, order, size, bounds } = search;
  let asked: Promise<Rough> | undefined;
  const rough = () => (asked ??= countRoughly(reading, actor, filter));
  if (order.field !== undefined || !isCounted(filter) || !isDense(search, await rough())) {
    const found = await cutPage(search, rough, { ...begin, size });
    if (found) return cutAs(found, size);
    if (order.field !== undefined) throw tooManyForField(bounds.counted);
  }
  const counted = await rough();
  return walkPage(search, begin, counted, isCounted(filter) ? counted.matching : undefined);
}

const isDense = ({ filter, order }: Search, { matching, all }: Rough) =>
  matching >= all * DENSE || !isFiltered(filter, order);

const tooManyForField = (counted: number) =>
  new HttpError(
    422,
    'too_many_for_order',
    `Too many for this order: add a token until at most ${counted.toLocaleString('en')} are left.`,
  );

const cutAs = ({ total, start, ids, first, last }: Narrow, size: number): Page => ({
  ids,
  place: start,
  total: { number: total, about: false },
  before: start > 0 && first ? { keys: first, id: ids[0]!, place: start } : null,
  after:
    ids.length === size && start + size < total && last
      ? { keys: last, id: ids.at(-1)!, place: start + size - 1 }
      : null,
  looked_at: null,
  hint: null,
});

/** Along the index: from a mark, from an end, or from where a sample says that the place is about. */
async function walkPage(search: Search, begin: Begin, rough: Rough, exact: number | undefined): Promise<Page> {
  const { size } = search;
  if ('after' in begin) return forwards(search, begin.after, begin.after.place + 1, 0, rough, exact);
  if ('before' in begin) return backwards(search, begin.before, size, rough, exact);
  const { at } = begin;
  if (at + size <= search.bounds.near) {
    const page = await forwards(search, undefined, 0, at, rough, exact);
    if (page.ids.length > 0 || at === 0) return page;
    if (!page.total.about) return backwards(search, undefined, size, rough, page.total.number);
  }
  const sample = await takeSample(search, rough.all);
  const total = exact ?? estimate(sample, rough, NOTHING);
  if (at >= total - size) return backwards(search, undefined, size, rough, exact);
  if (exact !== undefined && at >= exact - search.bounds.near)
    return backwards(search, undefined, exact - at, rough, exact);
  const near = sample.places[Math.floor((at / total) * sample.places.length)];
  const page = await forwards(search, near && { ...near, place: at - 1 }, near ? at : 0, 0, rough, exact);
  return page.ids.length > 0 ? page : backwards(search, undefined, size, rough, exact);
}

/** `skipped` are passed over, counted. */
async function forwards(
  search: Search,
  from: Mark | undefined,
  begins: number,
  skipped: number,
  rough: Rough,
  exact: number | undefined,
): Promise<Page> {
  const { size } = search;
  const likely = await guess(search, rough, exact);
  const walked = await walk(search, rough.counts, { from, backwards: false, wanted: skipped + size, likely });
  const hits = walked.hits.slice(skipped);
  const isWhole = from === undefined && !walked.more;
  const total = await totalOf(search, rough, isWhole ? walked.hits.length : exact, walked, begins + walked.hits.length);
  // At the end one knows better where one is.
  const place = !walked.more && !total.about ? Math.max(0, total.number - hits.length) : begins + skipped;
  const [first, last] = [hits[0], walked.stopped ?? hits.at(-1)];
  return {
    ...told(search, walked),
    ids: hits.map(({ id }) => id),
    total,
    place,
    before: first && (from || skipped > 0) ? { ...first, place } : (from ?? null),
    after: walked.more && last ? { ...last, place: place + hits.length - 1 } : null,
  };
}

/** The `wanted` rows in front of a mark, or of the end; the first `size` of them are told. */
async function backwards(
  search: Search,
  from: Mark | undefined,
  wanted: number,
  rough: Rough,
  exact: number | undefined,
): Promise<Page> {
  const likely = await guess(search, rough, exact);
  const walked = await walk(search, rough.counts, { from, backwards: true, wanted, likely });
  const all = walked.hits.toReversed();
  const hits = all.slice(0, search.size);
  const total = await totalOf(search, rough, exact, walked, hits.length);
  const place = walked.more ? Math.max(0, (from?.place ?? total.number) - all.length) : 0;
  const first = walked.stopped ?? hits[0];
  return {
    ...told(search, walked),
    ids: hits.map(({ id }) => id),
    total,
    place,
    before: walked.more && first ? { ...first, place } : null,
    after:
      from || all.length > hits.length
        ? { ...(hits.at(-1) ?? from!), place: place + Math.max(0, hits.length - 1) }
        : null,
  };
}

async function totalOf(
  search: Search,
  rough: Rough,
  exact: number | undefined,
  walked: Walked,
  least: number,
): Promise<Total> {
  if (exact !== undefined) return { number: exact, about: false };
  const sample = await takeSample(search, rough.all);
  return { number: Math.max(estimate(sample, rough, walked), least + (walked.more ? 1 : 0)), about: true };
}

/** About how many match, where the counters do not tell and the walk leaves some out; the sample is needed for the total as well. */
async function guess(search: Search, rough: Rough, exact: number | undefined): Promise<number | undefined> {
  if (exact !== undefined || !isFiltered(search.filter, search.order)) return undefined;
  return estimate(await takeSample(search, rough.all), rough, NOTHING);
}

const NOTHING = { hits: [], lookedAt: 0 };

/** A sample in which hardly any match tells little: what was looked at on the way tells more then. */
const TELLING = 5;

function estimate({ picked, matching }: Sample, rough: Rough, walked: Pick<Walked, 'hits' | 'lookedAt'>): number {
  const [hits, of] =
    matching >= TELLING ? [matching, picked] : [matching + walked.hits.length, picked + walked.lookedAt];
  return Math.min(rough.matching, Math.round((rough.all * hits) / Math.max(1, of)));
}

function told({ filter, order }: Search, { lookedAt, stopped }: Walked): Pick<LeadTable, 'looked_at' | 'hint'> {
  const slow = filter.tokens.find((token) => !isServed(token, order));
  return {
    looked_at: isFiltered(filter, order) ? lookedAt : null,
    hint: stopped
      ? `${lookedAt.toLocaleString('en')} leads were looked at for this page, as no index has ` +
        `${slow ? nameToken(slow) : 'these words'} in this order. Add a token such as ${suggest(filter, order)}.`
      : null,
  };
}

const nameToken = (token: Filter['tokens'][number]): string =>
  `${token.name === 'field' ? `field.${token.key}` : token.name} ${token.operator.replaceAll('_', ' ')}`;

/** What an index serves, and is not asked yet. */
function suggest({ tokens }: Filter, order: Order): string {
  const has = (name: string) => tokens.some((token) => token.name === name);
  if (order.letter === 'q' && has('due')) return 'claimed by someone, or take the order due';
  if (order.letter === 'q' && !has('state')) return 'state is new, or a field that is something exactly';
  if (!has('created')) return 'created at least a day, or a field that is something exactly';
  return 'a field that is something exactly, or claimed by someone';
}
