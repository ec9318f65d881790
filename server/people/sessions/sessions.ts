import { audit } from '../../audit/audit.ts';
import { NO_ROLES, type Account, type Actor } from '../../platform/actor.ts';
import { inBatches } from '../../platform/batch.ts';
import { createDb, one, query, type Pool } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';
import { countSubjects, createStandings, type CountedWindow, type Standing } from '../../platform/limits.ts';
import { hashToken, makeToken } from '../../platform/secrets.ts';
import type { Reading, Work } from '../../platform/work.ts';
import type { RateLimit } from '../../platform/limits.ts';
import { lockProven, wrongPassword, type Proven } from './proof.ts';
import { userColumnsSql, type UserRow } from '../users/acting.ts';
import type { Sweep } from '../../platform/sweep.ts';

/** Unused, and at the latest however much it is used. */
export const LASTS_DAYS = 14;
const ENDS_AFTER_DAYS = 30;

/** `brought`: the token of a session they came with. */
export type Visitor = { account: Account; address: string; browser: string; brought: string | undefined };

export async function signIn(work: Work, visitor: Visitor, proven: Proven | undefined, kept = true) {
  const user = proven && (await lockProven(work, visitor.account, proven.id, proven.password_hash));
  if (!user) throw wrongPassword();
  return { user, token: await startSession(work, visitor, user, kept) };
}

/** Of one user at once; with one more the one goes that was seen longest ago. */
const MOST_SESSIONS = 100;

const START = sql('people/sessions/sessions.start')`
  with ended as (
    delete from sessions
     where hash in (select hash from sessions where account_id = $2 and user_id = $3
                     order by seen_at desc offset ${MOST_SESSIONS - 1})
  )
  insert into sessions (hash, account_id, user_id, address, browser, kept, expires_at)
  values ($1, $2, $3, $4, $5, $6, now() + make_interval(days => ${LASTS_DAYS}))`;

const END_BROUGHT = sql('people/sessions/sessions.end_brought')`delete from sessions where hash = $1`;

/**
 * Returns the session's token, which is nowhere stored as it is. One they came with ends: it may have been planted. `kept`: its cookie
 * outlives the browser.
 */
export async function startSession(
  work: Work,
  { account, address, browser, brought }: Visitor,
  user: { id: number; email: string },
  kept = true,
): Promise<string> {
  if (brought) await query(work.db, END_BROUGHT, [hashToken(brought)]);
  const token = makeToken();
  await query(work.db, START, [hashToken(token), account.id, user.id, address, browser.slice(0, 255), kept]);
  const { id, email } = user;
  await audit(work, actorFor(account, { id, email }, address), 'session.started', email);
  return token;
}

// Enough of an actor for the audit log; rights are looked up with each request.
const actorFor = (account: Account, user: { id: number; email: string }, address: string): Actor => ({
  account,
  user,
  address,
  name: user.email,
  via: 'app',
  roles: NO_ROLES,
});

type Row = {
  number: number;
  session_id: number;
  account_id: number;
  account_name: string;
  base_url: string;
  user_id: number;
  /** Requests of this person in the batch, and the windows after all of them. */
  times: number | null;
  windows: CountedWindow[] | null;
  /** Seconds that a cookie lasts whose session was just moved on; null where it was not, or its cookie goes with the browser. */
  renewed: number | null;
} & UserRow;

// A session that someone has in hand is not moved on by this request: it would wait, and with it all that are asked for together.
/** Roles are read with each request, so a change applies to the next; a disabled user has no session any more. */
const FIND_SESSIONS = sql('people/sessions/sessions.find_sessions')`
with asked as (
  select * from unnest($1::bytea[], $2::text[], $3::boolean[], $4::boolean[]) with ordinality as a (hash, host, used,
    counts, number)
), found as materialized (
  select q.number, q.used, q.counts, s.id as session_id, s.hash, s.seen_at, a.id as account_id, a.name as account_name,
         a.base_url, u.id as user_id, ${userColumnsSql}
    from asked q
    join sessions s on s.hash = q.hash
    join accounts a on a.id = s.account_id
    join users u on u.account_id = s.account_id and u.id = s.user_id
   where s.expires_at > now() and s.created_at > now() - make_interval(days => ${ENDS_AFTER_DAYS})
     and u.disabled_at is null
     and a.id = coalesce((select id from accounts where host = q.host), (select min(id) from accounts))
), moved as (
  update sessions set seen_at = now(), expires_at = least(now() + make_interval(days => ${LASTS_DAYS}),
                                                          created_at + make_interval(days => ${ENDS_AFTER_DAYS}))
   where hash = any (array(
           select s.hash from found f join sessions s on s.hash = f.hash
            where f.used and f.seen_at not between now() - interval '1 minute' and now()
              for no key update of s skip locked))
  returning hash, case when kept then floor(extract(epoch from expires_at - now()))::int end as renewed
), subjects as (
  select account_id, user_id, sha256(convert_to('app ' || account_id || ' ' || user_id, 'UTF8')) as subject,
         count(*) as times
    from found where counts group by account_id, user_id
), counted as (
  ${countSubjects('$5')}
)
select found.*, moved.renewed, s.times,
  (select json_agg(counted) from counted where counted.subject = s.subject) as windows
  from found
  left join moved on moved.hash = found.hash and found.used
  left join subjects s on found.counts and s.account_id = found.account_id and s.user_id = found.user_id`;

/** `used`: someone did something. A page that merely stays open does not keep its session from ending. `counts`: toward the limits. */
export type SessionQuestion = { token: string; host: string; address: string; used: boolean; counts: boolean };
export type SignedIn = { actor: Actor; sessionId: number; renewed: number | null; standing: Standing | undefined };

export function createSessionFinder(pool: Pool, limits: RateLimit[]) {
  const db = createDb(pool);
  return inBatches(async (questions: SessionQuestion[]): Promise<(SignedIn | undefined)[]> => {
    const rows = await query<Row>(db, FIND_SESSIONS, [
      questions.map(({ token }) => hashToken(token)),
      questions.map(({ host }) => host),
      questions.map(({ used }) => used),
      questions.map(({ counts }) => counts),
      limits.map(({ seconds }) => seconds),
    ]);
    const found = new Map(rows.map((row) => [row.number, row]));
    const stand = createStandings(limits);
    return questions.map(({ address }, index) => {
      const row = found.get(index + 1);
      const standing = row?.times ? stand(String(row.user_id), row.times, row.windows) : undefined;
      return row && { ...toSignedIn(row, address), standing };
    });
  });
}

function toSignedIn(row: Row, address: string): Omit<SignedIn, 'standing'> {
  const { owner, agent, users_admin, lists_admin, analyst, supervisor } = row;
  const actor: Actor = {
    account: { id: row.account_id, name: row.account_name, baseUrl: row.base_url },
    user: { id: row.user_id, email: row.email },
    roles: { owner, agent, users_admin, lists_admin, analyst, supervisor },
    via: 'app',
    address,
    name: row.email,
  };
  return { actor, sessionId: row.session_id, renewed: row.renewed };
}

const LIST = sql('people/sessions/sessions.list')`
  select id, address, browser, created_at, seen_at from sessions
   where account_id = $1 and user_id = $2 and expires_at > now() order by seen_at desc`;

type SessionRow = { id: number; address: string; browser: string; created_at: Date; seen_at: Date };

export async function listSessions({ db }: Reading, actor: Actor, currentId: number | undefined) {
  const sessions = await query<SessionRow>(db, LIST, [actor.account.id, actor.user?.id ?? 0]);
  return sessions.map(({ id, address, browser, created_at, seen_at }) => ({
    id,
    address,
    browser,
    created_at: created_at.toISOString(),
    seen_at: seen_at.toISOString(),
    current: id === currentId,
  }));
}

const END = sql('people/sessions/sessions.end')`
  delete from sessions where account_id = $1 and user_id = $2 and id = $3 returning id`;

export async function endSession(work: Work, actor: Actor, id: number | undefined): Promise<void> {
  await one(work.db, END, [actor.account.id, actor.user?.id ?? 0, id ?? 0]);
  await audit(work, actor, 'session.ended', actor.user?.email);
}

const END_ALL = sql('people/sessions/sessions.end_all')`
  delete from sessions where account_id = $1 and user_id = $2 and id <> $3`;

/** All of a user's, but for the one that asks for it. */
export async function endSessions({ db }: Work, accountId: number, userId: number, exceptId = 0): Promise<void> {
  await query(db, END_ALL, [accountId, userId, exceptId]);
}

export const PAST_SESSIONS: Sweep = { table: 'sessions', past: 'expires_at < now()' };
