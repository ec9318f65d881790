import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { createDb, lastly, query, settle, together } from './db.ts';
import { asIs, atEnd, createBareDatabase } from '../../test/database.ts';
import { hasBouncer, openBouncer } from '../../test/bouncer.ts';
import { skipWithout } from '../../test/peers.ts';
import { createLog } from './log.ts';
import { createPools, endPools } from './pool.ts';

const house = await openHouse();
const api = house.withKey(house.key);
const list = (await api('POST', '/lists', { list: { name: 'Broken' } })).body.id as number;
const lead = (await api('POST', `/lists/${list}/leads`, { lead: {} })).body.id as number;

const killWaiting = () =>
  eventually('someone waits for a lock', async () => {
    const { rowCount } = await house.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rowCount;
  });

describe('connections', () => {
  const skip = skipWithout(hasBouncer, 'PgBouncer is not installed.');
  test(
    'behind a pooler a statement that is alone has the time of its kind, wherever it comes to lie',
    { skip },
    async () => {
      const url = await openBouncer(await createBareDatabase());
      const pools = createPools(url, { log: createLog('silent'), way: { shared: true, named: false } });
      atEnd(() => endPools(pools));
      // How long the machine takes to open them is not what is asked here.
      for (const { options } of Object.values(pools))
        Object.assign(options, { connectionTimeoutMillis: 120_000, query_timeout: 120_000 });
      const asked = (['vital', 'usual', 'dear'] as const).flatMap((kind) =>
        Array.from({ length: 8 }, async () => {
          const text = `select '${kind} ' || current_setting('statement_timeout') as time, pg_sleep(0.1)`;
          return (await query<{ time: string }>(createDb(pools[kind]), asIs(text), []))[0]!.time;
        }),
      );
      assert.deepEqual(new Set(await Promise.all(asked)), new Set(['vital 5s', 'usual 10s', 'dear 10s']));
    },
  );

  test('one that breaks in mid-work is a 503 to whoever used it and nothing to anybody else', async () => {
    const client = await house.pool.connect();
    await client.query('begin');
    await client.query('select from leads where id = $1 for update', [lead]);
    const asked = api('POST', `/leads/${lead}/winner`);
    await killWaiting();
    const { status, headers } = await asked;
    assert.deepEqual([status, headers.get('retry-after') !== null], [503, true]);
    await client.query('rollback');
    client.release();
    assert.equal((await api('POST', `/leads/${lead}/winner`)).status, 204);
  });

  test('whoever waits too long for a lock is told to come again', async () => {
    const client = await house.pool.connect();
    await client.query('begin');
    await client.query('select from leads where id = $1 for update', [lead]);
    assert.equal((await api('POST', `/leads/${lead}/winner`)).status, 503);
    await client.query('rollback');
    client.release();
  });

  test('a table that changes under prepared statements ends no more than a moment', async () => {
    const read = (pause: number) =>
      house.transact(async ({ db }) => {
        const rows = await query<object>(db, asIs('select * from accounts where id = $1'), [house.account.id]);
        await query(db, asIs('select pg_sleep($1)'), [pause]);
        return rows;
      });
    // Prepared on many connections.
    await Promise.all(Array.from({ length: 15 }, () => read(0.2)));
    await house.pool.query('alter table accounts add column later text');
    for (let turn = 0; turn < 10; turn += 1) assert.ok('later' in (await read(0))[0]!);
    await house.pool.query('alter table accounts drop column later');
  });
});

test('a moment is the same whatever the clocks of the database show', async () => {
  const client = await house.pool.connect();
  const moments = [
    '2026-11-18T13:34:38.123Z',
    '2026-11-18T13:34:38.120Z',
    '2026-11-18T13:34:38.007Z',
    '2026-02-28T23:59:59.000Z',
    '1969-12-31T23:59:59.999Z',
    '1000-01-01T00:00:00.000Z',
    '0099-03-04T05:06:07.890Z',
    '-000043-03-15T12:00:00.000Z',
    '+012026-01-01T00:00:00.000Z',
  ].map((text) => new Date(text));
  try {
    for (const zone of ['UTC', 'Asia/Kolkata', 'Europe/Copenhagen', 'America/New_York']) {
      await client.query(`set timezone = '${zone}'`);
      for (const moment of moments) {
        const asked = 'select to_timestamp($1::float8) as at';
        const { rows } = await client.query<{ at: Date }>(asked, [moment.getTime() / 1_000]);
        assert.equal(rows[0]!.at.toISOString(), moment.toISOString(), zone);
      }
    }
    const { rows } = await client.query(
      `select timestamptz '2026-11-18 13:34:38.123987Z' as at, timestamptz 'infinity' as never`,
    );
    assert.deepEqual(rows, [{ at: new Date('2026-11-18T13:34:38.123Z'), never: Infinity }]);
  } finally {
    client.release(true);
  }
});

describe('a transaction', () => {
  const count = async () => (await query(house.db, asIs(`select from nodes where host = 'tx'`), [])).length;
  const INSERT = asIs(`insert into nodes (role, host, pid, version) values ('work', 'tx', $1, '0')`);

  test('in which a statement failed is told to have failed, though its error went nowhere', async () => {
    const act = house.db.transaction(async (db) => {
      await query(db, INSERT, [1]);
      await query(db, asIs('select 1 / $1::int'), [0]).catch(() => {});
    });
    await assert.rejects(act, /failed, so none of it happened/);
    assert.equal(await count(), 0);
  });

  test('takes no statement once it is over', async () => {
    const late = await house.db.transaction(async (db) => db);
    await assert.rejects(query(late, INSERT, [2]), /after its transaction was over/);
    assert.equal(await count(), 0);
  });

  test('leaves a connection behind that is good for the next, however it ended', async () => {
    for (let turn = 0; turn < 12; turn += 1) {
      const refused = house.db.transaction(async (db) => {
        await query(db, INSERT, [3]);
        throw new Error('changed my mind');
      });
      await assert.rejects(refused, /changed my mind/);
    }
    assert.equal(await count(), 0);
    await house.db.transaction((db) => query(db, INSERT, [4]));
    assert.equal(await count(), 1);
  });
});

describe('the last statements of a transaction', () => {
  const ADD = asIs(`insert into nodes (role, host, pid, version) values ('work', 'last', $1, '0') returning pid`);
  const pids = async () => {
    const rows = await query<{ pid: number }>(
      house.db,
      asIs(`select pid from nodes where host = 'last' order by pid`),
      [],
    );
    return rows.map(({ pid }) => pid);
  };
  const add = (pid: number) => ({ text: ADD, values: [pid] });

  test('are committed with what came before them, and read when they are', async () => {
    const read = await house.db.transaction(async (tx) => {
      await query(tx, ADD, [1]);
      return lastly<number[], { pid: number }[][]>(tx, [add(2), add(3)], (answers) => answers.map(([row]) => row!.pid));
    });
    assert.deepEqual(
      [read, await pids()],
      [
        [2, 3],
        [1, 2, 3],
      ],
    );
    assert.equal(await house.db.transaction(async (tx) => lastly(tx, [add(4)], () => 'alone')), 'alone');
    assert.deepEqual(await pids(), [1, 2, 3, 4]);
  });

  test('undo all of it when one of them fails, which is what is told, and the connection is good for the next', async () => {
    for (let turn = 0; turn < 12; turn += 1) {
      const act = house.db.transaction(async (tx) => {
        await query(tx, ADD, [5]);
        return lastly(tx, [add(6), { text: asIs('select 1 / $1::int'), values: [0] }, add(7)], () => 'never');
      });
      await assert.rejects(act, /division by zero/);
    }
    assert.deepEqual(await pids(), [1, 2, 3, 4]);
  });

  test('tell what the commit finds, and nothing of it has happened', async () => {
    await house.pool.query('create table deferred (n int unique deferrable initially deferred)');
    await house.pool.query('insert into deferred values (1)');
    const add1 = { text: asIs('insert into deferred values ($1) returning n'), values: [1] };
    const within = house.db.transaction(async (tx) => {
      await query(tx, ADD, [8]);
      return lastly(tx, [add1], () => 'never');
    });
    await assert.rejects(within, /duplicate key/);
    await assert.rejects(
      house.db.transaction(async (tx) => lastly(tx, [add1], () => 'never')),
      /duplicate key/,
    );
    assert.deepEqual(await pids(), [1, 2, 3, 4]);
  });

  test('that nobody sends undo it too, instead of being forgotten', async () => {
    const act = house.db.transaction(async (tx) => {
      await query(tx, ADD, [9]);
      lastly(tx, [add(10)], () => 'lost');
      return 'done';
    });
    await assert.rejects(act, /made, and not sent/);
    assert.deepEqual(await pids(), [1, 2, 3, 4]);
  });

  test('can be sent by those who have more to do', async () => {
    const done = await house.db.transaction(async (tx) => {
      const told = await settle(
        tx,
        lastly<number, [{ pid: number }[]]>(tx, [add(11)], ([[row]]) => row!.pid),
      );
      return lastly(tx, [add(12)], () => told);
    });
    assert.deepEqual([done, await pids()], [11, [1, 2, 3, 4, 11, 12]]);
  });
});

describe('statements that are done together', () => {
  test('are one: all or nothing, and the last one answers', async () => {
    const insert = (name: string) => ({
      text: asIs('insert into nodes (role, host, pid, version) values ($1, $2, $3, $4)'),
      values: ['work', name, 1, '0'],
    });
    const count = {
      text: asIs('select count(*) as nodes from nodes where host = any ($1::text[])'),
      values: [['a', 'b']],
    };
    await together(house.db, [insert('a'), insert('b')]);
    assert.deepEqual(await together(house.db, [count]), [{ nodes: 2 }]);
    const broken = {
      text: asIs('insert into nodes (role, host, pid, version) values ($1, $2, $3 / 0, $4)'),
      values: ['work', 'c', 1, '0'],
    };
    await assert.rejects(together(house.db, [insert('a'), broken]));
    assert.deepEqual(await together(house.db, [count]), [{ nodes: 2 }]);
  });
});
