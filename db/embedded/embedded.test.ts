import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  eventually,
  isRoot,
  makeFolder,
  makeInstallation,
  NOBODY,
  postmasterPid,
  runLeadline,
  spawnLeadline,
  startLeadline,
  statusOf,
  type Leadline,
} from '../../test/leadline.ts';
import { startWriter, tallyWrites } from '../../test/writer.ts';
import { databaseUrl } from './server.ts';
import { prepareHome } from './home.ts';
import { inspectProcess } from './processes.ts';

const asRoot = { skip: !isRoot && 'only root can act as another user' };

const urlOf = (dataDir: string) => databaseUrl(prepareHome({ path: dataDir, explicit: true }, () => {}));
const isGone = (pid: number) => !inspectProcess(pid);
const ready = (leadline: Leadline) =>
  eventually('ready', async () => (await statusOf(`${leadline.address}/health/ready`)) === 200);

describe('whose it is', () => {
  test('started by root, PostgreSQL runs as another user and its files are closed to others', asRoot, async () => {
    const DATA_DIR = makeFolder();
    const leadline = await startLeadline({ env: { DATA_DIR } });
    const [, uid] = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${postmasterPid(DATA_DIR)}/status`, 'utf8'))!;
    assert.notEqual(uid, '0');
    assert.equal(statSync(join(DATA_DIR, 'pgdata')).uid, Number(uid));
    await leadline.stop();

    chmodSync(join(DATA_DIR, 'pgdata'), 0o755);
    chmodSync(join(DATA_DIR, 'password'), 0o644);
    await (await startLeadline({ env: { DATA_DIR } })).stop();
    assert.equal(statSync(join(DATA_DIR, 'pgdata')).mode & 0o777, 0o700);
    assert.equal(statSync(join(DATA_DIR, 'password')).mode & 0o777, 0o600);
  });

  test(
    'started by someone else, PostgreSQL runs as that user, and root may start it for them later',
    asRoot,
    async () => {
      const DATA_DIR = makeFolder(NOBODY);
      await (await startLeadline({ env: { DATA_DIR }, user: NOBODY })).stop();
      assert.equal(statSync(join(DATA_DIR, 'pgdata')).uid, NOBODY.uid);
      await (await startLeadline({ env: { DATA_DIR } })).stop();
      await (await startLeadline({ env: { DATA_DIR }, user: NOBODY })).stop();
    },
  );

  test("another user's database is refused with a sentence", asRoot, async () => {
    const DATA_DIR = makeFolder(NOBODY);
    mkdirSync(join(DATA_DIR, 'pgdata'));
    chownSync(join(DATA_DIR, 'pgdata'), 12_345, 12_345);
    const { code, output } = await runLeadline(['serve'], { env: { DATA_DIR }, user: NOBODY });
    assert.equal(code, 1);
    assert.match(output, /belongs to another user \(id 12345\)/);
  });

  test('a user without a name is told so and pointed to DATABASE_URL', asRoot, async () => {
    const stranger = { uid: 54_321, gid: 54_321 };
    const { code, output } = await runLeadline(['serve'], { env: { DATA_DIR: makeFolder(stranger) }, user: stranger });
    assert.equal(code, 1);
    assert.match(output, /user id 54321 has no name on this machine.*DATABASE_URL/);
  });
});

describe('where it is', () => {
  test('a DATA_DIR closed to others is opened just enough', asRoot, async () => {
    const DATA_DIR = makeInstallation();
    chmodSync(DATA_DIR, 0o700);
    await (await startLeadline({ env: { DATA_DIR } })).stop();
    assert.equal(statSync(DATA_DIR).mode & 0o777, 0o701);
  });

  test(
    'a DATA_DIR inside a folder that cannot be entered is refused with a sentence and not replaced',
    asRoot,
    async () => {
      const closed = makeFolder();
      chmodSync(closed, 0o700);
      const DATA_DIR = join(closed, 'data');
      const { code, output } = await runLeadline(['serve'], { env: { DATA_DIR }, cwd: '/' });
      assert.equal(code, 1);
      assert.match(output, /cannot be entered by the user "\w+".*Set DATA_DIR/);
      assert.equal(existsSync(join(DATA_DIR, 'pgdata')), false);
    },
  );

  test('a DATA_DIR that cannot be written is refused with a sentence', asRoot, async () => {
    const { code, output } = await runLeadline(['serve'], { env: { DATA_DIR: makeFolder() }, user: NOBODY });
    assert.equal(code, 1);
    assert.match(output, /cannot be written \(EACCES\)/);
  });

  test('a full disk, and one that is read-only, are told in a sentence, and leave nothing half made', async (t) => {
    const disks: string[] = [];
    try {
      // Room for nothing but the folders, for the password, for a part of the new database.
      for (const options of ['size=4k', 'size=8k', 'size=1m', 'size=1m,ro']) {
        const folder = makeFolder();
        const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `mode=755,${options}`, 'tmpfs', folder]);
        if (status !== 0) return t.skip('this machine does not let us have a small disk');
        disks.push(folder);
      }
      const ended = await Promise.all(disks.map((DATA_DIR) => runLeadline(['serve'], { env: { DATA_DIR } })));
      for (const [index, { code, output }] of ended.entries()) {
        assert.equal(code, 1);
        assert.match(
          output,
          index < 3 ? /: the disk is full\.\n$/ : /cannot be written \(the file system is read-only\)/,
        );
        assert.equal(output.trim().split('\n').length, 1, output);
        const left: string[] = readdirSync(disks[index]!).filter((name) => name !== 'run' && name !== 'password');
        assert.deepEqual(left, []);
      }
    } finally {
      for (const folder of disks) spawnSync('umount', ['-l', folder]);
    }
  });

  test('an empty secret, as a full disk could leave it, is not taken for one', async () => {
    const DATA_DIR = makeFolder();
    writeFileSync(join(DATA_DIR, 'secret'), '');
    const { code, output } = await runLeadline(['key'], { env: { DATA_DIR } });
    assert.deepEqual(
      { code, output },
      { code: 1, output: `${join(DATA_DIR, 'secret')} is empty. Put back what it held, from a backup.\n` },
    );
  });

  test('only the default folder gives way to another, which is named and found again', asRoot, async (t) => {
    const closed = makeFolder();
    chmodSync(closed, 0o700);
    const said: string[] = [];
    const wanted = { path: join(closed, 'data'), explicit: false };
    const { folder } = prepareHome(wanted, (sentence) => said.push(sentence));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    assert.match(folder, /^\/var\/lib\/leadline\//);
    assert.ok(said[0]!.endsWith(`The data goes to ${folder} instead.`));
    // Once there is data, it is found even when the default folder has become usable.
    mkdirSync(join(folder, 'pgdata'));
    chmodSync(closed, 0o755);
    assert.equal(prepareHome(wanted, () => {}).folder, folder);
  });

  test('a path too long for a socket works', async () => {
    const DATA_DIR = join(makeFolder(), 'a-rather-long-name-of-a-folder'.repeat(4));
    mkdirSync(DATA_DIR);
    const leadline = await startLeadline({ env: { DATA_DIR } });
    const { sockets } = prepareHome({ path: DATA_DIR, explicit: true }, () => {});
    assert.match(sockets, /^\/tmp\/leadline-[0-9a-f]{12}$/);
    await ready(leadline);
    await leadline.stop();
    rmSync(sockets, { recursive: true });
  });
});

describe('what earlier runs left behind', () => {
  test('a folder in the place of the database that holds something else is refused, not removed', async () => {
    const DATA_DIR = makeFolder();
    mkdirSync(join(DATA_DIR, 'pgdata/18'), { recursive: true });
    const { code, output } = await runLeadline(['serve'], { env: { DATA_DIR } });
    assert.equal(code, 1);
    assert.match(output, /pgdata holds files but no database/);
    assert.ok(existsSync(join(DATA_DIR, 'pgdata/18')));
    assert.equal(existsSync(join(DATA_DIR, 'owner')), false);
  });

  test("what root left in a user's folder does not keep the user out", asRoot, async () => {
    const DATA_DIR = makeFolder(NOBODY);
    await (await startLeadline({ env: { DATA_DIR }, user: NOBODY })).stop();
    const byRoot = await startLeadline({ env: { DATA_DIR } });
    process.kill(byRoot.pid, 'SIGKILL');
    await byRoot.ended;
    await (await startLeadline({ env: { DATA_DIR }, user: NOBODY })).stop();
  });

  test('a lock file that names a living stranger, a dead process or a zombie does not keep it from starting', async (t) => {
    const DATA_DIR = makeInstallation();
    await (await startLeadline({ env: { DATA_DIR } })).stop();
    // The inner shell ends at once and stays a zombie, because its parent has become a program that never asks after it.
    const parent = spawn('/bin/sh', ['-c', 'sh -c "echo \\$\\$" & exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    t.after(() => parent.kill());
    const zombie = Number(await new Promise<Buffer>((resolve) => parent.stdout.once('data', resolve)));
    await eventually('a zombie', () => / Z /.test(readFileSync(`/proc/${zombie}/stat`, 'utf8')));

    for (const pid of [process.pid, 999_999_999, zombie]) {
      const lock = [pid, join(DATA_DIR, 'pgdata'), 0, 5432, join(DATA_DIR, 'run'), '', '', 'ready'].join('\n');
      writeFileSync(join(DATA_DIR, 'pgdata/postmaster.pid'), lock);
      writeFileSync(join(DATA_DIR, 'run/.s.PGSQL.5432.lock'), lock);
      await (await startLeadline({ env: { DATA_DIR } })).stop();
    }
  });

  test('half a new database is swept up', async () => {
    const DATA_DIR = makeFolder();
    mkdirSync(join(DATA_DIR, 'pgdata.new-4711/base'), { recursive: true });
    await (await startLeadline({ env: { DATA_DIR } })).stop();
    assert.equal(existsSync(join(DATA_DIR, 'pgdata.new-4711')), false);
  });

  test('a PostgreSQL whose Leadline and watchdog were both killed is stopped, and a new one started', async () => {
    const DATA_DIR = makeInstallation();
    const first = await startLeadline({ env: { DATA_DIR } });
    const orphan = postmasterPid(DATA_DIR);
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
    const stopped = first.stop();
    const second = await startLeadline({ env: { DATA_DIR } });
    assert.equal((await stopped).code, 0);
    await second.stop();
  });

  test('a Leadline whose PostgreSQL is still recovering is left alone', async () => {
    const DATA_DIR = makeInstallation();
    await (await startLeadline({ env: { DATA_DIR } })).stop();
    // Recovery that waits for a log that never comes: PostgreSQL runs, and is not ready.
    writeFileSync(join(DATA_DIR, 'pgdata/recovery.signal'), '');
    writeFileSync(join(DATA_DIR, 'pgdata/postgresql.auto.conf'), "restore_command = 'sleep 8; false'\n");
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

describe('the end', () => {
  test('a clean stop leaves nothing running and nothing to recover', async () => {
    const DATA_DIR = makeInstallation();
    const leadline = await startLeadline({ env: { DATA_DIR } });
    const postmaster = postmasterPid(DATA_DIR);
    assert.equal((await leadline.stop()).code, 0);
    assert.ok(isGone(postmaster));
    assert.deepEqual(
      ['pgdata/postmaster.pid', 'owner'].filter((name) => existsSync(join(DATA_DIR, name))),
      [],
    );
    assert.match(readFileSync(join(DATA_DIR, 'postgres.log'), 'utf8'), /database system is shut down\n$/);
  });

  test('kill -9 of Leadline ends PostgreSQL too; started again, nothing acknowledged is lost', async () => {
    const DATA_DIR = makeInstallation({ durable: true });
    const first = await startLeadline({ env: { DATA_DIR } });
    const writer = await startWriter(urlOf(DATA_DIR));
    await eventually('200 writes', () => writer.acknowledged() >= 200);
    const postmaster = postmasterPid(DATA_DIR);
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    await eventually('PostgreSQL gone', () => isGone(postmaster));
    await writer.stop();
    await expectNothingLost(DATA_DIR, writer.acknowledged());
  });

  test('kill -9 of PostgreSQL: 503 meanwhile, ready again by itself, nothing acknowledged is lost', async () => {
    const DATA_DIR = makeInstallation({ durable: true });
    const leadline = await startLeadline({ env: { DATA_DIR } });
    const writer = await startWriter(urlOf(DATA_DIR));
    await eventually('200 writes', () => writer.acknowledged() >= 200);
    const postmaster = postmasterPid(DATA_DIR);
    process.kill(postmaster, 'SIGKILL');
    await eventually('not ready', async () => (await statusOf(`${leadline.address}/health/ready`)) === 503);
    assert.equal(await statusOf(`${leadline.address}/health/live`), 200);
    await ready(leadline);
    assert.notEqual(postmasterPid(DATA_DIR), postmaster);
    await writer.stop();
    const { count, highest } = await tallyWrites(urlOf(DATA_DIR));
    assert.ok(count >= writer.acknowledged());
    assert.equal(count, highest);
    assert.equal((await leadline.stop()).code, 0);
  });

  test('kill -9 of both: started again, nothing acknowledged is lost', async () => {
    const DATA_DIR = makeInstallation({ durable: true });
    const first = await startLeadline({ env: { DATA_DIR } });
    const writer = await startWriter(urlOf(DATA_DIR));
    await eventually('200 writes', () => writer.acknowledged() >= 200);
    process.kill(postmasterPid(DATA_DIR), 'SIGKILL');
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    await writer.stop();
    await expectNothingLost(DATA_DIR, writer.acknowledged());
  });
});

async function expectNothingLost(DATA_DIR: string, acknowledged: number): Promise<void> {
  const leadline = await startLeadline({ env: { DATA_DIR } });
  const { count, highest } = await tallyWrites(urlOf(DATA_DIR));
  // One more may have been written than was acknowledged: its answer was on the way.
  assert.ok(count >= acknowledged, `${count} rows of ${acknowledged} acknowledged`);
  assert.equal(count, highest);
  await leadline.stop();
}
