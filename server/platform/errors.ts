import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseError } from 'pg';
import type { ErrorBody } from '../../contract/errors.ts';
import { securityHeaders } from './security-headers.ts';

/** An answer other than success, meant and worded by us. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: Record<string, string[]> | undefined;
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    code: string,
    sentence: string,
    more: { errors?: Record<string, string[]>; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(sentence, { cause: more.cause });
    this.status = status;
    this.code = code;
    this.errors = more.errors;
    this.retryAfter = more.retryAfter;
  }
}

export const notFound = () => new HttpError(404, 'not_found', 'There is nothing here.');
export const isNotFound = (error: unknown) => error instanceof HttpError && error.status === 404;
export const forbidden = (sentence: string) => new HttpError(403, 'forbidden', sentence);
export const conflict = (code: string, sentence: string) => new HttpError(409, code, sentence);
export const tooBusy = () =>
  new HttpError(503, 'busy', 'Too much is asked of the service just now. Try again in a moment.', { retryAfter: 2 });
export const unavailable = (cause?: unknown) =>
  new HttpError(503, 'unavailable', 'The database does not answer just now. Try again in a moment.', {
    retryAfter: 2,
    cause,
  });

/** Known to be away: nobody waits to find it out again. */
export class DatabaseAway extends Error {
  override name = 'DatabaseAway';

  constructor() {
    super('The database is away.');
  }
}

// Stopping, starting, full, not to be written to; and what waited too long for a lock or for its end.
const PASSING_STATES = new Set(['57P01', '57P02', '57P03', '53100', '53300', '55P03', '57014', '25006']);
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Whether the database is away, starting, stopping or full, as against a fault of ours. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof DatabaseError) {
    if (isStale(error)) return true;
    return PASSING_STATES.has(error.code ?? '') || (error.code ?? '').startsWith('08');
  }
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway);
  if (error instanceof DatabaseAway) return true;
  if (!(error instanceof Error)) return false;
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  // These come from the driver without a code.
  return (
    (syscall !== 'open' && NETWORK_CODES.has(code)) ||
    /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
      error.message,
    )
  );
}

export const isReadOnly = (error: unknown) => error instanceof DatabaseError && error.code === '25006';
export const isUniqueViolation = (error: unknown) => error instanceof DatabaseError && error.code === '23505';

/** A statement that was prepared before a table changed, that the connection does not know any more, or that another prepared there. */
export const isStale = (error: unknown) =>
  error instanceof DatabaseError &&
  (error.code === '26000' ||
    error.code === '42P05' ||
    (error.code === '0A000' && error.message.startsWith('cached plan')));

/** Doing it again is all it takes. */
export const isSerializationConflict = (error: unknown) =>
  isStale(error) || (error instanceof DatabaseError && (error.code === '40P01' || error.code === '40001'));

/** Turns whatever was thrown into the one shape. What we did not foresee is logged and tells the client nothing. */
export function answerError(thrown: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void {
  const error = toHttpError(thrown);
  // That the database is away is told once, by its pulse; a request says so in its own line, without a stack.
  if (error.status === 503) request.reason = describeReason(error.cause);
  else if (error.status >= 500) request.log.error({ err: error.cause ?? thrown }, error.message);
  // A malformed address is refused before any hook runs.
  reply.headers(securityHeaders).header('x-request-id', request.id);
  if (error.retryAfter) reply.header('retry-after', error.retryAfter);
  reply.code(error.status).type('application/json').send(toErrorBody(error, request.id));
}

const describeReason = (cause: unknown) => (cause instanceof Error ? cause.message || cause.name : undefined);

export const toErrorBody = ({ message, code, errors }: HttpError, request_id: string): ErrorBody => ({
  error: message,
  code,
  ...(errors && { errors }),
  request_id,
});

function toHttpError(thrown: FastifyError | Error): HttpError {
  if (thrown instanceof HttpError) return thrown;
  if (isDatabaseAway(thrown)) return unavailable(thrown);
  const status = 'statusCode' in thrown ? (thrown.statusCode ?? 500) : 500;
  if (status >= 500) return new HttpError(500, 'internal', 'Something went wrong on our side.', { cause: thrown });
  // Fastify's own refusals: too large, unsupported type, malformed.
  return new HttpError(
    status,
    'code' in thrown ? thrown.code.replace(/^FST_(ERR_)?/, '').toLowerCase() : 'bad_request',
    thrown.message,
  );
}
