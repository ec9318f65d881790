import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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
  isRoot,
  makeFolder,
  makeInstallation,
  NOBODY,
  openOnce,
  postmasterPid,
  ready,
  runLeadline,
  startLeadline,
} from '../../test/leadline.ts';
import { prepareHome } from './home.ts';

const asRoot = { skip: !isRoot && 'only root can act as another user' };

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
    await openOnce({ env: { DATA_DIR } });
    assert.equal(statSync(join(DATA_DIR, 'pgdata')).mode & 0o777, 0o700);
    assert.equal(statSync(join(DATA_DIR, 'password')).mode & 0o777, 0o600);
  });

  test(
    'started by someone else, PostgreSQL runs as that user, and root may start it for them later',
    asRoot,
    async () => {
      const DATA_DIR = makeFolder(NOBODY);
      await openOnce({ env: { DATA_DIR }, user: NOBODY });
      assert.equal(statSync(join(DATA_DIR, 'pgdata')).uid, NOBODY.uid);
      await openOnce({ env: { DATA_DIR } });
      await openOnce({ env: { DATA_DIR }, user: NOBODY });
    },
  );

  test("another user's database is refused with a sentence", asRoot, async () => {
    const DATA_DIR = makeFolder(NOBODY);
    mkdirSync(join(DATA_DIR, 'pgdata'));
    chownSync(join(DATA_DIR, 'pgdata'), 12_345, 12_345);
    const { code, output } = await runLeadline(['migrate'], { env: { DATA_DIR }, user: NOBODY });
    assert.equal(code, 1);
    assert.match(output, /belongs to another user \(id 12345\)/);
  });

  test('a user without a name is told so and pointed to DATABASE_URL', asRoot, async () => {
    const stranger = { uid: 54_321, gid: 54_321 };
    const { code, output } = await runLeadline(['migrate'], {
      env: { DATA_DIR: makeFolder(stranger) },
      user: stranger,
    });
    assert.equal(code, 1);
    assert.match(output, /user id 54321 has no name on this machine.*DATABASE_URL/);
  });
});

describe('where it is', () => {
  test('a DATA_DIR closed to others is opened just enough', asRoot, async () => {
    const DATA_DIR = makeInstallation();
    chmodSync(DATA_DIR, 0o700);
    await openOnce({ env: { DATA_DIR } });
    assert.equal(statSync(DATA_DIR).mode & 0o777, 0o701);
  });

  test(
    'a DATA_DIR inside a folder that cannot be entered is refused with a sentence and not replaced',
    asRoot,
    async () => {
      const closed = makeFolder();
      chmodSync(closed, 0o700);
      const DATA_DIR = join(closed, 'data');
      const { code, output } = await runLeadline(['migrate'], { env: { DATA_DIR }, cwd: '/' });
      assert.equal(code, 1);
      assert.match(output, /cannot be entered by the user "\w+".*Set DATA_DIR/);
      assert.equal(existsSync(join(DATA_DIR, 'pgdata')), false);
    },
  );

  test('a DATA_DIR that cannot be written is refused with a sentence', asRoot, async () => {
    const { code, output } = await runLeadline(['migrate'], { env: { DATA_DIR: makeFolder() }, user: NOBODY });
    assert.equal(code, 1);
    assert.match(output, /cannot be written \(EACCES\)/);
  });

  test('so is one where no folder can be made at all', async () => {
    const { code, output } = await runLeadline(['migrate'], { env: { DATA_DIR: '/proc/leadline/data' }, cwd: '/' });
    assert.equal(code, 1);
    assert.match(output, /^The data folder \/proc\/leadline\/data cannot be written \(ENOENT\)\.\n$/);
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
      const ended = await Promise.all(disks.map((DATA_DIR) => runLeadline(['migrate'], { env: { DATA_DIR } })));
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
    const DATA_DIR = makeInstallation();
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
