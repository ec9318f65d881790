import { recordLast } from '../activity/record.ts';
import type { Skip } from '../../contract/queue.ts';
import { lockLead, refuseForeignClaim, type LockedLead } from './access.ts';
import { readCategory, rememberWords } from './outcomes.ts';
import type { Actor } from '../platform/actor.ts';
import { lastly, query, type Db, type Last, type Statement } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { conflict } from '../platform/errors.ts';
import { MOST_MEASURED, type Measure } from '../platform/measures.ts';
import type { Work } from '../platform/work.ts';
import type { Sweep } from '../platform/sweep.ts';

/** Why what is done to many leads leaves one as it is. */
export const OPEN_AT_A_DESK = 'open at a desk';

const LATE = `interval '30 seconds'`;

// Two minutes without a sign of life free a lead, two hours without input too: a sign of life alone opens nothing again; with input it does, as
// another tab may have let the lead go. Not where it has just changed or was skipped: a sign that was under way meanwhile comes late, and
// would have it given to the same agent once more.
const KEEP = sql('leads/holds.keep')`
  update leads set held_by = $3, input_at = case when $4 then now() else input_at end,
         held_until = least(now() + interval '2 minutes',
           case when $4 then now() else input_at end + interval '2 hours')
   where account_id = $1 and id = $2
     and case when $4 then held_by = $3
                or ((held_by is null or held_until <= now()) and ($5
                  or (last_updated < now() - ${LATE} and not (skipped and turn_at > now() - ${LATE}))))
              else held_by = $3 and held_until > now() end
  returning held_until`;

type Sign = { input?: boolean; opens?: boolean };

/** Opens a lead, or says that it is still open. */
export async function holdLead(
  work: Work,
  actor: Actor,
  id: number | undefined,
  { input = true, opens = true }: Sign = {},
): Promise<Last<Date>> {
  const lead = await lockLead(work, actor, id, 'queue.work');
  refuseForeignClaim(actor, lead, 'queue.work');
  const keep = { text: KEEP, values: [actor.account.id, lead.id, actor.user!.id, input, opens] };
  return lastly<Date, [{ held_until: Date | null }[]]>(work.db, [keep], ([[hold]]) => {
    if (hold) return hold.held_until!;
    throw lead.held_by_email
      ? heldByOther(lead)
      : conflict('hold_ended', 'This lead was let go meanwhile. Open it again.');
  });
}

export const heldByOther = ({ held_by_email }: LockedLead) =>
  conflict('lead_open', `${held_by_email} has this lead open.`);

const OPEN = sql('leads/holds.open')`
  update leads set held_by = $3, input_at = now(), held_until = now() + interval '2 minutes'
   where account_id = $1 and id = $2 and claimant in (0, $3)
     and (held_by is null or held_by = $3 or held_until <= now())`;

/** Opens a lead for someone who did not ask for it, unless it is somebody else's. */
export async function holdQuietly({ db }: Work, actor: Actor, id: number): Promise<void> {
  await query(db, OPEN, [actor.account.id, id, actor.user!.id]);
}

const PASS = sql('leads/holds.pass')`
  update leads set held_by = $4, input_at = now(), held_until = now() + interval '2 minutes'
   where account_id = $1 and id = $2 and claimant in (0, $4)
     and (held_by is null or held_by in ($3, $4) or held_until <= now())`;

/** Whom a call is passed on to has its lead open from then on; nothing where it is open with a third. */
export async function passHold({ db }: Work, actor: Actor, id: number, from: number, to: number): Promise<void> {
  await query(db, PASS, [actor.account.id, id, from, to]);
}

const CARRY = sql('leads/holds.carry')`
  update leads l set held_by = gone.held_by, held_until = gone.held_until, input_at = gone.input_at from leads gone
   where l.account_id = $1 and l.id = $3 and gone.account_id = $1 and gone.id = $2 and gone.held_until > now()
     and (l.held_by is null or l.held_until <= now()) and l.claimant in (0, gone.held_by)
     and (l.list_id = gone.list_id or gone.held_by in (l.claimant, gone.claimant) or exists (
           select from list_people p where p.account_id = $1 and p.list_id = l.list_id and p.user_id = gone.held_by))`;

/** Who has a lead open that is merged into another has the other open, unless that is somebody else's or in a list that is not theirs. */
export const carryHold = (accountId: number, from: number, to: number): Statement => ({
  text: CARRY,
  values: [accountId, from, to],
});

const PULL = sql('leads/holds.pull')`
  update leads set held_until = now() + interval '2 minutes', input_at = least(input_at, now())
   where held_by is not null and held_until > now() + interval '125 seconds'`;

/** After the clock was set back: who is there says so within two minutes, and who is not holds nothing any longer. */
export const pullHolds = (db: Db) => query(db, PULL, []);

const RELEASE = sql('leads/holds.release')`
  update leads set held_by = null, held_until = null where account_id = $1 and id = $2 and held_by = $3`;
const RELEASE_ALL = sql('leads/holds.release_all')`
  update leads set held_by = null, held_until = null where account_id = $1 and held_by = $2`;

/** Nothing where it is not theirs. */
export const releaseHold = ({ db }: Work, actor: Actor, id: number | undefined): Last<void> =>
  lastly(db, [{ text: RELEASE, values: [actor.account.id, id ?? 0, actor.user!.id] }], () => {});

export const releaseAllHolds = ({ db }: Work, actor: Actor): Last<void> =>
  lastly(db, [{ text: RELEASE_ALL, values: [actor.account.id, actor.user!.id] }], () => {});

// Its turn comes again when all others of its rank have had theirs.
const SKIP = sql('leads/holds.skip')`
  update leads set skipped = true, turn_at = greatest(turn_at, now()), held_by = null, held_until = null,
         last_updated = case when $3 then greatest(last_updated, clock_timestamp()) else last_updated end
   where account_id = $1 and id = $2`;

/** Not now: behind all others of its rank for this round. */
export async function skipLead(
  work: Work,
  actor: Actor,
  id: number | undefined,
  read: () => Skip,
): Promise<Last<unknown>> {
  const lead = await lockLead(work, actor, id, 'queue.work');
  refuseForeignClaim(actor, lead, 'queue.work');
  if (lead.held_by !== null && lead.held_by !== actor.user!.id) throw heldByOther(lead);
  const given = read();
  const category = readCategory(lead, 'skip', given.category);
  const comment = given.comment ?? '';
  const account = actor.account.id;
  return recordLast(work, actor, { lead, kind: 'skip', category, comment }, [
    { text: SKIP, values: [account, lead.id, comment !== ''] },
    ...(comment === '' ? [] : [rememberWords(account, lead, comment)]),
  ]);
}

export const HOLDS: Measure[] = [
  {
    name: 'leadline_holds',
    help: `Leads that someone has open, up to ${MOST_MEASURED}`,
    text: `select count(*) as value
             from (select from leads where held_by is not null and held_until > now() limit ${MOST_MEASURED}) h`,
  },
];

/** Lapsed long ago: nobody comes back for them. */
export const PAST_HOLDS: Sweep = {
  table: 'leads',
  past: `held_by is not null and held_until < now() - interval '10 minutes'`,
  set: 'held_by = null, held_until = null',
};
