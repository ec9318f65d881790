import type { Doing, Taker } from '../../contract/calls.ts';
import { nameOf } from '../../contract/names.ts';
import { scopeOf } from '../../contract/roles.ts';
import type { Users } from '../../db/schema.ts';
import { worksList } from '../lists/people.ts';
import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';
import { doingOf } from './line.ts';

/** Pages say every half minute that they are there, and sessions every minute. */
const THERE = `interval '2 minutes'`;

const COLLEAGUES = sql('calls/takers.colleagues')`
  select u.*, ${doingOf('u')} as doing, li.name as list_name,
         li.id is null or ${worksList('c', 'list_id', 'u.id')}
           or exists (select from leads l
                where l.account_id = c.account_id and l.id = c.lead_id and l.claimed_by = u.id) as works,
         coalesce(greatest(u.page_seen_at, (select max(s.seen_at) from sessions s
           where s.account_id = u.account_id and s.user_id = u.id)) > now() - ${THERE}, false) as there
    from calls c
    join users u on u.account_id = c.account_id and u.id <> $3 and u.disabled_at is null and u.accepted_at is not null
     and (u.agent or u.owner)
    left join lists li on li.account_id = c.account_id and li.id = c.list_id
   where c.account_id = $1 and c.id = $2 and ($4::bigint is null or u.id = $4)
   order by lower(u.first_name), lower(u.last_name), u.id`;

type Row = Users & { doing: Doing; list_name: string | null; works: boolean; there: boolean };

/** Whom a call can be passed on to. */
const findColleagues = ({ db }: Pick<Reading, 'db'>, actor: Actor, callId: number, userId: number | null) =>
  query<Row>(db, COLLEAGUES, [actor.account.id, callId, actor.user?.id ?? 0, userId]);

const toTaker = (row: Row): Taker => ({
  id: row.id,
  email: row.email,
  name: nameOf(row),
  doing: row.doing,
  refusal: refusalOf(row),
});

/** What keeps someone from taking it. */
function refusalOf(row: Row): string | null {
  if (!row.works && scopeOf(row, 'calls.make') === 'assigned') return `does not work ${row.list_name}`;
  if (!row.there) return 'is not here';
  if (row.away_reason !== null) return `is away: ${row.away_reason}`;
  return row.doing === 'calling' || row.doing === 'on_call' ? 'is in a call' : null;
}

/** Those who are there; who can take it comes first. */
export async function listTakers(reading: Pick<Reading, 'db'>, actor: Actor, callId: number): Promise<Taker[]> {
  const rows = await findColleagues(reading, actor, callId, null);
  const takers = rows.filter(({ there }) => there).map(toTaker);
  const isAble = ({ refusal }: Taker) => refusal === null;
  return [...takers.filter(isAble), ...takers.filter((one) => !isAble(one))];
}

/** Undefined for who is no colleague that works calls. */
export async function findTaker(
  reading: Pick<Reading, 'db'>,
  actor: Actor,
  callId: number,
  userId: number,
): Promise<Taker | undefined> {
  const [row] = await findColleagues(reading, actor, callId, userId);
  return row && toTaker(row);
}
