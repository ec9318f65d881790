import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Client } from 'pg';
import { addNeighbour, blame, idsOf, stepsOf } from '../../test/contract/steps.ts';
import { atEnd } from '../../test/database.ts';
import { openHouse, type Ask } from '../../test/house.ts';
import { makeFolder } from '../../test/leadline.ts';
import { listenTo, openPlans } from '../../test/plans.ts';
import { serviceActor } from '../platform/actor.ts';
import { readChangedLeads } from './changed.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList, addLead } = stepsOf(ask);

type Told = { id: number; last_updated: string; state: string };

const nextOf = (headers: Headers): string | undefined =>
  /<[^>]*\/api\/v2([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];

/** What a client does that keeps a copy: follows the links to their end, and keeps the time for the next walk. */
async function walk(list: { id: number }, since: string, meanwhile = async (_seen: Told[]) => {}, size = 10) {
  const seen: Told[] = [];
  const nexts = new Set<string>();
  const begin = `/lists/${list.id}/leads?${new URLSearchParams({ updated_since: since, per_page: String(size) })}`;
  for (let path: string | undefined = begin; path;) {
    const { status, body, headers } = await ask('GET', path);
    assert.equal(status, 200, JSON.stringify(body));
    seen.push(...body);
    nexts.add(headers.get('x-next-updated-since')!);
    path = nextOf(headers);
    if (path) await meanwhile(seen);
  }
  assert.equal(nexts.size, 1, 'every page of a walk says the same');
  return { seen, next: [...nexts][0]! };
}

async function addLeads(count: number) {
  const list = await addList();
  const ids: number[] = [];
  for (let number = 0; number < count; number += 1) ids.push((await addLead(list, { first_name: `${number}` })).id);
  return { list, ids };
}

const setUpdated = (ids: number[], text: string) =>
  house.pool.query(`update leads set last_updated = ${text} where id = any ($1)`, [ids]);

describe('GET /api/v2/lists/:id/leads?updated_since=', () => {
  test('exactly those that changed at or after the time, the longest unchanged first', async () => {
    const { list, ids } = await addLeads(6);
    for (const [index, id] of ids.entries()) await setUpdated([id], `'2026-11-15 10:00:0${index}.500Z'`);
    const found = async (updated_since: string) => {
      const { status, body, headers } = await ask(
        'GET',
        `/lists/${list.id}/leads?${new URLSearchParams({ updated_since })}`,
      );
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(headers.get('x-total-count'), String(body.length));
      return idsOf(body);
    };
    assert.deepEqual(await found('2026-11-15T10:00:02.500Z'), ids.slice(2));
    assert.deepEqual(await found('2026-11-15T10:00:02.501Z'), ids.slice(3));
    assert.deepEqual(await found('2026-11-15 10:00:03 UTC'), ids.slice(3));
    assert.deepEqual(await found('2026-11-15 10:00:03'), ids.slice(3));
    assert.deepEqual(await found('2026-11-15T12:00:03+02:00'), ids.slice(3));
    assert.deepEqual(await found('2026-11-15'), ids);
    assert.deepEqual(await found('9999-01-01'), []);
    await ask('PATCH', `/leads/${ids[0]}`, { lead: { first_name: 'Changed' } });
    assert.deepEqual(await found('2026-11-15T10:00:05.500Z'), [ids[5], ids[0]]);
    await ask('POST', `/leads/${ids[1]}/winner`);
    assert.deepEqual(await found('2026-11-15T10:00:05.500Z'), [ids[5], ids[0], ids[1]]);
    const elsewhere = await addList();
    await ask('PATCH', `/leads/${ids[0]}/migrate`, { lead: { to_list_id: elsewhere.id } });
    assert.deepEqual(await found('2026-11-15T10:00:05.500Z'), [ids[5], ids[1]]);
  });

  test('following next to its end meets every lead, also those that change and come meanwhile', async () => {
    const { list, ids } = await addLeads(45);
    // Many at the same moment.
    await setUpdated(ids.slice(0, 30), `'2026-11-15 10:00:00Z'`);
    const begun = new Date(Date.now() - 60_000).toISOString();
    let turn = 0;
    const changed: number[] = [];
    const { seen } = await walk(list, '2026-01-01', async (met) => {
      turn += 1;
      if (turn > 8) return;
      // One that is told already, one that is not, and a new one.
      const [told, untold] = [met[turn]!.id, ids.findLast((id) => !met.some((one) => one.id === id))];
      for (const id of [told, untold ?? told]) {
        changed.push(id);
        await ask('PATCH', `/leads/${id}`, { lead: { last_name: `Turn ${turn}` } });
      }
      changed.push((await addLead(list)).id);
    });
    assert.deepEqual(
      [...ids, ...changed].filter((id) => !seen.some((one) => one.id === id)),
      [],
    );
    const now = new Map((await walk(list, '2026-01-01', undefined, 1000)).seen.map((lead) => [lead.id, lead]));
    const last = new Map(seen.map((lead) => [lead.id, lead]));
    assert.deepEqual(last, now, 'and of each its last state');
    assert.ok((await walk(list, begun)).seen.length >= changed.length);
  });

  test('a change that was under way while the walk passed its time is told by the next walk', async () => {
    const { list, ids } = await addLeads(12);
    const late = new Client({ connectionString: house.url });
    await late.connect();
    atEnd(() => late.end());
    await late.query('begin');
    await late.query(`update leads set state = 'won', last_updated = clock_timestamp() where id = $1`, [ids[0]]);
    const other = await addLead(list);
    const first = await walk(list, '2026-01-01', undefined, 5);
    assert.equal(first.seen.at(-1)!.id, other.id, 'the walk came to its end');
    assert.equal(first.seen.find(({ id }) => id === ids[0])!.state, 'new');
    await late.query('commit');
    const { body } = await ask('GET', `/leads/${ids[0]}`);
    assert.ok(body.last_updated < first.seen.at(-1)!.last_updated, 'from the last time it saw it would be missed');
    const second = await walk(list, first.next, undefined, 5);
    assert.equal(second.seen.find(({ id }) => id === ids[0])?.state, 'won');
  });

  test('of two walks the second tells again what changed since a moment before the first, and no more', async () => {
    const { list, ids } = await addLeads(8);
    await setUpdated(ids, `now() - interval '1 hour'`);
    const { next } = await walk(list, '2026-01-01');
    assert.ok(Math.abs(Date.parse(next) - Date.now()) < 600_000);
    assert.deepEqual((await walk(list, next)).seen, []);
    await ask('PATCH', `/leads/${ids[3]}`, { lead: { first_name: 'Changed' } });
    assert.deepEqual(idsOf((await walk(list, next)).seen), [ids[3]]);
  });

  test('the loop of docs/in-step.md keeps a copy that is like the list', async () => {
    const { list, ids } = await addLeads(5);
    const paper = readFileSync(join(import.meta.dirname, '../../docs/in-step.md'), 'utf8');
    const file = join(makeFolder(), 'walk-changes.ts');
    writeFileSync(file, /```ts\n([^]+?)```/.exec(paper)![1]!.replace('per_page=200', 'per_page=2'));
    const { walkChanges } = (await import(file)) as { walkChanges: (...given: unknown[]) => Promise<string> };
    const copy = new Map<number, Told>();
    const asked: string[] = [];
    // Links name the account by its own address.
    const get = globalThis.fetch;
    globalThis.fetch = (url, given) => {
      asked.push(url as string);
      return get((url as string).replace('http://acme.example.com', house.address), given);
    };
    try {
      const step = (since: string) =>
        walkChanges(`http://acme.example.com/api/v2/lists/${list.id}`, house.key, since, async (leads: Told[]) => {
          for (const lead of leads) copy.set(lead.id, lead);
        });
      const then = await step('1970-01-01');
      assert.deepEqual([...copy.keys()], ids);
      assert.equal(asked.length, 3);
      await ask('POST', `/leads/${ids[2]}/loser`);
      await step(then);
      assert.equal(copy.get(ids[2]!)!.state, 'lost');
    } finally {
      globalThis.fetch = get;
    }
  });

  test('a page by its number says the time it was asked with: nobody knows when its walk began', async () => {
    const { list } = await addLeads(3);
    const { headers } = await ask('GET', `/lists/${list.id}/leads?updated_since=2026-01-01&per_page=1&page=2`);
    assert.equal(headers.get('x-next-updated-since'), '2026-01-01T00:00:00.000Z');
    const further = await ask('GET', nextOf(headers)!);
    assert.equal(further.headers.get('x-next-updated-since'), '2026-01-01T00:00:00.000Z');
    const old = await ask('GET', `/lists/${list.id}/leads?updated_since=0001-01-01&per_page=1&page=2`);
    assert.equal(
      (await ask('GET', nextOf(old.headers)!)).headers.get('x-next-updated-since'),
      '1970-01-01T00:00:00.000Z',
    );
    const plain = await ask('GET', `/lists/${list.id}/leads`);
    assert.equal(plain.headers.get('x-next-updated-since'), null);
  });

  test('pages end as everywhere: a full last page leads to an empty one, past the end is empty', async () => {
    const { list, ids } = await addLeads(4);
    const path = `/lists/${list.id}/leads?updated_since=2026-01-01&per_page=2`;
    const second = await ask('GET', `${path}&page=2`);
    assert.deepEqual([idsOf(second.body), nextOf(second.headers)], [ids.slice(2), undefined]);
    const first = await ask('GET', path);
    const followed = await ask('GET', nextOf(first.headers)!);
    assert.deepEqual(idsOf(followed.body), ids.slice(2));
    const end = await ask('GET', nextOf(followed.headers)!);
    assert.deepEqual([end.body, nextOf(end.headers)], [[], undefined]);
    const past = await ask('GET', `${path}&page=900000`);
    assert.deepEqual([past.status, past.body, past.headers.get('x-total-count')], [200, [], '4']);
  });

  test('what cannot be read is 422 and named; a list that is not seen is 404, whatever is asked', async () => {
    const { list } = await addLeads(1);
    const bad: [query: string, parameter: string][] = [
      ['updated_since=yesterday', 'updated_since'],
      ['updated_since=2026-13-01', 'updated_since'],
      ['updated_since=1763200000', 'updated_since'],
      ['updated_since=2026-01-01&order=last_updated_first', 'order'],
      ['updated_since=2026-01-01&per_page=0', 'per_page'],
      ['updated_since=2026-01-01&after=1', 'after'],
      ['updated_since=2026-01-01&after=1763200000000.1', 'after'],
      ['updated_since=2026-01-01&after=x.1.1', 'after'],
      ['after=1763200000000.1.1763200000000', 'after'],
    ];
    for (const [query, parameter] of bad)
      assert.deepEqual(blame(await ask('GET', `/lists/${list.id}/leads?${query}`)), [422, [parameter]], query);
    assert.equal((await ask('GET', `/lists/${list.id}/leads?updated_since=2026-01-01&order=none`)).status, 200);
    const none = await ask('GET', `/lists/${list.id}/leads?updated_since=`);
    assert.deepEqual([none.status, none.headers.get('x-next-updated-since')], [200, null], 'nothing given');
    const neighbour = await addNeighbour(house);
    const stranger = await house.join({ email: 'stranger@example.com' });
    for (const as of [neighbour.ask, house.withKey(stranger.key)])
      for (const since of ['2026-01-01', 'yesterday'])
        assert.equal((await as('GET', `/lists/${list.id}/leads?updated_since=${since}`)).status, 404);
  });

  test('by the rights of the key: agents in the lists they work, data managers and supervisors in all, others not', async () => {
    const { list, ids } = await addLeads(2);
    const path = `/lists/${list.id}/leads?updated_since=2026-01-01`;
    const as = async (email: string, roles: Record<string, unknown>): Promise<Ask> =>
      house.withKey((await house.join({ email, agent: false, ...roles })).key);
    for (const roles of [{ agent: true, listing_ids: [list.id] }, { lists_admin: true }, { supervisor: true }]) {
      const { body } = await (await as(`${Object.keys(roles)[0]}@example.com`, roles))('GET', path);
      assert.deepEqual(idsOf(body), ids);
    }
    for (const roles of [{ users_admin: true }, { analyst: true }])
      assert.equal((await (await as(`${Object.keys(roles)[0]}@example.com`, roles))('GET', path)).status, 403);
  });
});

test('where there are more than are counted, no total is told, and following the links meets all of them', async () => {
  const list = await addList();
  await house.pool.query(
    `with added as (
       insert into leads (account_id, list_id) select $1, $2 from generate_series(1, 10_001) returning account_id, id, list_id)
     insert into lead_data (account_id, lead_id, list_id, created_at) select account_id, id, list_id, now() from added`,
    [house.account.id, list.id],
  );
  const path = `/lists/${list.id}/leads?updated_since=2026-01-01&per_page=1000`;
  const { headers } = await ask('GET', path);
  assert.deepEqual([headers.get('x-total-count'), /rel="last"/.test(headers.get('link')!)], [null, false]);
  assert.deepEqual(blame(await ask('GET', `${path}&page=11`)), [422, ['page']]);
  const { seen } = await walk(list, '2026-01-01', undefined, 1000);
  assert.equal(new Set(idsOf(seen)).size, 10_001);
});

test('before anything is known of the tables, a page is read where it begins, and not walked up to', async () => {
  const list = await addList();
  for (const table of ['leads', 'lead_data', 'lists'])
    await house.pool.query(`alter table ${table} set (autovacuum_enabled = off)`);
  await house.pool.query(
    `insert into leads (account_id, list_id, last_updated)
     select $1, $2, timestamptz '2026-11-15' + number * interval '1 second' from generate_series(1, 9_000) number`,
    [house.account.id, list.id],
  );
  const actor = serviceActor(house.account, 'test');
  const { mostRows } = await openPlans(house.url);
  const db = listenTo(house.db);
  const begin = Date.parse('2026-11-15');
  const after = `${begin + 4_500_000}.1.${begin}`;
  const page = { number: 2, size: 20, after };
  await readChangedLeads({ db, secrets: house.secrets }, actor, list.id, new Date(begin), page);
  const [text, values] = db.sent.find(([one]) => one.includes('page.ids'))!;
  // What is counted is another matter: up to 10,000.
  const uncounted = text.replace(/\(select count[^]*?counted\) as counted/, '(select 0 where $4::timestamptz is null)');
  assert.notEqual(uncounted, text);
  assert.ok((await mostRows(uncounted, values)) <= 20);
});
