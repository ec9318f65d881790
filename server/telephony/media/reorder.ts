import { SILENT } from './g711.ts';
import { FRAME_BYTES } from './media.ts';

/** Frames of someone who is far away, for someone who is asked every 20 ms: brought into order, and waited for as briefly as the network allows. */
export type Reorder = {
  push(sequence: number, payload: Uint8Array): void;
  /** Undefined where nothing came, or where it came too late. */
  pop(): Uint8Array | undefined;
};

const SLOTS = 16;
/** A packet that two others have overtaken is taken for lost. */
const OVERTAKEN = 2;
const MOST_HELD = 8;
/** Further ahead than this is no burst: the speaker counts anew. */
const JUMP = 100;
/** For so many frames there was always one too many: it is left out, so that nobody lags behind for the rest of a call. */
const SETTLED = 100;

export function createReorder(): Reorder {
  const slots: (Uint8Array | undefined)[] = Array.from({ length: SLOTS });
  let next: number | undefined;
  let held = 0;
  let newest = 0;
  let spare = SLOTS;
  let popped = 0;

  const take = () => {
    const frame = slots[next! % SLOTS];
    slots[next! % SLOTS] = undefined;
    if (frame) held -= 1;
    next = (next! + 1) & 0xffff;
    return frame;
  };

  const begin = (sequence: number) => {
    slots.fill(undefined);
    next = sequence;
    newest = sequence;
    held = 0;
  };

  return {
    push(sequence, payload) {
      if (next === undefined) begin(sequence);
      const ahead = ((sequence - next!) << 16) >> 16;
      if (ahead < 0 && ahead > -SLOTS) return;
      if (ahead < 0 || ahead >= JUMP) begin(sequence);
      // What waited in the network comes all at once: the newest of it is heard.
      else for (let over = ahead - MOST_HELD; over >= 0; over--) take();
      if (slots[sequence % SLOTS]) return;
      slots[sequence % SLOTS] = frameOf(payload);
      held += 1;
      if (((sequence - newest) << 16) >> 16 > 0) newest = sequence;
    },
    pop() {
      if (next === undefined || held === 0) {
        spare = 0;
        return undefined;
      }
      spare = Math.min(spare, held - 1);
      popped += 1;
      if (popped >= SETTLED) {
        if (spare > 0) take();
        popped = 0;
        spare = SLOTS;
      }
      if (!slots[next % SLOTS] && ((newest - next) << 16) >> 16 < OVERTAKEN) return undefined;
      return take();
    },
  };
}

function frameOf(payload: Uint8Array): Uint8Array {
  if (payload.length === FRAME_BYTES) return payload;
  const frame = new Uint8Array(FRAME_BYTES).fill(SILENT);
  frame.set(payload.subarray(0, FRAME_BYTES));
  return frame;
}
