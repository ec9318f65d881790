import { query, type Db } from './db.ts';
import { sql } from './sql.ts';
import type { Node } from './nodes.ts';

/** What one node does for all of them: whoever holds the lease, until they let go or fall silent. No clock decides: one that jumps would. */

const HOLD = sql('platform/lease.hold')`
  with former as (
    select least(n.seen_at, now()) as heard_of from leases l join nodes n on n.id = l.node_id where l.name = $1
  )
  insert into leases as l (name, node_id) values ($1, $2)
  on conflict (name) do update set node_id = excluded.node_id
   where l.node_id = excluded.node_id or l.node_id = any ($3::bigint[])
     or not exists (select from nodes n where n.id = l.node_id)
  returning (select heard_of from former)`;

/** Takes it or keeps it; undefined while another has it. `heardOf`: when its holder was last. */
export async function holdLease(db: Db, name: string, node: Node): Promise<{ heardOf: Date | null } | undefined> {
  const [lease] = await query<{ heard_of: Date | null }>(db, HOLD, [name, node.id, node.silent()]);
  return lease && { heardOf: lease.heard_of };
}

/** Asked within a statement: whether a node still has it. One that was frozen does not know yet that it has not. */
export const isHeldBy = (name: string, nodeId: string) =>
  `exists (select from leases where name = '${name}' and node_id = ${nodeId})`;

const RELEASE = sql('platform/lease.release')`delete from leases where name = $1 and node_id = $2`;

export async function releaseLease(db: Db, name: string, { id }: Node): Promise<void> {
  await query(db, RELEASE, [name, id]);
}
