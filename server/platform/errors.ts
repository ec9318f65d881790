import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError, FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseError } from 'pg';
import type { ErrorBody } from '../../contract/errors.ts';
import { securityHeaders } from './security-headers.ts';

/** An answer other than success, meant and worded by us. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: Record<string, string[]> | undefined;
  readonly retryAfter: number | undefined;
  /** Where it is instead. */
  readonly location: string | undefined;

  constructor(
    status: number,
    code: string,
    sentence: string,
    more: { errors?: Record<string, string[]>; retryAfter?: number; location?: string; cause?: unknown } = {},
  ) {
    super(sentence, { cause: more.cause });
    this.status = status;
    this.code = code;
    this.errors = more.errors;
    this.retryAfter = more.retryAfter;
    this.location = more.location;
  }
}

export const notFound = () => new HttpError(404, 'not_found', 'There is nothing here.');
export const isNotFound = (error: unknown) => error instanceof HttpError && error.status === 404;
export const forbidden = (sentence: string) => new HttpError(403, 'forbidden', sentence);
export const conflict = (code: string, sentence: string) => new HttpError(409, code, sentence);
export const bodyTooLarge = () => new HttpError(413, 'body_too_large', 'The body is too large. Send less at once.');
export const notJson = () => new HttpError(415, 'unsupported_media_type', 'Send JSON: Content-Type: application/json.');
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
/** Someone else had it for too long. */
export const isLockTimeout = (error: unknown) => error instanceof DatabaseError && error.code === '55P03';
/** A statement took longer than it may. */
export const isTooSlow = (error: unknown) => error instanceof DatabaseError && error.code === '57014';
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
  // Kept by nobody: a lead that was found elsewhere today may be deleted tomorrow.
  if (error.location) reply.headers({ location: error.location, 'cache-control': 'no-store' });
  reply.code(error.status).type('application/json').send(toErrorBody(error, request.id));
}

const describeReason = (cause: unknown) => (cause instanceof Error ? cause.message || cause.name : undefined);

export const toErrorBody = ({ message, code, errors }: HttpError, request_id: string): ErrorBody => ({
  error: message,
  code,
  ...(errors && { errors }),
  request_id,
});

const badAddress = () => new HttpError(400, 'bad_address', 'This is not a valid url. Percent-encode it as UTF-8.');

/** How Fastify and Node's parser refuse what never comes as far as a handler. */
const REFUSALS: Record<string, () => HttpError> = {
  FST_ERR_BAD_URL: badAddress,
  HPE_INVALID_URL: badAddress,
  // An id that long is as unknown as any other.
  FST_ERR_MAX_PARAM_LENGTH: notFound,
  FST_ERR_CTP_BODY_TOO_LARGE: bodyTooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: notJson,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new HttpError(400, 'bad_length', 'The body is not as long as Content-Length says.'),
  HPE_HEADER_OVERFLOW: () =>
    new HttpError(431, 'headers_too_large', 'Address and headers are too large: 16 KiB at most.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: bodyTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: () => new HttpError(408, 'request_timeout', 'The request did not come whole in time.'),
};

function toHttpError(thrown: FastifyError | Error): HttpError {
  if (thrown instanceof HttpError) return thrown;
  if (isDatabaseAway(thrown)) return unavailable(thrown);
  const refuse = 'code' in thrown ? REFUSALS[thrown.code] : undefined;
  if (refuse) return refuse();
  const status = 'statusCode' in thrown ? (thrown.statusCode ?? 500) : 500;
  if (status >= 500) return new HttpError(500, 'internal', 'Something went wrong on our side.', { cause: thrown });
  return new HttpError(status, 'bad_request', 'The request cannot be read.');
}

/** So long a client that is still sending has to read why it is refused. */
const HEARD_MS = 2_000;

/** What Node's parser refuses is no request yet, and has no reply. */
export const answerClientError =
  (log: FastifyBaseLogger) =>
  (thrown: ConnectionError, socket: Socket): void => {
    if (socket.writableEnded) return;
    // Gone, or in the middle of an answer, which anything written now would spoil.
    const { _httpMessage: exchange } = socket as { _httpMessage?: ServerResponse | null };
    if (thrown.code === 'ECONNRESET' || !socket.writable || exchange?.headersSent) return void socket.destroy();
    const id = randomUUID();
    const refusal = REFUSALS[thrown.code]?.() ?? new HttpError(400, 'bad_request', 'This is no request in HTTP/1.1.');
    const { status } = refusal;
    log.info({ request_id: id, status, ip: socket.remoteAddress, reason: thrown.code }, 'request');
    const body = JSON.stringify(toErrorBody(refusal, id));
    const headers = { ...securityHeaders, 'content-type': 'application/json', 'x-request-id': id, connection: 'close' };
    const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
    setTimeout(() => socket.destroy(), HEARD_MS).unref();
  };
