import { query, type Statement, type Tx } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';

export type Place = { list_id: number; state: string; category: string | null };

/** `moves` counts what comes or goes other than by being created. */
type Step = Place & { leads: number; moves?: number };

// Each connection has a shard of its own as far as there are any, so that agents of one list do not wait for each other. In one order, so
// that two who do share a shard do not wait in a circle. What changes many leads in one transaction has shards besides: nobody waits for it.
const ADD = sql('leads/counters.add')`
  insert into lead_counts as c (account_id, list_id, state, category, shard, leads, moves)
  select $1, s.list_id, s.state, coalesce(s.category, ''),
         pg_backend_pid() % 16 + coalesce(nullif(current_setting('leadline.shards_besides', true), '')::int, 0),
         s.leads, s.moves
    from unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[]) as s (list_id, state, category,
      leads, moves)
   order by 2, 3, 4
  on conflict (account_id, list_id, state, category, shard)
  do update set leads = c.leads + excluded.leads, moves = c.moves + excluded.moves`;

const COUNT_BESIDES = sql('leads/counters.count_besides')`select set_config('leadline.shards_besides', '16', true)`;

/** First in a transaction that changes many leads and takes its time. */
export const countBesides = (tx: Tx) => query(tx, COUNT_BESIDES, []);

/** To be done together with what makes it so. */
export function countLeads(accountId: number, steps: Step[]): Statement {
  const column = <T>(of: (step: Step) => T) => steps.map(of);
  const values = [
    accountId,
    column(({ list_id }) => list_id),
    column(({ state }) => state),
    column(({ category }) => category),
    column(({ leads }) => leads),
    column(({ moves = 0 }) => moves),
  ];
  return { text: ADD, values };
}

/** From one place to another; nothing where it is the same. */
export function countMove(accountId: number, from: Place, to: Place): Statement[] {
  const same = from.list_id === to.list_id && from.state === to.state && from.category === to.category;
  if (same) return [];
  const moves = from.list_id === to.list_id ? 0 : 1;
  const steps = [
    { ...from, leads: -1, moves },
    { ...to, leads: 1, moves },
  ];
  return [countLeads(accountId, steps)];
}
