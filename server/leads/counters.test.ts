import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse } from '../../test/house.ts';

const house = await openHouse();
const ask = house.withKey(house.key);

const CATEGORIES = { call_back_categories: 'Bad time, Later', winner_categories: 'Sale', loser_categories: 'Rude' };

/** A random number that is the same in every run. */
function roll(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('counters never drift: 20 connections do everything at random, and they equal a full count', async () => {
  const lists = await Promise.all(
    ['A', 'B', 'C'].map(
      async (name) => (await ask('POST', '/lists', { list: { name, ...CATEGORIES } })).body.id as number,
    ),
  );
  const leads: number[] = [];
  const create = async (list: number) => {
    const { status, body } = await ask('POST', `/lists/${list}/leads`, { lead: { first_name: 'Ann' } });
    assert.equal(status, 201);
    leads.push(body.id);
  };
  for (const list of lists) for (let count = 0; count < 5; count += 1) await create(list);

  const worker = async (seed: number) => {
    const random = roll(seed);
    const any = <T>(of: T[]): T => of[random(of.length)]!;
    for (let turn = 0; turn < 40; turn += 1) {
      const id = any(leads);
      const acts: (() => Promise<{ status: number } | void>)[] = [
        () => create(any(lists)),
        () => ask('PATCH', `/leads/${id}`, { lead: { first_name: `N${random(5)}` } }),
        () => ask('POST', `/leads/${id}/winner`, { lead: { category: any(['', 'Sale', 'Unknown']) } }),
        () =>
          ask('POST', `/leads/${id}/call_back`, {
            lead: { category: any(['', 'Bad time', 'Later']), call_back_in: 5 },
          }),
        () => ask('POST', `/leads/${id}/loser`, { lead: { category: any(['', 'Rude']) } }),
        () => ask('POST', `/leads/${id}/archive`),
        () => ask('PATCH', `/leads/${id}/delegate`, { lead: { delegate_to: 'owner@example.com' } }),
        () =>
          ask('PATCH', `/leads/${id}/migrate`, { lead: { to_list_id: any(lists), give_back_leads: any(['0', '1']) } }),
      ];
      const answer = await any(acts)();
      if (answer) assert.ok([204, 422].includes(answer.status), String(answer.status));
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, index) => worker(index + 1)));

  const { rows } = await house.pool.query<{ list_id: number; state: string; category: string; leads: number }>(
    `select list_id, state, coalesce(category, '') as category, count(*) as leads from leads group by 1, 2, 3 order by 1, 2, 3`,
  );
  const { rows: counted } = await house.pool.query(
    `select list_id, state, category, sum(leads)::int8 as leads from lead_counts
      group by 1, 2, 3 having sum(leads) <> 0 order by 1, 2, 3`,
  );
  assert.deepEqual(counted, rows);
  for (const list of lists) {
    const { body } = await ask('GET', `/lists/${list}/stats`);
    const own = rows.filter(({ list_id }) => list_id === list).reduce((sum, row) => sum + row.leads, 0);
    const { total, ...groups } = body.leads_counts as { total: number } & Record<string, { total: number }>;
    const totals = Object.values(groups).reduce((sum, group) => sum + group.total, 0);
    assert.deepEqual([body.leads_count, total, totals], [own, own, own]);
    assert.equal((await ask('GET', `/lists/${list}`)).body.leads_count, own);
  }
});

test('no state without its event: every lead’s state is that of its last outcome', async () => {
  const { rows } = await house.pool.query(
    `select l.id, l.state, e.changes -> 'state' ->> 1 as told from leads l
       left join lateral (select changes from events where account_id = l.account_id and lead_id = l.id and changes ? 'state'
                           order by id desc limit 1) e on true
      where l.state <> coalesce(e.changes -> 'state' ->> 1, 'new')`,
  );
  assert.deepEqual(rows, []);
});
