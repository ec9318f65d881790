import { databaseNow } from '../platform/clock.ts';
import { RefusedTarget, type PostOut } from '../platform/http-out.ts';
import type { Secrets } from '../platform/secrets.ts';
import { sign } from './sign.ts';
import { splitTarget, type AllowedFor } from './targets.ts';

/** A delivery that was taken on, with all it needs. */
export type Taken = {
  account_id: number;
  id: number;
  webhook_id: number;
  resource: string;
  /** Of this attempt, from 1. */
  attempt: number;
  /** Which of the plan it is, from 1: that begins anew when someone asks for it once more. */
  planned: number;
  target_url: string;
  sealed: Buffer;
  base_url: string;
};

export type Attempt = {
  taken: Taken;
  /** By the time that passes here. */
  begun: number;
  ms: number;
  status: number | null;
  answer: string;
  error: string | null;
  verdict: 'delivered' | 'failed' | 'again' | 'gone';
};

export type Means = { secrets: Secrets; post: PostOut; allowedFor: AllowedFor };

const LONGEST_KEPT = 4 * 1024;

/** One attempt. Never throws: whatever goes wrong is how it went. */
export async function deliver(taken: Taken, { secrets, post, allowedFor }: Means): Promise<Attempt> {
  const begun = performance.now();
  const done = (how: Pick<Attempt, 'status' | 'answer' | 'error' | 'verdict'>): Attempt => ({
    taken,
    begun,
    ms: Math.round(performance.now() - begun),
    ...how,
  });
  let hide = (text: string) => text;
  try {
    const { url, authorization, secrets: told } = splitTarget(taken.target_url);
    // A subscriber may say back what it was told.
    hide = (text) => told.reduce((hidden, one) => hidden.replaceAll(one, '***'), text);
    const secret = openSecret(secrets, taken.sealed);
    const body = JSON.stringify({ resource_url: `${taken.base_url}${taken.resource}` });
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Leadline',
      ...(authorization && { authorization }),
      ...sign(secret, `msg_${taken.id}`, databaseNow(), body),
    };
    const { status, text } = await post({ url, body, headers }, allowedFor(taken.base_url));
    const verdict = judge(status);
    // What the database cannot take is not worth keeping.
    const answer = hide(text).slice(0, LONGEST_KEPT).toWellFormed().replaceAll('\0', '');
    return done({
      status,
      answer,
      error: verdict === 'delivered' ? null : `The subscriber answered ${status}.`,
      verdict,
    });
  } catch (error) {
    const refused = error instanceof RefusedTarget || error instanceof LostSecret;
    return done({ status: null, answer: '', error: hide(describe(error)), verdict: refused ? 'failed' : 'again' });
  }
}

class LostSecret extends Error {}

function openSecret(secrets: Secrets, sealed: Buffer): string {
  try {
    return secrets.open(sealed);
  } catch {
    throw new LostSecret(
      'Its secret cannot be read: it was sealed under a SECRET_KEY that is lost, or it is damaged. Subscribe again.',
    );
  }
}

/** 2xx: arrived. 410: never again. No answer, 429 and 5xx: later. Anything else would be answered the same the next time. */
function judge(status: number): Attempt['verdict'] {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 410) return 'gone';
  return status === 429 || status >= 500 ? 'again' : 'failed';
}

function describe(error: unknown): string {
  if (error instanceof RefusedTarget || error instanceof LostSecret) return error.message;
  const { name, code, message } = error as Error & { code?: string };
  if (name === 'TimeoutError' || name === 'AbortError') return 'No answer came within 15 seconds.';
  return `The subscriber could not be reached: ${code ?? message}.`;
}

const MINUTES = [1, 5, 30, 120, 300, 600];

/** How long to wait after so many attempts, give or take a fifth; undefined when it was the last. */
export function waitAfter(attempts: number): number | undefined {
  const minutes = MINUTES[attempts - 1];
  return minutes === undefined ? undefined : minutes * 60_000 * (0.8 + Math.random() * 0.4);
}

/** The longest that may be, after none, one, two… */
export const LONGEST_WAITS = [0, ...MINUTES.map((minutes) => minutes * 60_000 * 1.2)];
