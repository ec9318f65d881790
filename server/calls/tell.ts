import { together, type Statement } from '../platform/db.ts';
import type { Work } from '../platform/work.ts';
import { fanOutCalls } from '../webhooks/fan-out.ts';

const told = (column: string, condition: string) => `
  update calls c set ${column} = now()
   where c.account_id = $1 and c.id = $2 and c.${column} is null and c.state = 'completed' and ${condition}
  returning c.id, (select l.list_id from leads l where l.account_id = c.account_id and l.id = c.lead_id) as list_id`;

const TOLD = {
  /** Calls that come in are tracked apart. */
  new_call: told('told_at', `c.lead_id is not null and c.direction <> 'inbound'`),
  new_recording: told(
    'recording_told_at',
    `exists (select from recordings r
              where r.account_id = c.account_id and r.call_id = c.id and r.ready_at is not null)`,
  ),
};

const COUNTED: Statement = { text: 'select id from told', values: [] };

/** Tells of a call what has come to be true of it. May be asked at any time, as often as one likes: each is told once. */
export async function tellOfCall({ db }: Work, accountId: number, id: number): Promise<void> {
  for (const event of ['new_call', 'new_recording'] as const) {
    const telling = { name: 'told', text: TOLD[event], values: [accountId, id] };
    await together(db, [telling, fanOutCalls(accountId, event), COUNTED]);
  }
}
