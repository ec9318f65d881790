import { paths } from '../../../contract/paths.ts';
import { isOutboxFull, postMail } from '../../mails/mails.ts';
import type { Account } from '../../platform/actor.ts';
import { query, type Db } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';
import type { Log } from '../../platform/log.ts';
import type { Sweep } from '../../platform/sweep.ts';
import { startTurns, type Turns, type Waiting } from '../../platform/turns.ts';
import type { Transact, Work } from '../../platform/work.ts';
import { findAccountById } from '../accounts/find.ts';
import { HOURS, issueToken, type Recipient } from './mailed-tokens.ts';

/** Asking for a new password, which anybody can for anybody: written down, and looked at in turns. */

/** Of an account, waiting to be looked at. */
const MOST_ASKED = 1_000;

const ASK = sql('people/users/resets.ask')`
  insert into reset_requests (account_id, email_folded)
  select $1, $2 where (select count(*) from reset_requests where account_id = $1) < ${MOST_ASKED}
  on conflict do nothing`;

/** Nobody learns from the answer, nor from its time, whether there is such a user: they are looked for afterwards. */
export async function askForReset(work: Work, { id }: Account, email: string): Promise<void> {
  await query(work.db, ASK, [id, email.trim().toLowerCase()]);
  work.nudge('resets');
}

type Asked = Waiting & { person: string };

const NEXT_ASKED = sql('people/users/resets.next_asked')`
  select next.* from (select distinct account_id from reset_requests) a
   cross join lateral (
     select account_id, email_folded as person from reset_requests r
      where r.account_id = a.account_id order by asked_at limit 50) next`;

const TAKE_ASKED = sql('people/users/resets.take_asked')`
  delete from reset_requests where (account_id, email_folded) = (
    select account_id, email_folded from reset_requests
     where account_id = $1 and email_folded = $2 for update skip locked)
  returning account_id`;

export const giveResetTurns = ({ db, transact, log }: { db: Db; transact: Transact; log: Log }): Turns =>
  startTurns<Asked>({
    what: 'Password resets',
    width: 3,
    ofAccount: 1,
    look: () => query<Asked>(db, NEXT_ASKED, []),
    take: ({ account_id, person }) =>
      transact(async (work) => {
        const [taken] = await query(work.db, TAKE_ASKED, [account_id, person]);
        if (taken) await mailReset(work, account_id, person);
        return taken !== undefined;
      }),
    log,
  });

const RESETTER = sql('people/users/resets.resetter')`
  select account_id, id, email, email_folded from users
   where account_id = $1 and email_folded = $2 and accepted_at is not null and disabled_at is null`;

async function mailReset(work: Work, accountId: number, email: string): Promise<void> {
  const account = await findAccountById(work, accountId);
  const [user] = await query<Recipient>(work.db, RESETTER, [accountId, email]);
  if (!user || !account || (await isOutboxFull(work, accountId)) || (await hasManyLinks(work, user))) return;
  const token = await issueToken(work, user, 'reset');
  await postMail(work, account.id, {
    recipient: user.email,
    subject: `A new password for ${account.name}`,
    text: [
      'Choose a new password here. The link works once, for an hour:',
      `${account.baseUrl}${paths.reset}?token=${token}`,
      'If you did not ask for it, leave it: nothing has changed.',
    ].join('\n\n'),
    hours: HOURS.reset,
  });
}

/** Good ones that someone can use already: anybody can ask for more, and would fill the other's inbox. */
const MOST_LINKS = 10;

const LINKS = sql('people/users/resets.links')`
  select from mailed_tokens where account_id = $1 and user_id = $2 and purpose = 'reset' and expires_at > now()
   limit ${MOST_LINKS}`;

async function hasManyLinks({ db }: Work, { account_id, id }: Recipient): Promise<boolean> {
  return (await query(db, LINKS, [account_id, id])).length >= MOST_LINKS;
}

export const PAST_REQUESTS: Sweep = { table: 'reset_requests', past: `asked_at < now() - interval '1 hour'` };
