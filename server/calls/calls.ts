import { CALL_STATES, type Call, type CallState, type Direction, type Disposition } from '../../contract/calls.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { notFound } from '../platform/errors.ts';
import type { Reading, Work } from '../platform/work.ts';
import { seesLead } from '../leads/access.ts';

/*
 *  initiated → calling → active → completed
 *      └──────────┴─────────────────┘        forward only: reports come late, twice and out of order
 */

export type NewCall = {
  direction: Direction;
  leadId?: number;
  userId?: number;
  /** The number dialled; of an inbound call, ours. */
  destination: string;
  /** The number and name the recipient saw; of an inbound call, the caller's. */
  callerId?: { number: string | null; name: string | null };
  startedAt?: Date;
};

export async function startCall({ db }: Work, actor: Actor, call: NewCall): Promise<number> {
  const [row] = await query<{ id: number }>(
    db,
    `insert into calls (account_id, direction, lead_id, user_id, destination_number, caller_number, caller_name, started_at)
     values ($1, $2, $3, $4, $5, $6, $7, coalesce($8, now())) returning id`,
    [
      actor.account.id,
      call.direction,
      call.leadId ?? null,
      call.userId ?? null,
      call.destination,
      call.callerId?.number ?? null,
      call.callerId?.name ?? null,
      call.startedAt ?? null,
    ],
  );
  return row!.id;
}

const ORDER = `array[${CALL_STATES.map((state) => `'${state}'`).join(', ')}]`;

/** Whether it went forward; a call that is further already stays where it is. */
export async function advanceCall(
  { db }: Work,
  actor: Actor,
  id: number,
  to: Exclude<CallState, 'completed'>,
  at = new Date(),
): Promise<boolean> {
  const rows = await query(
    db,
    `update calls set state = $3, answered_at = case when $3 = 'active' then $4::timestamptz end
      where account_id = $1 and id = $2 and array_position(${ORDER}, state) < array_position(${ORDER}, $3) returning id`,
    [actor.account.id, id, to, at],
  );
  return rows.length > 0;
}

/** Ends a call, once. Only one that was answered has a duration. */
export async function completeCall(
  { db }: Work,
  actor: Actor,
  id: number,
  disposition: Disposition,
  at = new Date(),
): Promise<boolean> {
  const rows = await query(
    db,
    `update calls set state = 'completed', disposition = $3, ended_at = greatest($4::timestamptz, answered_at, started_at)
      where account_id = $1 and id = $2 and state <> 'completed' returning id`,
    [actor.account.id, id, disposition, at],
  );
  return rows.length > 0;
}

/** Names the outcome a call led to. */
export async function linkCall({ db }: Work, actor: Actor, id: number, eventId: number): Promise<void> {
  await query(db, 'update calls set event_id = $3 where account_id = $1 and id = $2', [actor.account.id, id, eventId]);
}

type CallRow = Omit<Call, 'location' | 'caller_id' | 'lead' | 'list' | 'recordings' | 'started_at'> & {
  caller_number: string | null;
  caller_name: string | null;
  list_id: number | null;
  started_at: Date;
};

const READ = `
  select c.id, coalesce(u.email, h.email, '') as user_email, c.destination_number,
         coalesce(floor(extract(epoch from c.ended_at - c.answered_at)), 0)::int as duration, c.started_at, c.caller_number, c.caller_name,
         c.direction, c.disposition, c.state, c.lead_id, c.event_id, l.list_id
    from calls c
    left join leads l on l.account_id = c.account_id and l.id = c.lead_id
    left join users u on u.account_id = c.account_id and u.id = c.user_id
    left join users h on h.account_id = l.account_id and h.id = l.claimed_by
   where c.account_id = $1 and c.id = $2
     and ($3::bigint is null or c.user_id = $3::bigint or (l.id is not null and ${seesLead('l', '$3::bigint')}))`;

export async function readCall({ db }: Reading, actor: Actor, id: number | undefined): Promise<Call> {
  const [row] = await query<CallRow>(db, READ, [actor.account.id, id ?? 0, boundOf(actor, 'calls.read')]);
  if (!row) throw notFound();
  const { caller_number, caller_name, list_id, started_at, ...call } = row;
  return {
    ...call,
    location: `/api/v2/calls/${row.id}`,
    started_at: started_at.toISOString(),
    caller_id: { number: caller_number, name: caller_name },
    lead: row.lead_id === null ? null : `/api/v2/leads/${row.lead_id}`,
    list: list_id === null ? null : `/api/v2/lists/${list_id}`,
    // Calls are not recorded yet.
    recordings: [],
  };
}
