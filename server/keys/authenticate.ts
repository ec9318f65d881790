import type { Actor } from '../platform/actor.ts';
import { OWNER_ROLES } from '../platform/actor.ts';
import type { Pool } from '../platform/db.ts';
import { HttpError } from '../platform/errors.ts';
import { countingSql, judge, networkOf, subjectOf, type CountedWindow, type Standing } from '../platform/limits.ts';
import { hashToken } from '../platform/secrets.ts';
import type { RateLimit } from '../settings.ts';
import { userColumnsSql, type UserRow } from '../users/acting.ts';

type Row = { account_id: number; account_name: string; base_url: string; user_id: number | null } & UserRow;
type Found = { key: Row | null; windows: CountedWindow[] | null };

/**
 * Finds the key and counts the request in one statement: a key names its account only under that account's host, the first account
 * answers for hosts that belong to nobody; whoever has no valid key is counted by address.
 */
const FIND_AND_COUNT = `
with key as materialized (
  select k.hash, a.id as account_id, a.name as account_name, a.base_url, k.user_id, ${userColumnsSql}
    from api_keys k
    join accounts a on a.id = k.account_id
    left join users u on u.account_id = k.account_id and u.id = k.user_id
   where k.hash = $1
     and (k.expires_at is null or k.expires_at > now())
     and (k.user_id is null or u.disabled_at is null and u.accepted_at is not null)
     and a.id = coalesce((select id from accounts where host = $3), (select min(id) from accounts))
), used as (
  update api_keys set last_used_at = now()
   where hash = (select hash from key) and (last_used_at is null or last_used_at < now() - interval '1 minute')
), counted as (${countingSql('coalesce((select hash from key), $2::bytea)', '$4')})
select (select to_json(key) from key) as key, (select json_agg(counted) from counted) as windows`;

export type KeyHolder = { actor: Actor | undefined; standing: Standing | undefined };

export async function authenticateKey(
  pool: Pool,
  limits: RateLimit[],
  { key, host, address }: { key: string | undefined; host: string; address: string },
): Promise<KeyHolder> {
  const { rows } = await pool.query<Found>({
    name: 'find-key-and-count',
    text: FIND_AND_COUNT,
    values: [
      hashToken(key ?? ''),
      subjectOf('address', networkOf(address)),
      host,
      limits.map(({ seconds }) => seconds),
    ],
  });
  const { key: row, windows } = rows[0]!;
  return { actor: row ? toActor(row, address) : undefined, standing: judge(windows ?? [], limits) };
}

function toActor(row: Row, address: string): Actor {
  const { account_id: id, account_name: name, base_url: baseUrl, user_id, email, ...rest } = row;
  const account = { id, name, baseUrl };
  if (user_id === null) return { account, roles: OWNER_ROLES, via: 'api', address, name: 'account key' };
  const { owner, agent, users_admin, lists_admin, analyst, supervisor } = rest;
  const roles = { owner, agent, users_admin, lists_admin, analyst, supervisor };
  return { account, user: { id: user_id, email }, roles, via: 'api', address, name: email };
}

/** `Token "<key>"` is the documented form; others are in the field. */
export function readAuthorization(header: string | undefined): string | undefined {
  const [, value] = /^(?:token|bearer)\s+(.+)$/i.exec(header?.trim() ?? '') ?? [];
  const [, quoted] = /^(?:token\s*=\s*)?"([^"]+)"$/i.exec(value ?? '') ?? [];
  return quoted ?? (value && !/["\s,=]/.test(value.replace(/=+$/, '')) ? value : undefined);
}

export const unauthorized = () =>
  new HttpError(401, 'unauthorized', 'The API key is missing or not valid here. Send Authorization: Token "<key>".');
