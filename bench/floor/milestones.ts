import type { Pool } from 'pg';
import { MEASURE, STEP } from '../../server/leads/milestones.ts';

/** Where every thousandth lead stands, as the product remembers it; measured once, and then never asked for again. */

type Stone = { at: Date; id: number };
type Place = Stone & { beyond: number };

export function createMilestones(pool: Pool, accountId: number) {
  const lists = new Map<number, Promise<{ total: number; stones: Stone[] }>>();

  const measure = async (listId: number) => {
    const counted = await pool.query<{ total: number }>(
      'select sum(leads)::int8 as total from lead_counts where account_id = $1 and list_id = $2',
      [accountId, listId],
    );
    const { rows } = await pool.query<Stone>(MEASURE, [accountId, listId, new Date(0), 0]);
    return { total: counted.rows[0]!.total, stones: rows };
  };

  /** Undefined where the nearest stone is the end of the list. */
  return async (listId: number, offset: number): Promise<Place | undefined> => {
    const known = lists.get(listId) ?? measure(listId);
    lists.set(listId, known);
    const { total, stones } = await known;
    const number = Math.ceil((total - offset) / STEP);
    const stone = stones[number - 1];
    return stone && { ...stone, beyond: number * STEP - (total - offset) };
  };
}
