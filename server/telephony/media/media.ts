/** 20 ms of G.711 μ-law at 8 kHz, the one form in which sound travels here. */
export const RATE = 8_000;
export const FRAME_MS = 20;
export const FRAME_BYTES = 160;

/**
 * The port to whoever carries sound. A conversation has two sides, the agent's and the other's. Browsers connect as legs of their own and are
 * attached to a side, so that a reload, a transfer or a colleague changes who is at it and nothing else.
 */
export type Media = {
  /** There is a conversation: nobody is at its sides yet. */
  begin(conversation: string): void;
  /** A browser wants to hear and be heard: answers its offer. What cannot be answered is a `BadOffer` with a sentence. */
  connect(leg: string, offer: string): Promise<string>;
  disconnect(leg: string): void;
  /** Whoever was at that side before is not any more. A leg that was at another side leaves it. */
  attach(conversation: string, side: Side, leg: string): void;
  /** The other end is a program that runs in the engine: the module's `createParty(options)`. */
  attachParty(conversation: string, party: { module: string; options: unknown }): void;
  /** What the agent hears instead of the other end, over and over; null for nothing. */
  play(conversation: string, tone: Tone | null): void;
  /** A side lets the other wait: neither hears the other, who holds hears silence, and who is held hears that they wait. */
  hold(conversation: string, by: Side, on: boolean): void;
  /** Tones towards the other end, one after another. */
  sendDigits(conversation: string, digits: string): void;
  /**
   * From now on, to a file: the agent left, the other end right. It is written as it comes, and can be played after a crash. `announced`: both hear
   * first that it is recorded, and nothing is until that is over.
   */
  record(conversation: string, file: string, announced?: boolean): void;
  /** What is said meanwhile is not kept; its place stays empty, and says so. */
  pauseRecording(conversation: string, on: boolean): void;
  /**
   * Whoever is at the other side of a conversation goes on in another one, at the side that is named: at the agent's, where the other sides of
   * both are to talk to each other. The first is over.
   */
  join(conversation: string, into: string, at?: Side): Promise<Recorded | undefined>;
  /** It is over. Answers when what was recorded is in its file. */
  end(conversation: string): Promise<Recorded | undefined>;
  stop(): Promise<void>;
};

export type Side = 'agent' | 'other';
export type Tone = 'ringing' | 'busy' | 'unobtainable';

export type Recorded = { file: string; seconds: number };

/** What the engine tells by itself. */
export type Heard =
  | { kind: 'connected' | 'lost'; leg: string }
  /** It could not be written any more; what there is can be played. */
  | { kind: 'recording_failed'; conversation: string; error: unknown };

export type OpenMedia = (settings: MediaSettings, hear: (heard: Heard) => void) => Media;

export type MediaSettings = {
  /** Addresses under which browsers reach this machine; else its own. */
  publicIps: string[];
  ports: { first: number; last: number };
};

export class BadOffer extends Error {}

/** Someone at a side who is a program. Asked every 20 ms, whatever happens. */
export type Party = {
  /** What was said to them in these 20 ms; undefined where nothing came. */
  hear(frame: Uint8Array | undefined): void;
  /** What they say; undefined where they are silent. */
  speak(): Uint8Array | undefined;
  /** A digit that was sent to them. */
  digit?(digit: string): void;
};
