import type { Subscription, Webhook } from '../../contract/webhooks.ts';
import type { Actor } from '../platform/actor.ts';
import { openBreaths } from '../platform/breaths.ts';
import { one, query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { notFound } from '../platform/errors.ts';
import { foresee } from '../platform/http-out.ts';
import { invalid } from '../platform/read.ts';
import type { Reading, Work } from '../platform/work.ts';
import { DELETED_LISTS } from '../lists/people.ts';
import { endWebhook, type WebhookRow as Row } from './deliveries.ts';
import { makeSecret } from './sign.ts';
import { maskTarget, type AllowedFor } from './targets.ts';
import type { Sweep } from '../platform/sweep.ts';

const COLUMNS = 'id, event, target_url, list_id, created_at, last_error';

const INSERT = sql('webhooks/webhooks.insert')`
  insert into webhooks (account_id, list_id, event, target_url, sealed) values ($1, $2, $3, $4, $5)
   on conflict do nothing returning ${COLUMNS}`;

const KNOWN = sql('webhooks/webhooks.known')`
  select ${COLUMNS} from webhooks
   where account_id = $1 and list_id is not distinct from $2 and event = $3 and target_url = $4
     and ended_at is null`;

/** On a list, or without one on the whole account. The same again answers what is there. */
export async function subscribe(
  work: Work,
  actor: Actor,
  listId: number | null,
  { event, ...given }: Subscription,
): Promise<Webhook> {
  const { db, secrets } = work;
  const target_url = given.target_url.trim();
  refuseOtherSchemes(target_url);
  // It is looked up as a whole, and an index takes no longer ones.
  if (Buffer.byteLength(target_url) > LONGEST_TARGET)
    throw invalid({ target_url: [`must have at most ${LONGEST_TARGET.toLocaleString('en')} bytes`] });
  const known = await query<Row>(db, KNOWN, [actor.account.id, listId, event, target_url]);
  if (known[0]) return toWebhook(known[0]);
  await refuseTooMany(work, actor, listId);
  const secret = makeSecret();
  const [made] = await query<Row>(db, INSERT, [actor.account.id, listId, event, target_url, secrets.seal(secret)]);
  // Made between the two: then it is known.
  return made ? { ...toWebhook(made), secret } : subscribe(work, actor, listId, { event, target_url });
}

/** Whatever happens in a list is written down for each of its subscriptions. */
const MOST_OF_LIST = 100;
const MOST_OF_ACCOUNT = 10_000;
/** In bytes, of all its targets: they are told in one answer. */
const LONGEST_OF_ACCOUNT = 4 * 1024 * 1024;

const COUNT = sql('webhooks/webhooks.count')`
  select count(*) as of_account, count(*) filter (where list_id is not distinct from $2) as alike,
         coalesce(sum(octet_length(target_url)), 0)::int8 as bytes
    from webhooks where account_id = $1 and ended_at is null`;

async function refuseTooMany({ db }: Work, actor: Actor, listId: number | null): Promise<void> {
  const counted = await one<{ of_account: number; alike: number; bytes: number }>(db, COUNT, [
    actor.account.id,
    listId,
  ]);
  const refuse = (of: string, most: number) =>
    invalid({ target_url: [`cannot be added: ${of} has at most ${most.toLocaleString('en')} subscriptions`] });
  if (counted.of_account >= MOST_OF_ACCOUNT) throw refuse('an account', MOST_OF_ACCOUNT);
  if (counted.bytes >= LONGEST_OF_ACCOUNT)
    throw invalid({ target_url: ['cannot be added: the targets of an account have at most 4 MiB together'] });
  if (counted.alike >= MOST_OF_LIST)
    throw refuse(listId === null ? 'an account beside its lists' : 'a list', MOST_OF_LIST);
}

const LONGEST_TARGET = 2_000;

function refuseOtherSchemes(url: string): void {
  const { protocol } = URL.parse(url) ?? {};
  if (protocol !== 'http:' && protocol !== 'https:')
    throw invalid({ target_url: ['must be an address that begins with https:// or http://'] });
}

/** Condition: a subscription is the account's, or that of a list that is not deleted; `$1` is the account. */
export const isThere = (webhook: string) =>
  `(${webhook}.list_id is null or ${webhook}.list_id not in ${DELETED_LISTS})`;

const LIST = sql('webhooks/webhooks.list')`
  select ${COLUMNS} from webhooks w where account_id = $1 and ended_at is null and ${isThere('w')} order by id desc`;

/** Newest first, as JSON. Everyone else has the event loop in between: there may be many, and addresses take long to look at. */
export async function listWebhooks({ db }: Reading, actor: Actor, allowedFor: AllowedFor): Promise<string> {
  const rows = await query<Row>(db, LIST, [actor.account.id]);
  const allowed = allowedFor(actor.account.baseUrl);
  const breathe = openBreaths();
  const written: string[] = [];
  for (const row of rows) {
    const refused = foresee(row.target_url, allowed);
    written.push(JSON.stringify({ ...toWebhook(row), ...(refused && { refused }) } satisfies Webhook));
    await breathe();
  }
  return `[${written.join()}]`;
}

const FIND = sql('webhooks/webhooks.find')`
  select id from webhooks w where account_id = $1 and id = $2 and ${isThere('w')}`;

export async function removeWebhook({ db }: Work, actor: Actor, id: number | undefined): Promise<Webhook> {
  await one(db, FIND, [actor.account.id, id ?? 0]);
  const row = await endWebhook(db, actor.account.id, id ?? 0);
  if (!row) throw notFound();
  return toWebhook(row);
}

const toWebhook = ({ id, event, target_url, list_id, created_at, last_error }: Row): Webhook => ({
  id,
  event,
  target_url: maskTarget(target_url),
  list: list_id === null ? null : `/api/v2/lists/${list_id}`,
  created_at: created_at.toISOString(),
  last_error,
});

export const PAST_WEBHOOKS: Sweep = { table: 'webhooks', past: `ended_at < now() - interval '30 days'` };
