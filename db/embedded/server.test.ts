import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { eventually, makeInstallation, postmasterPid, ready, startLeadline, statusOf } from '../../test/leadline.ts';
import { startWriter, tallyWrites } from '../../test/writer.ts';
import { prepareHome } from './home.ts';
import { inspectProcess } from './processes.ts';
import { databaseUrl } from './server.ts';

const urlOf = (dataDir: string) => databaseUrl(prepareHome({ path: dataDir, explicit: true }, () => {}));
const isGone = (pid: number) => !inspectProcess(pid);

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
    // The next one recovers for as long as this file is there, so that whoever looks late sees it too.
    const held = join(DATA_DIR, 'pgdata/recovery.signal');
    writeFileSync(held, '');
    const wait = 'while test -e recovery.signal; do sleep 0.1; done; false';
    writeFileSync(join(DATA_DIR, 'pgdata/postgresql.auto.conf'), `restore_command = '${wait}'\n`);
    process.kill(postmaster, 'SIGKILL');
    await eventually('not ready', async () => (await statusOf(`${leadline.address}/health/ready`)) === 503);
    assert.equal(await statusOf(`${leadline.address}/health/live`), 200);
    rmSync(held);
    await ready(leadline);
    assert.notEqual(postmasterPid(DATA_DIR), postmaster);
    await writer.stop();
    const { count, highest } = await tallyWrites(urlOf(DATA_DIR));
    assert.ok(count >= writer.acknowledged());
    assert.equal(count, highest);
    await leadline.stop();
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
