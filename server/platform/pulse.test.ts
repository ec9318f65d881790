import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBareDatabase, createTestDatabase, atEnd } from '../../test/database.ts';
import { eventually } from '../../test/leadline.ts';
import { openProxy } from '../../test/proxy.ts';
import { isDatabaseAway } from './errors.ts';
import { createLog } from './log.ts';
import { createPool } from './pool.ts';
import { startPulse } from './pulse.ts';

const log = createLog('silent');

/** The connections of a node, by way of a proxy for each host. */
function openNode(hosts: string[], first = hosts[0]!) {
  const pulse = startPulse(hosts, first, log);
  const pool = createPool(first, { log, pulse });
  // They are not to give up by themselves before, where it takes a busy machine long to find out.
  pool.options.connectionTimeoutMillis = 120_000;
  atEnd(async () => {
    await pulse.stop();
    await pool.end();
  });
  return { pulse, pool };
}

const endOthers = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1';

test('a database that hangs ends what waits for it, refuses the rest at once, and is used again when it answers', async () => {
  const proxy = await openProxy((await createTestDatabase()).url);
  const { pulse, pool } = openNode([proxy.url]);
  await pool.query('select 1');
  proxy.freeze();
  await assert.rejects(pool.query('select 1'), isDatabaseAway);
  assert.equal(pulse.fault(), 'away');
  await assert.rejects(pool.query('select 1'), { name: 'DatabaseAway' });
  await assert.rejects(pool.connect(), { name: 'DatabaseAway' });
  proxy.thaw();
  await eventually('it is back', () => pulse.fault() === undefined);
  assert.equal((await pool.query('select 1 as one')).rows[0].one, 1);
});

test('whoever waits for a connection when the database is lost is refused at once, and none to the old host is made', async () => {
  const proxy = await openProxy((await createTestDatabase()).url);
  const { pulse, pool } = openNode([proxy.url]);
  const held = await Promise.all(Array.from({ length: 6 }, () => pool.connect()));
  const waiting = Array.from({ length: 6 }, () => pool.query('select 1'));
  for (const client of held) client.query('select pg_sleep(60)').catch(() => client.release(true));
  proxy.freeze();
  for (const one of waiting) await assert.rejects(one, { name: 'DatabaseAway' });
  assert.equal(pulse.fault(), 'away');
  await eventually('none is left', () => pool.totalCount === 0);
});

test('a primary that becomes read-only is left with all its connections, and used again when it can be written to', async () => {
  const url = await createBareDatabase();
  const name = new URL(url).pathname.slice(1);
  const { pulse, pool } = openNode([url]);
  await pool.query('create table kept (id int)');
  const onServer = new URL(url);
  onServer.pathname = '/postgres';
  const server = createPool(onServer.href, { log });
  atEnd(() => server.end());
  await server.query(`alter database ${name} set default_transaction_read_only = on`);
  await server.query(endOthers, [name]);
  await eventually('it is noticed', () => pulse.fault() === 'read-only');
  await assert.rejects(pool.query('insert into kept values (1)'), { name: 'DatabaseAway' });
  await server.query(`alter database ${name} set default_transaction_read_only = off`);
  await server.query(endOthers, [name]);
  await eventually('it can be written to', () => pulse.fault() === undefined);
  await pool.query('insert into kept values (1)');
});

test('of several hosts the one that can be written to is used, also when it becomes another', async () => {
  const [first, second] = [await openProxy(await createBareDatabase()), await openProxy(await createBareDatabase())];
  const { pulse, pool } = openNode([first.url, second.url], second.url);
  const nameOf = async () => `/${(await pool.query('select current_database() as name')).rows[0].name}`;
  assert.equal(await nameOf(), new URL(second.url).pathname);
  second.freeze();
  await eventually('the other is used', () => pulse.url() === first.url && pulse.fault() === undefined);
  assert.equal(await nameOf(), new URL(first.url).pathname);
});
