import { notifyManager, QueryClient } from '@tanstack/react-query';
import type { ErrorBody } from '../contract/errors.ts';
import { signInFor } from '../contract/paths.ts';
import { isAttended } from './attended.ts';

/** An answer other than success. Its message is a sentence for people. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  /** Parameter → what is wrong with it. */
  readonly errors: Record<string, string[]>;

  constructor(status: number, body: Partial<ErrorBody>) {
    super(body.error ?? 'The service did not answer as it should. Try again in a moment.');
    this.status = status;
    this.code = body.code ?? '';
    this.errors = body.errors ?? {};
  }
}

const AWAY = new Set([0, 502, 503, 504]);

/** No answer came, or not yet, so nobody knows whether it was done. */
export const isAway = (error: unknown): boolean =>
  error instanceof Refused && (AWAY.has(error.status) || error.code === 'in_progress');

/** What was asked about is no more. */
export const isGone = (error: Error | null): boolean => error instanceof Refused && error.status === 404;

let isLeaving = false;
/** Whoever signs out is not asked to sign in again for what the page still asks. */
export const beginSignOut = () => {
  isLeaving = true;
};

/** Once: whoever was asked whether to leave, and stays, is not asked again with each answer. */
function goToDoor(): void {
  if (isLeaving) return;
  isLeaving = true;
  location.assign(signInFor(location.pathname + location.search));
}

/** One request of a page: the same routes that everyone else has, by cookie. With a key it is done once, however often it is sent. */
export async function ask<T = undefined>(method: string, path: string, body?: unknown, key?: string): Promise<T> {
  const early = body === undefined && key === undefined ? takeEarly(`${method} ${path}`) : undefined;
  const response = await (early ?? send(method, path, body, key)).catch(() => {
    throw new Refused(0, {
      code: 'offline',
      error: 'The service cannot be reached just now. Nothing was lost; try again.',
    });
  });
  if (response.status === 401) goToDoor();
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const answer = isJson && text !== '' ? (JSON.parse(text) as unknown) : undefined;
  if (!response.ok) throw new Refused(response.status, answer ?? {});
  return answer as T;
}

export const newKey = () => Math.random().toString(36).slice(2);

const FORGET_MS = 60_000;
const steps = new Map<string, { key: string; until: number }>();

type Again<T> = (act: () => Promise<T>) => Promise<T>;

/**
 * One step of someone's work, done once: asked for again because its answer was lost, it goes under the same key. A minute after that it is another,
 * but not where it is meant to be done `surely`: then it keeps its key until it is answered.
 */
export async function doOnce<T = undefined>(path: string, body: unknown, surely?: Again<T>): Promise<T> {
  const step = `${path} ${JSON.stringify(body)}`;
  const before = steps.get(step);
  const key = before && Date.now() < before.until ? before.key : newKey();
  steps.set(step, { key, until: Infinity });
  const act = () => ask<T>('POST', path, body, key);
  try {
    const answer = await (surely ? surely(act) : act());
    steps.delete(step);
    return answer;
  } catch (error) {
    if (!isAway(error)) steps.delete(step);
    else if (!surely) steps.set(step, { key, until: Date.now() + FORGET_MS });
    throw error;
  }
}

const { earlyAnswers } = globalThis as { earlyAnswers?: Map<string, Promise<Response>> };
// What nobody has taken by then is old.
setTimeout(() => earlyAnswers?.clear(), 5_000);

/** What the early script has asked for already; an answer is taken once. */
function takeEarly(question: string): Promise<Response> | undefined {
  const answer = earlyAnswers?.get(question);
  earlyAnswers?.delete(question);
  return answer;
}

const send = (method: string, path: string, body?: unknown, key?: string): Promise<Response> =>
  fetch(`/app${path}`, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
      // A page that looks after itself does not keep its session from ending.
      ...(!isAttended(60_000) && { 'leadline-unattended': '1' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

/** A connection that takes nothing for so long is dead, whatever the browser thinks of it. */
const STALLED_MS = 30_000;

/** A part of a file, with word of how much of it is on its way. Whoever sends one is there, so it keeps their session. */
export function sendBytes<T>(
  path: string,
  bytes: ArrayBuffer,
  tell: (sent: number) => void,
  signal: AbortSignal,
): Promise<T> {
  const request = new XMLHttpRequest();
  let stalled: ReturnType<typeof setTimeout> | undefined;
  const stop = () => request.abort();
  const isAlive = () => {
    clearTimeout(stalled);
    stalled = setTimeout(stop, STALLED_MS);
  };
  return new Promise<T>((resolve, reject) => {
    const fail = () => reject(new Refused(0, { code: 'offline', error: 'The connection was lost.' }));
    request.upload.addEventListener('progress', ({ loaded }) => {
      isAlive();
      tell(loaded);
    });
    request.addEventListener('error', fail);
    request.addEventListener('abort', fail);
    request.addEventListener('load', () => {
      const isJson = request.getResponseHeader('content-type')?.startsWith('application/json');
      const answer = isJson ? (JSON.parse(request.responseText) as unknown) : undefined;
      if (request.status === 401) goToDoor();
      if (request.status >= 200 && request.status < 300) resolve(answer as T);
      else reject(new Refused(request.status, answer ?? {}));
    });
    request.open('PUT', `/app${path}`);
    request.setRequestHeader('accept', 'application/json');
    request.setRequestHeader('content-type', 'application/octet-stream');
    signal.addEventListener('abort', stop);
    isAlive();
    request.send(bytes);
  }).finally(() => {
    clearTimeout(stalled);
    signal.removeEventListener('abort', stop);
  });
}

export const get = <T>(path: string): Promise<T> => ask<T>('GET', path);

/** A file, which the browser fetches by itself and keeps. */
export function download(path: string): void {
  const link = document.createElement('a');
  link.href = `/app${path}`;
  link.download = '';
  link.click();
}

// Before the next picture. A timer, as is usual, may come after it: what one has just chosen was seen to jump back for a moment.
notifyManager.setScheduler(queueMicrotask);

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Live events say when something changed.
      staleTime: 10_000,
      retry: (times, error) => times < 2 && (!(error instanceof Refused) || error.status === 0 || error.status >= 500),
    },
    // Without a network it is refused at once, or tried again by whoever asked; kept back, it would be done minutes later, though nobody wants it any more.
    mutations: { networkMode: 'always' },
  },
});
