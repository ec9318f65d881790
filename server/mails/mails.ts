import { createHash } from 'node:crypto';
import type { Transporter } from 'nodemailer';
import type { Mails } from '../../db/schema.ts';
import type { Actor } from '../platform/actor.ts';
import { query, type Db } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { conflict } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Secrets } from '../platform/secrets.ts';
import { startTurns, type Turns, type Waiting } from '../platform/turns.ts';
import type { Reading, Work } from '../platform/work.ts';
import type { Sweep } from '../platform/sweep.ts';

/** `hours`: how long the link in it is good. */
export type Letter = { recipient: string; subject: string; text: string; hours: number };

/** Of an account, that were written in the last hour and have not left. */
const MOST_WAITING = 2_000;

const WAITING = sql('mails/mails.waiting')`
  select count(*) as waiting from (
    select from mails
     where account_id = $1 and sent_at is null and ends_at > now() and created_at > now() - interval '1 hour'
     limit ${MOST_WAITING}) m`;

export async function isOutboxFull(work: Work, accountId: number): Promise<boolean> {
  const [found] = await query<{ waiting: number }>(work.db, WAITING, [accountId]);
  return found!.waiting >= MOST_WAITING;
}

const POST = sql('mails/mails.post')`
  insert into mails (account_id, recipient, subject, sealed, ends_at)
  values ($1, $2, $3, $4, now() + make_interval(hours => $5))`;

/** Leaves when the transaction does; without a mail server it waits for the owner under Manage → Outbox. */
export async function postMail(
  work: Work,
  accountId: number,
  { recipient, subject, text, hours }: Letter,
): Promise<void> {
  if (await isOutboxFull(work, accountId))
    throw conflict(
      'outbox_full',
      `${MOST_WAITING} mails of this account wait to be sent. Try again when some have left.`,
    );
  await query(work.db, POST, [accountId, recipient, subject, work.secrets.seal(text), hours]);
  work.nudge('mails');
}

const END = sql('mails/mails.end')`
  update mails set ends_at = now()
   where account_id = $1 and lower(recipient) = $2 and sent_at is null and ends_at > now()`;

/** The links in them are worth nothing any more: they leave the outbox, and are not sent. */
export async function endMails({ db }: Work, accountId: number, emailFolded: string): Promise<void> {
  await query(db, END, [accountId, emailFolded]);
}

const UNSENT = sql('mails/mails.unsent')`
  select sealed, last_error from mails
   where account_id = $1 and lower(recipient) = $2 and sent_at is null and ends_at > now()
   order by id desc limit 1`;

/** The newest to someone that has not left. */
export async function readUnsent({ db, secrets }: Reading, accountId: number, emailFolded: string) {
  type Row = Pick<MailRow, 'sealed' | 'last_error'>;
  const [letter] = await query<Row>(db, UNSENT, [accountId, emailFolded]);
  return letter && { text: openText(secrets, letter.sealed).text, failed: letter.last_error !== null };
}

type Carriage = { db: Db; secrets: Secrets; mail: { smtpUrl?: string; from: string }; log: Log };
type Next = Waiting & { id: number };

// What could not leave for an hour is of no use any more, or was handed over otherwise.
const DUE = `sent_at is null and due_at <= now() and ends_at > now() and created_at > now() - interval '1 hour'`;

const NEXT = sql('mails/mails.next')`
  select next.* from (select distinct account_id from mails where ${DUE}) a
   cross join lateral (
     select account_id, recipient as person, min(id) as id from mails m
      where m.account_id = a.account_id and ${DUE} group by 1, 2 order by 3 limit 50) next`;

const TAKE = sql('mails/mails.take')`
  update mails set due_at = now() + interval '90 seconds' where account_id = $1 and id = $2 and ${DUE}
  returning recipient, subject, sealed`;

const SENT = sql('mails/mails.sent')`
  update mails set sent_at = now(), last_error = null where account_id = $1 and id = $2`;

const FAILED = sql('mails/mails.failed')`
  update mails set attempts = attempts + 1, last_error = $3,
         due_at = now() + interval '1 second' * (array[5, 15, 60, 300])[least(attempts + 1, 4)]
   where account_id = $1 and id = $2`;

const GIVE_BACK = sql('mails/mails.give_back')`
  update mails set due_at = now()
   where sent_at is null and (account_id, id) in (select * from unnest($1::bigint[], $2::bigint[]))`;

/** Several at a time: one that hangs holds up no other account, and in its own only mails to the same address. */
export function giveMailTurns({ db, secrets, mail, log }: Carriage): Turns | undefined {
  const { smtpUrl, from } = mail;
  if (!smtpUrl) return undefined;
  let opened: Promise<Transporter> | undefined;
  const inHand = new Set<Next>();
  /** What has left, until the database knows it: an answer that was lost must not send it again. */
  const left = new Set<string>();
  const send = async (next: Next): Promise<boolean> => {
    const { account_id, id } = next;
    const name = `${account_id}/${id}`;
    type Taken = { recipient: string; subject: string; sealed: Buffer };
    const [taken] = await query<Taken>(db, TAKE, [account_id, id]);
    if (!taken) return false;
    const { recipient: to, subject, sealed } = taken;
    try {
      if (!left.has(name)) {
        inHand.add(next);
        const transport = await (opened ??= openTransport(smtpUrl));
        const letter = { from, to, subject, text: secrets.open(sealed), messageId: nameMail(from, sealed) };
        await within(60_000, transport.sendMail(letter));
      }
    } catch (error) {
      await query(db, FAILED, [account_id, id, (error as Error).message]);
      return true;
    } finally {
      inHand.delete(next);
    }
    left.add(name);
    await query(db, SENT, [account_id, id]);
    left.delete(name);
    return true;
  };
  const look = () => query<Next>(db, NEXT, []);
  const turns = startTurns({ what: 'Mails', width: 10, ofAccount: 3, look, take: send, log });
  return {
    ...turns,
    async stop() {
      await turns.stop();
      // What the mail server has not taken by now another node sends, at once. Without a database it does so when it is due again.
      const ids = [...inHand];
      if (ids.length === 0) return;
      await query(db, GIVE_BACK, [ids.map(({ account_id }) => account_id), ids.map(({ id }) => id)]).catch(() => {});
    },
  };
}

/** The same whoever sends it: where a node died before it could note one, those who get it twice see that it is the same. */
function nameMail(from: string, sealed: Buffer): string {
  const [, host] = /@([^\s>@]+)>?\s*$/.exec(from) ?? [];
  return `<${createHash('sha256').update(sealed).digest('hex').slice(0, 32)}@${host ?? 'leadline'}>`;
}

// Further ahead than any wait above.
const PULL = sql('mails/mails.pull')`
  update mails set due_at = now() where sent_at is null and due_at > now() + interval '305 seconds'`;

/** After the clock was set back: nothing waits for it to come round. */
export const pullMails = (db: Db) => query(db, PULL, []);

/** A server that trickles would hold it for ever. */
async function within<T>(ms: number, sending: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`The mail server took longer than ${ms / 1_000} seconds.`)), ms);
  });
  return Promise.race([sending, late]).finally(() => clearTimeout(timer));
}

/** Loaded with the first mail: most processes never send one. */
async function openTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({ url, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 });
}

const LIST = sql('mails/mails.list')`
  select id, recipient, subject, sealed, created_at, sent_at, last_error from mails
   where account_id = $1 and (sent_at is not null or ends_at > now()) order by id desc limit 200`;

type MailRow = Pick<Mails, 'id' | 'recipient' | 'subject' | 'sealed' | 'created_at' | 'sent_at' | 'last_error'>;

export async function listMails({ db, secrets }: Reading, actor: Actor) {
  const letters = await query<MailRow>(db, LIST, [actor.account.id]);
  return letters.map(({ sealed, created_at, sent_at, ...letter }) => ({
    ...letter,
    // A mail that has left is its reader's alone: links in it open doors.
    ...(sent_at ? { text: '' } : openText(secrets, sealed)),
    created_at: created_at.toISOString(),
    sent_at: sent_at?.toISOString() ?? null,
  }));
}

/** One that cannot be read must not keep the others from being shown. */
function openText(secrets: Secrets, sealed: Buffer): { text: string; last_error?: string } {
  try {
    return { text: secrets.open(sealed) };
  } catch (error) {
    return { text: '', last_error: (error as Error).message };
  }
}

export const PAST_MAILS: Sweep = { table: 'mails', past: `created_at < now() - interval '72 hours'` };
