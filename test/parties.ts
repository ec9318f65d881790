import { encode } from '../server/telephony/media/g711.ts';
import { FRAME_BYTES, type Party } from '../server/telephony/media/media.ts';
import { makeTone } from './sound.ts';

/** People at the other end, for tests of sound: one who hums a note, or says again what was said. */
export type Humming = { hertz: number; echo?: boolean };

export function createParty({ hertz, echo }: Humming): Party {
  const hum = encode(makeTone(hertz, 1));
  let at = 0;
  let heard: Uint8Array | undefined;
  return {
    hear(frame) {
      heard = frame;
    },
    speak() {
      if (echo) return heard;
      at = (at + FRAME_BYTES) % hum.length;
      return hum.subarray(at, at + FRAME_BYTES);
    },
  };
}
