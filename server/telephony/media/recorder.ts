import { close, open, write } from 'node:fs';
import { promisify } from 'node:util';
import { SAMPLES } from './g711.ts';
import { RATE, type Recorded } from './media.ts';
import { createPlacing, type Placing } from './placing.ts';
import { partOf, repairRecording } from './repair.ts';
import { HEADER_BYTES, STEREO_BYTES, UNRECORDED, wavHeader } from './wav.ts';

/**
 * Writes a conversation to a file as it comes: 16-bit stereo at 8 kHz, the agent left. What came is held for a moment, as packets overtake each other, and is then appended to `<file>.part`, which is renamed when it is
 * whole. Nothing is forced to disk: a machine that loses its power may lose the last seconds, a process that dies less than one.
 */
export type Recorder = {
  /** What someone said, by their own count of samples. Another `source` counts anew. */
  hear(channel: Channel, source: object, timestamp: number, frame: Uint8Array): void;
  pause(on: boolean): void;
  /** To be called every now and then: writes what is due. */
  flush(): void;
  /** Undefined where not even a beginning was written. */
  end(): Promise<Recorded | undefined>;
};

/** 0 is left. */
export type Channel = 0 | 1;

/** `now`: milliseconds that only go forward. */
type Means = { now: () => number; fail: (error: unknown) => void };

/** How long a packet may be under way and still find its place. */
const HELD = 0.3 * RATE;
const FLUSH_EVERY = 0.4 * RATE;
/** Samples in memory: those held, those due, and some for a timer that is late. */
const WINDOW = 4 * RATE;
/** A disk that takes nothing for so many bytes, some half minute, is not going to. */
const MOST_UNWRITTEN = 1_000_000;
/** Sizes in the header are 32 bits wide; nobody talks for a day. */
const LONGEST = 24 * 3_600 * RATE;

const files = { open: promisify(open), write: promisify(write), close: promisify(close) };

/**
 * `began`: when it was to begin, where that was a moment ago; nothing is to be heard until now. `written`: how many samples another has written already,
 * who is no more.
 */
export function createRecorder(file: string, { now, fail }: Means, began = now(), written = 0): Recorder {
  const window = new Int16Array(WINDOW * 2);
  /** From which sample to which nothing is kept. */
  const gaps: { from: number; to: number }[] = [];
  const speakers: ({ source: object; placing: Placing; last: number } | undefined)[] = [undefined, undefined];
  let unwritten = 0;
  let failed = false;
  let handle: number | undefined;
  let writing: Promise<void> = start(written === 0);
  if (written > 0) leaveOut(position());

  async function start(isNew: boolean) {
    try {
      handle = await files.open(partOf(file), isNew ? 'w' : 'r+', 0o600);
      if (isNew) await files.write(handle, wavHeader(), 0, HEADER_BYTES, 0);
    } catch (error) {
      giveUp(error);
    }
  }

  function position() {
    return Math.round(((now() - began) * RATE) / 1_000);
  }

  const isPaused = () => gaps.at(-1)?.to === Number.POSITIVE_INFINITY;

  function giveUp(error: unknown) {
    if (failed) return;
    failed = true;
    fail(error);
  }

  /** Everything before `until` is as it will stay. What is too far ahead for the window nobody was there to hear. */
  function append(until: number) {
    appendHeard(Math.min(until, written + WINDOW));
    if (until - written > WINDOW) leaveOut(until);
    appendHeard(until);
  }

  function appendHeard(until: number) {
    while (written < until) {
      const from = written % WINDOW;
      const count = Math.min(until - written, WINDOW - from);
      for (const gap of gaps) {
        const [begins, ends] = [Math.max(gap.from - written, 0), Math.min(gap.to - written, count)];
        if (begins < ends) window.fill(UNRECORDED, (from + begins) * 2, (from + ends) * 2);
      }
      const bytes = Buffer.from(new Uint8Array(window.buffer, from * STEREO_BYTES, count * STEREO_BYTES));
      window.fill(0, from * 2, (from + count) * 2);
      enqueue(bytes, HEADER_BYTES + written * STEREO_BYTES);
      written += count;
    }
  }

  /** Written again and again, so that no more of it lies in memory however long it was. */
  function leaveOut(until: number) {
    const piece = Buffer.from(new Int16Array(WINDOW * 2).fill(UNRECORDED).buffer);
    enqueue(piece, HEADER_BYTES + written * STEREO_BYTES, (until - written) * STEREO_BYTES);
    written = until;
  }

  /** `length`: as often as it takes to fill so many bytes. */
  function enqueue(bytes: Buffer, at: number, length = bytes.length) {
    if (failed) return;
    if (at + length > LONGEST * STEREO_BYTES) return giveUp(new Error('The recording is longer than a day.'));
    if (unwritten + bytes.length > MOST_UNWRITTEN) return giveUp(new Error('The disk takes no more of the recording.'));
    unwritten += bytes.length;
    writing = writing.then(async () => {
      try {
        for (let sent = 0; !failed && sent < length;) {
          const from = sent % bytes.length;
          const size = Math.min(bytes.length - from, length - sent);
          sent += (await files.write(handle!, bytes, from, size, at + sent)).bytesWritten;
        }
      } catch (error) {
        giveUp(error);
      }
      unwritten -= bytes.length;
    });
  }

  /** Samples before it are left out: they are on disk, or were said while nothing was to be kept. */
  function put(channel: Channel, at: number, frame: Uint8Array, last: number) {
    const from = Math.max(at, written, gaps.at(-1)?.to ?? 0);
    const to = Math.min(at + frame.length, written + WINDOW);
    // Where the tie to our clock was moved by a sample or two, the one before stands in for them.
    if (last < at && at - last < 16 && last >= written)
      for (let gap = last; gap < at; gap++) window[(gap % WINDOW) * 2 + channel] = SAMPLES[frame[0]!]!;
    for (let sample = from; sample < to; sample++)
      window[(sample % WINDOW) * 2 + channel] = SAMPLES[frame[sample - at]!]!;
  }

  return {
    hear(channel, source, timestamp, frame) {
      if (failed || isPaused()) return;
      let speaker = speakers[channel];
      if (speaker?.source !== source) {
        speaker = { source, placing: createPlacing(), last: -1 };
        speakers[channel] = speaker;
      }
      const at = speaker.placing.place(timestamp, position());
      put(channel, at, frame, speaker.last);
      speaker.last = at + frame.length;
    },
    pause(on) {
      if (on === isPaused()) return;
      if (on) gaps.push({ from: position(), to: Number.POSITIVE_INFINITY });
      else gaps.at(-1)!.to = position();
    },
    flush() {
      const until = position() - HELD;
      if (until - written >= FLUSH_EVERY) append(until);
    },
    async end() {
      this.pause(false);
      append(position());
      await writing;
      if (handle === undefined) return undefined;
      await files.close(handle);
      // The same whether it is whole or not: what is there says how long it is.
      return repairRecording(file);
    },
  };
}
