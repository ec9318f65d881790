import { nameOf } from '../../contract/names.ts';
import { recordLast, recordMany, type Happening } from '../activity/record.ts';
import { DELETED_LISTS } from '../lists/people.ts';
import { boundOf, serviceActor, type Account, type Actor } from '../platform/actor.ts';
import { NOTHING, query, settle, type Last, type Statement } from '../platform/db.ts';
import { doEach } from '../platform/each.ts';
import { sql } from '../platform/sql.ts';
import { forbidden } from '../platform/errors.ts';
import { invalid } from '../platform/read.ts';
import type { Reading, Transact, Work } from '../platform/work.ts';
import { lockLead, refuseForeignClaim, type LockedLead } from './access.ts';

type Claimant = { id: number; email: string };

const FIND_CLAIMANT = sql('leads/claims.find_claimant')`
  select id, email from users
   where account_id = $1 and disabled_at is null
     and (id = $2 or ($2::bigint is null and email_folded = $3))
     for key share`;

/** By id or e-mail, whoever is not disabled: invited ones too, assigned to the list or not. */
async function findClaimant({ db }: Work, actor: Actor, given: number | string): Promise<Claimant | undefined> {
  const { id, email } = readClaimant(given);
  const [user] = await query<Claimant>(db, FIND_CLAIMANT, [actor.account.id, id ?? null, email ?? null]);
  return user;
}

const FIND_CLAIMANTS = sql('leads/claims.find_claimants')`
  select id, email, email_folded, first_name, last_name from users
   where account_id = $1 and disabled_at is null and (id = any ($2::bigint[]) or email_folded = any ($3::text[]))
   order by id for key share`;

type Claimants = Claimant & { email_folded: string; first_name: string; last_name: string };

/** The same of several, in the order in which they are given. */
export async function findClaimants(
  { db }: Work,
  actor: Actor,
  given: (number | string)[],
): Promise<(Claimant & { name: string })[]> {
  const read = given.map(readClaimant);
  const values = [actor.account.id, read.flatMap(({ id }) => id ?? []), read.flatMap(({ email }) => email ?? [])];
  const found = await query<Claimants>(db, FIND_CLAIMANTS, values);
  return read.flatMap(({ id, email }) => {
    const user = found.find((one) => (id === undefined ? one.email_folded === email : one.id === id));
    return user ? { id: user.id, email: user.email, name: nameOf(user) } : [];
  });
}

function readClaimant(given: number | string): { id?: number; email?: string } {
  if (typeof given === 'number') return { id: given };
  const typed = given.trim();
  return /^\d{1,15}$/.test(typed) ? { id: Number(typed) } : { email: typed.toLowerCase() };
}

// Whose list it is not has it in no queue.
const MAY_CLAIM = sql('leads/claims.may_claim')`
  select id from users u where account_id = $1 and id = $2 and disabled_at is null
     and ($4 or owner or exists (
           select from list_people p where p.account_id = $1 and p.list_id = $3 and p.user_id = u.id)) for key share`;

/**
 * Whether a claim of theirs on a lead of this list would come up at their desk; `anyList`: whether it is theirs to decide, as of those who see all
 * of them. Until the transaction ends: who disables them waits, and then frees what they claimed.
 */
export async function mayClaim(
  { db }: Work,
  { account }: Actor,
  userId: number | null,
  listId: number,
  anyList = false,
): Promise<boolean> {
  return userId !== null && (await query(db, MAY_CLAIM, [account.id, userId, listId, anyList])).length > 0;
}

/** Gives the claim to a user. Agents take what is free for themselves. */
export async function delegateLead(
  work: Work,
  actor: Actor,
  id: number | undefined,
  read: () => number | string,
): Promise<Last<void>> {
  const lead = await lockLead(work, actor, id, 'leads.delegate');
  const claimant = await findClaimant(work, actor, read());
  const bound = boundOf(actor, 'leads.delegate');
  if (bound !== null && claimant?.id !== bound) throw forbidden('Agents may only claim leads for themselves.');
  if (!claimant) throw invalid({ delegate_to: ['must be the id or e-mail of a user who is not disabled'] });
  refuseForeignClaim(actor, lead, 'leads.delegate');
  if (lead.claimed_by === claimant.id) return NOTHING;
  // They may finish what they have open, and no more.
  if (bound !== null && !(await mayClaim(work, actor, bound, lead.list_id)))
    throw forbidden('You do not work the list of this lead any more.');
  const changes = { claimed_by: [lead.claimed_by_email, claimant.email] } satisfies Happening['changes'];
  return recordLast(work, actor, { lead, kind: 'claim', changes }, [setClaim(actor, lead, claimant.id)]).map(() => {});
}

/** Who passes a call on passes its lead on: their claim on it goes along. */
export async function passClaim(work: Work, actor: Actor, lead: LockedLead, from: number, to: Claimant): Promise<void> {
  if (lead.claimed_by !== from) return;
  const changes = { claimed_by: [lead.claimed_by_email, to.email] } satisfies Happening['changes'];
  await settle(work.db, recordLast(work, actor, { lead, kind: 'claim', changes }, [setClaim(actor, lead, to.id)]));
}

/** Gives the lead back to everyone; nothing where nobody holds it. */
export function releaseLead(work: Work, actor: Actor, lead: LockedLead): Last<void> {
  if (lead.claimed_by === null) return NOTHING;
  const changes = { claimed_by: [lead.claimed_by_email, null] } satisfies Happening['changes'];
  return recordLast(work, actor, { lead, kind: 'unclaim', changes }, [setClaim(actor, lead, null)]).map(() => {});
}

const SET = sql('leads/claims.set')`
  update leads set claimed_by = $3, claimed_at = case when $3::bigint is null then null else now() end,
    last_updated = greatest(last_updated, clock_timestamp())
   where account_id = $1 and id = $2`;

const setClaim = (actor: Actor, lead: LockedLead, claimant: number | null): Statement => ({
  text: SET,
  values: [actor.account.id, lead.id, claimant],
});

// As many as surely end before a statement's time is up.
const AT_ONCE = 5_000;

// Locked as they are chosen: what somebody else is being given in the same moment is theirs.
const FREE = sql('leads/claims.free')`
  update leads set claimed_by = null, claimed_at = null, last_updated = greatest(last_updated, clock_timestamp())
   where account_id = $1 and id = any (array(
         select id from leads where account_id = $1 and claimed_by = $2
          order by id limit ${AT_ONCE} for no key update))
   returning id, list_id`;

/** When a user goes, what they held is everyone's. */
export async function freeClaimsOf(work: Work, actor: Actor, user: { id: number; email: string }): Promise<void> {
  const happening = { kind: 'unclaim', changes: { claimed_by: [user.email, null] } } satisfies Parameters<
    typeof recordMany
  >[2];
  const free = { text: FREE, values: [actor.account.id, user.id] };
  while ((await recordMany(work, actor, happening, free)) === AT_ONCE);
}

const LAPSE = sql('leads/claims.lapse')`
  update leads set claimed_by = null, claimed_at = null, last_updated = greatest(last_updated, clock_timestamp())
   where account_id = $1 and id = any (array(
         select l.id from leads l join accounts a on a.id = l.account_id
          where a.id = $1 and l.claimed_by is not null
            and l.state = 'call_back' and l.scheduled_for < now() - a.claim_lapse_days * interval '1 day'
            and l.claimed_at < now() - a.claim_lapse_days * interval '1 day'
            and (l.held_until is null or l.held_until <= now())
            and l.list_id not in ${DELETED_LISTS}
          limit ${AT_ONCE} for no key update of l skip locked))
   returning id, list_id`;

const LAPSING = sql('leads/claims.lapsing')`
  select id, name, base_url as "baseUrl" from accounts where claim_lapse_days is not null`;

/** Claims end so many days after the lead was due, and after whoever has it got it, where the account says so. What is open at a desk waits. */
export async function lapseClaims({ db }: Reading, transact: Transact): Promise<void> {
  await doEach(await query<Account>(db, LAPSING, []), async (account) => {
    const actor = serviceActor(account, 'lapsed claim');
    const lapse = { text: LAPSE, values: [account.id] };
    while ((await transact((work) => recordMany(work, actor, { kind: 'unclaim' }, lapse))) === AT_ONCE);
  });
}
