import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse, OWNER, type Ask } from '../../test/house.ts';
import { endForgotten, pullCalls } from '../calls/wishes.ts';
import { findLeadList } from '../leads/access.ts';
import { loadLeads } from '../leads/load.ts';
import { serviceActor } from '../platform/actor.ts';
import { setClock } from '../platform/clock.ts';
import { query } from '../platform/db.ts';
import { pullHolds } from '../leads/holds.ts';
import { asIs } from '../../test/database.ts';
import { stayWithinDay } from '../../test/within-day.ts';

const house = await openHouse();
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
const actor = serviceActor(house.account, 'test');

const newList = async (more: Record<string, unknown> = {}) =>
  (await api('POST', '/lists', { list: { name: 'Queue', skip_categories: 'Lunch', ...more } })).body.id as number;
const load = (list: number, count: number): Promise<number[]> =>
  house.transact(async (work) =>
    loadLeads(
      work,
      actor,
      await findLeadList(work, actor, list, 'leads.write'),
      Array.from({ length: count }, () => ({ first_name: 'Ann' })),
    ),
  );
const create = async (list: number) => (await api('POST', `/lists/${list}/leads`, { lead: {} })).body.id as number;
let people = 0;
const newAgent = (...lists: number[]) => house.join({ email: `agent${(people += 1)}@example.com`, listing_ids: lists });
const next = async (ask: Ask, list: number) => {
  const { status, body } = await ask('POST', `/lists/${list}/next`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as { lead: { id: number } | null; next_due_at: string | null };
};
const nextId = async (ask: Ask, list: number) => (await next(ask, list)).lead?.id ?? null;
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** Works the list to its end and says in which order the leads came. */
async function workThrough(ask: Ask, list: number): Promise<number[]> {
  const order: number[] = [];
  for (let id = await nextId(ask, list); id !== null; id = await nextId(ask, list)) {
    order.push(id);
    assert.equal((await ask('POST', `/leads/${id}/winner`)).status, 204);
  }
  return order;
}

describe('the next lead', () => {
  test('50 agents ask in parallel, give an outcome, ask again, until 600 leads are done: none to two people, none left', async () => {
    const list = await newList();
    const leads = await load(list, 600);
    const agents = await Promise.all(Array.from({ length: 50 }, () => newAgent(list)));
    const given: number[] = [];
    const hold = new Map<number, number>();
    await Promise.all(
      agents.map(async ({ ask, id: agent }) => {
        for (let id = await nextId(ask, list); id !== null; id = await nextId(ask, list)) {
          assert.ok(!hold.has(id), `lead ${id} went to ${hold.get(id)} and ${agent}`);
          hold.set(id, agent);
          given.push(id);
          assert.equal((await ask('POST', `/leads/${id}/${given.length % 2 ? 'winner' : 'loser'}`)).status, 204);
        }
      }),
    );
    assert.deepEqual(
      given.toSorted((a, b) => a - b),
      leads,
    );
  });

  const flags = [
    [{}, ['exact mine', 'exact', 'older exact', 'put off', 'no time', 'new', 'newer']],
    [
      { queue_new_before_call_backs: true },
      ['exact mine', 'exact', 'older exact', 'new', 'newer', 'put off', 'no time'],
    ],
    [{ queue_new_before_due: true }, ['new', 'newer', 'exact mine', 'exact', 'older exact', 'put off', 'no time']],
  ] as const;
  for (const [flag, expected] of flags) {
    test(`the order with ${JSON.stringify(flag)}`, async () => {
      const list = await newList(flag);
      const agent = await newAgent(list);
      const other = await newAgent(list);
      const leads = new Map<number, string>();
      const make = async (name: string, outcome?: Record<string, unknown>) => {
        const id = await create(list);
        leads.set(id, name);
        if (outcome) assert.equal((await api('POST', `/leads/${id}/call_back`, { lead: outcome })).status, 204);
        return id;
      };
      await make('new');
      await make('newer');
      await make('older exact', { scheduled_for: ago(5) });
      await make('exact', { scheduled_for: ago(60) });
      const mine = await make('exact mine', { scheduled_for: ago(1) });
      await api('PATCH', `/leads/${mine}/delegate`, { lead: { delegate_to: agent.id } });
      await make('put off', { scheduled_for: ago(30), exactly: false });
      await make('no time', {});
      const theirs = await make('of another', { scheduled_for: ago(90) });
      await api('PATCH', `/leads/${theirs}/delegate`, { lead: { delegate_to: other.id } });
      await make('not yet', { call_back_in: 60 });
      await make('not yet', { call_back_in: 60, exactly: false });
      for (const outcome of ['winner', 'loser', 'archive'])
        await api('POST', `/leads/${await make('done')}/${outcome}`);
      const order = await workThrough(agent.ask, list);
      assert.deepEqual(
        order.map((id) => leads.get(id)),
        expected,
      );
      const { next_due_at } = await next(agent.ask, list);
      const wait = Date.parse(next_due_at!) - Date.now();
      assert.ok(wait > 50 * 60_000 && wait <= 60 * 60_000, String(next_due_at));
    });
  }

  test('settings act at once', async () => {
    const list = await newList();
    const agent = await newAgent(list);
    const [fresh, due] = [await create(list), await create(list)];
    await api('POST', `/leads/${due}/call_back`, { lead: { scheduled_for: ago(5) } });
    assert.equal(await nextId(agent.ask, list), due);
    await agent.ask('DELETE', `/leads/${due}/hold`);
    await query(house.db, asIs('update lists set queue_new_before_due = true where id = $1'), [list]);
    assert.equal(await nextId(agent.ask, list), fresh);
  });

  test('agents work the lists they are assigned to; without a lead it says when the next falls due', async () => {
    const [list, other] = [await newList(), await newList()];
    const agent = await newAgent(list);
    assert.equal((await agent.ask('POST', `/lists/${other}/next`)).status, 404);
    assert.deepEqual(await next(agent.ask, list), { lead: null, next_due_at: null, paused: false });
    assert.equal((await house.withKey(agent.key)('POST', `/lists/${list}/next`)).status, 404, 'not in the API');
  });

  test('is told as it is read, with its duplicates in all lists that one sees', async () => {
    const [list, other] = [await newList(), await newList()];
    const lead = { mobile_phone: '+45 33 44 55 66' };
    const { id: twin } = (await api('POST', `/lists/${other}/leads`, { lead })).body;
    const { id } = (await api('POST', `/lists/${list}/leads`, { lead })).body;
    const { lead: given } = await next(owner, list);
    assert.deepEqual(given, (await owner('GET', `/leads/${id}`)).body);
    assert.deepEqual((given as { detected_duplicates?: unknown }).detected_duplicates, [twin]);
    const agent = await newAgent(list);
    await owner('DELETE', `/leads/${id}/hold`);
    const { lead: bound } = await next(agent.ask, list);
    assert.deepEqual((bound as { detected_duplicates?: unknown }).detected_duplicates, []);
  });
});

describe('what lies ahead', () => {
  const ahead = async (ask: Ask, list: number) => (await ask('GET', `/lists/${list}/ahead`)).body;
  const ids = (leads: { id: number }[]) => leads.map(({ id }) => id);

  test('the forecast is the lead that comes next, and neither it nor what is open with others is held by asking', async () => {
    const list = await newList();
    const [agent, other] = [await newAgent(list), await newAgent(list)];
    const [first, second, third] = await load(list, 3);
    assert.deepEqual((await ahead(agent.ask, list)).next.id, first);
    assert.equal(await nextId(agent.ask, list), first, 'as foretold');
    assert.equal((await ahead(agent.ask, list)).next.id, second, 'what comes after the open one');
    assert.equal(await nextId(other.ask, list), second);
    assert.equal((await ahead(agent.ask, list)).next.id, third);
    assert.equal((await ahead(other.ask, list)).next.id, third);
    assert.equal((await agent.ask('GET', `/lists/${list}/ahead?past=${third},x,`)).body.next, null, 'gone past');
  });

  test('call backs fall due in their order, one’s own and anyone’s but no one else’s, and are counted by day', async () => {
    await stayWithinDay();
    const list = await newList();
    const [agent, other] = [await newAgent(list), await newAgent(list)];
    const [soon, later, theirs, far] = await load(list, 4);
    const midnight = new Date();
    midnight.setUTCHours(24, 0, 0, 0);
    const left = midnight.getTime() - Date.now();
    const at = (ms: number) => ({ lead: { scheduled_for: new Date(Date.now() + ms).toISOString() } });
    await agent.ask('POST', `/leads/${later}/call_back`, at(left + 60_000));
    await agent.ask('POST', `/leads/${soon}/call_back`, at(left / 2));
    await other.ask('PATCH', `/leads/${theirs}/delegate`, { lead: { delegate_to: other.id } });
    await other.ask('POST', `/leads/${theirs}/call_back`, at(left / 2));
    await api('POST', `/leads/${far}/call_back`, at(left + 3 * 86_400_000));
    const seen = await ahead(agent.ask, list);
    assert.equal(seen.next, null);
    assert.deepEqual(ids(seen.coming), [soon, later, far]);
    assert.deepEqual([seen.later_today, seen.tomorrow], [1, 1]);
    const [{ primary_identifier, state, yours }] = seen.coming;
    assert.deepEqual([primary_identifier, state, typeof yours], ['', 'call_back', 'boolean']);
    assert.deepEqual(ids((await ahead(other.ask, list)).coming).includes(theirs!), true);
    const stranger = await newAgent();
    assert.equal((await stranger.ask('GET', `/lists/${list}/ahead`)).status, 404);
  });

  test('the day so far: outcomes by kind and the last that were given, of nobody else and of no day before', async () => {
    const list = await newList({ winner_categories: 'Order' });
    const agent = await newAgent(list);
    const [a, b, old] = await load(list, 3);
    await agent.ask('POST', `/leads/${old}/loser`);
    await house.pool.query("update events set created_at = now() - interval '25 hours' where lead_id = $1", [old]);
    await agent.ask('POST', `/leads/${a}/winner`, { lead: { category: 'Order' } });
    await agent.ask('POST', `/leads/${b}/archive`);
    await owner('POST', `/leads/${old}/winner`);
    const { body } = await agent.ask('GET', '/day');
    assert.deepEqual([body.calls, body.won, body.call_back, body.lost, body.archived], [0, 1, 0, 0, 1]);
    assert.deepEqual(
      body.done.map((one: Record<string, unknown>) => [one.lead_id, one.kind, one.category, one.duration]),
      [
        [b, 'archive', null, null],
        [a, 'winner', 'Order', null],
      ],
    );
    await owner('PATCH', `/users/${agent.id}`, { user: { listing_ids: [] } });
    const after = (await agent.ask('GET', '/day')).body;
    assert.deepEqual([after.won, after.done], [1, []], 'what is not theirs to see any more is not named');
  });
});

describe('holds', () => {
  test('who has a lead open is given it again, and nobody else is', async () => {
    const list = await newList();
    const [ann, bo] = [await newAgent(list), await newAgent(list)];
    const [first, second] = await load(list, 2);
    assert.deepEqual([await nextId(ann.ask, list), await nextId(ann.ask, list)], [first, first]);
    assert.deepEqual([await nextId(bo.ask, list), await nextId(bo.ask, list)], [second, second]);
    const { status, body } = await bo.ask('POST', `/leads/${first}/hold`);
    assert.deepEqual([status, body.code], [409, 'lead_open']);
    assert.match(body.error, /agent\d+@example\.com has this lead open/);
    assert.equal((await bo.ask('GET', `/leads/${first}`)).status, 200, 'others may look');
    assert.equal((await ann.ask('DELETE', '/holds')).status, 204);
    assert.equal((await bo.ask('POST', `/leads/${first}/hold`)).status, 200);
  });

  test('two minutes without a sign of life free it, and two hours without input too', async () => {
    const list = await newList();
    const [ann, bo] = [await newAgent(list), await newAgent(list)];
    const [lead] = await load(list, 1);
    await next(ann.ask, list);
    const age = (column: string, interval: string) =>
      house.pool.query(`update leads set ${column} = ${column} - interval '${interval}' where id = $1`, [lead]);
    await age('held_until', '60 seconds');
    assert.equal(await nextId(bo.ask, list), null);
    assert.equal((await ann.ask('POST', `/leads/${lead}/hold`, { input: false })).status, 200);
    await age('held_until', '65 seconds');
    assert.equal(await nextId(bo.ask, list), null, 'the sign of life gave two minutes more');
    await age('held_until', '60 seconds');
    assert.equal(await nextId(bo.ask, list), lead);

    await age('input_at', '119 minutes');
    const { body } = await bo.ask('POST', `/leads/${lead}/hold`, { input: false });
    assert.ok(
      Date.parse(body.held_until) - Date.now() <= 61_000,
      'signs of life alone do not hold it beyond two hours',
    );
    await age('held_until', '3 minutes');
    const over = await bo.ask('POST', `/leads/${lead}/hold`, { input: false });
    assert.deepEqual([over.status, over.body.code], [409, 'hold_ended'], 'nor open it again');
    await bo.ask('POST', `/leads/${lead}/hold`, { input: true });
    const { body: again } = await bo.ask('POST', `/leads/${lead}/hold`, { input: false });
    assert.ok(Date.parse(again.held_until) - Date.now() > 70_000);
  });

  test('a sign of life that comes late opens nothing again that was finished; what lapsed or was let go it does', async () => {
    const list = await newList();
    const { ask } = await newAgent(list);
    const [first, second, third] = await load(list, 3);
    const sign = async (lead: number | undefined) =>
      (await ask('POST', `/leads/${lead}/hold`, { input: true, opens: false })).body;
    assert.equal(await nextId(ask, list), first);
    await house.pool.query(`update leads set held_until = held_until - interval '3 minutes' where id = $1`, [first]);
    assert.ok(Date.parse((await sign(first)).held_until) > Date.now());
    assert.equal((await ask('POST', `/leads/${first}/call_back`, { lead: { call_back_in: 60 } })).status, 204);
    assert.equal((await sign(first)).code, 'hold_ended');
    assert.equal(await nextId(ask, list), second);
    assert.equal((await ask('DELETE', `/leads/${second}/hold`)).status, 204);
    assert.equal((await sign(second)).code, 'hold_ended', 'it came a moment ago');
    await house.pool.query(`update leads set last_updated = last_updated - interval '1 minute' where id = $1`, [
      second,
    ]);
    assert.ok(Date.parse((await sign(second)).held_until) > Date.now(), 'by another tab, perhaps');
    assert.equal((await ask('POST', `/lists/${list}/next`, { past: second })).body.lead.id, third);
    assert.equal((await ask('POST', `/leads/${first}/hold`)).status, 200, 'by hand it opens');
    assert.equal((await ask('POST', `/leads/${third}/skip`)).status, 204);
    await house.pool.query(`update leads set last_updated = last_updated - interval '1 hour' where id = $1`, [third]);
    assert.equal((await sign(third)).code, 'hold_ended', 'skipping, too, is the end of it');
  });

  test('whoever is taken off the list may finish the lead they have open, and gets no other', async () => {
    const list = await newList();
    const { id, ask } = await newAgent(list);
    const [open, another] = await load(list, 2);
    assert.equal(await nextId(ask, list), open);
    await owner('PATCH', `/users/${id}`, { user: { listing_ids: [] } });
    assert.equal((await ask('POST', `/leads/${open}/hold`, { input: true, opens: false })).status, 200);
    assert.equal((await ask('GET', `/leads/${open}/coming_back`)).status, 200);
    const claim = await ask('PATCH', `/leads/${open}/delegate`, { lead: { delegate_to: id } });
    assert.deepEqual([claim.status, claim.body.error], [403, 'You do not work the list of this lead any more.']);
    const later = { lead: { call_back_in: 600 } };
    for (const lead of [another, open])
      assert.equal((await ask('POST', `/leads/${lead}/call_back`, later)).status, lead === open ? 204 : 404);
    assert.equal((await api('GET', `/leads/${open}`)).body.claimed_by, null, 'it would come up at nobody’s desk');
    assert.equal((await ask('POST', `/lists/${list}/next`)).status, 404);
    assert.equal((await ask('POST', `/leads/${open}/winner`)).status, 404, 'once');
  });

  test('nobody takes a lead out of another’s hands: not by skipping it, nor by opening what another claims', async () => {
    const list = await newList();
    const [ann, bo] = [await newAgent(list), await newAgent(list)];
    const [open, claimed] = await load(list, 2);
    assert.equal(await nextId(ann.ask, list), open);
    assert.equal((await bo.ask('POST', `/leads/${open}/skip`)).status, 409);
    await api('PATCH', `/leads/${claimed}/delegate`, { lead: { delegate_to: ann.id } });
    for (const path of ['hold', 'skip']) {
      const { status, body } = await bo.ask('POST', `/leads/${claimed}/${path}`);
      assert.deepEqual([status, body.code], [409, 'lead_claimed']);
    }
  });

  test('an open lead that was archived or given to another meanwhile is not given again', async () => {
    const list = await newList();
    const [ann, bo] = [await newAgent(list), await newAgent(list)];
    const [first, second, third] = await load(list, 3);
    assert.equal(await nextId(ann.ask, list), first);
    await api('POST', `/leads/${first}/archive`);
    assert.equal(await nextId(ann.ask, list), second);
    await api('PATCH', `/leads/${second}/delegate`, { lead: { delegate_to: bo.id } });
    assert.equal(await nextId(ann.ask, list), third);
  });

  test('whoever goes past leads is given one that does not lie behind them, as the forecast says; past all there is none', async () => {
    const list = await newList();
    const [agent, colleague] = [await newAgent(list), await newAgent(list)];
    const [first, second, third, fourth] = await load(list, 4);
    assert.equal(await nextId(agent.ask, list), first);
    const past = async (...ids: unknown[]) => (await agent.ask('POST', `/lists/${list}/next`, { past: ids })).body;
    assert.equal((await past(first)).lead.id, second);
    await agent.ask('DELETE', `/leads/${first}/hold`);
    const { body } = await agent.ask('GET', `/lists/${list}/ahead?past=${first},${second}`);
    assert.equal(body.next.id, third);
    // A forecast holds nothing: the colleague has it by now.
    await colleague.ask('POST', `/leads/${third}/hold`);
    assert.equal((await past(first, second)).lead.id, fourth);
    assert.equal((await past(first, second, fourth)).lead, null);
    assert.equal((await past(...Array.from({ length: 101 }, (_, id) => id))).code, 'validation_failed');
    assert.equal((await past('x')).code, 'validation_failed');
  });

  test('whoever is just finishing a lead is given another in the same breath; without one there is none', async () => {
    const list = await newList();
    const agent = await newAgent(list);
    const [first, second] = await load(list, 2);
    assert.equal(await nextId(agent.ask, list), first);
    const past = async (id: number) => (await agent.ask('POST', `/lists/${list}/next`, { past: id })).body.lead?.id;
    const [given] = await Promise.all([past(first!), agent.ask('POST', `/leads/${first}/winner`)]);
    assert.equal(given, second);
    assert.equal(await past(second!), undefined);
    // It is open still.
    assert.equal(await nextId(agent.ask, list), second);
    // Nor is it given when nobody was there for so long that it was let go.
    await house.pool.query("update leads set held_until = now() - interval '1 second' where id = $1", [second]);
    assert.equal(await past(second!), undefined);
  });

  test('two questions at once open one lead', async () => {
    const list = await newList();
    const agent = await newAgent(list);
    await load(list, 5);
    const given = await Promise.all(Array.from({ length: 5 }, () => nextId(agent.ask, list)));
    assert.equal(new Set(given).size, 1);
  });

  test('holding and letting go leave last_updated alone; an outcome lets go', async () => {
    const list = await newList();
    const agent = await newAgent(list);
    const [lead] = await load(list, 1);
    const { last_updated } = (await api('GET', `/leads/${lead}`)).body;
    await next(agent.ask, list);
    await agent.ask('POST', `/leads/${lead}/hold`);
    assert.equal((await api('GET', `/leads/${lead}`)).body.last_updated, last_updated);
    await agent.ask('POST', `/leads/${lead}/call_back`);
    const { rows } = await house.pool.query('select held_by from leads where id = $1', [lead]);
    assert.equal(rows[0].held_by, null);
  });

  test('skip puts a lead behind all others of its rank and is an event with its category', async () => {
    const list = await newList();
    const agent = await newAgent(list);
    const [first, second, third] = await load(list, 3);
    assert.equal(await nextId(agent.ask, list), first);
    assert.equal(
      (await agent.ask('POST', `/leads/${first}/skip`, { lead: { category: 'Lunch', comment: 'Back at one' } })).status,
      204,
    );
    assert.equal((await agent.ask('POST', `/leads/${second}/skip`, { lead: { category: 'Dinner' } })).status, 422);
    assert.deepEqual(await workThrough(agent.ask, list), [second, third, first]);
    const { body } = await api('GET', `/leads/${first}`);
    assert.deepEqual(
      body.events.slice(1, 2).map(({ kind, category, comment }: Record<string, string>) => [kind, category, comment]),
      [['skip', 'Lunch', 'Back at one']],
    );
    assert.equal((await api('GET', '/leads/search?query=back+at+one')).body.total, 1);
  });
});

test('a skipped lead that is opened again resets nobody’s skips', async () => {
  const list = await newList();
  const [ann, bo] = [await newAgent(list), await newAgent(list)];
  const [anns, bos] = (await load(list, 2)) as [number, number];
  await api('PATCH', `/leads/${bos}/delegate`, { lead: { delegate_to: bo.id } });
  for (const [{ ask }, id] of [
    [ann, anns],
    [bo, bos],
  ] as const) {
    assert.equal(await nextId(ask, list), id);
    assert.equal((await ask('POST', `/leads/${id}/skip`)).status, 204);
  }
  const [third, fourth] = await load(list, 2);
  // Ann takes hers up again, and the desk asks for what she has open.
  assert.equal((await ann.ask('POST', `/leads/${anns}/hold`)).status, 200);
  assert.equal(await nextId(ann.ask, list), anns);
  assert.equal((await ann.ask('POST', `/leads/${anns}/winner`)).status, 204);
  assert.deepEqual([await nextId(bo.ask, list), await nextId(ann.ask, list)], [third, fourth]);
  assert.equal((await bo.ask('POST', `/leads/${third}/winner`)).status, 204);
  assert.equal(await nextId(bo.ask, list), bos, 'when the others have had their turn');
});

test('skip gets past a lead one holds oneself, too', async () => {
  const list = await newList();
  const agent = await newAgent(list);
  const [mine, free, another] = await load(list, 3);
  await api('PATCH', `/leads/${mine}/delegate`, { lead: { delegate_to: agent.id } });
  const order: (number | null)[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const id = await nextId(agent.ask, list);
    order.push(id);
    await agent.ask('POST', `/leads/${id}/skip`);
  }
  assert.deepEqual(order, [mine, free, another, mine, free, another]);
});

describe('claims at the desk', () => {
  test('by default scheduling an exact time claims for whoever has the lead open, the rest do not; nor does the API', async () => {
    const list = await newList();
    const agent = await newAgent(list);
    const claimed = async (id: number) => (await api('GET', `/leads/${id}`)).body.claimed_by as string | null;
    const [scheduled, putOff, won, byKey] = await load(list, 4);
    for (const [lead, path, outcome] of [
      [scheduled, 'call_back', { call_back_in: 60 }],
      [putOff, 'call_back', { call_back_in: 60, exactly: false }],
      [won, 'winner', {}],
    ] as const) {
      assert.equal(await nextId(agent.ask, list), lead);
      await agent.ask('POST', `/leads/${lead}/${path}`, { lead: outcome });
    }
    assert.equal(await nextId(agent.ask, list), byKey);
    await house.withKey(agent.key)('POST', `/leads/${byKey}/call_back`, { lead: { call_back_in: 60 } });
    await agent.ask('DELETE', '/holds');
    const email = `agent${people}@example.com`;
    assert.deepEqual(await Promise.all([scheduled!, putOff!, won!, byKey!].map(claimed)), [email, null, null, null]);

    await owner('PATCH', '/account', {
      account: { claim_on_win: true, claim_on_schedule: false, claim_on_put_off: true },
    });
    const [a, c, b] = await load(list, 3);
    for (const [lead, path, outcome] of [
      [a, 'call_back', { call_back_in: 60 }],
      [c, 'winner', {}],
      [b, 'call_back', { call_back_in: 60, exactly: false }],
    ] as const) {
      assert.equal(await nextId(agent.ask, list), lead);
      await agent.ask('POST', `/leads/${lead}/${path}`, { lead: outcome });
    }
    assert.deepEqual(await Promise.all([a!, b!, c!].map(claimed)), [null, email, email]);
  });
});

describe('after the clock was set back an hour', () => {
  test('new leads are given at once, and one that somebody left open is free in two minutes', async () => {
    const list = await newList();
    const [lead] = await load(list, 1);
    const [ann, ben] = [await newAgent(list), await newAgent(list)];
    await house.pool.query(`update leads set turn_at = now() + interval '1 hour' where id = $1`, [lead]);
    assert.equal(await nextId(ann.ask, list), lead);
    await house.pool.query(`update leads set held_until = held_until + interval '1 hour' where id = $1`, [lead]);
    assert.equal(await nextId(ben.ask, list), null);
    await pullHolds(house.db);
    const held = `select held_until - now() between interval '1 minute' and interval '2 minutes' as soon from leads where id = $1`;
    assert.deepEqual((await house.pool.query(held, [lead])).rows, [{ soon: true }]);
  });

  test('nobody who is there is taken for gone while the clock is being set, and who is gone is missed', async () => {
    const agent = await newAgent();
    const { rows } = await house.pool.query<{ id: number }>(
      `insert into calls (account_id, direction, user_id, destination_number, state, page_seen_at)
       values ($1, 'outbound', $2, '+4533', 'active', now() - interval '1 hour') returning id`,
      [house.account.id, agent.id],
    );
    const isEnded = async () => {
      await endForgotten(house.db);
      const found = await house.pool.query('select hang_up_at from calls where id = $1', [rows[0]!.id]);
      return found.rows[0].hang_up_at !== null;
    };
    setClock(new Date(Date.now() - 3_600_000));
    assert.equal(await isEnded(), false, 'set forward, and its page had no time yet to say so');
    setClock(new Date());
    await house.pool.query(`update calls set page_seen_at = now() + interval '1 hour' where id = $1`, [rows[0]!.id]);
    assert.equal(await isEnded(), false);
    await pullCalls(house.db);
    await house.pool.query(`update calls set page_seen_at = page_seen_at - interval '11 seconds' where id = $1`, [
      rows[0]!.id,
    ]);
    assert.equal(await isEnded(), true);
  });
});
