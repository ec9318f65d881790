import { parseArgs } from 'node:util';
import { migrate } from '../db/migrate.ts';
import type { OpenDatabase } from '../db/open.ts';
import type { Way } from '../db/pooler.ts';
import { Refusal } from '../db/refusal.ts';
import { acceptSecretKey, isSecretKey } from '../server/canary.ts';
import type { Config } from '../server/config.ts';
import { consequences } from '../server/consequences.ts';
import { addAccount, placeIncoming, printKey, readSecretKey, unseal, type Household } from '../server/household.ts';
import { resetOwner } from '../server/people/users/owners.ts';
import { createDb, type Database, type Pool } from '../server/platform/db.ts';
import { createLog } from '../server/platform/log.ts';
import { readOrigin } from '../server/platform/origin.ts';
import { createPool } from '../server/platform/pool.ts';
import { createTransact } from '../server/platform/work.ts';
import { demandData, demandEmbedded, remark, say, withDatabase } from './database.ts';

/** Commands that act on accounts and their leads, as a request does. */
export const householdCommands = {
  key: async (_args: string[], config: Config) =>
    say(await withHousehold(config, ({ transact }) => printKey(transact, config))),
  account: async ([verb, ...args]: string[], config: Config) => {
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
  owner: async ([verb, ...args]: string[], config: Config) => {
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
  secret: async ([verb]: string[], config: Config) => {
    if (verb !== '--accept') {
      throw new Refusal('Say that the former SECRET_KEY is lost and what it sealed with it: leadline secret --accept');
    }
    await withTables(config, ({ db, database }) => acceptSecretKey(db, () => readSecretKey(config, database)));
    say('This SECRET_KEY is the one of the installation from now on. Set it on every node.');
  },
  backup: async ([file]: string[], config: Config) => {
    const { backup } = await import('../db/embedded/backup.ts');
    if (!file) throw new Refusal('Name the file to write: leadline backup leadline.tar.gz');
    demandEmbedded(!config.database);
    demandData(config);
    // Before an upgrade: its tables stay as they are.
    const said = await withDatabase(config, (database, way) =>
      withPool(config, database, way, (pool) =>
        backup(database.embedded!, file, (secretKey) => isSecretKey(createDb(pool), secretKey)),
      ),
    );
    say(said);
  },
  demo: async (_args: string[], config: Config) => {
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
  import: async (args: string[], config: Config) => {
    const { readImportArgs } = await import('./import-args.ts');
    const asked = readImportArgs(args);
    const { runImport } = await import('./import.ts');
    demandData(config);
    await withHousehold(config, (household) => runImport(asked, { household, config, say, remark }));
  },
  export: async (args: string[], config: Config) => {
    const { exportLeads } = await import('./export.ts');
    demandData(config);
    await withHousehold(config, (household) => exportLeads(args, household, remark));
  },
};

/** A database with its tables up to date. */
function withTables<T>(
  config: Config,
  use: (tables: { database: OpenDatabase; pool: Pool; db: Database }) => Promise<T>,
): Promise<T> {
  return withDatabase(config, async (database, way) => {
    await migrate(database.directUrl);
    return withPool(config, database, way, (pool) => use({ database, pool, db: createDb(pool) }));
  });
}

async function withPool<T>(
  { databasePatience: patience }: Config,
  { url }: OpenDatabase,
  way: Way,
  use: (pool: Pool) => Promise<T>,
): Promise<T> {
  const pool = createPool(url, { log: createLog('silent'), way, patience });
  try {
    return await use(pool);
  } finally {
    await pool.end();
  }
}

/** The same, with the secret at hand. */
const withHousehold = <T>(config: Config, use: (household: Household) => Promise<T>): Promise<T> =>
  withTables(config, async ({ database, pool, db }) => {
    const secrets = await unseal(db, config, database);
    const transact = createTransact({ db, secrets, consequences });
    return use({ pool, db, secrets, transact, incoming: placeIncoming(config, database) });
  });
