// `npm test`: one PostgreSQL for all test files, then node's test runner. `npm test -- server/config.test.ts` runs one file.
import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { databaseUrl, startEmbedded } from '../db/embedded/server.ts';
import { migrate } from '../db/migrate.ts';
import { startJobs } from '../server/platform/jobs.ts';
import { createLog } from '../server/platform/log.ts';
import { createPool } from '../server/platform/pool.ts';
import { executable } from './browser/chromium.mjs';
import { CARELESS } from './leadline.ts';

const ROOT = join(import.meta.dirname, '..');

/** They begin first, so that none is left running alone at the end. A whole run tells at its end which these are. */
const LONGEST = [
  'test/browser/sizes.test.ts',
  'test/browser/phone.test.ts',
  'server/calls/talking.test.ts',
  'test/faults.test.ts',
  'server/imports/run.test.ts',
  'test/checks.test.ts',
  'test/browser/list-settings.test.ts',
  'db/embedded/occupancy.test.ts',
  'bin/commands.test.ts',
  'server/main.test.ts',
  'test/browser/manage.test.ts',
  'test/browser/importing.test.ts',
  'test/browser/frame.test.ts',
  'test/browser/work.test.ts',
  'test/browser/reference.test.ts',
  'test/browser/lists.test.ts',
  'server/household.test.ts',
  'test/browser/leads.test.ts',
  'server/imports/imports.test.ts',
  'test/browser/lead.test.ts',
  'test/browser/bulk.test.ts',
  'test/doors.test.ts',
  'db/embedded/home.test.ts',
  'test/hostile-app.test.ts',
];

/** One more than there are processors: some wait for a clock or for a process that starts. With more, each has to wait for the others. */
const FILES_AT_ONCE = Number(process.env.FILES_AT_ONCE ?? availableParallelism() + 1);

const folder = mkdtempSync(join(whereThereIsRoom(), 'leadline-test-'));
// As root PostgreSQL runs as someone else, who has to get to its folder.
chmodSync(folder, 0o711);
// What tests put down lies there too, and goes with it.
process.env.TMPDIR = folder;
const installation = await prepareInstallation(join(folder, 'installation'));
const dataDir = join(folder, 'server');
spawnSync('cp', ['-a', installation, dataDir]);
const server = await startEmbedded({
  dataDir: { path: dataDir, explicit: true },
  settings: { ...CARELESS, shared_buffers: '128MB', max_connections: '300' },
});
process.env.LEADLINE_TEST_SERVER = databaseUrl(server.home, 'postgres');
process.env.LEADLINE_TEST_INSTALLATION = installation;
// Most files take less time than the types of all that they import take to be stripped.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/leadline');

const given = process.argv.slice(2);
const files =
  given.length > 0
    ? given
    : inOrder(globSync('{bin,contract,db,server,test,web}/**/*.test.ts', { exclude: ['**/node_modules'] }));
// Unpacked here, once: of several files that need it at the same time, the second would find half of it.
if (files.some((file) => file.includes('browser'))) await executable();
const stopping = new AbortController();
const took: [file: string, seconds: number][] = [];
// A test that hangs ends; one on a machine that does something else too does not.
const results = run({
  files,
  concurrency: FILES_AT_ONCE,
  execArgv: ['--test-timeout=900000'],
  signal: stopping.signal,
});
results.on('test:fail', () => {
  process.exitCode = 1;
});
results.on('test:summary', ({ file, duration_ms }) => {
  if (file) took.push([relative(ROOT, file), Math.round(duration_ms / 1_000)]);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
results.compose(new spec()).pipe(process.stdout);
results.on('end', () => {
  if (took.length > 10) console.log(tellLongest());
  void server.stop().then(() => rmSync(folder, { recursive: true, force: true }));
});

/** In memory, where there is plenty of it: a disk that others write to as well stalls for seconds at a time. */
function whereThereIsRoom(): string {
  const [memory, plenty] = ['/dev/shm', 8e9];
  try {
    const { bavail, bsize } = statfsSync(memory);
    return Math.min(bavail * bsize, freemem()) > plenty ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/**
 * A cluster is laid down, migrated and given its job queue once: the server of the tests and the installations that they start are
 * copies of it.
 */
async function prepareInstallation(path: string): Promise<string> {
  const first = await startEmbedded({ dataDir: { path, explicit: true } });
  await migrate(first.url);
  const pool = createPool(first.url, { log: createLog('silent') });
  const jobs = await startJobs(pool, createLog('silent'));
  await jobs.stop();
  await pool.end();
  await first.stop();
  return path;
}

function inOrder(found: string[]): string[] {
  return [...LONGEST, ...found.filter((file) => !LONGEST.includes(file))];
}

function tellLongest(): string {
  const lines = took.toSorted(([, one], [, other]) => other - one).slice(0, 12);
  return ['The longest:', ...lines.map(([file, seconds]) => `${String(seconds).padStart(5)} s  ${file}`)].join('\n');
}
