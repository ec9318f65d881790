import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { openHouse } from '../../test/house.ts';
import { serviceActor } from '../platform/actor.ts';
import type { Db } from '../platform/db.ts';
import { findLeadList } from './access.ts';
import { loadLeads } from './load.ts';
import { readPageOfList } from './pages.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const actor = serviceActor(house.account, 'test');

async function newList(more: Record<string, unknown> = {}): Promise<number> {
  return (await ask('POST', '/lists', { list: { name: 'Pages', ...more } })).body.id as number;
}

const load = (list: number, rows: Record<string, string>[]): Promise<number[]> =>
  house.transact(async (work) => loadLeads(work, actor, await findLeadList(work, actor, list, 'leads.write'), rows));

const nextOf = (headers: Headers): string | undefined =>
  /<[^>]*\/api\/v2([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];

const idsOf = (body: { id: number }[]): number[] => body.map(({ id }) => id);

const sorted = (ids: number[]): number[] => ids.toSorted((a, b) => a - b);

describe('walking a list', () => {
  test('following Link visits each lead exactly once while others are inserted', async () => {
    const list = await newList();
    const before = await load(
      list,
      Array.from({ length: 57 }, (_, index) => ({ first_name: `N${index}` })),
    );
    const orders = ['', '&order=last_updated_first'];
    for (const order of orders) {
      const seen: number[] = [];
      let next: string | undefined = `/lists/${list}/leads?per_page=10${order}`;
      while (next) {
        const { body, headers } = await ask('GET', next);
        seen.push(...idsOf(body));
        await ask('POST', `/lists/${list}/leads`, { lead: { first_name: 'Later' } });
        next = nextOf(headers);
      }
      assert.equal(new Set(seen).size, seen.length);
      assert.deepEqual(
        before.filter((id) => !seen.includes(id)),
        [],
      );
    }
  });

  test('a lead that goes or changes while its page is read ends no walk and moves nobody’s place', async () => {
    for (const [order, how] of [
      ['created_at', 'delete from leads where id = $1'],
      ['last_updated', 'delete from leads where id = $1'],
      ['last_updated', 'update leads set last_updated = clock_timestamp() where id = $1'],
    ] as const) {
      const list = await newList();
      const ids = await load(
        list,
        Array.from({ length: 30 }, () => ({ first_name: 'Ann' })),
      );
      const seen: number[] = [];
      for (let after: string | undefined, number = 1; number < 5; number += 1) {
        let found: number[] | undefined;
        const db: Db = {
          async send(text, values) {
            // The last of the page, after it was found and before it is read.
            if (found?.length) await house.pool.query(how, [found.at(-1)]);
            const result = await house.db.send(text, values);
            found = found ? [] : (result.rows[0] as { ids: number[] }).ids;
            return result;
          },
        };
        const page = await readPageOfList({ db, secrets: house.secrets }, actor, list, order, {
          number,
          size: 10,
          after,
        });
        seen.push(...idsOf(JSON.parse(page.json)));
        after = page.end;
        if (after === undefined) break;
      }
      const left = ids.filter((id) => !seen.includes(id));
      assert.equal(left.length, how.startsWith('delete') ? 3 : 0, `${order}: ${how}`);
      assert.equal(new Set(seen).size, seen.length);
    }
  });

  test('page numbers miss none while others are inserted', async () => {
    const list = await newList();
    const before = await load(
      list,
      Array.from({ length: 57 }, () => ({ first_name: 'Ann' })),
    );
    const seen: number[] = [];
    for (let page = 1; ; page += 1) {
      const { body } = await ask('GET', `/lists/${list}/leads?per_page=10&page=${page}`);
      seen.push(...idsOf(body));
      if (body.length < 10) break;
      await ask('POST', `/lists/${list}/leads`, { lead: { first_name: 'Later' } });
    }
    assert.deepEqual(sorted([...new Set(seen)].filter((id) => before.includes(id))), before);
  });

  test('a page far from both ends is the same as counted from the start, also after leads have come and gone', async () => {
    const list = await newList();
    const other = await newList();
    for (let part = 0; part < 7; part += 1)
      await load(
        list,
        Array.from({ length: 1_000 }, () => ({ first_name: 'Ann' })),
      );
    // Older than what may still change, many at the same moment, and not in the order of their ids.
    for (const table of ['leads', 'lead_data'])
      await house.pool.query(
        `update ${table} set created_at = now() - interval '1 day' - (${table === 'leads' ? 'id' : 'lead_id'} % 97) * interval '1 minute'
          where list_id = $1`,
        [list],
      );
    const compare = async () => {
      const { rows } = await house.pool.query<{ id: number }>(
        'select id from leads where list_id = $1 order by created_at desc, id desc',
        [list],
      );
      for (const [page, size] of [
        [1, 50],
        [41, 50],
        [59, 50],
        [70, 50],
        [96, 50],
        [138, 50],
        [140, 50],
        [141, 50],
        [4, 1000],
        [7, 1000],
        [8, 1000],
        [467, 7],
      ] as const) {
        const { body, headers } = await ask('GET', `/lists/${list}/leads?page=${page}&per_page=${size}`);
        const expected = idsOf(rows.slice((page - 1) * size, page * size));
        assert.deepEqual(idsOf(body), expected, `page ${page} of ${size}`);
        assert.equal(headers.get('x-total-count'), String(rows.length));
      }
    };
    await compare();
    await compare();
    for (let count = 0; count < 3; count += 1) await ask('POST', `/lists/${list}/leads`, { lead: {} });
    await compare();
    const { body } = await ask('GET', `/lists/${list}/leads?page=100`);
    for (const id of idsOf(body).slice(0, 3))
      await ask('PATCH', `/leads/${id}/migrate`, { lead: { to_list_id: other } });
    await compare();
  });
});

describe('find', () => {
  test('by any of several keys passes over those that are no columns, names them, and needs one that is', async () => {
    const list = await newList({ columns_attributes: [{ label: 'Phone' }] });
    const [id] = await load(list, [{ phone: '1' }, { phone: '2' }]);
    const find = (query: string) => ask('GET', `/lists/${list}/leads/find?${query}`);
    const found = await find('phone=1&mobil+nr=1&tel%C3%A9=1&matchall=false');
    assert.deepEqual([found.status, found.body.map((lead: { id: number }) => lead.id)], [200, [id]]);
    assert.equal(found.headers.get('x-unknown-fields'), 'mobil%20nr, tel%C3%A9');
    assert.ok(found.headers.get('x-total-count'));
    for (const query of ['phone=1&mobile=1', 'mobile=1&matchall=false', 'phone=1&mobile=&matchall=false'])
      assert.deepEqual([(await find(query)).status, Object.keys((await find(query)).body.errors)], [422, ['mobile']]);
    assert.equal((await find('phone=1&matchall=false')).headers.get('x-unknown-fields'), null);
  });

  test('equals a plain filter in memory', async () => {
    const labels = ['A', 'B', 'C'];
    const columns_attributes = labels.map((label) => ({ label }));
    const list = await newList({ columns_attributes });
    const value = fc.constantFrom(
      'x',
      'X',
      ' x',
      'ø',
      '%',
      '_',
      '\\',
      '"',
      "'",
      '{}',
      '0',
      'null',
      'å'.normalize('NFD'),
      'å',
    );
    const row = fc.record({ a: value, b: value, c: value }, { requiredKeys: [] });
    const rows = fc.sample(row, { numRuns: 300, seed: 4711 }) as Record<string, string>[];
    const ids = await load(list, rows);
    const condition = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.array(value, { minLength: 1, maxLength: 2 }), {
      minKeys: 1,
    });
    await fc.assert(
      fc.asyncProperty(condition, fc.boolean(), async (conditions, all) => {
        const search = new URLSearchParams(
          Object.entries(conditions).flatMap(([key, values]) => values.map((one) => [key, one])),
        );
        if (!all) search.set('matchall', 'false');
        search.set('per_page', '1000');
        const { status, body, headers } = await ask('GET', `/lists/${list}/leads/find?${search}`);
        assert.equal(status, 200);
        const holds = (data: Record<string, string>) => {
          const each = Object.entries(conditions).map(([key, values]) => values.includes(data[key] ?? ''));
          return all ? each.every(Boolean) : each.some(Boolean);
        };
        const expected = ids.filter((_, index) => holds(rows[index]!));
        assert.deepEqual(sorted(idsOf(body)), expected);
        assert.equal(headers.get('x-total-count'), String(expected.length));
      }),
      { numRuns: 60, seed: 4711 },
    );
  });
});
