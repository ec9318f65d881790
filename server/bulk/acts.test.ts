import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse, OWNER, type Answer } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { openSubscriber } from '../../test/subscriber.ts';
import { findLeadList } from '../leads/access.ts';
import { loadLeads } from '../leads/load.ts';
import { createList } from '../lists/lists.ts';
import { lockShape } from '../lists/shape-lock.ts';
import { createUser, findActor } from '../people/users/users.ts';
import { serviceActor } from '../platform/actor.ts';
import { sweep, sweepSql } from '../platform/sweep.ts';
import type { Sql } from '../platform/sql.ts';
import { takeDeliveries } from '../webhooks/deliveries.ts';
import { PAST_ACTS, startBulkAct } from './bulk.ts';

const house = await openHouse({ RATE_LIMITS: 'off', WEBHOOK_ALLOW: '127.0.0.0/8' });
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
const service = serviceActor(house.account, 'test');

const id = ({ status, body }: Answer): number => {
  assert.ok(status < 300, JSON.stringify(body));
  return body.id;
};
const newList = async (name = 'Many', columns?: object[]) =>
  id(await api('POST', '/lists', { list: { name, ...(columns && { columns_attributes: columns }) } }));
const load = (list: number, rows: Record<string, string>[]): Promise<number[]> =>
  house.transact(async (work) =>
    loadLeads(work, service, await findLeadList(work, service, list, 'leads.write'), rows),
  );
const some = (count: number, row: Record<string, string> = { first_name: 'Ann' }) =>
  Array.from({ length: count }, () => row);
const begin = async (bulk: object) => id(await owner('POST', '/bulk', { bulk }));
const ended = (act: number) =>
  eventually('it is finished', async () => {
    const { body } = await owner('GET', `/bulk/${act}`);
    return body.finished_at && body;
  });
const finish = async (bulk: object) => ended(await begin(bulk));
const reasonsOf = ({ reasons }: { reasons: { reason: string; number: number }[] }) =>
  reasons.map(({ reason, number }) => [reason, number]);
const refusedOf = async (act: number): Promise<string[]> =>
  (await owner('GET', `/bulk/${act}/refused`)).body.trimEnd().split('\r\n').slice(1);

test('spread over people each gets as many as the others, and what they have of it already counts', async () => {
  const list = await newList();
  const leads = await load(list, some(300));
  const people = [];
  for (const email of ['a@example.com', 'b@example.com', 'c@example.com']) people.push(await house.join({ email }));
  for (const lead of leads.slice(0, 40))
    await api('PATCH', `/leads/${lead}/delegate`, { lead: { delegate_to: people[0]!.id } });
  const delegate_to = [people[0]!.id, 'B@example.com', people[2]!.id];
  const act = await finish({ kind: 'delegate', lead_ids: leads, lead: { delegate_to } });
  assert.equal(act.says, 'Delegated to 3 people, as many to each');
  const { rows } = await house.pool.query(
    `select claimed_by, count(*)::int as leads from leads where list_id = $1 and claimed_at > now() - interval '1 day'
      group by 1 order by 1`,
    [list],
  );
  assert.deepEqual(
    rows,
    people.map((person) => ({ claimed_by: person.id, leads: 100 })),
  );
  assert.deepEqual(reasonsOf(act), [['already theirs', 14]]);
  const again = await finish({ kind: 'delegate', lead_ids: leads, lead: { delegate_to } });
  assert.deepEqual(reasonsOf(again), [['already theirs', 300]]);
});

test('moved to a list that has no such field, what matches is counted all the same', async () => {
  const [list, other] = [await newList(), await newList()];
  assert.equal((await owner('POST', `/lists/${list}/fields`, { field: { label: 'Depot' } })).status, 201);
  await load(list, [...some(3, { depot: 'Ghent' }), ...some(2, { depot: 'Bruges' })]);
  const matching = { filter: [{ name: 'field.depot', operator: 'is', values: ['Ghent'] }] };
  const { status, body } = await owner('POST', '/bulk/question', {
    bulk: { kind: 'migrate', matching, lead: { to_list_id: other } },
  });
  assert.deepEqual([status, body.number, body.left_out], [200, 3, []]);
});

test('a filter says which: those that match are gathered, and what no longer matches by its turn is left and named', async () => {
  const list = await newList();
  const [ghent, bruges] = [
    await load(list, some(30, { last_name: 'Ghent' })),
    await load(list, some(20, { last_name: 'Bruges' })),
  ];
  const matching = {
    list_ids: [list],
    filter: [{ name: 'field.last_name', operator: 'is', values: ['Ghent'] }],
  };
  const asked = await owner('POST', '/bulk/question', { bulk: { kind: 'archive', matching } });
  assert.deepEqual([asked.status, asked.body.number, asked.body.left_out], [200, 30, []]);
  const act = await begin({ kind: 'archive', matching });
  await eventually('they are gathered', async () => !(await owner('GET', `/bulk/${act}`)).body.gathering);
  const { total, done, refusals } = await ended(act);
  assert.deepEqual([total, done, refusals], [30, 30, 0]);
  const { rows } = await house.pool.query(
    `select id from leads where list_id = $1 and state = 'archived' order by id`,
    [list],
  );
  assert.deepEqual(
    rows.map((lead) => lead.id),
    ghent,
  );

  // Gathered by hand and then changed, so that it cannot have had its turn.
  const actor = await findActor(house, house.account.id, await ownerId(), 'app');
  const filtered = {
    kind: 'renew' as const,
    matching: { list_ids: [list], filter: [{ name: 'state', operator: 'is' as const, values: ['archived'] }] },
  };
  const { id: second } = await house.transact(async (work) => {
    const begun = await startBulkAct(work, actor, filtered);
    const params = [house.account.id, begun.id, [ghent[0], bruges[0]]];
    await work.db.send(
      `insert into bulk_leads (account_id, act_id, place, lead_id) select $1, $2, n, id from unnest($3::bigint[]) with ordinality as l (id, n)` as Sql,
      params,
    );
    await work.db.send(
      `update bulk_acts set total = 2, gathered_after = null where account_id = $1 and id = $2` as Sql,
      params.slice(0, 2),
    );
    return begun;
  });
  assert.deepEqual(reasonsOf(await ended(second)), [['no longer matches the filter', 1]]);
  assert.deepEqual(await refusedOf(second), [`${bruges[0]},,,Bruges,Many,no longer matches the filter`]);
});

const ownerId = async (): Promise<number> =>
  (await house.pool.query('select id from users where email = $1', [OWNER.email])).rows[0].id;

test('of those that match some are taken out: they are not counted, and nothing is done to them', async () => {
  const list = await newList();
  const leads = await load(list, some(8));
  const except_ids = [leads[7]!, leads[2]!, 999_999, leads[2]!];
  const bulk = { kind: 'archive', matching: { list_ids: [list] }, except_ids };
  assert.equal((await owner('POST', '/bulk/question', { bulk })).body.number, 6);
  const { total, done, refusals } = await finish(bulk);
  assert.deepEqual([total, done, refusals], [6, 6, 0]);
  const { rows } = await house.pool.query(`select id from leads where list_id = $1 and state = 'new' order by id`, [
    list,
  ]);
  assert.deepEqual(
    rows.map((lead) => lead.id),
    [leads[2], leads[7]],
  );
  const { status, body } = await owner('POST', '/bulk', { bulk: { kind: 'archive', lead_ids: leads, except_ids } });
  assert.deepEqual([status, Object.keys(body.errors)], [422, ['except_ids']]);
});

test('what is open at a desk is left, and so is what it is done to already; the question says so before', async () => {
  const list = await newList();
  const agent = await house.join({ email: 'desk@example.com', listing_ids: [list] });
  const leads = await load(list, some(5));
  assert.equal((await agent.ask('POST', `/leads/${leads[0]}/hold`)).status, 200);
  // For longer than this test can take.
  await house.pool.query(`update leads set held_until = now() + interval '1 hour' where id = $1`, [leads[0]]);
  assert.ok((await owner('POST', `/leads/${leads[1]}/archive`, { lead: {} })).status < 300);
  for (const which of [{ lead_ids: leads }, { matching: { list_ids: [list] } }]) {
    const { body } = await owner('POST', '/bulk/question', { bulk: { kind: 'archive', ...which } });
    assert.equal(body.number, 5);
    assert.deepEqual(body.left_out, [
      { reason: 'open at a desk', number: 1 },
      { reason: 'already archived', number: 1 },
    ]);
    assert.ok(Date.parse(body.undo_until) > Date.now() && body.seconds >= 1);
  }
  const act = await finish({ kind: 'archive', lead_ids: leads });
  assert.deepEqual(new Set(reasonsOf(act).map(String)), new Set(['open at a desk,1', 'already archived,1']));
  const held = (await api('GET', `/leads/${leads[0]}`)).body;
  assert.equal(held.state, 'new');
});

test('of leads that are duplicates, a delete takes all that matched: the first do not keep the others', async () => {
  const list = await newList();
  const phones = Array.from({ length: 260 }, (_, index) => ({ mobile_phone: `+45331${10_000 + (index % 130)}` }));
  await load(list, phones);
  const matching = { list_ids: [list], filter: [{ name: 'duplicate', operator: 'is', values: ['yes'] }] };
  const act = await finish({ kind: 'delete', matching });
  assert.deepEqual([act.total, act.done, act.refusals, act.reasons], [260, 260, 0, []]);
});

test('a field that no list has, or a value that none takes, is refused before anything begins', async () => {
  const lead_ids = await load(await newList('Trucks', [{ label: 'Trucks', kind: 'integer' }]), [{}]);
  const ask = async (lead: object) => {
    const { status, body } = await owner('POST', '/bulk/question', { bulk: { kind: 'change', lead_ids, lead } });
    return [status, body.errors ?? body.left_out];
  };
  assert.deepEqual(await ask({ field: 'lorries', value: '5' }), [422, { field: ['is no field of any list'] }]);
  assert.deepEqual(await ask({ field: 'trucks', value: 'many' }), [422, { trucks: ['must be a whole number'] }]);
  assert.deepEqual(await ask({ field: 'trucks', value: '5' }), [200, []]);
});

test('the question tells of lists that lack the field or refuse the value, and of leads that say so already', async () => {
  const [list, without] = [await newList('Text', [{ label: 'Berths' }]), await newList()];
  const refuses = await newList('Number', [{ label: 'Berths', kind: 'integer' }]);
  const leads = [
    ...(await load(list, [{ berths: 'two' }, { berths: 'three' }])),
    ...(await load(without, [{}, {}, {}])),
    ...(await load(refuses, [{}])),
  ];
  const change = { kind: 'change', lead: { field: 'berths', value: 'two' } };
  const expected = [
    ['in a list where it must be a whole number', 1],
    ['in a list without this field', 3],
    ['saying so already', 1],
  ];
  const lists = [list, without, refuses];
  for (const which of [{ lead_ids: leads }, { matching: { list_ids: lists } }]) {
    const { status, body } = await owner('POST', '/bulk/question', { bulk: { ...change, ...which } });
    assert.equal(status, 200, JSON.stringify(body));
    const told = body.left_out.map(({ reason, number }: { reason: string; number: number }) => [reason, number]);
    assert.deepEqual(new Set(told.map(String)), new Set(expected.map(String)));
  }
  const only = await owner('POST', '/bulk/question', { bulk: { ...change, matching: { list_ids: [without] } } });
  assert.deepEqual(only.body.left_out, [{ reason: 'in a list without this field', number: 3 }]);
  const act = await finish({ ...change, lead_ids: leads });
  assert.deepEqual(
    new Set(reasonsOf(act).map(String)),
    new Set(['Berths must be a whole number.,1', 'Berths is no column of this list.,3', 'already says so,1']),
  );
});

test('an archive with a category that no list has is refused at once; of some that lack it, the question tells', async () => {
  const list = id(await api('POST', '/lists', { list: { name: 'Closing', archive_categories: 'Closed down' } }));
  const without = await newList();
  const lead_ids = [...(await load(list, some(2))), ...(await load(without, some(3)))];
  const archive = (category: string) => ({ kind: 'archive', lead_ids, lead: { category } });
  const refused = await owner('POST', '/bulk/question', { bulk: archive('Burnt down') });
  assert.deepEqual(
    [refused.status, refused.body.errors],
    [422, { category: ['is no category for archived leads in any list'] }],
  );
  const { body } = await owner('POST', '/bulk/question', { bulk: archive('Closed down') });
  assert.deepEqual([body.number, body.left_out], [5, [{ reason: 'in a list without this category', number: 3 }]]);
  const act = await finish(archive('Closed down'));
  assert.deepEqual([act.done, act.reasons.map(({ number }: { number: number }) => number)], [5, [3]]);
  assert.match(act.reasons[0].reason, /^Category must be/);
});

test('the question names by host who hears of it, and how often at most', async () => {
  const subscriber = await openSubscriber();
  const [list, other] = [await newList(), await newList()];
  const [first] = [await load(list, some(7)), await load(other, some(3))];
  for (const [of, event] of [
    [list, 'lead_updated'],
    [list, 'new_event'],
    [other, 'new_event'],
  ] as const)
    await api('POST', `/lists/${of}/webhook`, { webhook: { event, target_url: `${subscriber.url}/${event}` } });
  const target = new URL(subscriber.url).host;
  const tells = async (bulk: object) => (await owner('POST', '/bulk/question', { bulk })).body.tells;
  const change = { kind: 'change', lead: { field: 'last_name', value: 'Berg' } };
  assert.deepEqual(await tells({ ...change, lead_ids: first.slice(0, 4) }), [{ target, times: 8 }]);
  assert.deepEqual(await tells({ ...change, matching: { list_ids: [list, other] } }), [{ target, times: 17 }]);
  assert.deepEqual(await tells({ kind: 'migrate', lead_ids: first, lead: { to_list_id: other } }), []);
  assert.deepEqual(await tells({ kind: 'delete', lead_ids: first }), []);
});

test('stopped, what was done stays done and can be undone; nothing more is done', async () => {
  const list = await newList();
  const leads = await load(list, some(600));
  const act = await house.transact(async ({ db }) => {
    // Whoever writes leads waits for the one who has the shape of the lists alone.
    await lockShape(db, house.account.id);
    const begun = await begin({ kind: 'archive', lead_ids: leads });
    const stopped = (await owner('POST', `/bulk/${begun}/stop`)).body;
    assert.ok(stopped.stopped_at && stopped.finished_at);
    return begun;
  });
  const told = (await owner('GET', `/bulk/${act}`)).body;
  assert.deepEqual([told.total, told.done, told.undo_until], [600, 0, null]);
  const second = await begin({ kind: 'archive', lead_ids: leads });
  await eventually('some are done', async () => (await owner('GET', `/bulk/${second}`)).body.done > 0);
  const { done, undo_until } = (await owner('POST', `/bulk/${second}/stop`)).body;
  const archived = async () =>
    (await house.pool.query(`select count(*)::int as n from leads where list_id = $1 and state = 'archived'`, [list]))
      .rows[0].n;
  assert.equal(await archived(), done);
  assert.ok(undo_until);
  await ended(id(await owner('POST', `/bulk/${second}/undo`)));
  assert.equal(await archived(), 0);
});

test('the file of those not done holds each with its reason, and no formula that a spreadsheet would run', async () => {
  const list = await newList('Depots, "North"');
  const rows = [{ first_name: '=1+1' }, { first_name: 'Ann' }];
  const [formula, plain] = await load(list, [...rows, ...some(1_100)]);
  const { id: act } = await finish({ kind: 'renew', matching: { list_ids: [list] } });
  const { status, headers, body } = await owner('GET', `/bulk/${act}/refused`);
  assert.deepEqual(
    [status, headers.get('content-type'), headers.get('content-disposition')],
    [200, 'text/csv; charset=utf-8', `attachment; filename="leads-not-done-${act}.csv"`],
  );
  const lines = body.split('\r\n');
  assert.equal(lines.length, 1 + 1_102 + 1, 'a head, a line each, and nothing after the last');
  assert.match(lines[1], new RegExp(`^${formula},.*'=1\\+1.*,"Depots, ""North""",already new$`));
  assert.match(lines[2], new RegExp(`^${plain},.*Ann.*,"Depots, ""North""",already new$`));
});

test('of another account nothing is there: neither act nor file, and nothing can be stopped or undone', async () => {
  const { account } = await house.addAccount('Elsewhere', 'http://elsewhere.example.com');
  const stranger = serviceActor(account, 'test');
  const act = await house.transact(async (work) => {
    const { id: userId } = await createUser(work, stranger, { email: 'm@elsewhere.example.com', lists_admin: true });
    const acting = await findActor(work, account.id, userId, 'app');
    const { id: list } = await createList(work, stranger, { name: 'Elsewhere' });
    const leads = await loadLeads(work, stranger, await findLeadList(work, stranger, list, 'leads.write'), some(2));
    return startBulkAct(work, acting, { kind: 'archive', lead_ids: leads });
  });
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/refused'],
    ['POST', '/stop'],
    ['POST', '/undo'],
  ] as const)
    assert.equal((await owner(method, `/bulk/${act.id}${path}`)).status, 404, path);
  const seen = (await owner('GET', '/bulk')).body.map((one: { id: number }) => one.id);
  assert.ok(seen.length > 0 && !seen.includes(act.id));
});

test('whose filter cannot be read any more is stopped before it does anything, and says why', async () => {
  const list = await newList('Gone');
  const leads = await load(list, some(3));
  const act = await house.transact(async ({ db }) => {
    await lockShape(db, house.account.id);
    const begun = await begin({ kind: 'delete', matching: { list_ids: [list] } });
    assert.equal((await owner('DELETE', `/lists/${list}`, { list: { name: 'Gone' } })).status, 204);
    return begun;
  });
  const { stopped_at, total, reasons } = await ended(act);
  assert.ok(stopped_at);
  assert.deepEqual([total, reasons.length, reasons[0].number], [0, 1, 0]);
  assert.match(reasons[0].reason, new RegExp(`${list}, which is no list that you may see`));
  assert.equal((await owner('POST', `/lists/${list}/restore`)).status, 200);
  assert.equal((await api('GET', `/leads/${leads[0]}`)).status, 200);
});

test('who loses the right meanwhile does no more, and each lead says why', async () => {
  const list = await newList();
  const leads = await load(list, some(3));
  const former = await house.join({ email: 'former@example.com', agent: false, lists_admin: true });
  const act = await house.transact(async ({ db }) => {
    await lockShape(db, house.account.id);
    const { body } = await former.ask('POST', '/bulk', { bulk: { kind: 'delete', lead_ids: leads } });
    await house.pool.query('update users set lists_admin = false where id = $1', [former.id]);
    return body.id as number;
  });
  assert.deepEqual(reasonsOf(await ended(act)), [['Your role does not allow this.', 3]]);
});

test('what agents do is told first: what was done to many waits behind it with each subscriber', async () => {
  const list = await newList();
  const webhook = { event: 'archive', target_url: 'http://localhost:9/behind' };
  const hook = id(await api('POST', `/lists/${list}/webhook`, { webhook }));
  // Nobody else sees what a transaction has not committed, so nobody takes it before.
  const taking = house.transact(async ({ db }) => {
    await db.send(
      `insert into deliveries (account_id, webhook_id, resource, later)
       select $1, $2, later::text, later from unnest(array[true, true, false, true, false]) as d (later)` as Sql,
      [house.account.id, hook],
    );
    const take = async () =>
      (await takeDeliveries(db, house.node.id, { known: new Map(), unknown: 2, full: [], quick: 100 }))
        .filter(({ webhook_id }) => webhook_id === hook)
        .map(({ resource }) => resource);
    throw Object.assign(new Error('taken'), { taken: [await take(), await take(), await take()] });
  });
  const { taken } = await taking.catch((error: unknown) => error as { taken: string[][] });
  assert.deepEqual(taken, [['false', 'false'], ['true', 'true'], ['true']]);
});

test('thirty days after its end an act is swept, its leads first', async () => {
  const list = await newList();
  const { id: act } = await finish({ kind: 'renew', lead_ids: await load(list, some(10)) });
  await house.pool.query(`update bulk_acts set finished_at = now() - interval '31 days' where id = $1`, [act]);
  await sweep(
    house.db,
    PAST_ACTS.map((past) => sweepSql(past) as Sql<{ rows: number }>),
  );
  for (const [table, column] of [
    ['bulk_leads', 'act_id'],
    ['bulk_acts', 'id'],
  ] as const) {
    const { rows } = await house.pool.query(`select count(*)::int as n from ${table} where ${column} = $1`, [act]);
    assert.equal(rows[0].n, 0, table);
  }
});
