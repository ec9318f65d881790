import type { MicrophoneFault } from './microphone.ts';
import type { Phone } from './phone.ts';
import type { Fault } from './quality.ts';

/** Of the telephone, what pages show. */
export type Seen = {
  whose: Phone['whose'];
  sound: Phone['sound']['is'];
  /** Why the service gives no sound. */
  refusal: string | undefined;
  /** Live, or why not; undefined while nobody asked for it, or it is being asked for. */
  microphone: 'live' | MicrophoneFault | 'mute there' | undefined;
  isMuted: boolean;
  /** The browser keeps it silent until someone clicks. */
  isSilenced: boolean;
  fault: Fault | undefined;
  /** The program for it could not be fetched. */
  isMissing: boolean;
};

export const QUIET: Seen = {
  whose: 'nobody knows',
  sound: 'none',
  refusal: undefined,
  microphone: undefined,
  isMuted: false,
  isSilenced: false,
  fault: undefined,
  isMissing: false,
};

/** How loud each end is just now, from 0 to 1. */
export type Levels = { theirs: number; ours: number };
export const SILENCE: Levels = { theirs: 0, ours: 0 };

/** Where a page that is loaded again finds what it was before. Written when it goes, so that no copy of its tab finds it. */
export const KEPT = 'leadline phone';
