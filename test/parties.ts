import { encode } from '../server/telephony/media/g711.ts';
import { FRAME_BYTES, type Party } from '../server/telephony/media/media.ts';
import { makeTone } from './sound.ts';

/** People at the other end, for tests of sound. */
export type Asked =
  | { kind: 'hums'; hertz: number }
  /** Says again what was said. */
  | { kind: 'echoes' }
  /** Says nothing, and counts in shared memory: how often it was asked, and what was dialled, by the numbers of the letters. */
  | { kind: 'counts'; asked: Int32Array; digits: Int32Array }
  | { kind: 'throws' }
  /** Takes the whole thread with it. */
  | { kind: 'ends the thread' }
  /** Never ends its turn. */
  | { kind: 'hangs' };

export function createParty(asked: Asked): Party {
  if (asked.kind === 'hums') return hum(asked.hertz);
  if (asked.kind === 'echoes') return echo();
  if (asked.kind === 'counts') return count(asked);
  return {
    hear() {},
    speak() {
      if (asked.kind === 'throws') throw new Error('The party has left in anger.');
      while (asked.kind === 'hangs');
      return process.exit(1);
    },
  };
}

function hum(hertz: number): Party {
  const sound = encode(makeTone(hertz, 1));
  let at = 0;
  return {
    hear() {},
    speak() {
      at = (at + FRAME_BYTES) % sound.length;
      return sound.subarray(at, at + FRAME_BYTES);
    },
  };
}

function echo(): Party {
  let heard: Uint8Array | undefined;
  return {
    hear(frame) {
      heard = frame;
    },
    speak: () => heard,
  };
}

function count({ asked, digits }: { asked: Int32Array; digits: Int32Array }): Party {
  let dialled = 0;
  return {
    hear() {},
    speak() {
      Atomics.add(asked, 0, 1);
      return undefined;
    },
    digit(digit) {
      Atomics.store(digits, dialled, digit.charCodeAt(0));
      dialled += 1;
    },
  };
}
