import { query } from '../platform/db.ts';
import type { Work } from '../platform/work.ts';

export type Place = { list_id: number; state: string; category: string | null };

/** `moves` counts what comes or goes other than by being created. */
type Step = Place & { leads: number; moves?: number };

// Each connection has a shard of its own as far as there are any, so that agents of one list do not wait for each other. In one order, so
// that two who do share a shard do not wait in a circle.
const ADD = `
  insert into lead_counts as c (account_id, list_id, state, category, shard, leads, moves)
  select $1, s.list_id, s.state, coalesce(s.category, ''), pg_backend_pid() % 16, s.leads, s.moves
    from unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[]) as s (list_id, state, category, leads, moves)
   order by 2, 3, 4
  on conflict (account_id, list_id, state, category, shard)
  do update set leads = c.leads + excluded.leads, moves = c.moves + excluded.moves`;

/** In the transaction that makes it so. */
export async function countLeads({ db }: Work, accountId: number, steps: Step[]): Promise<void> {
  const column = <T>(of: (step: Step) => T) => steps.map(of);
  await query(db, ADD, [
    accountId,
    column(({ list_id }) => list_id),
    column(({ state }) => state),
    column(({ category }) => category),
    column(({ leads }) => leads),
    column(({ moves = 0 }) => moves),
  ]);
}

/** From one place to another; nothing where it is the same. */
export async function countMove(work: Work, accountId: number, from: Place, to: Place): Promise<void> {
  const same = from.list_id === to.list_id && from.state === to.state && from.category === to.category;
  if (same) return;
  const moves = from.list_id === to.list_id ? 0 : 1;
  await countLeads(work, accountId, [
    { ...from, leads: -1, moves },
    { ...to, leads: 1, moves },
  ]);
}
