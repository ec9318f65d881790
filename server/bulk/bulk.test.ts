import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse, type Ask } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { openSubscriber } from '../../test/subscriber.ts';
import { findLeadList } from '../leads/access.ts';
import { deleteOneLead } from '../leads/deleted.ts';
import { loadLeads } from '../leads/load.ts';
import { createList } from '../lists/lists.ts';
import { lockShape } from '../lists/shape-lock.ts';
import { serviceActor } from '../platform/actor.ts';
import type { Log } from '../platform/log.ts';
import { createUser, findActor } from '../people/users/users.ts';
import { readBulkAct, startBulkAct } from './bulk.ts';
import { giveBulkTurns } from './turns.ts';

const house = await openHouse({ RATE_LIMITS: 'off', WEBHOOK_ALLOW: '127.0.0.0/8' });
const api = house.withKey(house.key);
const manager = await house.join({ email: 'manager@example.com', agent: false, lists_admin: true });
const supervisor = await house.join({ email: 'supervisor@example.com', agent: false, supervisor: true });

const newList = async () =>
  (await api('POST', '/lists', { list: { name: 'Bulk', archive_categories: 'Old' } })).body.id as number;
const load = (list: number, count: number): Promise<number[]> => {
  const actor = serviceActor(house.account, 'test');
  const rows = Array.from({ length: count }, () => ({ first_name: 'Ann' }));
  return house.transact(async (work) =>
    loadLeads(work, actor, await findLeadList(work, actor, list, 'leads.write'), rows),
  );
};
const finish = async (ask: Ask, bulk: Record<string, unknown>) => {
  const { status, body } = await ask('POST', '/bulk', { bulk });
  assert.equal(status, 202, JSON.stringify(body));
  return eventually('it is finished', async () => {
    const { body: now } = await ask('GET', `/bulk/${body.id}`);
    return now.finished_at && now;
  });
};
const totals = async (list: number) => {
  const { leads_counts: counts } = (await api('GET', `/lists/${list}/stats`)).body;
  return [counts.new.total, counts.archived.total, counts.total];
};

test('many leads are archived, delegated, moved and deleted in the background, with progress', async () => {
  const [list, other] = [await newList(), await newList()];
  const ids = await load(list, 250);
  const archived = await finish(manager.ask, {
    kind: 'archive',
    lead_ids: ids.slice(0, 150),
    lead: { category: 'Old' },
  });
  assert.deepEqual([archived.total, archived.done, archived.refusals], [150, 150, 0]);
  assert.deepEqual(await totals(list), [100, 150, 250]);

  await finish(supervisor.ask, {
    kind: 'delegate',
    lead_ids: ids.slice(150),
    lead: { delegate_to: ['supervisor@example.com'] },
  });
  assert.equal((await api('GET', `/leads/${ids[200]}`)).body.claimed_by, 'supervisor@example.com');
  assert.equal((await api('GET', `/leads/${ids[0]}`)).body.claimed_by, null);

  await finish(manager.ask, { kind: 'migrate', lead_ids: ids.slice(150), lead: { to_list_id: other } });
  assert.deepEqual(
    [await totals(list), await totals(other)],
    [
      [0, 150, 150],
      [100, 0, 100],
    ],
  );
  await finish(manager.ask, { kind: 'delete', matching: { list_ids: [other] } });
  assert.deepEqual(await totals(other), [0, 0, 0]);
  assert.equal((await api('GET', `/leads/${ids[200]}`)).status, 404);
});

test('what cannot be done to a lead is told, and the others are done all the same', async () => {
  const list = await newList();
  const [first, second] = await load(list, 2);
  const { total, done, refusals, reasons } = await finish(manager.ask, {
    kind: 'archive',
    lead_ids: [first!, 999_999, second!],
  });
  assert.deepEqual([total, done, refusals, reasons], [3, 3, 1, [{ reason: 'There is nothing here.', number: 1 }]]);
  assert.deepEqual(await totals(list), [0, 2, 2]);
});

test('wrong parameters are named and nothing begins; each kind asks for its own role', async () => {
  const list = await newList();
  const ask = async (who: Ask, bulk: Record<string, unknown>) => {
    const { status, body } = await who('POST', '/bulk', { bulk });
    return [status, Object.keys(body.errors ?? {})];
  };
  assert.deepEqual(await ask(manager.ask, { kind: 'archive' }), [422, ['lead_ids']]);
  assert.deepEqual(await ask(manager.ask, { kind: 'dance', matching: { list_ids: [list] } }), [422, ['kind']]);
  assert.deepEqual(await ask(manager.ask, { kind: 'archive', matching: { list_ids: [999_999] } }), [422, ['lists']]);
  assert.deepEqual(await ask(manager.ask, { kind: 'delegate', matching: { list_ids: [list] } }), [
    422,
    ['delegate_to'],
  ]);
  assert.deepEqual(await ask(manager.ask, { kind: 'migrate', matching: { list_ids: [list] }, lead: {} }), [
    422,
    ['to_list_id'],
  ]);
  for (const kind of ['migrate', 'delete'])
    assert.equal(
      (await ask(supervisor.ask, { kind, matching: { list_ids: [list] }, lead: { to_list_id: list } }))[0],
      403,
    );
});

test('subscribers hear of each lead: it was done inside', async () => {
  const subscriber = await openSubscriber();
  const list = await newList();
  const ids = await load(list, 5);
  await api('POST', `/lists/${list}/webhook`, { webhook: { event: 'archive', target_url: `${subscriber.url}/a` } });
  await finish(manager.ask, { kind: 'archive', matching: { list_ids: [list] } });
  await eventually('all were told', () => subscriber.received.length === 5);
  assert.deepEqual(
    new Set(subscriber.resources('/a')),
    new Set(ids.map((id) => `http://acme.example.com/api/v2/leads/${id}`)),
  );
});

test('ids that name no lead are refused at once, and of those that do, none waits for them', async () => {
  const list = await newList();
  const [lead] = await load(list, 1);
  const invented = Array.from({ length: 49_999 }, (_, index) => 1_000_000 + index);
  const { body } = await manager.ask('POST', '/bulk', { bulk: { kind: 'archive', lead_ids: [...invented, lead] } });
  assert.deepEqual([body.total, body.done, body.refusals], [50_000, 49_999, 49_999]);
  await eventually('it is finished', async () => (await manager.ask('GET', `/bulk/${body.id}`)).body.finished_at);
  for (const lead_ids of [invented, []]) {
    const { body: none } = await manager.ask('POST', '/bulk', { bulk: { kind: 'archive', lead_ids } });
    assert.ok(none.finished_at, 'there is nothing to do');
  }
});

test('a lead that is gone by the time of its turn is refused like one that never was', async () => {
  const list = await newList();
  const ids = await load(list, 3);
  const act = { kind: 'archive' as const, lead_ids: ids };
  const acting = await findActor(house, house.account.id, manager.id, 'app');
  // In one transaction, so that none has its turn between.
  const { id } = await house.transact(async (work) => {
    const begun = await startBulkAct(work, acting, act);
    await deleteOneLead(work, acting, ids[1]);
    return begun;
  });
  const { done, reasons } = await eventually('it is finished', async () => {
    const { body } = await manager.ask('GET', `/bulk/${id}`);
    return body.finished_at && body;
  });
  assert.deepEqual([done, reasons], [3, [{ reason: 'There is nothing here.', number: 1 }]]);
});

test('a lead with which something goes wrong again and again is refused, and the others and what comes after are done', async () => {
  const list = await newList();
  const ids = await load(list, 5);
  const [bad] = ids.slice(2);
  await house.pool.query(`
    create function stumble() returns trigger language plpgsql as $$ begin raise 'not this one'; end $$;
    create trigger stumble before update on leads for each row when (old.id = ${bad}) execute function stumble()`);
  const said: unknown[] = [];
  const log = { error: (_: unknown, text: string) => said.push(text) } as unknown as Log;
  const turns = giveBulkTurns({ ...house, log, restMs: 50 });
  try {
    const { body } = await manager.ask('POST', '/bulk', { bulk: { kind: 'archive', lead_ids: ids } });
    await finish(manager.ask, { kind: 'archive', lead_ids: ids.slice(3) });
    const { done, reasons } = (await manager.ask('GET', `/bulk/${body.id}`)).body;
    assert.deepEqual([done, reasons], [5, [{ reason: 'Something went wrong on our side.', number: 1 }]]);
    assert.deepEqual(await totals(list), [1, 4, 5]);
    assert.equal(said.filter((text) => text === 'A lead of a bulk act is given up').length, 1);
  } finally {
    await turns.stop();
    await house.pool.query('drop function stumble cascade');
  }
});

test('many acts of one person hold up neither a colleague’s nor another account’s, and twenty are enough', async () => {
  const other = await openOther();
  const colleague = await house.join({ email: 'colleague@example.com', agent: false, lists_admin: true });
  const list = await newList();
  const ids = await load(list, 2_000);
  const first: number[] = [];
  const archive = { kind: 'archive', lead_ids: ids };
  // Whoever writes leads waits for the one who has the shape of the lists alone: none is through before the last was asked for.
  await house.transact(async ({ db }) => {
    await lockShape(db, house.account.id);
    for (let count = 0; count < 20; count += 1)
      first.push((await manager.ask('POST', '/bulk', { bulk: archive })).body.id);
    assert.equal((await manager.ask('POST', '/bulk', { bulk: archive })).body.code, 'too_many_bulk_acts');
  });
  await Promise.all([finish(colleague.ask, { kind: 'archive', lead_ids: ids.slice(0, 5) }), other.finishOne()]);
  const { rows } = await house.pool.query(
    'select count(*) as finished from bulk_acts where id = any ($1) and finished_at is not null',
    [first],
  );
  assert.ok(rows[0].finished < 20, 'they were through before');
  // The others are not waited for.
  await house.pool.query('delete from bulk_acts where id = any ($1)', [first]);
});

/** Another account with a person and a lead, which acts through the verbs: hosts tell accounts apart, and all tests have one. */
async function openOther() {
  const { account } = await house.addAccount('Other', 'http://other.example.com');
  const actor = serviceActor(account, 'test');
  const user = await house.transact((work) =>
    createUser(work, actor, { email: 'm@other.example.com', lists_admin: true }),
  );
  const [lead] = await house.transact(async (work) => {
    const { id } = await createList(work, actor, { name: 'Other' });
    return loadLeads(work, actor, await findLeadList(work, actor, id, 'leads.write'), [{ first_name: 'Bo' }]);
  });
  const acting = await findActor(house, account.id, user.id, 'app');
  const finishOne = async () => {
    const act = { kind: 'archive' as const, lead_ids: [lead!] };
    const { id } = await house.transact((work) => startBulkAct(work, acting, act));
    await eventually('the other’s is finished', async () => (await readBulkAct(house, acting, id)).finished_at);
  };
  return { finishOne };
}
