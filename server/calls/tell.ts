import { together, type Statement } from '../platform/db.ts';
import { sql, type Sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { fanOutCalls, hastenCalls, TOLD_ROWS, WAITS_FOR_RECORDING } from '../webhooks/fan-out.ts';

const told = (column: string, condition: string, returning: string) => `
  update calls c set ${column} = now()
   where c.account_id = $1 and c.id = $2 and c.${column} is null and c.state = 'completed' and ${condition}
  returning c.id, ${returning}`;

const LIST = '(select l.list_id from leads l where l.account_id = c.account_id and l.id = c.lead_id) as list_id';

/** What was recorded cannot be fetched yet, and it is not said either that it never will be. */
const AWAITED = `(c.recorded and c.answered_at is not null and not coalesce((
  select bool_and(r.ready_at is not null or r.removed_at is not null) from recordings r
   where r.account_id = c.account_id and r.call_id = c.id), false))`;

/** From its end on, by our own clock: the carrier's may be anywhere. */
const PATIENCE = `interval '${WAITS_FOR_RECORDING} seconds'`;
const DUE = `case when ${AWAITED}
  then least(now() + ${PATIENCE}, greatest(now(), c.ended_at + ${PATIENCE})) else now() end as due_at`;

const FETCHABLE = `exists (select from recordings r
  where r.account_id = c.account_id and r.call_id = c.id and r.ready_at is not null and r.removed_at is null)`;

/** A recording is told to the account and to a list each for itself: which list, may be known only later. */
const TOLD = [
  // Calls that come in are tracked apart.
  {
    event: 'new_call',
    text: sql('calls/tell.call')`${told(
      'told_at',
      `c.lead_id is not null and c.direction <> 'inbound'`,
      `${LIST}, true as account_wide, ${DUE}`,
    )}`,
  },
  {
    event: 'new_recording',
    text: sql(
      'calls/tell.recording',
    )`${told('recording_told_at', FETCHABLE, 'null::bigint as list_id, true as account_wide, now() as due_at')}`,
  },
  {
    event: 'new_recording',
    text: sql('calls/tell.recording_to_list')`${told(
      'recording_told_to_list_at',
      `c.lead_id is not null and ${FETCHABLE}`,
      `${LIST}, false as account_wide, now() as due_at`,
    )}`,
  },
] as const;

const COUNTED = sql('calls/tell.counted', TOLD_ROWS)`select id from told`;

const SETTLED = sql('calls/tell.settled')`
  select c.id from calls c where c.account_id = $1 and c.id = $2 and c.told_at is not null and not ${AWAITED}`;

/** Tells of a call what has come to be true of it. May be asked at any time, as often as one likes: each is told once. */
export async function tellOfCall({ db }: Work, accountId: number, id: number): Promise<void> {
  const ofCall = (text: Sql): Statement => ({ name: 'told', text, values: [accountId, id] });
  await Promise.all([
    ...TOLD.map(({ event, text }) =>
      together(db, [ofCall(text), fanOutCalls(accountId, event), { text: COUNTED, values: [] }]),
    ),
    together(db, [ofCall(SETTLED), hastenCalls(accountId)]),
  ]);
}
