import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Client } from 'pg';
import {
  canBeApart,
  eventually,
  isRoot,
  makeFolder,
  makeInstallation,
  NOBODY,
  openOnce,
  postmasterPid,
  ready,
  runLeadline,
  spawnLeadline,
  startLeadline,
  type Leadline,
} from '../../test/leadline.ts';
import { startWriter, tallyWrites } from '../../test/writer.ts';
import { prepareHome } from './home.ts';
import { occupy } from './occupancy.ts';
import { inspectProcess } from './processes.ts';
import { databaseUrl, startEmbedded } from './server.ts';

const asRoot = { skip: !isRoot && 'only root can act as another user' };
const urlOf = (dataDir: string) => databaseUrl(prepareHome({ path: dataDir, explicit: true }, () => {}));
const isGone = (pid: number) => !inspectProcess(pid);

describe('what earlier runs left behind', () => {
  test('a folder in the place of the database that holds something else is refused, not removed', async () => {
    const DATA_DIR = makeFolder();
    mkdirSync(join(DATA_DIR, 'pgdata/18'), { recursive: true });
    const { code, output } = await runLeadline(['migrate'], { env: { DATA_DIR } });
    assert.equal(code, 1);
    assert.match(output, /pgdata holds files but no database/);
    assert.ok(existsSync(join(DATA_DIR, 'pgdata/18')));
    assert.equal(existsSync(join(DATA_DIR, 'owner')), false);
  });

  test("what root left in a user's folder does not keep the user out", asRoot, async () => {
    const DATA_DIR = makeInstallation({ owner: NOBODY });
    await openOnce({ env: { DATA_DIR }, user: NOBODY });
    const byRoot = await startLeadline({ env: { DATA_DIR } });
    process.kill(byRoot.pid, 'SIGKILL');
    await byRoot.ended;
    await openOnce({ env: { DATA_DIR }, user: NOBODY });
  });

  test('a lock file that names a living stranger, a dead process or a zombie does not keep it from starting', async (t) => {
    const DATA_DIR = makeInstallation();
    // The inner shell ends at once and stays a zombie, because its parent has become a program that never asks after it.
    const parent = spawn('/bin/sh', ['-c', 'sh -c "echo \\$\\$" & exec sleep 900'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    t.after(() => parent.kill());
    const zombie = Number(await new Promise<Buffer>((resolve) => parent.stdout.once('data', resolve)));
    await eventually('a zombie', () => / Z /.test(readFileSync(`/proc/${zombie}/stat`, 'utf8')));

    for (const pid of [process.pid, 999_999_999, zombie]) {
      // The dead one had not come to listen.
      const [sockets, status] = pid === 999_999_999 ? ['', ''] : [join(DATA_DIR, 'run'), 'ready'];
      const lock = [pid, join(DATA_DIR, 'pgdata'), 0, 5432, sockets, '', '', status].join('\n');
      writeFileSync(join(DATA_DIR, 'pgdata/postmaster.pid'), lock);
      writeFileSync(join(DATA_DIR, 'run/.s.PGSQL.5432.lock'), lock);
      await (await startLeadline({ env: { DATA_DIR } })).stop();
    }
  });

  test('half a new database is swept up', async () => {
    const DATA_DIR = makeFolder();
    mkdirSync(join(DATA_DIR, 'pgdata.new-4711/base'), { recursive: true });
    assert.equal((await runLeadline(['migrate'], { env: { DATA_DIR } })).code, 0);
    assert.equal(existsSync(join(DATA_DIR, 'pgdata.new-4711')), false);
  });

  test('a PostgreSQL whose Leadline and watchdog were both killed is stopped, and a new one started', async () => {
    const DATA_DIR = makeInstallation();
    const first = await startLeadline({ env: { DATA_DIR } });
    const orphan = postmasterPid(DATA_DIR);
    // Else it may notice that the watchdog has gone, and start another PostgreSQL, before it is killed itself.
    process.kill(first.pid, 'SIGSTOP');
    for (const pid of watchdogsOf(orphan)) process.kill(pid, 'SIGKILL');
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    assert.equal(isGone(orphan), false);
    const second = await startLeadline({ env: { DATA_DIR } });
    assert.ok(isGone(orphan));
    assert.match(second.output(), new RegExp(`left behind \\(process ${orphan}\\)`));
    await second.stop();
  });
});

/** The watchdog and the part of it that listens to Leadline. */
function watchdogsOf(postmaster: number): number[] {
  const parentOf = (pid: string) => Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  const watchdog = parentOf(String(postmaster));
  const listeners = readFileSync(`/proc/${watchdog}/task/${watchdog}/children`, 'utf8').trim().split(' ').map(Number);
  return [...listeners.filter((pid) => pid !== postmaster), watchdog];
}

describe('two at once', () => {
  test('a second Leadline on the same folder refuses with a sentence, and the first works on', async () => {
    const DATA_DIR = makeInstallation();
    const first = await startLeadline({ env: { DATA_DIR } });
    const { code, output } = await runLeadline(['serve'], { env: { DATA_DIR, PORT: '0' } });
    assert.equal(code, 1);
    assert.match(output, new RegExp(`already runs on the data folder ${DATA_DIR} \\(process ${first.pid}\\)`));
    await ready(first);
    await first.stop();
  });

  test('two that start in the same moment do not both get it', async () => {
    const DATA_DIR = makeFolder();
    const starts = await Promise.allSettled([1, 2, 3].map(() => startLeadline({ env: { DATA_DIR } })));
    const started = starts.filter((start) => start.status === 'fulfilled').map((start) => start.value);
    assert.equal(started.length, 1);
    for (const start of starts) {
      if (start.status === 'rejected') assert.match(String(start.reason), /already runs on the data folder/);
    }
    await ready(started[0]!);
    await started[0]!.stop();
  });

  test('a Leadline that starts while another stops waits for it', async () => {
    const DATA_DIR = makeInstallation();
    const first = await startLeadline({ env: { DATA_DIR } });
    const said: string[] = [];
    // With more patience than the usual: how long the other takes to stop is the machine's affair.
    const starting = startEmbedded({
      dataDir: { path: DATA_DIR, explicit: true },
      patience: 600_000,
      say: (sentence) => said.push(sentence),
    });
    await eventually('it waits', () => said.length > 0);
    assert.deepEqual(said, [`Process ${first.pid} uses the data folder; waiting 600 s for it to stop.`]);
    const postmaster = postmasterPid(DATA_DIR);
    await first.stop();
    const second = await starting;
    assert.notEqual(postmasterPid(DATA_DIR), postmaster);
    await second.stop();
  });

  test('a Leadline whose PostgreSQL is still recovering is left alone', async () => {
    const DATA_DIR = makeInstallation();
    // Recovery that waits for a log that never comes, as long as its folder is there: PostgreSQL runs, and is not ready.
    writeFileSync(join(DATA_DIR, 'pgdata/recovery.signal'), '');
    const wait = 'while test -e recovery.signal; do sleep 1; done; false';
    writeFileSync(join(DATA_DIR, 'pgdata/postgresql.auto.conf'), `restore_command = '${wait}'\n`);
    const first = spawnLeadline(['serve'], { env: { DATA_DIR, PORT: '0' } });
    const postmaster = await eventually(
      'PostgreSQL',
      () => existsSync(join(DATA_DIR, 'pgdata/postmaster.pid')) && postmasterPid(DATA_DIR),
    );
    const { code, output } = await runLeadline(['serve'], { env: { DATA_DIR, PORT: '0' } });
    assert.equal(code, 1);
    assert.match(output, new RegExp(`already runs on the data folder .*process ${first.child.pid}`));
    assert.equal(isGone(postmaster), false);
    first.child.kill('SIGKILL');
    await eventually('PostgreSQL gone', () => isGone(postmaster));
  });

  test('other commands use the running PostgreSQL', async () => {
    const DATA_DIR = makeInstallation();
    const leadline = await startLeadline({ env: { DATA_DIR } });
    const postmaster = postmasterPid(DATA_DIR);
    const { code, output } = await runLeadline(['migrate'], { env: { DATA_DIR } });
    assert.deepEqual({ code, output }, { code: 0, output: 'The database is up to date.\n' });
    assert.equal(postmasterPid(DATA_DIR), postmaster);
    await leadline.stop();
    // And one of their own when none runs.
    assert.equal((await runLeadline(['migrate'], { env: { DATA_DIR } })).code, 0);
    assert.equal(existsSync(join(DATA_DIR, 'pgdata/postmaster.pid')), false);
  });
});

const asContainers = { skip: !canBeApart && 'only root can have processes of its own, with `unshare`' };
const openFolder = (path: string) => ({ dataDir: { path, explicit: true }, patience: 0 });

describe('in another container, where pids mean something else', () => {
  test('a server that only its socket tells of is used by commands, and neither stopped nor joined by a second', async (t) => {
    const folder = makeInstallation();
    const first = await startEmbedded(openFolder(folder));
    t.after(() => first.stop());
    const owner = join(folder, 'owner');
    const written = readFileSync(owner, 'utf8');
    const lock = readFileSync(join(folder, 'pgdata/postmaster.pid'), 'utf8');
    // By another name of the folder its processes are not known for those of its server.
    const path = join(makeFolder(), 'data');
    symlinkSync(folder, path);

    writeFileSync(owner, `999999999 1\n${written.split('\n')[1]}\n`);
    await assert.rejects(
      startEmbedded(openFolder(path)),
      /already runs on .*\(process 999999999 of another container\)/,
    );
    // Its owner is dead.
    writeFileSync(owner, '999999999 1\n');
    await assert.rejects(startEmbedded(openFolder(path)), /A PostgreSQL that cannot be seen from here/);
    const attached = await startEmbedded({ ...openFolder(path), attach: true });
    const client = new Client({ connectionString: attached.url });
    await client.connect();
    await client.end();
    await attached.stop();
    assert.equal(readFileSync(join(folder, 'pgdata/postmaster.pid'), 'utf8'), lock);
    assert.ok(existsSync(join(folder, 'run/.s.PGSQL.5432')));
  });

  test('a folder that is kept while no server runs on it is left alone, until it is given up', async () => {
    const path = makeInstallation();
    const home = prepareHome({ path, explicit: true }, () => {});
    const ownership = await occupy(home, 0, () => {});
    await assert.rejects(startEmbedded(openFolder(path)), new RegExp(`\\(process ${process.pid}\\)`));
    ownership.giveUp();
    await (await startEmbedded(openFolder(path))).stop();
    assert.deepEqual(
      readdirSync(path).filter((name) => name.startsWith('owner')),
      [],
    );
  });

  test('a folder whose path is too long for a socket is known for occupied, too', async () => {
    const path = join(makeFolder(), 'x'.repeat(100));
    mkdirSync(path);
    const home = prepareHome({ path, explicit: true }, () => {});
    const ownership = await occupy(home, 0, () => {});
    const { code, output } = await runLeadline(['serve'], { env: { DATA_DIR: path, PORT: '0' }, apart: canBeApart });
    assert.equal(code, 1);
    assert.match(output, new RegExp(`already runs on the data folder .*\\(process ${process.pid}\\b`));
    ownership.giveUp();
  });

  test('a backup beside a running service uses its server, and a second service refuses', asContainers, async () => {
    const DATA_DIR = makeInstallation();
    const leadline = await startLeadline({ env: { DATA_DIR } });
    const lock = readFileSync(join(DATA_DIR, 'pgdata/postmaster.pid'), 'utf8');
    const file = join(makeFolder(), 'leadline.tar.gz');
    const backup = await runLeadline(['backup', file], { env: { DATA_DIR }, apart: true });
    assert.equal(backup.code, 0, backup.output);
    const second = await runLeadline(['serve'], { env: { DATA_DIR, PORT: '0' }, apart: true });
    assert.equal(second.code, 1);
    assert.match(second.output, new RegExp(`already runs on .*\\(process ${leadline.pid} of another container\\)`));
    assert.equal(readFileSync(join(DATA_DIR, 'pgdata/postmaster.pid'), 'utf8'), lock);
    await ready(leadline);
    assert.equal((await leadline.stop()).code, 0);
  });

  test('kill -9 of one: the next starts by itself, and nothing acknowledged is lost', asContainers, async () => {
    const DATA_DIR = makeInstallation({ durable: true });
    const first = await startLeadline({ env: { DATA_DIR }, apart: true });
    const writer = await startWriter(urlOf(DATA_DIR));
    await eventually('200 writes', () => writer.acknowledged() >= 200);
    await killContainer(first);
    await writer.stop();
    const second = await startLeadline({ env: { DATA_DIR }, apart: true });
    const { count, highest } = await tallyWrites(urlOf(DATA_DIR));
    assert.ok(count >= writer.acknowledged(), `${count} rows of ${writer.acknowledged()} acknowledged`);
    assert.equal(count, highest);
    await killContainer(second);
  });
});

/** The first of its processes is dead once all others are. */
async function killContainer({ child, pid }: Leadline): Promise<void> {
  const first = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
  child.kill('SIGKILL');
  await eventually('the container is gone', () => isGone(first));
}
