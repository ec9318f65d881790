import { QueryClient } from '@tanstack/react-query';
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

/** What was asked about is no more. */
export const isGone = (error: Error | null): boolean => error instanceof Refused && error.status === 404;

/** One request of a page: the same routes that everyone else has, by cookie. With a key it is done once, however often it is sent. */
export async function ask<T = undefined>(method: string, path: string, body?: unknown, key?: string): Promise<T> {
  const early = body === undefined && key === undefined ? takeEarly(`${method} ${path}`) : undefined;
  const response = await (early ?? send(method, path, body, key)).catch(() => {
    throw new Refused(0, {
      code: 'offline',
      error: 'The service cannot be reached just now. Nothing was lost; try again.',
    });
  });
  if (response.status === 401) {
    location.assign(signInFor(location.pathname + location.search));
  }
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const answer = isJson && text !== '' ? (JSON.parse(text) as unknown) : undefined;
  if (!response.ok) throw new Refused(response.status, answer ?? {});
  return answer as T;
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

export const get = <T>(path: string): Promise<T> => ask<T>('GET', path);

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Live events say when something changed.
      staleTime: 10_000,
      retry: (times, error) => times < 2 && (!(error instanceof Refused) || error.status === 0 || error.status >= 500),
    },
  },
});
