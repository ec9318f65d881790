import { timingSafeEqual } from 'node:crypto';
import { databaseNow } from '../platform/clock.ts';
import type { Secrets } from '../platform/secrets.ts';

/** An address that works without a header until then. */
export function linkToRecording(
  secrets: Secrets,
  baseUrl: string,
  recordingId: number,
  lastsSeconds: number,
  now = databaseNow(),
): string {
  // The same address for a while, so that browsers find what they have already fetched.
  const step = lastsSeconds >= 3600 ? 3600 : 60;
  const expires = String(Math.ceil((now.getTime() / 1000 + lastsSeconds) / step) * step);
  const query = new URLSearchParams({ expires, signature: sign(secrets, recordingId, expires) });
  return `${baseUrl}/recordings/${recordingId}.wav?${query}`;
}

/** Whether the link is ours and has not expired. A parameter that is given twice arrives as a list, and is none of ours. */
export function isLinkValid(
  secrets: Secrets,
  recordingId: number,
  { expires, signature }: { expires?: unknown; signature?: unknown },
  now = databaseNow(),
): boolean {
  if (typeof expires !== 'string' || !/^[1-9]\d{0,11}$/.test(expires)) return false;
  if (typeof signature !== 'string' || !/^[\w-]{43}$/.test(signature)) return false;
  const ours = sign(secrets, recordingId, expires);
  return timingSafeEqual(Buffer.from(signature), Buffer.from(ours)) && now.getTime() < Number(expires) * 1000;
}

const sign = (secrets: Secrets, recordingId: number, expires: string) =>
  secrets.sign(`recording ${recordingId} ${expires}`);
