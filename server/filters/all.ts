import type { Matching } from '../../contract/lead-table.ts';
import type { Actor } from '../platform/actor.ts';
import type { Reading } from '../platform/work.ts';
import { countRoughly } from './counts.ts';
import type { Mark } from './marks.ts';
import { gather } from './matching.ts';
import { cutPage } from './narrow.ts';
import { fieldOf, readOrder, shownIn } from './orders.ts';
import { readFilter } from './read.ts';
import { BOUNDS, walk, type Bounds, type Search } from './walk.ts';

/** All that match, in the order of the table, bit by bit: for files. */

/** A bit of the work, with who asks and what they may see by then. */
export type Bit = <T>(act: (reading: Reading, actor: Actor) => Promise<T>) => Promise<T>;

/** Found by a walk at a time, and looked at where leads are gone through by their ids. */
export type Stride = { bounds: Bounds; walked: number; lookedAt: number };

const STRIDE: Stride = { bounds: BOUNDS, walked: 5_000, lookedAt: 10_000 };

/** Which leads, in which order, and how far at a time. */
type Asked = { matching: Matching; order: string; stride: Stride };

/**
 * Their ids, each once. Where they are few, an index names them all and they are put in any order. Where they are many, the order's index is
 * walked; by a field there is none, so they come by their ids. While that goes on leads change places: one that is met again is passed
 * over, and those that moved to where the walk had been before come at the end.
 */
export async function* findAll(
  bit: Bit,
  matching: Matching,
  order: string,
  stride = STRIDE,
): AsyncGenerator<number[], void> {
  const asked: Asked = { matching, order, stride };
  const few = await bit((reading, actor) => findFew(reading, actor, asked));
  if (few.ids) {
    yield few.ids;
    return;
  }
  const met = new Met();
  if (few.isWalked) {
    let from: Mark | undefined;
    do {
      const begin = from;
      const { ids, end } = await bit((reading, actor) => walkOn(reading, actor, asked, begin));
      yield ids.filter((id) => met.add(id));
      from = end;
    } while (from);
    if (few.isFixed) return;
  }
  for (let after: number | null = 0; after !== null;) {
    const begin: number = after;
    const some = await bit(async (reading, actor) => {
      const { filter } = await search(reading, actor, asked);
      return gather(reading, actor, filter, begin, stride.lookedAt);
    });
    yield some.ids.filter((id) => met.add(id));
    ({ after } = some);
  }
}

/** Read anew for each bit: lists and fields come and go. */
async function search(reading: Reading, actor: Actor, { matching, order, stride }: Asked): Promise<Search> {
  const field = fieldOf(order);
  const known = await readFilter(reading, actor, matching, field === undefined ? [] : [field]);
  const ordered = readOrder(order, known);
  const { bounds } = stride;
  return { reading, actor, filter: shownIn(ordered, known), order: ordered, size: bounds.counted, bounds };
}

async function findFew(reading: Reading, actor: Actor, asked: Asked) {
  const sought = await search(reading, actor, asked);
  const rough = await countRoughly(reading, actor, sought.filter);
  const few =
    rough.matching === 0 ? { ids: [] } : await cutPage(sought, async () => rough, { at: 0, size: sought.size });
  const { letter, field } = sought.order;
  // When a lead was created never changes, so none moves in that order.
  return { ids: few?.ids, isWalked: field === undefined, isFixed: letter === 'c' };
}

async function walkOn(
  reading: Reading,
  actor: Actor,
  asked: Asked,
  from: Mark | undefined,
): Promise<{ ids: number[]; end: Mark | undefined }> {
  const sought = await search(reading, actor, asked);
  const { counts } = await countRoughly(reading, actor, sought.filter);
  const way = { from, backwards: false, wanted: asked.stride.walked };
  const { hits, stopped, more } = await walk(sought, counts, way);
  const last = stopped ?? hits.at(-1);
  return { ids: hits.map(({ id }) => id), end: more && last ? { ...last, place: 0 } : undefined };
}

const BLOCK = 65_536;

/** Ids that were met, a bit each: of a million leads some hundred kilobytes. */
class Met {
  readonly #blocks = new Map<number, Uint8Array>();

  /** False: it was met before. */
  add(id: number): boolean {
    const [at, within] = [Math.floor(id / BLOCK), id % BLOCK];
    let block = this.#blocks.get(at);
    if (!block) this.#blocks.set(at, (block = new Uint8Array(BLOCK / 8)));
    const [byte, bit] = [within >> 3, 1 << (within & 7)];
    if (block[byte]! & bit) return false;
    block[byte] = block[byte]! | bit;
    return true;
  }
}
