import { useSyncExternalStore } from 'react';
import { CHUNK_BYTES, type Import, type ReceivedChunk as Received } from '../../contract/imports.ts';
import type { Static } from 'typebox';
import { get, isAway, queries, Refused, sendBytes } from '../api.ts';
import { importQuery } from './queries.ts';

/** A file on its way. It goes on while other pages are open. */
export type Upload = {
  file: File;
  sent: number;
  /** Undefined while that is not known. */
  secondsLeft: number | undefined;
  /** Nothing gets through; it goes on by itself. */
  isLost: boolean;
  /** It cannot go on. */
  error: Error | undefined;
};

const uploads = new Map<number, { shown: Upload; stop: AbortController }>();
const hearers = new Set<() => void>();
const watch = (hear: () => void) => {
  hearers.add(hear);
  return () => hearers.delete(hear);
};

function show(id: number, change: Partial<Upload>): void {
  const upload = uploads.get(id);
  if (!upload) return;
  upload.shown = { ...upload.shown, ...change };
  for (const hear of hearers) hear();
}

function forget(id: number): void {
  uploads.delete(id);
  if (uploads.size === 0) removeEventListener('beforeunload', stay);
  for (const hear of hearers) hear();
}

export const useUpload = (id: number): Upload | undefined => useSyncExternalStore(watch, () => uploads.get(id)?.shown);

/** Whoever closes the page is asked whether they mean it. */
const stay = (event: BeforeUnloadEvent) => event.preventDefault();

export function beginUpload({ id, received }: Pick<Import, 'id' | 'received'>, file: File): void {
  uploads.get(id)?.stop.abort();
  const stop = new AbortController();
  const shown = { file, sent: received, secondsLeft: undefined, isLost: false, error: undefined };
  uploads.set(id, { shown, stop });
  addEventListener('beforeunload', stay);
  for (const hear of hearers) hear();
  void send(id, file, received, stop.signal);
}

export function stopUpload(id: number): void {
  uploads.get(id)?.stop.abort();
  forget(id);
}

/** Chunk after chunk, from the first that is not there yet. */
async function send(id: number, file: File, from: number, signal: AbortSignal): Promise<void> {
  const measure = measurePace(file.size);
  let received = from;
  let tries = 0;
  while (received < file.size && !signal.aborted) {
    const place = Math.floor(received / CHUNK_BYTES);
    const begins = place * CHUNK_BYTES;
    try {
      const chunk = await readChunk(file, begins);
      const tell = (sent: number) => {
        const all = Math.min(file.size, begins + sent);
        show(id, { sent: all, secondsLeft: measure(all), isLost: false });
      };
      ({ received } = await sendBytes<Static<typeof Received>>(`/imports/${id}/chunks/${place}`, chunk, tell, signal));
      tries = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!isPassing(error)) {
        show(id, { error: error as Error, isLost: false });
        return;
      }
      show(id, { isLost: true, secondsLeft: undefined });
      await pause(tries, signal);
      tries += 1;
      // What was on its way when the connection broke may have arrived.
      received = await get<Import>(`/imports/${id}`).then(
        (now) => now.received,
        () => received,
      );
    }
  }
  if (signal.aborted) return;
  await queries.invalidateQueries({ queryKey: importQuery(id).queryKey });
  forget(id);
}

const TOO_MANY = 429;
/** Nobody answers, or not yet. */
const isPassing = (error: unknown): boolean =>
  isAway(error) || (error instanceof Refused && (error.status === TOO_MANY || error.status >= 500));

async function readChunk(file: File, begins: number): Promise<ArrayBuffer> {
  try {
    return await file.slice(begins, begins + CHUNK_BYTES).arrayBuffer();
  } catch {
    throw new Error('The file cannot be read any more: it was changed, moved or taken away. Choose it again.');
  }
}

const LONGEST_PAUSE_MS = 10_000;

/** Longer each time; not longer than until the browser is connected again. */
function pause(tries: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = new AbortController();
    const go = () => {
      clearTimeout(timer);
      done.abort();
      resolve();
    };
    const timer = setTimeout(go, Math.min(LONGEST_PAUSE_MS, 500 * 2 ** tries));
    addEventListener('online', go, { signal: done.signal });
    signal.addEventListener('abort', go, { signal: done.signal });
  });
}

const LOOKED_BACK_MS = 15_000;

/** Seconds that are left, by the pace of the last quarter of a minute. */
function measurePace(size: number): (sent: number) => number | undefined {
  let past: { at: number; sent: number }[] = [];
  return (sent) => {
    const at = performance.now();
    past = [...past.filter((one) => at - one.at < LOOKED_BACK_MS && one.sent <= sent), { at, sent }];
    const [first] = past;
    const seconds = (at - first!.at) / 1_000;
    const pace = (sent - first!.sent) / seconds;
    return seconds < 1 || pace <= 0 ? undefined : Math.ceil((size - sent) / pace);
  };
}
