import { parentPort, workerData } from 'node:worker_threads';
import { BadOffer, type Heard, type MediaSettings } from '../media.ts';
import { openExchange, type Exchange } from './exchange.ts';

/** The exchange on a thread of its own, so that nothing the service does otherwise is heard in a call. */
export type Verb = keyof Exchange;
export type Asked = { [verb in Verb]: { id: number; verb: verb; given: Parameters<Exchange[verb]> } }[Verb];
export type Told =
  | { id: number; result: unknown }
  | { id: number; error: { message: string; isBadOffer: boolean } }
  | { heard: Heard }
  | { warning: string };

const port = parentPort!;
const tell = (told: Told) => port.postMessage(told);

const exchange = openExchange(workerData as MediaSettings, {
  hear: (heard) =>
    tell({ heard: heard.kind === 'recording_failed' ? { ...heard, error: toError(heard.error) } : heard }),
  warn: (error) => tell({ warning: toError(error).message }),
});

/** Errors of the system carry their code as a property, which is not copied between threads. */
function toError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  return error;
}

port.on('message', (asked: Asked) => {
  void answer(asked);
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
