import type { KeyUse } from '../../../contract/keys.ts';
import { query } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { judge, type CountedWindow } from '../../platform/limits.ts';
import type { Reading } from '../../platform/work.ts';
import type { RateLimit } from '../../platform/limits.ts';
import type { Bearer } from './keys.ts';

/** The running windows as the limiter left them. A count of a window that has ended is worth nothing. */
const USE = sql('people/keys/use.use')`
  select w.seconds, n.number, n.now, coalesce(c.requests, 0) as requests
    from api_keys k
    cross join unnest($3::integer[]) with ordinality as w (seconds, place)
    cross join lateral (select floor(t.now / w.seconds)::bigint as number, t.now
                          from (select extract(epoch from clock_timestamp())::float8 as now) t) n
    left join request_counts c on c.subject = k.hash and c.seconds = w.seconds and c.number = n.number
   where k.account_id = $1 and k.user_id is not distinct from $2 and k.expires_at is null
   order by w.place`;

/** How much of its limits the bearer's key has used, those refused included. No windows: there are no limits. */
export async function readUse({ db }: Reading, { accountId, userId }: Bearer, limits: RateLimit[]): Promise<KeyUse> {
  if (limits.length === 0) return { windows: [], refusing_until: null };
  const counted = await query<CountedWindow>(db, USE, [accountId, userId, limits.map(({ seconds }) => seconds)]);
  if (counted.length === 0) throw notFound();
  const standing = judge(counted, limits);
  return {
    windows: counted.map(({ seconds, number, requests }, index) => ({
      seconds,
      limit: limits[index]!.requests,
      requests,
      ends_at: toTime((number + 1) * seconds),
    })),
    refusing_until: standing?.exceeded ? toTime(standing.reset) : null,
  };
}

const toTime = (seconds: number) => new Date(seconds * 1_000).toISOString();
