import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestDatabase } from '../../test/database.ts';
import { eventually } from '../../test/leadline.ts';
import { setClock } from './clock.ts';
import { databaseNow, startClock } from './clock.ts';
import { holdLease, releaseLease } from './lease.ts';
import { createLog } from './log.ts';
import { createWatch, joinNodes, refuseApart, type Node } from './nodes.ts';

const { pool, db } = await createTestDatabase();

describe('signs of life', () => {
  /** Looks every two seconds; what others show is given by how many seconds have passed. */
  const watchFor = (
    seconds: number,
    signs: (second: number) => Record<number, string>,
    from = 0,
    watch = createWatch(1),
  ) => {
    for (let second = from; second <= from + seconds; second += 2) {
      const shown = Object.entries(signs(second)).map(([id, sign]) => ({ id: Number(id), sign }));
      watch.look(shown, second * 1_000, second * 1_000);
    }
    return watch;
  };

  test('whoever shows the same one for eight seconds is silent, however far ahead it lies; whoever shows another lives, however old it is', () => {
    const signs = (second: number) => ({ 1: 'own', 2: 'an hour ahead', 3: `an hour ago, and ${second} seconds` });
    assert.deepEqual(watchFor(6, signs).silent(), []);
    assert.deepEqual(watchFor(8, signs).silent(), [2]);
  });

  test('whoever could not look for a while accuses nobody: all have the time again to show one', () => {
    const watch = watchFor(6, () => ({ 2: 'x' }));
    assert.deepEqual(watchFor(6, () => ({ 2: 'x' }), 60, watch).silent(), []);
    assert.deepEqual(watchFor(2, () => ({ 2: 'x' }), 68, watch).silent(), [2]);
    assert.deepEqual(watchFor(0, () => ({ 2: 'y' }), 72, watch).silent(), []);
  });

  test('a process that was forgotten while it was frozen writes itself down again, under its own number', async () => {
    const node = await joinNodes(db, 'work', createLog('silent'), 'here');
    await pool.query('delete from nodes');
    for (let rows = 0; rows === 0;) rows = (await pool.query('select from nodes where id = $1', [node.id])).rowCount!;
    await node.leave();
    await eventually('it has left', async () => (await pool.query('select from nodes')).rowCount === 0);
  });
});

describe('a lease', () => {
  const join = async (seen: string): Promise<number> =>
    (
      await pool.query<{ id: number }>(
        `insert into nodes (role, host, pid, version, seen_at) values ('serve', 'x', 1, '0', now() + $1::interval) returning id`,
        [seen],
      )
    ).rows[0]!.id;
  const as = (id: number, ...silent: number[]): Node => ({
    id,
    silent: () => silent,
    silentFor: () => 0,
    leave: async () => {},
  });

  test('goes from a holder that is silent to whoever asks first, wherever the clocks stand', async () => {
    for (const seen of ['1 hour', '0', '-1 hour']) {
      const [dead, next, late] = [await join(seen), await join('0'), await join('0')];
      assert.ok(await holdLease(db, seen, as(dead)));
      assert.equal(await holdLease(db, seen, as(next)), undefined, 'it lives, as far as anyone knows');
      const { heardOf } = (await holdLease(db, seen, as(next, dead)))!;
      const { rows } = await pool.query('select least(seen_at, now()) >= $2 as heard from nodes where id = $1', [
        dead,
        heardOf,
      ]);
      assert.ok(rows[0].heard, 'never later than now');
      assert.equal(await holdLease(db, seen, as(late, dead)), undefined);
      // Frozen, not dead: it finds out with its next question.
      assert.equal(await holdLease(db, seen, as(dead)), undefined);
    }
  });

  test('is free when its holder has gone in order, or is not known at all', async () => {
    const [first, second] = [await join('0'), await join('0')];
    assert.ok(await holdLease(db, 'free', as(first)));
    await releaseLease(db, 'free', as(first));
    assert.ok(await holdLease(db, 'free', as(second)));
    await pool.query('delete from nodes where id = $1', [second]);
    assert.ok(await holdLease(db, 'free', as(first)));
  });
});

test('a folder of recordings is known again on a machine that has another name, and is refused beside others and beside a bucket', async () => {
  await pool.query(
    `delete from nodes; insert into nodes (role, host, pid, version, folder) values ('serve', 'former-name', 1, '0', 'mine')`,
  );
  const node = await joinNodes(db, 'serve', createLog('silent'), 'mine');
  const [mine, other] = ['mine', 'other'].map((folder) => ({ path: '/recordings', folder }));
  const beside = (place: Parameters<typeof refuseApart>[2]) => refuseApart(db, node, place);
  await beside(mine!);
  await assert.rejects(beside(other!), /former-name works on the same database and could not read it/);
  await assert.rejects(beside('a bucket'), /former-name works on the same database and keeps them in a folder/);
  await pool.query(`update nodes set folder = null where host = 'former-name'`);
  await beside('a bucket');
  await assert.rejects(beside(mine!), /could not read it/);
  await pool.query(`update nodes set seen_at = now() + interval '1 hour' where host = 'former-name'`);
  await beside(mine!);
  await pool.query(`update nodes set seen_at = now() where host = 'former-name'`);
  await assert.rejects(beside(mine!), /could not read it/);
  // Of two that begin together the one that came first stays.
  await pool.query('update nodes set id = default where host = $1', ['former-name']);
  await beside(mine!);
  await node.leave();
});

test('the clock is the one that was told, and what took a while took no less than nothing', () => {
  setClock(new Date('2040-01-01T00:00:00Z'));
  const now = startClock();
  const before = now();
  setClock(new Date());
  assert.ok(before.getTime() >= Date.parse('2040-01-01') && now() >= before);
  assert.ok(Math.abs(databaseNow().getTime() - Date.now()) < 60_000);
});
