import { FRAME_BYTES, FRAME_MS, type Party, type Recorded, type Side, type Tone } from './media.ts';
import { createRecorder, type Channel, type Recorder } from './recorder.ts';
import { createReorder, type Reorder } from './reorder.ts';
import { ANNOUNCEMENT, digitTone, SILENCE, TONES, WAITING, type Loop } from './tones.ts';

/** A browser, as a conversation sees it. */
export type Listener = {
  readonly isThere: boolean;
  /** Passes on what someone else said, as it came: whoever hears it has the best idea of how long to wait for what is missing. */
  pass(source: object, sequence: number, timestamp: number, payload: Uint8Array): void;
  /** 20 ms of a sound of our own. */
  play(tick: number, frame: Uint8Array): void;
};

type Seat = {
  listener: Listener | undefined;
  party: Party | undefined;
  /** What was said at this side and a party at the other has still to hear. */
  said: Reorder;
};

/** Two sides and who is at them: what one says, the other hears, unless there is something else to hear. */
export type Conversation = {
  readonly seats: Record<Side, Seat>;
  sit(side: Side, who: { listener?: Listener; party?: Party }): void;
  leave(listener: Listener): void;
  /** From a browser at that side. */
  hear(side: Side, source: object, sequence: number, timestamp: number, payload: Uint8Array): void;
  /** Another 20 ms are over. */
  tick(tick: number): void;
  play(tone: Tone | null): void;
  hold(by: Side, on: boolean): void;
  sendDigits(digits: string): void;
  /** `since`: when it was asked for, by the clock of `now`. `written`: how many samples there are of it, where another began it. */
  record(file: string, announced?: boolean, since?: number, written?: number): void;
  pauseRecording(on: boolean): void;
  end(): Promise<Recorded | undefined>;
};

export type ConversationMeans = {
  now: () => number;
  recordingFailed: (error: unknown) => void;
  /** A program at a side threw something, and is there no more. */
  partyFailed: (error: unknown) => void;
};

/** The keypad of one call; more is someone who leans on it. */
const MOST_DIGITS = 200;
const FAR: Record<Side, Side> = { agent: 'other', other: 'agent' };
const CHANNEL: Record<Side, Channel> = { agent: 0, other: 1 };
const SIDES: Side[] = ['agent', 'other'];

const emptySeat = (): Seat => ({ listener: undefined, party: undefined, said: createReorder() });

export function createConversation(means: ConversationMeans): Conversation {
  const seats: Record<Side, Seat> = { agent: emptySeat(), other: emptySeat() };
  /** Stands for a party where the recorder asks whose timestamps these are. */
  const clock = {};
  let recorder: Recorder | undefined;
  /** What both hear before anything is recorded, and to which file it is then. */
  let announcing: { file: string; at: number } | undefined;
  let isPaused = false;
  let tone: Loop | undefined;
  const holds: Record<Side, boolean> = { agent: false, other: false };
  let digits: string[] = [];
  let digitPart: { loop: Loop; at: number } | undefined;
  let began = 0;
  let tick = 0;

  const around = (loop: Loop) => loop[(tick - began) % loop.length]!;

  /** What a side hears instead of the other one. */
  function instead(side: Side): Uint8Array | undefined {
    if (announcing) return ANNOUNCEMENT[announcing.at];
    // Whoever holds has turned to something else, also where the other does so too.
    if (holds[side]) return SILENCE;
    if (holds[FAR[side]]) return around(WAITING);
    if (side === 'other') return digitPart ? digitPart.loop[digitPart.at] : undefined;
    return tone ? around(tone) : undefined;
  }

  const isHeld = () => holds.agent || holds.other;

  /** Digits may be those of a card: they are in no recording, and what the agent says over them is not either. */
  const isHeard = (side: Side) => !announcing && !isHeld() && !(side === 'agent' && digitPart);
  const hearsOther = (side: Side) => !announcing && !isHeld() && !(side === 'other' ? digitPart : tone);

  function attempt<Result>(seat: Seat, act: (party: Party) => Result): Result | undefined {
    if (!seat.party) return undefined;
    try {
      return act(seat.party);
    } catch (error) {
      seat.party = undefined;
      means.partyFailed(error);
      return undefined;
    }
  }

  function nextDigit() {
    if (digitPart && digitPart.at + 1 < digitPart.loop.length) {
      digitPart.at += 1;
      return;
    }
    const digit = digits.shift();
    digitPart = digit === undefined ? undefined : { loop: digitTone(digit)!, at: 0 };
    if (digit !== undefined) attempt(seats.other, (party) => party.digit?.(digit));
  }

  function record(file: string, since?: number, written?: number) {
    recorder ??= createRecorder(file, { now: means.now, fail: means.recordingFailed }, since, written);
    recorder.pause(isPaused);
  }

  function announceOn() {
    if (!announcing) return;
    announcing.at += 1;
    if (announcing.at < ANNOUNCEMENT.length) return;
    const { file } = announcing;
    announcing = undefined;
    record(file);
  }

  const isListenedTo = () => recorder !== undefined || SIDES.some((side) => seats[side].listener?.isThere);

  /** A party speaks to whoever is at the other side. */
  function ask(side: Side) {
    const far = seats[FAR[side]];
    const heard = instead(side) ?? far.said.pop();
    attempt(seats[side], (party) => party.hear(heard));
    const frame = attempt(seats[side], (party) => party.speak());
    if (!frame || frame.length !== FRAME_BYTES || !isHeard(side)) return;
    recorder?.hear(CHANNEL[side], clock, tick * FRAME_BYTES, frame);
    if (!hearsOther(FAR[side])) return;
    if (far.party) seats[side].said.push(tick & 0xffff, frame);
    else far.listener?.play(tick, frame);
  }

  return {
    seats,
    sit(side, { listener, party }) {
      seats[side] = { ...emptySeat(), listener, party };
    },
    leave(listener) {
      for (const side of SIDES) if (seats[side].listener === listener) seats[side] = emptySeat();
    },
    hear(side, source, sequence, timestamp, payload) {
      if (!isHeard(side)) return;
      recorder?.hear(CHANNEL[side], source, timestamp, payload);
      if (!hearsOther(FAR[side])) return;
      const far = seats[FAR[side]];
      if (far.party) seats[side].said.push(sequence, payload);
      else far.listener?.pass(source, sequence, timestamp, payload);
    },
    tick(now) {
      tick = now;
      if (digitPart || digits.length > 0) nextDigit();
      const asked = isListenedTo();
      for (const side of SIDES) {
        const { listener, party } = seats[side];
        if (party) {
          if (asked) ask(side);
        } else if (listener) {
          const frame = instead(side);
          if (frame) listener.play(tick, frame);
        }
      }
      recorder?.flush();
      announceOn();
    },
    play(wanted) {
      tone = wanted ? TONES[wanted] : undefined;
      began = tick;
    },
    hold(by, on) {
      holds[by] = on;
      began = tick;
    },
    sendDigits(wanted) {
      const known = Array.from(wanted).filter((digit) => digitTone(digit));
      digits.push(...known.slice(0, MOST_DIGITS - digits.length));
    },
    record(file, announced = false, since = means.now(), written = 0) {
      if (recorder || announcing) return;
      if (announced && written === 0) announcing = { file, at: 0 };
      else record(file, announced ? since + ANNOUNCEMENT.length * FRAME_MS : since, written);
    },
    pauseRecording(on) {
      isPaused = on;
      recorder?.pause(on);
    },
    async end() {
      const ended = recorder;
      recorder = undefined;
      announcing = undefined;
      tone = undefined;
      digits = [];
      return ended?.end();
    },
  };
}
