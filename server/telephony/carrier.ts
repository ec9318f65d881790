import type { Disposition } from '../../contract/calls.ts';
import type { Heard, Media } from './media/media.ts';

/** Whoever holds this lease looks after the line; nobody else does anything on it. */
export const LINE = 'line';

/**
 * The port to whoever carries calls and texts. A carrier does what it is asked and reports what happened; what that means is not its
 * business. It may repeat a report, bring it late, or bring a later one first.
 */
export type Carrier = {
  readonly name: string;
  /** Answers with the carrier's own id of the call; all else is reported. */
  dial(call: Dialled): Promise<string>;
  /** Connects a call that came in. False where the carrier knows no such call any more. */
  answer(callId: string, record: ToRecord): Promise<boolean>;
  /** The same. */
  hangUp(callId: string): Promise<boolean>;
  /**
   * Connects the other ends of two calls with each other. The first is over for us and is reported so, as `passedOn`; the second lasts until
   * either end hangs up. False where the carrier knows one of them no more; asked again for two that it has connected, true.
   */
  bridge(callId: string, otherId: string): Promise<boolean>;
  /**
   * Another agent goes on with the other end of a call, as a call of its own: the first is over for us and is reported so, as `passedOn`, the
   * second is answered at once and lasts until the other end hangs up or we do. Answers with the carrier's id of the second; undefined where it
   * knows no such call any more.
   */
  handOver(callId: string, record: ToRecord): Promise<string | undefined>;
  /** Answers with the carrier's own id of the text. */
  sendText(text: SentText): Promise<string>;
  /** Makes something happen on a line on which nobody else would; only a simulated one can. */
  make?(accountId: number, happening: Happening): Promise<void>;
  /** What was heard in the sound of its calls. */
  hear?(heard: Heard): void;
  /** Ends all that is under way and reports it. */
  stop(): Promise<void>;
};

/** What comes from outside. A call rings for a while, or until it is missed; who answers it hears the other end hang up after `seconds`. */
export type Happening =
  | { kind: 'inbound_call' | 'missed_call'; from: string; to: string | null; seconds?: number }
  | { kind: 'inbound_text'; from: string; to: string | null; body: string };

/** `id` is ours: the same call is never dialled twice. */
export type Dialled = { accountId: number; id: number; number: string; callerId: CallerId; record: ToRecord };
/** Whether both hear first that it is. */
export type ToRecord = false | 'quietly' | 'announced';
export type CallerId = { number: string | null; name: string | null };
export type SentText = { accountId: number; id: number; number: string; from: string | null; body: string };

/** Why a call ended: `over` after a conversation, otherwise why there was none. */
export type Cause = 'over' | Exclude<Disposition, 'normal' | 'voicemail'>;

export type Report = {
  accountId: number;
  /** The carrier's id of the call or text. */
  subject: string;
  /** The same whenever this report is repeated. */
  key: string;
  at: Date;
} & (
  | { kind: 'calling' }
  | { kind: 'answered' }
  /**
   * `machine`: no person answered, as far as the carrier can tell. `answeredAt`: in case that report is late. `passedOn`: its other end goes on
   * in another call; without that, whoever it was to be passed on to has nobody to talk to. `lineLost`: neither of the two hung up.
   */
  | { kind: 'ended'; cause: Cause; answeredAt?: Date; machine?: boolean; passedOn?: boolean; lineLost?: boolean }
  /**
   * A finished file in the folder for incoming recordings of this machine; whoever stores it takes it away. Named by the carrier's id of the call,
   * it is found even if nobody lives to tell of it.
   */
  | { kind: 'recorded'; part: string; file: string }
  /** It was recorded and could not be kept. */
  | { kind: 'recording_lost'; part: string; reason: string }
  /** It was to be, and ended before there was anything to record: none will come. */
  | { kind: 'not_recorded' }
  | { kind: 'came_in'; from: string; to: string | null }
  | { kind: 'text_sent' }
  | { kind: 'text_delivered' }
  | { kind: 'text_failed'; reason: string }
  | { kind: 'text_came_in'; from: string; to: string | null; body: string }
);

/** Settles when the report is stored; a carrier that hears of a failure reports again. */
export type TakeReport = (report: Report) => Promise<void>;

/**
 * Each call with sound is a conversation of the engine under the carrier's id: it begins it, says who is at its other side, records it and ends it.
 * Who is at the agent's side, and what they hear while nobody has answered, is the switchboard's business.
 */
export type OpenCarrier = (report: TakeReport, media: Media) => Carrier;
