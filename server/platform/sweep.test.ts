import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asIs, createTestDatabase } from '../../test/database.ts';
import { sweep, sweepSql } from './sweep.ts';

const { pool, db } = await createTestDatabase();

const count = async (condition: string): Promise<number> =>
  Number((await pool.query(`select count(*) as rows from things where ${condition}`)).rows[0].rows);

test('what is past goes, however much of it there is; the rest stays, and so does what someone works on', async () => {
  await pool.query('create table things (id bigint primary key, past boolean not null, held integer)');
  await pool.query('insert into things select id, id <= 12000, 1 from generate_series(1, 12100) as id');
  const client = await pool.connect();
  await client.query('begin');
  await client.query('select from things where id = 7 for update');
  await sweep(db, [asIs(sweepSql({ table: 'things', past: 'past' }))]);
  assert.deepEqual([await count('past'), await count('not past')], [1, 100]);
  await client.query('commit');
  client.release();
  await sweep(db, [asIs(sweepSql({ table: 'things', past: 'past' }))]);
  assert.equal(await count('past'), 0);
});

test('rows can be changed instead, and a table with which something is wrong holds up no other', async () => {
  const sweeps = [
    { table: 'nothing', past: 'true' },
    { table: 'things', past: 'held is not null', set: 'held = null' },
  ];
  const texts = sweeps.map((one) => asIs(sweepSql(one)));
  await assert.rejects(sweep(db, texts), /"nothing" does not exist/);
  assert.deepEqual([await count('held is null'), await count('held is not null')], [100, 0]);
});
