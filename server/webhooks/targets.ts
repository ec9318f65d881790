import { foresee, isNearby, lookUp, type Allowed } from '../platform/http-out.ts';
import { query, type Db } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Log } from '../platform/log.ts';

/** Where notifications may go, and what of a target is shown. */

export type AllowedFor = (accountUrl: string) => Allowed;

/**
 * Loopback and private targets only where the operator's address and the account's are such themselves: the account's alone is the owner's to
 * change, and would switch the guard off.
 */
export const allowedBy =
  ({ webhookAllow, baseUrl }: { webhookAllow?: string[]; baseUrl: string }): AllowedFor =>
  (accountUrl) => ({
    exceptions: webhookAllow,
    nearby: [baseUrl, accountUrl].every((url) => isNearby(new URL(url).hostname)),
  });

/** A target without the name and password it may hold, and the header that says them. */
export function splitTarget(target: string): { url: string; authorization?: string; secrets: string[] } {
  const url = new URL(target);
  if (!url.username && !url.password) return { url: target, secrets: [] };
  const [name, password] = [decode(url.username), decode(url.password)];
  const basic = Buffer.from(`${name}:${password}`).toString('base64');
  url.username = '';
  url.password = '';
  return { url: url.href, authorization: `Basic ${basic}`, secrets: [basic, password].filter((one) => one !== '') };
}

/** A percent sign that stands for itself is left as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** As it is shown to anyone: whoever may see a subscription need not know the password of its subscriber. */
export function maskTarget(target: string): string {
  const url = URL.parse(target);
  if (!url?.username && !url?.password) return target;
  url.username = '***';
  url.password = '';
  return url.href;
}

type Subscribed = { id: number; target_url: string; account: string; base_url: string };
const MOST_NAMED = 50;

const SUBSCRIBED = sql('webhooks/targets.subscribed')`
  select w.id, w.target_url, a.name as account, a.base_url from webhooks w join accounts a on a.id = w.account_id
   where w.ended_at is null order by w.id`;

/** Says at the start which subscriptions are going to be refused, before a delivery is. Names are looked up one after the other. */
export async function nameRefused(db: Db, allowedFor: AllowedFor, log: Log): Promise<void> {
  const subscribed = await query<Subscribed>(db, SUBSCRIBED, []);
  let refused = 0;
  for (const { id, target_url, account, base_url } of subscribed) {
    const allowed = allowedFor(base_url);
    await lookUp(target_url, allowed);
    const why = foresee(target_url, allowed);
    if (!why) continue;
    refused += 1;
    if (refused <= MOST_NAMED)
      log.warn({ webhook: id, account, target: maskTarget(target_url) }, `Subscription ${id} of ${account}: ${why}`);
  }
  if (refused > MOST_NAMED) log.warn(`${refused - MOST_NAMED} more subscriptions will be refused.`);
}
