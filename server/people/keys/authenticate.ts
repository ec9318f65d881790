import { OWNER_ROLES, type Actor } from '../../platform/actor.ts';
import { inBatches } from '../../platform/batch.ts';
import { createDb, query, type Db, type Pool } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';
import { HttpError } from '../../platform/errors.ts';
import {
  countSubjects,
  createStandings,
  networkOf,
  subjectOf,
  type CountedWindow,
  type Standing,
} from '../../platform/limits.ts';
import { hashToken } from '../../platform/secrets.ts';
import type { RateLimit } from '../../platform/limits.ts';
import { userColumnsSql, type UserRow } from '../users/acting.ts';

type KeyRow = { account_id: number; account_name: string; base_url: string; user_id: number | null } & UserRow;

/** What one kind of question in a batch is answered with. `subject` is who was counted, and `windows` are as after the whole batch. */
type Found = { kind: number; key: KeyRow | null; subject: string; times: number; windows: CountedWindow[] | null };

/**
 * Finds keys and counts requests in one statement. A key names its account only under that account's host; the first account answers for
 * hosts that belong to nobody; whoever has no valid key is counted by address. When a key was used last is not noted while someone has it in hand:
 * all that are asked for together would wait.
 */
export const FIND_AND_COUNT = sql('people/keys/authenticate.find_and_count')`
with asked as (
  select * from unnest($1::bytea[], $2::bytea[], $3::text[], $4::integer[]) with ordinality as a (hash, address, host,
    times, kind)
), key as materialized (
  select q.kind, k.hash, a.id as account_id, a.name as account_name, a.base_url, k.user_id, ${userColumnsSql}
    from asked q
    join api_keys k on k.hash = q.hash
    join accounts a on a.id = k.account_id
    left join users u on u.account_id = k.account_id and u.id = k.user_id
   where (k.expires_at is null or k.expires_at > now())
     and (k.user_id is null or u.disabled_at is null and u.accepted_at is not null)
     and a.id = coalesce((select id from accounts where host = q.host), (select min(id) from accounts))
), used as (
  update api_keys set last_used_at = now()
   where hash = any (array(
           select k.hash from api_keys k
            where k.hash in (select hash from key)
              and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute')
              for no key update skip locked))
), subjects as (
  select coalesce(key.hash, asked.address) as subject, sum(times)::integer as times
    from asked left join key using (kind) group by 1
), counted as (
  ${countSubjects('$5')}
)
select asked.kind::integer, encode(s.subject, 'hex') as subject, s.times,
       (select to_json(k) from (select account_id, account_name, base_url, user_id, email, owner, agent, users_admin,
         lists_admin,
                                       analyst, supervisor where key.kind is not null) k) as key,
       (select json_agg(c) from (select seconds, number, requests, now from counted
         where counted.subject = s.subject) c) as windows
  from asked
  left join key using (kind)
  join subjects s on s.subject = coalesce(key.hash, asked.address)
 order by asked.kind`;

export type Question = { key: string | undefined; host: string; address: string };
export type KeyBearer = { actor: Actor | undefined; standing: Standing | undefined };

/** A busy key's requests would otherwise queue for its one row. */
export const createAuthenticator = (pool: Pool, limits: RateLimit[]) =>
  inBatches((questions: Question[]) => answerBatch(createDb(pool), limits, questions));

async function answerBatch(db: Db, limits: RateLimit[], batch: Question[]): Promise<KeyBearer[]> {
  const kindOf = ({ key, host, address }: Question) => JSON.stringify([key, host, address]);
  const kinds = Map.groupBy(batch, kindOf);
  const questions = [...kinds.values()].map((same) => same[0]!);
  const rows = await query<Found>(db, FIND_AND_COUNT, [
    questions.map(({ key }) => hashToken(key ?? '')),
    questions.map(({ address }) => subjectOf('address', networkOf(address))),
    questions.map(({ host }) => host),
    [...kinds.values()].map(({ length }) => length),
    limits.map(({ seconds }) => seconds),
  ]);
  const found = new Map([...kinds.keys()].map((kind, index) => [kind, rows[index]!]));
  const stand = createStandings(limits);
  return batch.map((question) => {
    const { key, subject, times, windows } = found.get(kindOf(question))!;
    return { actor: key ? toActor(key, question.address) : undefined, standing: stand(subject, times, windows) };
  });
}

function toActor(row: KeyRow, address: string): Actor {
  const { account_id: id, account_name: name, base_url: baseUrl, user_id, email, ...roles } = row;
  const account = { id, name, baseUrl };
  if (user_id === null) return { account, roles: OWNER_ROLES, via: 'api', address, name: 'account key' };
  return { account, user: { id: user_id, email }, roles, via: 'api', address, name: email };
}

const LONGEST_HEADER = 512;

/** `Token "<key>"` is the documented form; others are in the field: without quotes, as `token=`, with more parameters behind a comma. */
export function readAuthorization(header = ''): string | undefined {
  if (header.length > LONGEST_HEADER) return undefined;
  const [, quoted, bare] =
    /^(?:token|bearer)\s+(?:token\s*=\s*)?(?:"([^"]+)"|([^\s",=]+=*))\s*(?:,.*)?$/i.exec(header.trim()) ?? [];
  return quoted ?? bare;
}

export const unauthorized = () =>
  new HttpError(401, 'unauthorized', 'The API key is missing or not valid here. Send Authorization: Token "<key>".');
