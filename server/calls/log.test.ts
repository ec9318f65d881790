import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { Client } from 'pg';
import type { Call } from '../../contract/calls.ts';
import { DIRECTIONS, DISPOSITIONS } from '../../contract/calls.ts';
import { addNeighbour, blame, idsOf, stepsOf } from '../../test/contract/steps.ts';
import { openHouse, OWNER, type Ask } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { listenTo, openPlans } from '../../test/plans.ts';
import { NO_ROLES, serviceActor } from '../platform/actor.ts';
import { startCall, type NewCall } from './calls.ts';
import { listCalls } from './log.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList, addLead } = stepsOf(ask);
const service = serviceActor(house.account, 'test');

const MINUTE = 60_000;
const START = Date.parse('2026-11-15T10:00:00Z');
const minute = (number: number) => new Date(START + number * MINUTE).toISOString();
async function start({ disposition, ...call }: Partial<NewCall> & { disposition?: string } = {}): Promise<number> {
  const id = await house.transact((work) =>
    startCall(work, service, { direction: 'outbound', destination: '+4533112233', ...call }),
  );
  const over = `update calls set state = 'completed', disposition = $2 where id = $1`;
  if (disposition) await house.pool.query(over, [id, disposition]);
  return id;
}

const nextOf = (headers: Headers): string | undefined =>
  /<[^>]*\/api\/v2([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];

async function walk(as: Ask, path: string, meanwhile = async () => {}): Promise<Call[]> {
  const seen: Call[] = [];
  for (let next: string | undefined = path; next;) {
    const { status, body, headers } = await as('GET', next);
    assert.equal(status, 200, JSON.stringify(body));
    seen.push(...body);
    await meanwhile();
    next = nextOf(headers);
  }
  return seen;
}

/** Three lists and four people, of whom some work some of them and hold some leads; calls of all kinds, many of the same moment. */
const lists = [await addList(), await addList(), await addList()];
const ann = await house.join({ email: 'ann@example.com', listing_ids: [lists[0].id] });
const bob = await house.join({ email: 'bob@example.com', listing_ids: [lists[0].id, lists[1].id] });
const dee = await house.join({ email: 'dee@example.com' });
const analyst = await house.join({ email: 'analyst@example.com', agent: false, analyst: true });
const supervisor = await house.join({ email: 'supervisor@example.com', agent: false, supervisor: true });
const manager = await house.join({ email: 'manager@example.com', agent: false, users_admin: true });
const people = { ann, bob, dee };
const leads: number[] = [];
for (let number = 0; number < 12; number += 1) {
  const { id } = await addLead(lists[number % 3]);
  leads.push(id);
  const holder = [undefined, ann, undefined, dee][number % 4];
  if (holder) await ask('PATCH', `/leads/${id}/delegate`, { lead: { delegate_to: holder.id } });
}
const random = fc.record({
  leadId: fc.option(fc.constantFrom(...leads), { nil: undefined, freq: 5 }),
  userId: fc.option(fc.constantFrom(ann.id, bob.id, dee.id), { nil: undefined, freq: 4 }),
  offeredTo: fc.option(fc.constantFrom(ann.id, dee.id), { nil: undefined, freq: 1 }),
  direction: fc.constantFrom(...DIRECTIONS),
  disposition: fc.constantFrom(...DISPOSITIONS),
  at: fc.integer({ min: 0, max: 30 }),
});
const made: number[] = [];
for (const { at, ...call } of fc.sample(random, { numRuns: 150, seed: 16 }))
  made.push(await start({ ...call, startedAt: new Date(START + at * MINUTE) } as never));
// Under way: how they end is not known yet.
made.push(await start({ userId: bob.id, leadId: leads[0]!, startedAt: new Date(START) }));
made.push(await start({ direction: 'inbound', leadId: leads[3]!, startedAt: new Date(START + MINUTE) }));

type Question = {
  since?: number | undefined;
  until?: number | undefined;
  user?: 'ann' | 'bob' | 'dee' | undefined;
  list?: number | undefined;
  lead_id?: number | undefined;
  direction?: string | undefined;
  disposition?: string | undefined;
};

/** What it should find among calls that were read one by one. */
const isMeant = (call: Call, { since, until, user, list, lead_id, direction, disposition }: Question) =>
  (since === undefined || call.started_at >= minute(since)) &&
  (until === undefined || call.started_at < minute(until)) &&
  (user === undefined || call.user_email === `${user}@example.com`) &&
  (list === undefined || call.list === `/api/v2/lists/${list}`) &&
  (lead_id === undefined || call.lead_id === lead_id) &&
  (direction === undefined || call.direction === direction) &&
  (disposition === undefined || call.disposition === disposition);

const write = ({ since, until, user, ...rest }: Question, byId: boolean) => {
  const named = user && (byId ? people[user].id : `${user.toUpperCase()}@example.com`);
  const times = { since: since !== undefined && minute(since), until: until !== undefined && minute(until) };
  const given = Object.entries({ ...rest, ...times, user: named }).filter(([, value]) => value);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
};

describe('GET /api/v2/calls', () => {
  for (const [who, key] of Object.entries({ account: house.key, ann: ann.key, dee: dee.key, analyst: analyst.key })) {
    test(`whatever is asked, it tells the calls that one may read one by one, newest first: ${who}`, async () => {
      const as = house.withKey(key);
      const readable: Call[] = [];
      for (const id of made) {
        const { status, body } = await as('GET', `/calls/${id}`);
        if (status === 200) readable.push(body);
      }
      const newest = readable.toSorted((a, b) => b.started_at.localeCompare(a.started_at) || b.id - a.id);
      const named = { account: lists, ann: [lists[0]], dee: [], analyst: lists }[who]!;
      const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
      const question = fc.record({
        since: some(fc.integer({ min: 0, max: 15 })),
        until: some(fc.integer({ min: 15, max: 31 })),
        user: some(fc.constantFrom('ann' as const, 'bob' as const, 'dee' as const)),
        list: named.length > 0 ? some(fc.constantFrom(...named.map(({ id }) => id as number))) : fc.constant(undefined),
        direction: some(fc.constantFrom(...DIRECTIONS)),
        disposition: some(fc.constantFrom(...DISPOSITIONS)),
        byId: fc.boolean(),
      });
      const questions = fc.sample(question, { numRuns: 40, seed: 16 });
      const seen = await walk(as, '/calls?per_page=7');
      assert.deepEqual(seen, newest, 'all of them, page by page');
      for (const { byId, ...one } of questions) {
        const search = write(one, byId);
        const { status, body, headers } = await as('GET', `/calls?per_page=1000&${search}`);
        const expected = newest.filter((call) => isMeant(call, one));
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual(idsOf(body), idsOf(expected), `${who}: ${search}`);
        assert.equal(headers.get('x-total-count'), String(expected.length), `${who}: ${search}`);
      }
      const lead = who === 'dee' ? leads[3]! : leads[0]!;
      const { body } = await as('GET', `/calls?lead_id=${lead}&direction=outbound`);
      assert.deepEqual(
        idsOf(body),
        idsOf(newest.filter((call) => isMeant(call, { lead_id: lead, direction: 'outbound' }))),
      );
    });
  }

  test('user managers may not; agents may not name a list or a lead that they do not see', async () => {
    assert.equal((await house.withKey(manager.key)('GET', '/calls')).status, 403);
    const as = house.withKey(ann.key);
    assert.deepEqual(blame(await as('GET', `/calls?list=${lists[2].id}`)), [422, ['list']]);
    assert.deepEqual(blame(await as('GET', `/calls?lead_id=${leads[2]}`)), [422, ['lead_id']]);
  });

  test('a recording is heard of by those who may hear it, and is [] for the others', async () => {
    const { id } = await addLead(lists[0]);
    const call = await start({ leadId: id, userId: ann.id, disposition: 'normal' });
    await house.pool.query(
      `insert into recordings (account_id, call_id, part, started_at, ready_at)
       values ($1, $2, 'all', now(), now())`,
      [house.account.id, call],
    );
    const heard = async (key: string) => {
      const { body } = await house.withKey(key)('GET', `/calls?lead_id=${id}`);
      return [idsOf(body), body[0].recordings.length];
    };
    assert.deepEqual(await heard(house.key), [[call], 1]);
    assert.deepEqual(await heard(supervisor.key), [[call], 1]);
    assert.deepEqual(await heard(ann.key), [[call], 1]);
    assert.deepEqual(await heard(bob.key), [[call], 0]);
    assert.deepEqual(await heard(analyst.key), [[call], 0]);
  });

  test('what cannot be read, is unknown or contradicts itself is 422 and named', async () => {
    const neighbour = await addNeighbour(house);
    const theirs = (await neighbour.ask('POST', '/lists', { list: { name: 'Theirs' } })).body.id;
    const bad: [query: string, parameter: string][] = [
      ['since=yesterday', 'since'],
      ['since=2026-02-30', 'since'],
      ['until=1763200000', 'until'],
      ['since=2026-11-15T10:00:00+02:00', 'since'],
      ['since=2026-11-16&until=2026-11-15', 'since'],
      ['user=nobody@example.com', 'user'],
      ['user=999999', 'user'],
      ['list=999999', 'list'],
      [`list=${theirs}`, 'list'],
      ['list=x', 'list'],
      ['lead_id=999999', 'lead_id'],
      ['direction=outwards', 'direction'],
      ['disposition=gone', 'disposition'],
      ['per_page=1001', 'per_page'],
      ['page=0', 'page'],
      ['after=1', 'after'],
    ];
    for (const [query, parameter] of bad)
      assert.deepEqual(blame(await ask('GET', `/calls?${query}`)), [422, [parameter]], query);
    assert.deepEqual((await neighbour.ask('GET', '/calls')).body, []);
  });

  test('times are read as everywhere: with a zone, in ISO 8601, without a zone in UTC, a bare date', async () => {
    const total = async (since: string) =>
      (await ask('GET', `/calls?${new URLSearchParams({ since, until: minute(31) })}`)).headers.get('x-total-count');
    const forms = [
      '2026-11-15 10:15:00 UTC',
      '2026-11-15T10:15:00Z',
      '2026-11-15 10:15:00',
      '2026-11-15T12:15:00+02:00',
    ];
    const totals = await Promise.all(forms.map(total));
    assert.deepEqual(new Set(totals).size, 1, String(totals));
    assert.ok(Number(totals[0]) > 0 && Number(totals[0]) < made.length);
    assert.equal(await total('2026-11-15'), String(made.length));
  });

  test('following next visits each call exactly once while others begin; the last page has no next', async () => {
    const before = idsOf(await walk(ask, '/calls?per_page=40'));
    const seen = idsOf(await walk(ask, '/calls?per_page=40', async () => void (await start())));
    assert.deepEqual(seen, before);
    const size = before.length;
    const { body, headers } = await ask('GET', `/calls?per_page=50&page=${Math.ceil(size / 50) + 50}`);
    assert.deepEqual([body, nextOf(headers)], [[], undefined]);
  });

  test('a call is found in the list of its lead wherever that goes, and in none once the lead is gone', async () => {
    const [from, to] = [await addList(), await addList()];
    const [moved, merged] = [await addLead(from, { first_name: 'M' }), await addLead(from)];
    const calls = [await start({ leadId: moved.id }), await start({ leadId: merged.id })];
    const found = async ({ id }: { id: number }) => idsOf((await ask('GET', `/calls?list=${id}`)).body).toReversed();
    assert.deepEqual([await found(from), await found(to)], [calls, []]);
    await ask('PATCH', `/leads/${moved.id}/migrate`, { lead: { to_list_id: to.id } });
    assert.deepEqual([await found(from), await found(to)], [[calls[1]], [calls[0]]]);
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const merge = await owner('POST', `/leads/${moved.id}/merge`, { duplicate_id: merged.id });
    assert.equal(merge.status, 204, JSON.stringify(merge.body));
    assert.deepEqual([await found(from), await found(to)], [[], calls]);
    assert.equal((await owner('DELETE', `/leads/${moved.id}`)).status, 204);
    assert.deepEqual([await found(from), await found(to)], [[], []]);
    assert.equal((await ask('GET', `/calls/${calls[0]}`)).body.list, null);
  });

  test('a call that begins while its lead is being moved ends up in the list where the lead is', async () => {
    const [from, to] = [await addList(), await addList()];
    for (const callFirst of [true, false]) {
      const lead = await addLead(from);
      const other = new Client({ connectionString: house.url });
      await other.connect();
      try {
        await other.query('begin');
        const call = () => start({ leadId: lead.id });
        const move = () => ask('PATCH', `/leads/${lead.id}/migrate`, { lead: { to_list_id: to.id } });
        // One of the two is under way in a transaction that ends after the other has begun.
        await other.query(
          callFirst
            ? `insert into calls (account_id, direction, lead_id) values (${house.account.id}, 'inbound', ${lead.id})`
            : `update leads set list_id = ${to.id} where id = ${lead.id}`,
        );
        const late = callFirst ? move() : call();
        await Promise.race([late, eventually('it waits', () => isWaiting(other))]);
        await other.query('commit');
        await late;
      } finally {
        await other.end();
      }
      const { body } = await ask('GET', `/calls?lead_id=${lead.id}&list=${to.id}`);
      assert.equal(body.length, 1, String(callFirst));
    }
  });

  test('where there are more than are counted, no total is told, and what is far is reached by the links alone', async () => {
    const far = await addList();
    const { id } = await addLead(far);
    await house.pool.query(
      `insert into calls (account_id, direction, state, disposition, lead_id, started_at)
       select $1, 'outbound', 'completed', 'normal', $2, now() - number * interval '1 second'
         from generate_series(1, 10_001) number`,
      [house.account.id, id],
    );
    const path = `/calls?list=${far.id}&per_page=1000`;
    const { headers } = await ask('GET', path);
    assert.equal(headers.get('x-total-count'), null);
    assert.doesNotMatch(headers.get('link')!, /rel="last"/);
    assert.deepEqual(blame(await ask('GET', `${path}&page=11`)), [422, ['page']]);
    assert.equal((await ask('GET', `${path}&page=10`)).body.length, 1000);
    const seen = await walk(ask, path);
    assert.equal(new Set(idsOf(seen)).size, 10_001);
    const since = new Date(Date.now() - 1000_000).toISOString();
    const some = await ask('GET', `${path}&since=${since}&page=11`);
    assert.deepEqual([some.status, some.body], [200, []]);
    assert.match(some.headers.get('x-total-count')!, /^\d{3,4}$/);
  });
});

async function isWaiting({ processID }: Client & { processID?: number }): Promise<boolean> {
  const { rows } = await house.pool.query('select from pg_locks where $1 = any (pg_blocking_pids(pid)) limit 1', [
    processID,
  ]);
  return rows.length > 0;
}

test('before anything is known of the tables, a page of calls is looked up, and not all calls walked over', async () => {
  const young = await openHouse();
  const [account, key] = [young.account.id, young.withKey(young.key)];
  for (const table of ['calls', 'leads', 'lists', 'list_people', 'users'])
    await young.pool.query(`alter table ${table} set (autovacuum_enabled = off)`);
  const list = (await key('POST', '/lists', { list: { name: 'Young' } })).body.id as number;
  const agent = (await young.invite({ email: 'agent@example.com', listing_ids: [list] })).body.id as number;
  const lead = (await key('POST', `/lists/${list}/leads`, { lead: {} })).body.id as number;
  await young.pool.query(
    `insert into calls (account_id, direction, state, disposition, lead_id, user_id, started_at)
     select $1, 'outbound', 'completed', case when number % 2 = 0 then 'normal' else 'busy' end,
            case when number % 3 = 0 then $2::bigint end, case when number % 5 = 0 then $3::bigint end,
            now() - number * interval '1 second'
       from generate_series(1, 20_000) number`,
    [account, lead, agent],
  );
  const { mostRows } = await openPlans(young.url);
  const whole = serviceActor(young.account, 'test');
  const roles = { ...NO_ROLES, agent: true };
  const bound = { ...whole, user: { id: agent, email: 'agent@example.com' }, roles };
  // A minute of calls: what is counted is as little as what is shown.
  const span = {
    since: new Date(Date.now() - 4000_000).toISOString(),
    until: new Date(Date.now() - 3940_000).toISOString(),
  };
  for (const [actor, asked] of [
    [whole, {}],
    [whole, { list }],
    [whole, { user: 'agent@example.com' }],
    [whole, { disposition: 'temp_unavail' as const }],
    [bound, {}],
    [bound, { list, direction: 'outbound' as const }],
  ] as const) {
    const db = listenTo(young.db);
    const page = { number: 1, size: 20, after: undefined };
    await listCalls({ db, secrets: young.secrets }, actor, { ...span, ...asked }, page);
    for (const [text, values] of db.sent.filter(([one]) => one.includes('from calls c'))) {
      const walked = await mostRows(text, values);
      assert.ok(walked <= 200, `${walked} rows for ${JSON.stringify(asked)}: ${text}`);
    }
  }
});
