import { pino, type Logger, type LoggerOptions } from 'pino';

export type Log = Logger;

/** JSON lines for machines; on a terminal, short lines for people. */
export function createLog(level: string): Log {
  return pino(logOptions(level), process.stdout.isTTY ? { write: writeForPeople } : pino.destination({ sync: false }));
}

export const logOptions = (level: string): LoggerOptions => ({
  level,
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  serializers: { err: describeError },
});

/** Only what we know to be harmless: a database error also carries rows, a network error addresses with passwords. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const code = (error as NodeJS.ErrnoException).code;
  return {
    name,
    message,
    ...(code && { code }),
    stack,
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}

const LEVELS: Record<number, string> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' };

function writeForPeople(line: string): void {
  const { level, time, msg, method, path, status, ms, err } = JSON.parse(line);
  const what = method ? `${method} ${path} ${status} ${ms} ms` : `${LEVELS[level] ?? ''}${msg}`;
  process.stdout.write(`${new Date(time).toTimeString().slice(0, 8)} ${what}\n${err?.stack ? `${err.stack}\n` : ''}`);
}
