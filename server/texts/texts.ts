import type { NewText, Text } from '../../contract/texts.ts';
import { record } from '../activity/record.ts';
import { keepCeilings } from '../numbers/ceilings.ts';
import { dialable, mannersOf, numberOf } from '../numbers/numbers.ts';
import { lockWholeLead, refuseForeignClaim } from '../leads/access.ts';
import { findLeadByNumber } from '../leads/by-number.ts';
import { touch } from '../leads/change.ts';
import { DELETED_LISTS } from '../lists/people.ts';
import { rememberWords } from '../leads/outcomes.ts';
import type { Actor } from '../platform/actor.ts';
import { query, type Statement } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { conflict } from '../platform/errors.ts';
import { digitsOf, readPhone } from '../platform/phones.ts';
import { invalid } from '../platform/read.ts';
import type { Reading, Work } from '../platform/work.ts';
import type { Report } from '../telephony/carrier.ts';

const RIGHT = 'calls.make';

const INSERT = sql('texts/texts.insert')`
  insert into texts (account_id, direction, state, lead_id, user_id, event_id, number, own_number, body, carrier,
    carrier_text_id,
                     counted_as)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning id`;

/** Writes to a lead; whoever holds the line sends it. Not to numbers that asked for no more. */
export async function sendText(work: Work, actor: Actor, id: number | undefined, read: () => NewText): Promise<Text> {
  const lead = await lockWholeLead(work, actor, id, RIGHT);
  const given = read();
  refuseForeignClaim(actor, lead, RIGHT);
  if (given.body.trim() === '') throw invalid({ body: ['must not be empty'] });
  const account = actor.account.id;
  const manners = await mannersOf(work, account, lead.list_id);
  const number = dialable(numberOf(lead, given), { ...manners, prepend_phone: manners.prepend_phone ?? 'account' });
  const countedAs = digitsOf(number, manners.country);
  if (await hasOptedOut(work, account, countedAs))
    throw conflict('opted_out', `${number} asked for no more text messages.`);
  await keepCeilings(work, actor, { kind: 'text', number, countedAs });
  const event = await record(work, actor, { lead, kind: 'text', comment: given.body }, [
    touch(account, lead.id),
    rememberWords(account, lead, given.body),
  ]);
  const values = [
    account,
    'outbound',
    'queued',
    lead.id,
    actor.user?.id ?? null,
    event.id,
    number,
    manners.caller.number,
  ];
  const [row] = await query<{ id: number }>(work.db, INSERT, [...values, given.body, null, null, countedAs]);
  work.nudge('line');
  return (await listTexts(work, actor, lead.id, row!.id))[0]!;
}

const NAME = sql('texts/texts.name')`
  update texts set carrier_text_id = $3 where account_id = $1 and id = $2`;

export const nameText = ({ db }: Work, accountId: number, id: number, textId: string) =>
  query(db, NAME, [accountId, id, textId]);

type Sent = Extract<Report, { kind: 'text_sent' | 'text_delivered' | 'text_failed' }>;

// Forward only: what was delivered or has failed is not merely sent any more.
const ORDER = `array['queued', 'sent', 'failed', 'delivered']`;
const NOTE = sql('texts/texts.note')`
  update texts set state = $3, error = $4, told_at = clock_timestamp()
   where carrier = $1 and carrier_text_id = $2 and direction = 'outbound'
     and array_position(${ORDER}, state) < array_position(${ORDER}, $3)`;

export async function noteTextReport({ db }: Work, carrier: string, report: Sent): Promise<void> {
  const state = report.kind.slice('text_'.length);
  await query(db, NOTE, [carrier, report.subject, state, report.kind === 'text_failed' ? report.reason : null]);
}

type CameIn = Extract<Report, { kind: 'text_came_in' }>;

const STOP = new Set([
  'stop',
  'stopall',
  'stop all',
  'unsubscribe',
  'cancel',
  'end',
  'quit',
  'revoke',
  'optout',
  'opt out',
]);
const START = new Set(['start', 'unstop', 'yes']);

const OPT_IN = sql('texts/texts.opt_in')`delete from opt_outs where account_id = $1 and number = $2`;

// Who is written to answers within days, and to the number that wrote; later it is more likely about a call.
const ANSWERED = sql('texts/texts.answered')`
  select l.id from texts t join leads l on l.account_id = t.account_id and l.id = t.lead_id
   where t.account_id = $1 and t.counted_as = $2 and t.created_at > now() - interval '30 days' and t.state <> 'failed'
     and l.list_id not in ${DELETED_LISTS}
   order by t.own_number is not distinct from $3 desc, t.created_at desc limit 1`;

/** Whom a text to `own` is from: the lead that was written to last, by that number if by any, else whose number it is. */
async function findWriter(work: Work, accountId: number, from: string, digits: string, own: string | null) {
  const [answered] = await query<{ id: number }>(work.db, ANSWERED, [accountId, digits, own]);
  return answered ?? findLeadByNumber(work, accountId, from);
}

/** Someone wrote. Of whom we know the lead, it is told; who writes STOP hears no more. */
export async function receiveText(work: Work, actor: Actor, carrier: string, report: CameIn): Promise<void> {
  const account = actor.account.id;
  const manners = await mannersOf(work, account, null);
  const number = readPhone(report.from, manners.country)?.normal ?? report.from;
  const optOut = digitsOf(report.from, manners.country);
  const word = report.body
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
  if (STOP.has(word)) await noteOptOut(work, account, optOut);
  if (START.has(word)) await query(work.db, OPT_IN, [account, optOut]);
  const own = report.to ?? manners.caller.number;
  const found = await findWriter(work, account, report.from, optOut, own);
  const lead = found && (await lockWholeLead(work, actor, found.id, RIGHT));
  const event =
    lead &&
    (await record(work, actor, { lead, kind: 'inbound_text', comment: report.body }, [
      touch(account, lead.id),
      rememberWords(account, lead, report.body),
    ]));
  const values = [account, 'inbound', 'received', lead?.id ?? null, null, event?.id ?? null, number];
  await query(work.db, INSERT, [...values, own, report.body, carrier, report.subject, null]);
}

/** How a number that is about to be written to stands among those that asked for no more. */
export async function findOptOut({ db }: Pick<Reading, 'db'>, accountId: number, number: string): Promise<string> {
  const { country } = await mannersOf({ db }, accountId, null);
  return digitsOf(number, country);
}

const OPT_OUT = sql('texts/texts.opt_out')`
  insert into opt_outs (account_id, number) values ($1, $2) on conflict do nothing`;

const noteOptOut = ({ db }: Work, accountId: number, number: string) => query(db, OPT_OUT, [accountId, number]);

const OPTED_OUT = sql('texts/texts.opted_out')`
  select number from opt_outs where account_id = $1 and number = $2`;

async function hasOptedOut({ db }: Work, accountId: number, number: string): Promise<boolean> {
  return (await query(db, OPTED_OUT, [accountId, number])).length > 0;
}

const LIST = sql('texts/texts.list')`
  select t.id, t.direction, t.state, t.number, t.own_number, t.body, t.error, coalesce(u.email, '') as user_email,
    t.event_id, t.created_at,
         exists (select from opt_outs o where o.account_id = t.account_id
           and o.number in (t.counted_as, regexp_replace(t.number, '\\D', '', 'g'))) as opted_out
    from texts t left join users u on u.account_id = t.account_id and u.id = t.user_id
   where t.account_id = $1 and t.lead_id = $2 and ($3::bigint is null or t.id = $3) order by t.id desc limit 200`;

/** What was written to and by a lead, newest first, or one of it. */
export async function listTexts(
  { db }: Pick<Reading, 'db'>,
  actor: Actor,
  leadId: number,
  id: number | null = null,
): Promise<Text[]> {
  const rows = await query<Omit<Text, 'created_at'> & { created_at: Date }>(db, LIST, [actor.account.id, leadId, id]);
  return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }));
}

const MOVE = sql('texts/texts.move')`
  update texts set lead_id = $3 where account_id = $1 and lead_id = $2`;

/** Texts of a lead that is merged into another are the other's. */
export const moveTexts = (accountId: number, from: number, to: number): Statement => ({
  text: MOVE,
  values: [accountId, from, to],
});
