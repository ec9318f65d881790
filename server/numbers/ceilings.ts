import type { Ceilings } from '../../contract/accounts.ts';
import type { Actor } from '../platform/actor.ts';
import { ceilingsReached } from '../platform/ceilings.ts';
import { query } from '../platform/db.ts';
import { sql, type Sql } from '../platform/sql.ts';
import { conflict, type HttpError } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';

/**
 * How much an account calls and writes: so many automated calls at once, so many calls and texts to one number and in all. A day is the
 * last 24 hours: midnight would let twice as much through. What comes in, and calls between colleagues, count nowhere.
 */

type Settings = Ceilings & { time_zone: string };

const SETTINGS = sql('numbers/ceilings.settings')`
  select most_automated_calls, most_calls_a_number, most_texts_a_number, most_calls_a_day, most_texts_a_day, time_zone
    from accounts where id = $1`;

const UNDER_WAY = sql('numbers/ceilings.under_way')`
  select count(*) as calls from calls where account_id = $1 and state <> 'completed' and direction = 'automated'`;

/** When the one that has to be a day old for the next to fit will be. $2 is the ceiling. */
const againSql = (table: string, time: string, counted: string) => `
  select ${time} + interval '24 hours' as at from ${table}
   where account_id = $1 and ${counted} and ${time} > now() - interval '24 hours'
   order by ${time} desc offset $2::integer - 1 limit 1`;

const AGAIN = {
  calls: {
    aNumber: sql('numbers/ceilings.calls_a_number')`${againSql('calls', 'started_at', 'counted_as = $3')}`,
    aDay: sql('numbers/ceilings.calls_a_day')`${againSql('calls', 'started_at', 'counted_as is not null')}`,
  },
  texts: {
    aNumber: sql('numbers/ceilings.texts_a_number')`${againSql('texts', 'created_at', 'counted_as = $3')}`,
    aDay: sql('numbers/ceilings.texts_a_day')`${againSql('texts', 'created_at', 'counted_as is not null')}`,
  },
};

const LOCK = sql('numbers/ceilings.lock')`select pg_advisory_xact_lock(hashtextextended($1, 0))`;

export type Wanted = { kind: 'call' | 'automated' | 'text'; number: string; countedAs: string };

/** Refuses what would be one too many. From here to the end of the transaction nobody else takes the last place. */
export async function keepCeilings(
  { db }: Work,
  { account }: Actor,
  { kind, number, countedAs }: Wanted,
): Promise<void> {
  const [settings] = (await query<Settings>(db, SETTINGS, [account.id])) as [Settings];
  const name = kind === 'text' ? 'texts' : 'calls';
  const { [`most_${name}_a_number` as const]: aNumber, [`most_${name}_a_day` as const]: aDay } = settings;
  const atOnce = kind === 'automated' ? settings.most_automated_calls : null;

  // Looked at only once the lock is there. The wider one first, for all, so that nobody waits in a circle.
  const lock = (what: string) => query(db, LOCK, [`${name} ${account.id} ${what}`]);
  if (atOnce !== null || aDay !== null) await lock('');
  if (aNumber !== null) await lock(countedAs);

  if (atOnce !== null) {
    const [underWay] = await query<{ calls: number }>(db, UNDER_WAY, [account.id]);
    if (underWay!.calls >= atOnce)
      throw reached('most_automated_calls', 'Automated calls under way', atOnce, 'can begin when one has ended');
  }
  const refuseUntil = async (
    ceiling: keyof Ceilings,
    what: string,
    most: number,
    text: Sql<{ at: Date }>,
    values: unknown[],
  ) => {
    const [again] = await query<{ at: Date }>(db, text, [account.id, most, ...values]);
    if (again) throw reached(ceiling, what, most, `is possible from ${writeMinute(again.at, settings.time_zone)}`);
  };
  const noun = kind === 'text' ? 'Texts' : 'Calls';
  if (aNumber !== null) {
    const what = `${noun} to ${number} in the last 24 hours`;
    await refuseUntil(`most_${name}_a_number`, what, aNumber, AGAIN[name].aNumber, [countedAs]);
  }
  if (aDay !== null)
    await refuseUntil(`most_${name}_a_day`, `${noun} in the last 24 hours`, aDay, AGAIN[name].aDay, []);
}

function reached(ceiling: keyof Ceilings, what: string, most: number, next: string): HttpError {
  ceilingsReached.inc({ ceiling });
  return conflict(
    ceiling,
    `${what}: ${most}, as many as this account allows. The next ${next}. An owner can change this under Manage → Account.`,
  );
}

/** The first full minute from then on, by the account's clock. */
function writeMinute(at: Date, timeZone: string): string {
  const minute = new Date(Math.ceil(at.getTime() / 60_000) * 60_000);
  const text = minute.toLocaleString('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
  });
  return `${text} (${timeZone})`;
}
