import { sql, type RawBuilder } from 'kysely';
import type { Transporter } from 'nodemailer';
import type { Actor } from '../platform/actor.ts';
import type { Db } from '../platform/db.ts';
import type { Job } from '../platform/jobs.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Reading, Work } from '../platform/work.ts';

export type Letter = { recipient: string; subject: string; text: string };

const SEND = 'send-mail';

/** Leaves when the transaction does; without a mail server it waits for the owner under Manage → Outbox. */
export async function postMail(work: Work, accountId: number, { recipient, subject, text }: Letter): Promise<void> {
  const { id } = await work.db
    .insertInto('mails')
    .values({ account_id: accountId, recipient, subject, sealed: work.secrets.seal(text) })
    .returning('id')
    .executeTakeFirstOrThrow();
  await work.enqueue(SEND, { accountId, id });
}

type Carriage = { db: Db; secrets: Secrets; mail: { smtpUrl?: string; from: string } };

export function sendMailJob({ db, secrets, mail }: Carriage): Job<{ accountId: number; id: number }> {
  let opened: Promise<Transporter> | undefined;
  return {
    name: SEND,
    async run({ accountId, id }) {
      if (!mail.smtpUrl) return;
      const find = db.selectFrom('mails').select(['recipient', 'subject', 'sealed', 'sent_at']);
      const letter = await find.where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst();
      if (!letter || letter.sent_at) return;
      const note = (change: { sent_at?: RawBuilder<Date>; last_error: string | null }) =>
        db.updateTable('mails').set(change).where('account_id', '=', accountId).where('id', '=', id).execute();
      try {
        const { recipient: to, subject } = letter;
        const transport = await (opened ??= openTransport(mail.smtpUrl));
        await transport.sendMail({ from: mail.from, to, subject, text: secrets.open(letter.sealed) });
        await note({ sent_at: sql<Date>`now()`, last_error: null });
      } catch (error) {
        await note({ last_error: (error as Error).message });
        throw error;
      }
    },
  };
}

/** Loaded with the first mail: most processes never send one. */
async function openTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({ url, connectionTimeout: 10_000, socketTimeout: 20_000 });
}

export async function listMails({ db, secrets }: Reading, actor: Actor) {
  const letters = await db
    .selectFrom('mails')
    .select(['id', 'recipient', 'subject', 'sealed', 'created_at', 'sent_at', 'last_error'])
    .where('account_id', '=', actor.account.id)
    .orderBy('id', 'desc')
    .limit(200)
    .execute();
  return letters.map(({ sealed, created_at, sent_at, ...letter }) => ({
    ...letter,
    // A mail that has left is its reader's alone: links in it open doors.
    text: sent_at ? '' : secrets.open(sealed),
    created_at: created_at.toISOString(),
    sent_at: sent_at?.toISOString() ?? null,
  }));
}
