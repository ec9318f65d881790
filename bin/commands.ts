import { parseArgs } from 'node:util';
import { describeDiskFault } from '../db/disk.ts';
import { migrate } from '../db/migrate.ts';
import { Refusal } from '../db/refusal.ts';
import { readConfig, readEnvironment, type Config } from '../server/config.ts';
import { HttpError, isDatabaseAway } from '../server/platform/errors.ts';
import { VERSION } from '../server/version.ts';
import { demandData, demandEmbedded, say, withDatabase } from './database.ts';

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

/** For these the program behind the tables is read, which takes longer than most others. */
const ofHousehold =
  (name: keyof typeof import('./household.ts').householdCommands): Command =>
  async (args, config) =>
    (await import('./household.ts')).householdCommands[name](args, config);

// What only some need is loaded with them: a serving process stays small, and the others start at once.
const commands: Record<string, Command> = {
  serve: async (_args, config) => (await import('./service.ts')).runServe(config),
  work: async (_args, config) => (await import('./service.ts')).runWork(config),
  key: ofHousehold('key'),
  account: ofHousehold('account'),
  owner: ofHousehold('owner'),
  secret: ofHousehold('secret'),
  demo: ofHousehold('demo'),
  import: ofHousehold('import'),
  export: ofHousehold('export'),
  backup: ofHousehold('backup'),
  migrate: async (_args, config) => {
    const applied = await withDatabase(config, ({ directUrl }) => migrate(directUrl));
    say(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.');
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
    const command = Object.hasOwn(commands, name) && commands[name];
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
