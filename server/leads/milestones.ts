import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';

/**
 * Where every thousandth lead of a large list stands, counted from the oldest, so that a page far from both ends is found without counting
 * up to it. New leads join at the other end and change nothing here; when leads came or went otherwise (`moves`), it is measured anew.
 */

export const STEP = 1_000;
// Leads of transactions that are still under way may yet join before those just seen.
const SETTLED = '10 minutes';
const MOST_LISTS = 50;
const REST_MS = 60_000;

type Stone = { at: Date; id: number };
type Milestones = { moves: number; stones: Stone[]; measured: number; measuring?: Promise<void> };
type Measured = { accountId: number; listId: number; total: number; moves: number };

const lists = new Map<number, Milestones>();

export const MEASURE = sql('leads/milestones.measure')`
  select created_at as at, id from (
    select created_at, id, row_number() over (order by created_at, id) as place
      from leads
     where account_id = $1 and list_id = $2 and (created_at, id) > ($3, $4)
       and created_at < now() - interval '${SETTLED}'
  ) placed where place % ${STEP} = 0 order by place`;

/** The nearest stone at or beyond a place, and how many leads before reaching it. */
export async function findMilestone(
  reading: Reading,
  list: Measured,
  place: number,
): Promise<(Stone & { beyond: number }) | undefined> {
  const number = Math.ceil(place / STEP);
  const known = lists.get(list.listId);
  const current = known?.moves === list.moves ? known : undefined;
  const stone = current?.stones[number - 1] ?? (await measure(reading, list, known))?.stones[number - 1];
  return stone && { ...stone, beyond: number * STEP - place };
}

/** Goes on from the last stone, or from the start where leads came or went. Not more than once a minute: it reads the whole index. */
async function measure(
  { db }: Reading,
  { accountId, listId, moves }: Measured,
  known: Milestones | undefined,
): Promise<Milestones | undefined> {
  if (known?.measuring) await known.measuring;
  else if (!known || performance.now() - known.measured > REST_MS) {
    const kept = known?.moves === moves ? known.stones : [];
    const last = kept.at(-1) ?? { at: new Date(0), id: 0 };
    const list: Milestones = { moves, stones: kept, measured: performance.now() };
    remember(listId, list);
    list.measuring = query<Stone>(db, MEASURE, [accountId, listId, last.at, last.id])
      .then((rows) => void list.stones.push(...rows))
      .finally(() => delete list.measuring);
    await list.measuring;
  }
  const list = lists.get(listId);
  return list?.moves === moves ? list : undefined;
}

function remember(listId: number, list: Milestones): void {
  lists.delete(listId);
  lists.set(listId, list);
  if (lists.size > MOST_LISTS) lists.delete(lists.keys().next().value!);
}
