import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { Client } from 'pg';
import { eventually, makeInstallation } from '../../test/leadline.ts';
import { Refusal } from '../refusal.ts';
import { takeBaseBackup } from './base-backup.ts';
import { startEmbedded } from './server.ts';

async function openServer(t: TestContext, settings: Record<string, string> = {}) {
  const server = await startEmbedded({ dataDir: { path: makeInstallation(), explicit: true }, settings });
  const client = new Client({ connectionString: server.url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await server.stop();
  });
  await client.query('create table written (text text)');
  /** Its log goes on to another file, and what no one asks for any more is given the names of those to come. */
  const moveOn = async () => {
    await client.query("insert into written select repeat('x', 100) from generate_series(1, 1000)");
    await client.query('select pg_switch_wal()');
    await client.query('checkpoint');
  };
  const slots = async () =>
    (await client.query<{ wal_status: string }>('select wal_status from pg_replication_slots')).rows;
  return { url: server.url, moveOn, slots };
}

describe('the log that makes a backup consistent', () => {
  test('is still there at the end, however much is written meanwhile', async (t) => {
    const { url, moveOn, slots } = await openServer(t);
    const [first, second] = [await takeBaseBackup(url), await takeBaseBackup(url)];
    await Promise.all([once(first.archive, 'readable'), once(second.archive, 'readable')]);
    for (let times = 0; times < 3; times += 1) await moveOn();
    first.archive.resume();
    assert.match((await first.manifest).toString(), /"WAL-Ranges"/);
    await moveOn();
    second.archive.resume();
    assert.match((await second.manifest).toString(), /"WAL-Ranges"/);
    await eventually('nothing is kept for a backup that is over', async () => (await slots()).length === 0);
  });

  test('is not kept without bound for a backup that nobody reads: it ends with a sentence', async (t) => {
    const { url, moveOn, slots } = await openServer(t, { max_slot_wal_keep_size: '16MB' });
    const { archive, manifest } = await takeBaseBackup(url);
    await once(archive, 'readable');
    await eventually('the log is no longer kept', async () => {
      await moveOn();
      return (await slots()).length === 0;
    });
    archive.resume();
    const error = await manifest.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof Refusal, String(error));
    assert.match(error.message, /^PostgreSQL broke the backup off \(.*more was written meanwhile than it keeps/);
  });
});
