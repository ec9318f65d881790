import { query, type Db } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { isHeldBy } from '../platform/lease.ts';
import { LINE } from '../telephony/carrier.ts';

/** What becomes of a text between being written and what the carrier says of it. */

type Waiting = { account_id: number; id: number };

// Asked again at the last moment: since it was written, its number may have asked for no more, or it has waited too long to make sense.
const MARK_SENT = sql('texts/sending.mark_sent')`
  update texts t set carrier = $3, state = case when why.not is null then t.state else 'failed' end, error = why.not,
         told_at = case when why.not is null then t.told_at else clock_timestamp() end
    from (select case
            when $4::text in (select number from opt_outs where account_id = $1)
              then 'The number asked for no more text messages.'
            when (select created_at from texts where account_id = $1 and id = $2) < now() - interval '10 minutes'
              then 'The line was away for too long.' end as not) why
   where t.account_id = $1 and t.id = $2 and t.carrier is null and ${isHeldBy(LINE, '$5')} returning t.state`;

/** Whether it is to be sent, once. `optedOut` is how its number stands among those that asked for no more. */
export const markSent = async (
  db: Db,
  nodeId: number,
  { account_id, id }: Waiting,
  carrier: string,
  optedOut: string,
): Promise<boolean> => {
  const [marked] = await query<{ state: string }>(db, MARK_SENT, [account_id, id, carrier, optedOut, nodeId]);
  return marked?.state === 'queued';
};

const FAIL = sql('texts/sending.fail')`
  update texts set state = 'failed', error = $3, told_at = clock_timestamp()
   where account_id = $1 and id = $2 and state = 'queued'`;

export const failText = (db: Db, { account_id, id }: Waiting, reason: string) =>
  query(db, FAIL, [account_id, id, reason]);

const LOST_TEXTS = sql('texts/sending.lost_texts')`
  update texts set state = 'failed', error = 'The line was lost while it was being sent.', told_at = clock_timestamp()
   where state = 'queued' and carrier is not null`;

/** Texts of which nobody can say whether they were sent. */
export const failLostTexts = (db: Db) => query(db, LOST_TEXTS, []);

const FORGOTTEN_TEXTS = sql('texts/sending.forgotten_texts')`
  ${LOST_TEXTS} and carrier_text_id is null and created_at < now() - interval '11 minutes'`;

/** The same, while the line goes on: that it was to be sent was written down, and the answer to that was lost, or what came after it. */
export const failForgottenTexts = (db: Db) => query(db, FORGOTTEN_TEXTS, []);
