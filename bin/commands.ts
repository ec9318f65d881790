import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { paths } from '../contract/paths.ts';
import { describeDiskFault } from '../db/disk.ts';
import { prepareHome } from '../db/embedded/home.ts';
import { migrate } from '../db/migrate.ts';
import { describe } from '../db/hosts.ts';
import { openDatabase, type OpenDatabase } from '../db/open.ts';
import { DIRECT, probeWay } from '../db/pooler.ts';
import { Refusal } from '../db/refusal.ts';
import { acceptSecretKey, openSecrets } from '../server/canary.ts';
import { readConfig, readEnvironment, type Config } from '../server/config.ts';
import { addAccount, placeIncoming, printKey, readSecretKey, type Household } from '../server/household.ts';
import { serve, work, type Running } from '../server/main.ts';
import { resetOwner } from '../server/people/users/owners.ts';
import { createDb, type Database, type Pool } from '../server/platform/db.ts';
import { HttpError, isDatabaseAway } from '../server/platform/errors.ts';
import { createPool } from '../server/platform/pool.ts';
import { readOrigin } from '../server/platform/origin.ts';
import { createLog, type Log } from '../server/platform/log.ts';
import { createTransact } from '../server/platform/work.ts';
import { consequences } from '../server/consequences.ts';
import { VERSION } from '../server/version.ts';

const USAGE = `leadline ${VERSION}

  leadline serve              answer requests and do the jobs
  leadline work               do the jobs only, beside other nodes
  leadline key                print the account's API key; makes the account where there is none
  leadline account add --name <name> --base-url <url>
                              make another account and print its key
  leadline owner reset [<e-mail>]
                              print a link with which the owner chooses a new password
  leadline export --list <name> | --all
                              write leads to --out <file>, as CSV or, --format xlsx, as a workbook; --filter state:is:new
  leadline demo               fill an empty installation with a believable call centre
  leadline import <file> --list <name> [--map "Header=field"]…
                              import leads from a CSV or Excel file; --undo <id> takes an import back
  leadline secret --accept    go on with this SECRET_KEY where the former one is lost
  leadline migrate            bring the database up to date, and stop
  leadline backup <file>      write the embedded database to a file while it is in use
  leadline restore <file>     lay that file down as a new data folder
  leadline move --to <url>    copy everything to another PostgreSQL and compare

Settings come from the environment and from .env; README.md lists them.`;

type Command = (args: string[], config: Config) => Promise<void>;

const commands: Record<string, Command> = {
  serve: (_args, config) => keepRunning(config, serve, greet),
  work: (_args, config) => keepRunning(config, work, () => {}),
  migrate: async (_args, config) => {
    const applied = await withDatabase(config, ({ directUrl }) => migrate(directUrl));
    say(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.');
  },
  key: async (_args, config) => say(await withHousehold(config, ({ transact }) => printKey(transact, config))),
  account: async ([verb, ...args], config) => {
    const { values } = parseArgs({
      args,
      options: { name: { type: 'string' }, 'base-url': { type: 'string' } },
      strict: false,
    });
    const { name, 'base-url': address } = values;
    const baseUrl = typeof address === 'string' ? readOrigin(address) : undefined;
    if (verb !== 'add' || typeof name !== 'string' || name.trim() === '' || !baseUrl) {
      throw new Refusal(
        'Name the account and its address: leadline account add --name Acme --base-url https://acme.example.com',
      );
    }
    const { key, link } = await withHousehold(config, ({ transact }) => addAccount(transact, { name, baseUrl }));
    remark(`Its owner is made at ${link}`);
    say(key);
  },
  owner: async ([verb, ...args], config) => {
    const { values, positionals } = parseArgs({
      args,
      options: { 'base-url': { type: 'string' } },
      allowPositionals: true,
      strict: false,
    });
    const [email] = positionals;
    const { 'base-url': baseUrl } = values;
    if (verb !== 'reset' || positionals.length > 1 || typeof baseUrl === 'boolean') {
      throw new Refusal('Say whose password is lost: leadline owner reset ann@example.com');
    }
    demandData(config);
    const meant = { ...(email && { email }), ...(baseUrl && { baseUrl }) };
    const reset = await withHousehold(config, ({ transact }) => resetOwner(transact, meant));
    remark(`${reset.email} of ${reset.account.name} is signed out everywhere, and the audit log says so.`);
    remark('This link chooses a new password. It works once, for an hour:');
    say(reset.link);
  },
  secret: async ([verb], config) => {
    if (verb !== '--accept') {
      throw new Refusal('Say that the former SECRET_KEY is lost and what it sealed with it: leadline secret --accept');
    }
    await withTables(config, ({ db, database }) => acceptSecretKey(db, readSecretKey(config, database)));
    say('This SECRET_KEY is the one of the installation from now on. Set it on every node.');
  },
  demo: async (_args, config) => {
    const { fillDemo } = await import('../server/demo/demo.ts');
    const demo = await withHousehold(config, (household) => fillDemo(household, config, remark));
    say(
      [
        `Account          ${demo.account}`,
        `Base URL         ${demo.baseUrl}`,
        `API key          ${demo.key}`,
        `Sign-in          ${demo.email} and the others of the staff, with the password ${demo.password}`,
        `A list           ${demo.baseUrl}/api/v2/lists/${demo.list}`,
        `A lead           ${demo.baseUrl}/api/v2/leads/${demo.lead}`,
        `An answered call ${demo.baseUrl}/api/v2/calls/${demo.answered}`,
        `An unanswered    ${demo.baseUrl}/api/v2/calls/${demo.unanswered}`,
      ].join('\n'),
    );
  },
  // What only these need is loaded with them: a serving process stays small.
  import: async (args, config) => {
    const { readImportArgs, runImport } = await import('./import.ts');
    const asked = readImportArgs(args);
    demandData(config);
    await withHousehold(config, (household) => runImport(asked, { household, config, say, remark }));
  },
  export: async (args, config) => {
    const { exportLeads } = await import('./export.ts');
    demandData(config);
    await withHousehold(config, (household) => exportLeads(args, household, remark));
  },
  backup: async ([file], config) => {
    const { backup } = await import('../db/embedded/backup.ts');
    if (!file) throw new Refusal('Name the file to write: leadline backup leadline.tar.gz');
    demandData(config);
    say(await withDatabase(config, ({ embedded }) => backup(demandEmbedded(embedded), file)));
  },
  restore: async ([file], config) => {
    const { restore } = await import('../db/embedded/restore.ts');
    if (!file) throw new Refusal('Name the file to read: leadline restore leadline.tar.gz');
    demandEmbedded(!config.database);
    say(await restore(config.dataDir, file, say));
  },
  move: async (args, config) => {
    const { move } = await import('../db/move.ts');
    const { values } = parseArgs({ args, options: { to: { type: 'string' } }, strict: false });
    if (typeof values.to !== 'string') {
      throw new Refusal('Name the database to copy to: leadline move --to postgresql://user:password@host/leadline');
    }
    demandData(config);
    await withDatabase(config, ({ directUrl }) => move(directUrl, values.to as string, say));
  },
};

export async function run([name = 'help', ...args]: string[]): Promise<void> {
  if (name === '--version' || name === 'version') return say(VERSION);
  if (name === 'help' || name === '--help' || name === '-h') return say(USAGE);
  try {
    const command = commands[name];
    if (!command) throw new Refusal(`There is no command "${name}".\n\n${USAGE}`);
    await command(args, readConfig(readEnvironment()));
  } catch (error) {
    console.error(explain(error));
    process.exitCode = 1;
  }
}

/** What an operator can mend, in a sentence; anything else with where it happened. */
function explain(error: unknown): unknown {
  if (error instanceof Refusal || error instanceof HttpError) return error.message;
  const { path, message } = error as NodeJS.ErrnoException;
  const disk = describeDiskFault(error);
  if (disk) return `${path ?? 'What has to be kept'} cannot be written: ${disk}.`;
  return isDatabaseAway(error) ? `The database cannot be used: ${message}.` : error;
}

const say = (sentence: string) => console.log(sentence);

// What is said on the way must not get into what is printed: `KEY=$(leadline key)`.
const remark = (sentence: string) => console.error(sentence);

/** Uses the database of a running Leadline, or starts it for as long as the command takes. */
async function withDatabase<T>(config: Config, use: (database: OpenDatabase) => Promise<T>): Promise<T> {
  const database = await openDatabase(config.database, { dataDir: config.dataDir, attach: true, say: remark });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

/** The same, with the tables up to date. */
function withTables<T>(
  config: Config,
  use: (tables: { database: OpenDatabase; pool: Pool; db: Database }) => Promise<T>,
): Promise<T> {
  return withDatabase(config, async (database) => {
    await migrate(database.directUrl);
    const way = database.embedded ? DIRECT : await probeWay(database.url);
    const pool = createPool(database.url, { log: createLog('silent'), way, patience: config.databasePatience });
    try {
      return await use({ database, pool, db: createDb(pool) });
    } finally {
      await pool.end();
    }
  });
}

/** The same, with the secret at hand. */
const withHousehold = <T>(config: Config, use: (household: Household) => Promise<T>): Promise<T> =>
  withTables(config, async ({ database, pool, db }) => {
    const secrets = await openSecrets(db, readSecretKey(config, database));
    const transact = createTransact({ db, secrets, consequences });
    return use({ pool, db, secrets, transact, incoming: placeIncoming(config, database) });
  });

/** In a wrong folder a new, empty database would be made, and saved as if it were the real one. */
function demandData({ database, dataDir }: Config): void {
  if (database) return;
  const { folder, cluster } = prepareHome(dataDir, remark);
  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    throw new Refusal(`There is no database in ${folder}. Run this in the folder of the service, or set DATA_DIR.`);
  }
}

function demandEmbedded<T>(embedded: T | undefined | false): T {
  if (embedded) return embedded;
  throw new Refusal(
    'DATABASE_URL is set: back up and restore that PostgreSQL with its own tools, such as pg_dump or pg_basebackup.',
  );
}

type Start = (config: Config, log: Log, signal: AbortSignal) => Promise<Running>;

const LONGEST_STOP_MS = 10_000;
/** A Ctrl-C comes twice under npm: from the terminal, and from npm, which passes it on. */
const SAME_SIGNAL_MS = 300;

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
    setTimeout(() => {
      log.error(`Stopping took more than ${LONGEST_STOP_MS / 1000} seconds; leaving what is left`);
      log.flush(() => process.exit(1));
    }, LONGEST_STOP_MS);
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
