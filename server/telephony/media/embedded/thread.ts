import { parentPort, workerData } from 'node:worker_threads';
import { BadOffer, type Heard, type MediaSettings } from '../media.ts';
import { openExchange, type Exchange } from './exchange.ts';
import { FOR_SOUND, prefer } from './priority.ts';

/** The exchange on a thread of its own, so that nothing the service does otherwise is heard in a call. */
export type Verb = keyof Exchange;
export type Asked = { [verb in Verb]: { id: number; verb: verb; given: Parameters<Exchange[verb]> } }[Verb];
/** Asks whether the thread still turns round. */
export const ALIVE = 'alive';

export type Told =
  | { id: number; result: unknown }
  | { id: number; error: { message: string; isBadOffer: boolean } }
  | { heard: Heard }
  | { alive: true }
  /** The code of an error of the system is a property, which is not copied from thread to thread. */
  | { failed: string; message: string; code: string | undefined }
  | { warning: string };

const port = parentPort!;
const tell = (told: Told) => port.postMessage(told);

prefer(FOR_SOUND);
const exchange = openExchange(workerData as MediaSettings, {
  hear(heard) {
    if (heard.kind !== 'recording_failed') return tell({ heard });
    const { message, code } = toError(heard.error);
    tell({ failed: heard.conversation, message, code });
  },
  warn: (error) => tell({ warning: toError(error).message }),
});

function toError(error: unknown): NodeJS.ErrnoException {
  return error instanceof Error ? error : new Error(String(error));
}

// All calls are on this thread: what nobody expected in one of them is told, and the others go on.
process.on('uncaughtException', (error) => tell({ warning: `Unexpected: ${error.stack}` }));

port.on('message', (asked: Asked | typeof ALIVE) => {
  if (asked === ALIVE) tell({ alive: true });
  else void answer(asked);
});

async function answer({ id, verb, given }: Asked): Promise<void> {
  try {
    const act = exchange[verb] as (...given: unknown[]) => unknown;
    tell({ id, result: await act(...given) });
  } catch (error) {
    const { message } = toError(error);
    tell({ id, error: { message, isBadOffer: error instanceof BadOffer } });
  }
}
