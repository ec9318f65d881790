import { query, type Db } from './db.ts';

/** What one node does for all of them: whoever holds the lease, until they let go or fall silent. */

const LASTS = `interval '10 seconds'`;

const HOLD = `
  with former as (select expires_at - ${LASTS} as heard_of from leases where name = $1)
  insert into leases as l (name, node_id, expires_at) values ($1, $2, now() + ${LASTS})
  on conflict (name) do update set node_id = excluded.node_id, expires_at = excluded.expires_at
   where l.node_id = excluded.node_id or l.expires_at < now()
  returning (select heard_of from former)`;

/** Takes it or keeps it; undefined while another has it. Ask more often than it lasts. `heardOf`: when its holder was last. */
export async function holdLease(db: Db, name: string, nodeId: number): Promise<{ heardOf: Date | null } | undefined> {
  const [lease] = await query<{ heard_of: Date | null }>(db, HOLD, [name, nodeId]);
  return lease && { heardOf: lease.heard_of };
}

export async function releaseLease(db: Db, name: string, nodeId: number): Promise<void> {
  await query(db, 'delete from leases where name = $1 and node_id = $2', [name, nodeId]);
}
