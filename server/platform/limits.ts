import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { createDb, query, type Pool } from './db.ts';
import { sql } from './sql.ts';
import { HttpError } from './errors.ts';
import type { Sweep } from './sweep.ts';

export type RateLimit = { requests: number; seconds: number };

/** The running window of one length, after this request was counted. Windows are aligned to the epoch, by the database's clock. */
export type CountedWindow = { seconds: number; number: number; requests: number; now: number };

/** Limits by subjects that are no keys are hashed too: no addresses of people in the table. */
export const subjectOf = (...parts: (string | number)[]): Buffer =>
  createHash('sha256').update(JSON.stringify(parts)).digest();

export type Standing = { limit: number; remaining: number; reset: number; exceeded: boolean; wait: number };

/** Where a caller stands: the tightest window counts; once one is exceeded, the longest of those has to end first. */
export function judge(windows: CountedWindow[], limits: RateLimit[]): Standing | undefined {
  const states = limits.flatMap(({ requests, seconds }) => {
    const window = windows.find((candidate) => candidate.seconds === seconds);
    if (!window) return [];
    return [
      {
        limit: requests,
        left: requests - window.requests,
        end: (window.number + 1) * seconds,
        seconds,
        now: window.now,
      },
    ];
  });
  if (states.length === 0) return undefined;
  const exceeded = states.filter(({ left }) => left < 0);
  const tightest = states.reduce((a, b) => (b.left < a.left ? b : a));
  const shortest = states.reduce((a, b) => (b.seconds < a.seconds ? b : a));
  const longest = exceeded.reduce((a, b) => (b.seconds > a.seconds ? b : a), exceeded[0] ?? shortest);
  return {
    limit: tightest.limit,
    remaining: Math.max(tightest.left, 0),
    reset: longest.end,
    exceeded: exceeded.length > 0,
    wait: Math.max(1, Math.ceil(longest.end - longest.now)),
  };
}

export const rateHeaders = ({ limit, remaining, reset }: Standing) => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(reset),
});

export const tooMany = ({ wait }: Standing, sentence: string) =>
  new HttpError(429, 'too_many_requests', sentence, { retryAfter: wait });

export const tooManyAtOnce = (most: number) =>
  new HttpError(429, 'too_many_at_once', `More than ${most} requests at once. Wait for an answer, then ask again.`, {
    retryAfter: 1,
  });

export const tooManyStrangers = () =>
  new HttpError(429, 'too_many_requests', 'Too many sign in just now. Try again in a moment.', { retryAfter: 5 });

/** Of the requests of one subject in a batch the last stands where the windows say, those before it so many earlier. */
export function createStandings(limits: RateLimit[]) {
  const served = new Map<string, number>();
  return (subject: string, times: number, windows: CountedWindow[] | null): Standing | undefined => {
    const turn = (served.get(subject) ?? 0) + 1;
    served.set(subject, turn);
    const own = (windows ?? []).map((window) => ({ ...window, requests: window.requests - times + turn }));
    return judge(own, limits);
  };
}

/**
 * How a count goes up. A request that waited for its turn across the end of a window counts in the one that has begun; a window that lies further
 * ahead is from before the clock was set back, and would last until the clock comes there again.
 */
const FROM_BEFORE = 'c.number - excluded.number > greatest(1, 60 / c.seconds)';
const COUNT_UP = `
  on conflict (subject, seconds) do update
    set number = case when ${FROM_BEFORE} then excluded.number else greatest(c.number, excluded.number) end,
        requests = case when c.number >= excluded.number and not (${FROM_BEFORE}) then c.requests
          else 0 end + excluded.requests
  returning subject, seconds, number, requests, extract(epoch from clock_timestamp())::float8 as now`;

/** Counts the rows of `subjects (subject, times)` in windows of so many seconds. Nodes take the rows in one order: none waits in a circle. */
export const countSubjects = (seconds: string): string => `
  insert into request_counts as c (subject, seconds, number, requests)
  select s.subject, w.seconds, floor(extract(epoch from clock_timestamp()) / w.seconds), s.times
    from subjects s, unnest(${seconds}::integer[]) as w (seconds)
   order by s.subject, w.seconds${COUNT_UP}`;

const COUNT = sql('platform/limits.count')`
  insert into request_counts as c (subject, seconds, number, requests)
  values ($1::bytea, $2::integer, floor(extract(epoch from clock_timestamp()) / $2::integer), 1)${COUNT_UP}`;

const TAKE_BACK = sql('platform/limits.take_back')`
  update request_counts set requests = greatest(requests - 1, 0) where subject = $1 and seconds = $2`;

/**
 * Counts an attempt at something that is guessed at, and refuses when there were too many. What is returned takes the attempt back: who
 * succeeds has not guessed.
 */
export async function throttle(pool: Pool, subject: Buffer, limit: RateLimit): Promise<() => Promise<void>> {
  const db = createDb(pool);
  const rows = await query<CountedWindow>(db, COUNT, [subject, limit.seconds]);
  const standing = judge(rows, [limit]);
  if (standing?.exceeded) throw tooMany(standing, 'Too many attempts. Wait a few minutes, then try again.');
  return async () => {
    await query(db, TAKE_BACK, [subject, limit.seconds]);
  };
}

/** Whom an address stands for: of IPv6 the first three groups, since one site, or whoever asks for a tunnel, has all of the rest. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped) return mapped;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const rest = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0');
  return [...groups, ...zeros, ...rest]
    .slice(0, 3)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

export const PAST_COUNTS: Sweep = {
  table: 'request_counts',
  past: '(number + 2) * seconds < extract(epoch from now())',
};
