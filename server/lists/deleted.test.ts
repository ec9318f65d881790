import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse, OWNER, type Answer, type Ask } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { stayWithinDay } from '../../test/within-day.ts';
import { record } from '../activity/record.ts';
import { startCall } from '../calls/calls.ts';
import { takeReport } from '../calls/reports.ts';
import { findLeadList } from '../leads/access.ts';
import { findLeadByNumber } from '../leads/by-number.ts';
import { loadLeads } from '../leads/load.ts';
import { removePastLeads } from '../leads/remove.ts';
import { look } from '../live/look.ts';
import { findActor } from '../people/users/users.ts';
import { serviceActor } from '../platform/actor.ts';
import { startRemovals } from './deleted.ts';

const house = await openHouse();
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
const service = serviceActor(house.account, 'test');
const reading = { db: house.db, secrets: house.secrets };
await house.pool.query(`update accounts set country = 'DK'`);

const id = ({ status, body }: Answer): number => {
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
};
const did = async (answer: Promise<Answer>, expected = 204) => {
  const { status, body } = await answer;
  assert.equal(status, expected, JSON.stringify(body));
};
const bodies = async (ask: Ask, paths: string[]) => {
  const all: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body, headers } = await ask('GET', path);
    all[path] = { status, total: headers.get('x-total-count'), body };
  }
  return all;
};
/** Links to recordings, times of requests and versions differ each time. */
const settled = (all: unknown) =>
  JSON.parse(
    JSON.stringify(all, (key, value) =>
      ['url', 'request_id', 'versions', 'changed_at', 'last_error'].includes(key) ? 0 : value,
    ),
  );
let names = 0;
const fresh = (name: string) => `${name} ${(names += 1)}`;

/** A list that was worked: claims, comments, texts, a call with its recording, ignored and merged leads, people, a subscription. */
async function furnish(phone: string) {
  const name = fresh('Campaign');
  const list = id(await api('POST', '/lists', { list: { name, winner_categories: 'Bought,Rented' } }));
  const other = id(await api('POST', '/lists', { list: { name: fresh('Other') } }));
  const agent = await house.join({ email: `agent${(names += 1)}@example.com`, listing_ids: [list, other] });
  const add = async (to: number, lead: Record<string, string>) => id(await api('POST', `/lists/${to}/leads`, { lead }));
  const worked = await add(list, { first_name: 'Zelda', mobile_phone: phone });
  const twin = await add(list, { first_name: 'Zora', mobile_phone: phone });
  const ignored = await add(list, { first_name: 'Zita', mobile_phone: phone });
  const merged = await add(list, { first_name: 'Zeno' });
  const outside = await add(other, { first_name: 'Outside', mobile_phone: phone });
  await did(owner('POST', `/leads/${worked}/merge`, { duplicate_id: merged }));
  await did(owner('POST', `/leads/${worked}/ignore`, { duplicate_id: ignored }));
  await did(owner('POST', `/leads/${outside}/ignore`, { duplicate_id: ignored }));
  id(await agent.ask('POST', `/leads/${worked}/comments`, { comment: 'Quixotic remark' }));
  id(await agent.ask('POST', `/leads/${worked}/texts`, { text: { body: 'Hello' } }));
  const call = await house.transact((work) =>
    startCall(work, service, { direction: 'outbound', destination: phone, leadId: worked }),
  );
  await house.pool.query(`update calls set state = 'completed', disposition = 'normal' where id = $1`, [call]);
  await house.pool.query(
    `insert into recordings (account_id, call_id, part, file, ready_at, started_at, seconds)
     values ($1, $2, 'a', 'none', now(), now(), 3)`,
    [house.account.id, call],
  );
  await did(agent.ask('POST', `/leads/${twin}/hold`), 200);
  await did(agent.ask('POST', `/leads/${twin}/winner`, { lead: { category: 'Bought' } }));
  await did(agent.ask('POST', `/leads/${worked}/call_back`, { lead: { call_back_in: 600 } }));
  await did(api('PATCH', `/leads/${worked}/delegate`, { lead: { delegate_to: agent.id } }));
  const webhook = { event: 'winner', target_url: `http://localhost:9/${list}` };
  const hook = id(await api('POST', `/lists/${list}/webhook`, { webhook }));
  return { name, list, other, agent, worked, twin, ignored, merged, outside, call, hook, phone, add };
}
type Furnished = Awaited<ReturnType<typeof furnish>>;

/** All that anyone can see of it, at both doors. */
async function seen({ list, agent, worked, twin, ignored, merged, outside, call }: Furnished) {
  const shared = [
    '/lists',
    `/lists/${list}`,
    `/lists/${list}/columns`,
    `/lists/${list}/stats`,
    `/lists/${list}/leads`,
    `/lists/${list}/leads?updated_since=2020-01-01`,
    `/lists/${list}/leads/find?first_name=Zelda`,
    '/leads/search?query=Zelda',
    '/leads/search?query=Quixotic',
    ...[worked, twin, ignored, merged, outside].flatMap((lead) => [`/leads/${lead}`, `/leads/${lead}/events`]),
    '/calls',
    `/calls/${call}`,
    `/calls?list=${list}`,
    `/calls?lead_id=${worked}`,
    `/calls?user=${agent.id}`,
  ];
  const managed = ['/users', '/webhooks'];
  const paged = [
    `/lists/${list}/desk`,
    `/lists/${list}/ahead`,
    `/leads/${worked}/activity`,
    `/leads/${worked}/texts`,
    `/leads/${worked}/numbers`,
    '/day',
  ];
  const manager = ['/lists/progress', `/lists/${list}/overview`, `/lists/${list}/people`];
  return settled({
    api: await bodies(api, [...shared, ...managed]),
    owner: await bodies(owner, [...shared, ...paged, ...manager]),
    agentsKey: await bodies(house.withKey(agent.key), shared),
    agent: await bodies(agent.ask, [...shared, ...paged]),
  });
}

const lookAs = async (userId: number, lists: number[]) =>
  look(reading, await findActor(reading, house.account.id, userId, 'app'), { unheardMs: 0 }, lists);

/** What any lead that is gone answers, whoever asks and whatever for. */
async function assertGone(lead: number, { list, other, agent }: Furnished): Promise<void> {
  const asks: [Ask, string, string, unknown?][] = [
    ...[api, owner, agent.ask, house.withKey(agent.key)].flatMap((ask): [Ask, string, string, unknown?][] => [
      [ask, 'GET', `/leads/${lead}`],
      [ask, 'GET', `/leads/${lead}/events`],
      [ask, 'PATCH', `/leads/${lead}`, { lead: { first_name: 'X' } }],
      ...['winner', 'call_back', 'loser', 'archive'].map((kind): [Ask, string, string] => [
        ask,
        'POST',
        `/leads/${lead}/${kind}`,
      ]),
      [ask, 'PATCH', `/leads/${lead}/delegate`, { lead: { delegate_to: agent.id } }],
      [ask, 'PATCH', `/leads/${lead}/migrate`, { lead: { to_list_id: other } }],
    ]),
    [owner, 'GET', `/leads/${lead}/activity`],
    [owner, 'GET', `/leads/${lead}/texts`],
    [owner, 'GET', `/leads/${lead}/numbers`],
    [agent.ask, 'GET', `/leads/${lead}/coming_back`],
    [owner, 'POST', `/leads/${lead}/texts`, { text: { body: 'Hi' } }],
    [agent.ask, 'POST', `/leads/${lead}/comments`, { comment: 'X' }],
    [agent.ask, 'POST', `/leads/${lead}/hold`],
    [agent.ask, 'POST', `/leads/${lead}/skip`],
    [owner, 'POST', `/leads/${lead}/ignore`, { duplicate_id: 1 }],
    [owner, 'POST', `/leads/${lead}/merge`, { duplicate_id: 1 }],
    [owner, 'DELETE', `/leads/${lead}`],
  ];
  for (const [ask, method, path, body] of asks)
    assert.equal((await ask(method, path, body)).status, 404, `${method} ${path}`);
  const dialled = await agent.ask('POST', '/calls', { call: { lead_id: lead } });
  assert.deepEqual([dialled.status, Object.keys(dialled.body.errors)], [422, ['lead_id']]);
  const { body } = await owner('POST', '/bulk', { bulk: { kind: 'archive', lead_ids: [lead] } });
  assert.deepEqual([body.total, body.refusals], [1, 1], `unknown to a bulk act, list ${list}`);
}

/** A lead elsewhere that shares its number with those that are gone, and one that is new. */
async function assertStranger({ outside, other, agent, phone, add }: Furnished): Promise<void> {
  for (const ask of [api, owner, agent.ask]) {
    const { body } = await ask('GET', `/leads/${outside}`);
    assert.deepEqual([body.detected_duplicates, body.ignored_duplicates], [[], []]);
  }
  const found = await findLeadByNumber(reading, house.account.id, phone);
  assert.equal(found?.id, outside, 'who calls is the one that is there');
  const lead = await add(other, { mobile_phone: phone });
  assert.deepEqual((await api('GET', `/leads/${lead}`)).body.detected_duplicates, [outside]);
  const alike = await owner('POST', `/lists/${other}/alike`, { lead: { mobile_phone: phone } });
  assert.deepEqual(
    alike.body.map(({ lead_id }: { lead_id: number }) => lead_id),
    [outside, lead],
  );
  await did(owner('DELETE', `/leads/${lead}`));
}

async function assertCallWithoutLead({ call, agent, worked, list }: Furnished): Promise<void> {
  const { body } = await api('GET', `/calls/${call}`);
  assert.deepEqual([body.lead, body.lead_id, body.list, body.event_id], [null, null, null, null]);
  assert.equal(body.recordings.length, 1, 'what was recorded stays with the call');
  assert.equal(
    (await house.withKey(agent.key)('GET', `/calls/${call}`)).status,
    404,
    'it was seen by its list and claim',
  );
  const byLead = await api('GET', `/calls?lead_id=${worked}`);
  assert.deepEqual([byLead.status, Object.keys(byLead.body.errors)], [422, ['lead_id']]);
  assert.ok(
    (await api('GET', '/calls')).body.some((one: { id: number }) => one.id === call),
    `list ${list}`,
  );
}

describe('a deleted list', () => {
  test('is gone at both doors with all that is in it, and comes back whole', async () => {
    await stayWithinDay();
    const furnished = await furnish('+45 33 10 00 01');
    const { name, list, other, agent, worked, twin, ignored, merged, outside, call, hook } = furnished;
    const before = await seen(furnished);
    assert.equal(before.api[`/leads/${outside}`].body.detected_duplicates.length, 2);
    const wrong = await owner('DELETE', `/lists/${list}`, { list: { name: 'Campaign' } });
    assert.deepEqual([wrong.status, Object.keys(wrong.body.errors)], [422, ['name']]);
    assert.match(wrong.body.error, new RegExp(name), 'says which name it is');
    await did(agent.ask('DELETE', `/lists/${list}`, { list: { name } }), 403);
    await did(owner('DELETE', `/lists/${list}`, { list: { name }, seen: { standing: 7 } }), 409);
    await did(owner('DELETE', `/lists/${list}`, { list: { name }, seen: {} }));

    for (const lead of [worked, twin, ignored, merged]) await assertGone(lead, furnished);
    await assertStranger(furnished);
    await assertCallWithoutLead(furnished);
    for (const path of [
      '',
      '/columns',
      '/stats',
      '/leads',
      '/leads/find?first_name=Zelda',
      '/leads?updated_since=2020-01-01',
    ])
      for (const ask of [api, owner, agent.ask])
        assert.equal((await ask('GET', `/lists/${list}${path}`)).status, 404, path);
    for (const path of ['desk', 'ahead', 'people', 'fields', 'overview', 'delegates'])
      assert.equal((await owner('GET', `/lists/${list}/${path}`)).status, 404, path);
    await did(agent.ask('POST', `/lists/${list}/next`), 404);
    await did(api('POST', `/lists/${list}/leads`, { lead: {} }), 404);
    await did(owner('PATCH', `/lists/${list}`, { list: { name: 'X' } }), 404);
    await did(owner('DELETE', `/lists/${list}`, { list: { name } }), 404);
    await did(owner('POST', `/lists/${list}/copy`, { list: { name: 'X' } }), 404);
    for (const ask of [api, owner, agent.ask]) {
      const lists = (await ask('GET', '/lists')).body as { id: number }[];
      assert.ok(!lists.some((one) => one.id === list));
      assert.equal((await ask('GET', '/leads/search?query=Zelda')).body.total, 0);
      assert.equal((await ask('GET', `/leads/search?query=Zelda&list_ids=${list}`)).body.total, 0);
    }
    const named = await api('PATCH', `/leads/${outside}/migrate`, { lead: { to_list_id: list } });
    assert.deepEqual([named.status, Object.keys(named.body.errors)], [422, ['to_list_id']]);
    const act = await owner('POST', '/bulk', { bulk: { kind: 'archive', matching: { list_ids: [list] } } });
    assert.deepEqual([act.status, Object.keys(act.body.errors)], [422, ['lists']]);
    assert.equal((await api('GET', `/calls?list=${list}`)).status, 422);
    await did(
      api('POST', `/lists/${list}/webhook`, { webhook: { event: 'winner', target_url: 'http://x.test' } }),
      404,
    );
    assert.ok(!(await api('GET', '/webhooks')).body.some((one: { id: number }) => one.id === hook));
    await did(api('DELETE', `/webhook/${hook}`), 404);
    await did(owner('POST', `/webhooks/${hook}/test`), 404);
    await did(owner('GET', `/webhooks/${hook}/deliveries/counts`), 404);
    assert.deepEqual((await owner('GET', `/deliveries?webhook_id=${hook}`)).body, []);
    const listings = (await api('GET', `/users/${agent.id}`)).body.listing_ids;
    assert.deepEqual(listings, [other]);
    const refused = await owner('PATCH', `/users/${agent.id}`, { user: { listing_ids: [list, other] } });
    assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, ['listing_ids']]);
    await did(owner('PATCH', `/users/${agent.id}`, { user: { listing_ids: [other] } }), 200);
    const live = await lookAs(agent.id, [list, other]);
    assert.deepEqual(
      live.queues?.map((queue) => queue.list_id),
      [other],
    );
    assert.ok(!live.events?.some((event) => event.list_id === list));
    const day = (await agent.ask('GET', '/day')).body;
    assert.deepEqual([day.won, day.done], [1, []], 'what one did counts; the leads are not shown');
    id(await api('POST', '/lists', { list: { name } }));

    const deleted = (await owner('GET', '/lists/deleted')).body as { id: number; leads_count: number }[];
    const told = deleted.find((one) => one.id === list) as Record<string, unknown>;
    const { id: _, deleted_at, removed_at, ...rest } = told;
    assert.deepEqual(rest, { name, leads_count: 3, deleted_by: OWNER.email });
    assert.equal(Date.parse(removed_at as string) - Date.parse(deleted_at as string), 7 * 86_400_000);
    await did(agent.ask('GET', '/lists/deleted'), 403);
    await did(agent.ask('POST', `/lists/${list}/restore`), 403);

    const back = await owner('POST', `/lists/${list}/restore`);
    assert.deepEqual(
      [back.status, back.body.id, back.body.leads_count, back.body.paused],
      [200, list, 3, false],
      JSON.stringify(back.body),
    );
    await did(owner('POST', `/lists/${list}/restore`), 404);
    // The list of the same name that was made meanwhile is no part of it.
    await house.pool.query('delete from lists where name = $1 and id <> $2', [name, list]);
    await did(owner('GET', `/webhooks/${hook}/deliveries/counts`), 200);
    assert.deepEqual(await seen(furnished), before);
    assert.equal(before.api[`/calls/${call}`].body.lead_id, worked);
    const { body: log } = await owner('GET', '/audit');
    const about = (log as { action: string; subject: string }[]).filter(({ subject }) => subject === name);
    const acts = about.map(({ action }) => action).filter((action) => action !== 'list.created');
    assert.deepEqual(acts.slice(0, 2), ['list.restored', 'list.deleted']);
  });

  test('is not whose number was called, and its subscribers hear nothing', async () => {
    const { name, list, worked, agent, hook } = await furnish('+45 33 10 00 02');
    await house.pool.query(`update lists set caller_number = '+4533990000' where id = $1`, [list]);
    const stranger = await house.join({ email: `free${(names += 1)}@example.com`, listing_ids: [] });
    const ring = async () => {
      const report = { accountId: house.account.id, subject: fresh('call'), key: 'came_in', at: new Date() };
      const means = { db: house.db, transact: house.transact };
      await takeReport(means, 'simulated', { ...report, kind: 'came_in', from: '+4544000000', to: '+4533990000' });
      const rings = (await stranger.ask('GET', '/line')).body.ringing.length as number;
      await house.pool.query(`update calls set state = 'completed' where state <> 'completed'`);
      return rings;
    };
    const actor = await findActor(reading, house.account.id, agent.id, 'app');
    const tell = async () => {
      await house.transact((work) => record(work, actor, { lead: { id: worked, list_id: list }, kind: 'winner' }, []));
      const told = 'select count(*)::int as rows from deliveries where webhook_id = $1';
      return (await house.pool.query(told, [hook])).rows[0].rows as number;
    };
    assert.equal(await ring(), 0, 'it rings at those who work the list');
    const before = await tell();
    await did(owner('DELETE', `/lists/${list}`, { list: { name } }));
    assert.equal(await ring(), 1, 'as any number of the account');
    assert.equal(await tell(), before, 'of what was found before and is committed after');
    await did(owner('POST', `/lists/${list}/restore`), 200);
  });
});

test('deleted leads that share a number, however many, hide none of the others', async () => {
  const lead = { mobile_phone: '+45 33 10 00 10' };
  const make = async () => id(await api('POST', '/lists', { list: { name: 'Placeholders' } }));
  const [list, other] = [await make(), await make()];
  const rows = Array.from({ length: 5_000 }, () => lead);
  await house.transact(async (work) =>
    loadLeads(work, service, await findLeadList(work, service, list, 'leads.write'), rows),
  );
  const agent = await house.join({ email: `agent${(names += 1)}@example.com`, listing_ids: [other] });
  await did(owner('DELETE', `/lists/${list}`, { list: { name: 'Placeholders' } }));
  const [first, second] = [
    id(await api('POST', `/lists/${other}/leads`, { lead })),
    id(await api('POST', `/lists/${other}/leads`, { lead })),
  ];
  for (const ask of [api, owner, agent.ask])
    assert.deepEqual((await ask('GET', `/leads/${first}`)).body.detected_duplicates, [second]);
});

describe('a deleted lead', () => {
  test('is gone at both doors, and comes back where and as it was', async () => {
    await stayWithinDay();
    const furnished = await furnish('+45 33 10 00 03');
    const { list, agent, worked, twin, ignored, merged } = furnished;
    const before = await seen(furnished);
    const total = (await api('GET', `/lists/${list}`)).body.leads_count as number;
    for (const lead of [worked, twin, ignored]) await did(owner('DELETE', `/leads/${lead}`));
    assert.equal((await api('GET', `/lists/${list}`)).body.leads_count, total - 3);
    assert.equal((await api('GET', `/lists/${list}/stats`)).body.leads_counts.total, 0);
    assert.deepEqual((await api('GET', `/lists/${list}/leads`)).body, []);
    for (const lead of [worked, twin, ignored, merged]) await assertGone(lead, furnished);
    await assertStranger(furnished);
    await assertCallWithoutLead(furnished);
    for (const ask of [api, owner, agent.ask]) {
      assert.equal((await ask('GET', `/leads/search?query=Quixotic&list_ids=${list}`)).body.total, 0);
      assert.ok(!(await ask('GET', '/lists')).body.some((one: { name: string }) => one.name === 'Deleted leads'));
    }
    const { body: deleted } = await owner('GET', '/leads/deleted');
    const told = deleted.find((one: { id: number }) => one.id === worked);
    assert.deepEqual(
      [told.primary_identifier, told.list_name, told.deleted_by],
      ['Zelda', furnished.name, OWNER.email],
    );
    // By itself at its own address, however many went after it.
    assert.deepEqual((await owner('GET', `/leads/deleted?id=${worked}`)).body, [told]);
    assert.ok(
      !(await owner('GET', '/lists/deleted')).body.some((one: { name: string }) => one.name === 'Deleted leads'),
    );
    await did(agent.ask('POST', `/leads/${worked}/restore`), 403);
    for (const lead of [worked, twin, ignored]) await did(owner('POST', `/leads/${lead}/restore`));
    await did(owner('POST', `/leads/${worked}/restore`), 404);
    const { body: log } = await owner('GET', '/audit?per_page=20');
    const actions = (log as { action: string; subject: string }[]).filter(
      ({ subject }) => subject === `Lead ${worked}`,
    );
    assert.deepEqual(
      actions.map(({ action }) => action),
      ['lead.restored', 'lead.deleted'],
    );
    assert.deepEqual(await seen(furnished), before);
  });

  test('comes back by the fields and categories that its list has by then', async () => {
    const { list, twin, agent } = await furnish('+45 33 10 00 04');
    await did(owner('DELETE', `/leads/${twin}`));
    const { body: fields } = await owner('GET', `/lists/${list}/fields`);
    const mobile = fields.fields.find(({ key }: { key: string }) => key === 'mobile_phone');
    await did(owner('DELETE', `/lists/${list}/fields/${mobile.id}`));
    const renaming = { category: { kind: 'winner', from: 'Bought', to: 'Sold' } };
    await did(owner('POST', `/lists/${list}/categories`, renaming), 200);
    await did(owner('POST', `/leads/${twin}/restore`));
    const { body } = await api('GET', `/leads/${twin}`);
    assert.deepEqual(
      [body.category, body.lead_data.first_name, 'mobile_phone' in body.lead_data],
      ['Sold', 'Zora', false],
    );
    assert.deepEqual(body.detected_duplicates, []);
    const { body: stats } = await api('GET', `/lists/${list}/stats`);
    assert.deepEqual([stats.leads_counts.won.sold, stats.leads_counts.total], [1, 3]);
    assert.equal((await agent.ask('GET', `/leads/${twin}`)).status, 200);
  });

  test('whose list was deleted, too, comes back after it', async () => {
    const { list, name, worked } = await furnish('+45 33 10 00 05');
    await did(owner('DELETE', `/leads/${worked}`));
    await did(owner('DELETE', `/lists/${list}`, { list: { name } }));
    const refused = await owner('POST', `/leads/${worked}/restore`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'list_deleted']);
    assert.match(refused.body.error, /Bring back the list first/);
    await did(owner('POST', `/lists/${list}/restore`), 200);
    assert.equal((await api('GET', `/leads/${worked}`)).status, 404, 'by itself it was deleted before');
    await did(owner('POST', `/leads/${worked}/restore`));
    assert.equal((await api('GET', `/leads/${worked}`)).body.claimed_by !== null, true);
  });

  test('of a bulk act comes back like any other; the act is written down once', async () => {
    const { list, worked, twin, ignored } = await furnish('+45 33 10 00 06');
    const { body: act } = await owner('POST', '/bulk', { bulk: { kind: 'delete', matching: { list_ids: [list] } } });
    await eventually('it is finished', async () => (await owner('GET', `/bulk/${act.id}`)).body.finished_at);
    assert.equal((await api('GET', `/lists/${list}`)).body.leads_count, 0);
    assert.equal((await owner('GET', '/audit')).body[0].subject, '3 leads');
    await Promise.all([worked, twin, ignored].map((lead) => did(owner('POST', `/leads/${lead}/restore`))));
    assert.equal((await api('GET', `/lists/${list}`)).body.leads_count, 3);
  });
});

describe('when its week is over', () => {
  const past = (table: string, which: string, of: number, days = 7) =>
    house.pool.query(`update ${table} set deleted_at = deleted_at - interval '${days} days' where ${which} = $1`, [of]);
  const count = async (table: string, which: string, of: number) =>
    (await house.pool.query(`select count(*)::int as rows from ${table} where ${which} = $1`, [of])).rows[0].rows;

  test('a list goes for good with its leads; others stay, and so do calls', async () => {
    const { list, name, worked, twin, call, outside, hook } = await furnish('+45 33 10 00 07');
    const kept = await furnish('+45 33 10 00 08');
    const rows = Array.from({ length: 450 }, (_, number) => ({ mobile_phone: `+4533200${100 + number}` }));
    const more = await house.transact(async (work) =>
      loadLeads(work, service, await findLeadList(work, service, list, 'leads.write'), rows),
    );
    await did(owner('DELETE', `/lists/${list}`, { list: { name } }));
    await did(owner('DELETE', `/lists/${kept.list}`, { list: { name: kept.name } }));
    await past('lists', 'id', list);
    await did(owner('POST', `/lists/${list}/restore`), 404);
    assert.ok(!(await owner('GET', '/lists/deleted')).body.some((one: { id: number }) => one.id === list));
    await Promise.all([startRemovals(house.transact), startRemovals(house.transact)]);
    await eventually('the list is gone', async () => (await count('lists', 'id', list)) === 0);
    for (const lead of [worked, twin, more[0]!, more[449]!])
      assert.deepEqual(
        [
          await count('leads', 'id', lead),
          await count('lead_data', 'lead_id', lead),
          await count('lead_marks', 'lead_id', lead),
          await count('events', 'lead_id', lead),
        ],
        [0, 0, 0, 0],
      );
    assert.deepEqual([await count('lead_counts', 'list_id', list), await count('webhooks', 'id', hook)], [0, 0]);
    assert.equal((await api('GET', `/calls/${call}`)).body.lead_id, null);
    assert.equal((await api('GET', `/leads/${outside}`)).status, 200);
    await did(owner('POST', `/lists/${kept.list}/restore`), 200);
    assert.equal((await api('GET', `/lists/${kept.list}`)).body.leads_count, 3);
  });

  test('a lead goes for good; one that was deleted later can still come back', async () => {
    const { worked, twin, call } = await furnish('+45 33 10 00 09');
    for (const lead of [worked, twin]) await did(owner('DELETE', `/leads/${lead}`));
    // By itself it is told for a week, and there for a day more: an act on many may take hours, and so may its undo.
    await past('deleted_leads', 'lead_id', worked, 8);
    await did(owner('POST', `/leads/${worked}/restore`), 404);
    await Promise.all([removePastLeads(house.transact), removePastLeads(house.transact)]);
    assert.deepEqual([await count('leads', 'id', worked), await count('lead_marks', 'lead_id', worked)], [0, 0]);
    assert.equal((await api('GET', `/calls/${call}`)).body.lead_id, null);
    await did(owner('POST', `/leads/${twin}/restore`));
    const { rows } = await house.pool.query(
      `select (select coalesce(sum(leads), 0)::int from lead_counts c where c.list_id = li.id) as counted,
              (select count(*)::int from leads l where l.list_id = li.id) as there from lists li where holds_deleted`,
    );
    assert.equal(rows[0].counted, rows[0].there);
  });
});
