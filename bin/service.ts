import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { paths } from '../contract/paths.ts';
import { describe } from '../db/hosts.ts';
import type { Config } from '../server/config.ts';
import { serve, work, type Running } from '../server/main.ts';
import { createLog, type Log } from '../server/platform/log.ts';
import { VERSION } from '../server/version.ts';
import { say } from './database.ts';

/** `leadline serve` and `leadline work`: processes that run until they are told to stop. */

export const runServe = (config: Config): Promise<void> => keepRunning(config, serve, greet);
export const runWork = (config: Config): Promise<void> => keepRunning(config, work, () => {});

type Start = (config: Config, log: Log, signal: AbortSignal) => Promise<Running>;

const LONGEST_STOP_MS = 10_000;
/** A Ctrl-C comes twice under npm: from the terminal, and from npm, which passes it on, later where the machine is busy. */
const SAME_SIGNAL_MS = process.env.npm_lifecycle_event ? 3_000 : 300;

/** Runs until the process is told to stop, at whatever moment, and then ends in order. A second signal ends it at once. */
async function keepRunning(
  config: Config,
  start: Start,
  started: (running: Running, config: Config) => void,
): Promise<void> {
  const log = createLog(config.logLevel);
  const asked = new AbortController();
  let askedAt = 0;
  const stop = (signal: string) => {
    if (asked.signal.aborted) {
      if (performance.now() - askedAt > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    askedAt = performance.now();
    log.info({ signal }, 'Stopping');
    // A database that is slow may end slowly.
    const longest = LONGEST_STOP_MS * config.databasePatience;
    setTimeout(() => {
      log.error(`Stopping took more than ${longest / 1000} seconds; leaving what is left`);
      log.flush(() => process.exit(1));
    }, longest);
    asked.abort();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop(signal));

  let running: Running | undefined;
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'An error nobody foresaw');
    process.exitCode = 1;
    if (running && !asked.signal.aborted) stop('uncaughtException');
    else process.exit(1);
  });

  try {
    running = await start(config, log, asked.signal);
  } catch (error) {
    // Told to stop while it was starting, it has undone what it had begun.
    if (!asked.signal.aborted) throw error;
    return leave(log);
  }
  // Whoever can read the log may set the service up; afterwards the link is worth nothing.
  if (running.firstRun) log.info({ link: running.firstRun }, 'There is no owner yet: open the link to make one');
  log.info(
    { address: running.address, database: describe(running.database.url), version: VERSION, node: process.version },
    'Ready',
  );
  // Otherwise it would be written at the end alone, and not at all after a kill.
  flushCompileCache();
  if (!asked.signal.aborted) {
    started(running, config);
    await once(asked.signal, 'abort');
  }
  await running.stop();
  leave(log);
}

function leave(log: Log): void {
  log.info('Stopped');
  log.flush(() => process.exit());
}

/** For people: on a terminal and under `npm start`. Elsewhere the log says it. */
function greet({ database, firstRun }: Running, { baseUrl, bind }: Config): void {
  if (!process.stdout.isTTY && process.env.npm_lifecycle_event !== 'start') return;
  const { embedded } = database;
  const here = bind === 'localhost' || bind.startsWith('127.') || bind === '::1';
  say(`
  Leadline ${VERSION} is ready.

  ${firstRun ? `Set up    ${firstRun}` : `Open      ${baseUrl}`}
  API       ${baseUrl}${paths.reference}   (a key: npm run -s key)
  Data      ${embedded ? `${embedded.home.folder} (PostgreSQL comes along)` : describe(database.url)}
  Settings  .env or the environment; .env.example lists them
  ${here ? 'Only this machine can reach it: BIND=0.0.0.0 opens it to your network.' : `It listens on ${bind}.`}
  Stop it with Ctrl-C.
`);
}
