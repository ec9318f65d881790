import type { Categories } from '../../contract/lists.ts';
import { MOST_TRIES, type Coming, type ComingBack, type Retries } from '../../contract/retries.ts';
import { retryOf, saysNobody } from '../lists/retries.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { databaseNow } from '../platform/clock.ts';
import { one } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { onNextDay } from '../platform/times.ts';
import type { Reading, Work } from '../platform/work.ts';
import { whereIs } from '../platform/zones.ts';
import { lockSql, mayFinish, type LockedLead } from './access.ts';
import { toldSql } from './told.ts';

/** Trying again: when a lead comes back that got a call back without a time at the desk, and when it is given up. */

/** A time that was agreed on, and is still ahead. */
export const appointmentOf = (
  { state, exactly, scheduled_for }: Pick<LockedLead, 'state' | 'exactly' | 'scheduled_for'>,
  now = databaseNow(),
): Date | null => (state === 'call_back' && exactly && scheduled_for && scheduled_for > now ? scheduled_for : null);

type Tries = {
  retries: Retries;
  country: string;
  time_zone: string;
  phones: string[];
  /** Newest first. */
  calls: { direction: string; number: string; answered: boolean; own: boolean | null; open: boolean }[];
};

export type TriedLead = LockedLead & Tries;

/** An outcome is that of the agent's last call with the lead, if that is not older than this. */
export const LINKS_FOR = `interval '12 hours'`;

/** Whether someone talks, or talked, in their calls themselves: not in automated ones, nor in those by which they pass one on. */
export const talksIn = (call: string, user: string) =>
  `(${call}.direction not in ('automated', 'transfer') or ${call}.offered_to = ${user})`;

// Between tries there are calls that came in, and those of colleagues to each other.
const MOST_CALLS = 4 * MOST_TRIES;
const HOUR = 9;

/** What it takes to tell, from `leads l`, `lists li` and `accounts a`; `$4` is who has the lead open. */
const COLUMNS = `
  li.retries, a.time_zone,
  array(select left(${toldSql('c.key')}, 50) from lead_data d
          join list_columns c on c.account_id = d.account_id and c.list_id = l.list_id and c.kind = 'phone'
         where d.account_id = l.account_id and d.lead_id = l.id and ${toldSql('c.key')} <> ''
         order by c.position limit 10) as phones,
  coalesce((select json_agg(n) from (
    select c.direction, c.destination_number as number, c.event_id is null as open,
           c.user_id = $4 and ${talksIn('c', '$4')} and c.started_at > now() - ${LINKS_FOR} as own,
           (c.state = 'active' or c.disposition is not distinct from 'normal') and not c.voicemail and not c.nobody
             as answered
      from calls c where c.account_id = l.account_id and c.lead_id = l.id
     order by c.id desc limit ${MOST_CALLS}) n), '[]') as calls`;

const LOCK = sql('leads/tries.lock')`${lockSql('', `, ${COLUMNS}`)}`;

/** As `lockLead`, with what has been tried: in the same trip. */
export async function lockTriedLead({ db }: Work, actor: Actor, id: number | undefined): Promise<TriedLead> {
  const values = [actor.account.id, id ?? 0, boundOf(actor, 'leads.outcome'), actor.user?.id ?? null];
  return one<TriedLead>(db, LOCK, values);
}

/** What becomes of the lead when it gets a call back of this category without a time now. */
export function comeBack(lead: Tries, category: string | null, now = databaseNow()): Coming {
  const { comes_back_after, archived_after } = retryOf(lead.retries, category);
  const at =
    comes_back_after === 'next_day'
      ? onNextDay(now, zoneOfLead(lead), HOUR)
      : new Date(now.getTime() + comes_back_after * 60_000);
  const { attempt, isTry } = countTries(lead, category);
  const archives = isTry && archived_after !== null && attempt >= archived_after;
  return { category, comes_back_after, at: at.toISOString(), attempt, archived_after, archives };
}

/** Calls out since someone was last reached. Only one that the outcome is about is a try now: what was before has had its outcome. */
function countTries({ calls }: Tries, category: string | null): { attempt: number; isTry: boolean } {
  const last = calls.find(({ own }) => own);
  const present = last?.open ? last : undefined;
  let attempt = 0;
  let isTry = false;
  for (const call of calls) {
    if (call.answered && !(call === present && saysNobody(category))) break;
    if (call.direction !== 'outbound') continue;
    attempt += 1;
    isTry ||= call === present;
  }
  return { attempt, isTry };
}

/** Where the number is that was dialled last, else one of the lead's; where none tells, where we are. */
function zoneOfLead({ calls, phones, country, time_zone }: Tries): string {
  const dialled = calls.find(({ direction }) => direction === 'outbound');
  for (const number of [...(dialled ? [dialled.number] : []), ...phones]) {
    const there = whereIs(number, country, time_zone);
    if (there) return there.zone;
  }
  return time_zone;
}

const READ = sql('leads/tries.read')`
  select l.state, l.exactly, l.scheduled_for, li.categories, a.country, ${COLUMNS}
    from leads l
    join lists li on li.account_id = l.account_id and li.id = l.list_id
    join accounts a on a.id = l.account_id
   where l.account_id = $1 and l.id = $2 and ${mayFinish('l', '$3::bigint')}`;

type Read = Tries & Pick<LockedLead, 'state' | 'exactly' | 'scheduled_for'> & { categories: Categories };

/** The same for each category, before it is given. */
export async function readComingBack({ db }: Reading, actor: Actor, id: number | undefined): Promise<ComingBack> {
  const values = [actor.account.id, id ?? 0, boundOf(actor, 'leads.outcome'), actor.user!.id];
  const lead = await one<Read>(db, READ, values);
  const now = databaseNow();
  return {
    appointment: appointmentOf(lead, now)?.toISOString() ?? null,
    categories: [null, ...(lead.categories.call_back ?? [])].map((category) => comeBack(lead, category, now)),
  };
}
