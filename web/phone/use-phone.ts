import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useConnected } from '../live.ts';
import { KEPT, QUIET, SILENCE, type Levels, type Seen } from './seen.ts';
import type { Telephone } from './telephone.ts';

/** One telephone for all pages: it lives above them, so that going from one to another cuts nothing. Its program comes with the first call. */

let seen = QUIET;
let telephone: Telephone | undefined;
let coming: Promise<Telephone | undefined> | undefined;
const watchers = new Set<() => void>();

function tell(now: Seen): void {
  seen = now;
  for (const hear of watchers) hear();
}

const reach = (): Promise<Telephone | undefined> =>
  (coming ??= import('./telephone.ts').then(
    ({ openTelephone }) => (telephone = openTelephone(tell)),
    () => {
      coming = undefined;
      tell({ ...seen, isMissing: true });
      return undefined;
    },
  ));

type Followed = { id: number; isBegunHere: boolean } | undefined;

/** Whoever reached nobody hears so for a moment. */
const TONE_MS = 3_500;
/** The page in which a call was begun comes first. */
const OTHERS_MS = 1_500;

/** The call with sound that goes on, or none. `isUnreached`: the one before ended without anyone. */
export function useTelephone(call: Followed, isUnreached: boolean): void {
  const { id, isBegunHere = false } = call ?? {};
  useEffect(() => {
    if (id === undefined && !coming) return undefined;
    const follow = async () => (await reach())?.follow(id, isBegunHere);
    const isFirst = isBegunHere || sessionStorage.getItem(KEPT) !== null;
    const afterMs = id === undefined ? (isUnreached ? TONE_MS : 0) : isFirst ? 0 : OTHERS_MS;
    if (afterMs === 0) return void follow();
    const timer = setTimeout(follow, afterMs);
    return () => clearTimeout(timer);
  }, [id, isBegunHere, isUnreached]);
  const isConnected = useConnected();
  const wasConnected = useRef(isConnected);
  useEffect(() => {
    if (isConnected && !wasConnected.current) telephone?.renew();
    wasConnected.current = isConnected;
  }, [isConnected]);
  useEffect(() => {
    // Whoever was muted in one call talks in the next.
    if (id === undefined) mute(false);
  }, [id]);
}

const watch = (hear: () => void) => {
  watchers.add(hear);
  return () => void watchers.delete(hear);
};

/** How the telephone stands. */
export const usePhone = (): Seen => useSyncExternalStore(watch, () => seen);

function mute(isMuted: boolean): void {
  if (isMuted !== seen.isMuted) telephone?.mute(isMuted);
}

/** Where the microphone is; another page has its own switch. */
export function toggleMute(): void {
  if (seen.whose !== 'another’s') mute(!seen.isMuted);
}
export const takeTelephone = (): void => telephone?.take();
export const hearTelephone = (): void => telephone?.hear();
export const readLevels = (): Levels => telephone?.readLevels() ?? SILENCE;

/** Whatever did not work: the microphone, the connection, the program itself. */
export function tryAgain(): void {
  if (seen.isMissing) location.reload();
  telephone?.tryAgain();
}
