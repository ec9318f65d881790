import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse, type Ask } from '../house.ts';
import { idsOf, stepsOf } from './steps.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList, addLead, readLead } = stepsOf(ask);

const mine = await addList({ name: 'Mine' });
const other = await addList({ name: 'Other' });
const join = async (email: string, user: Record<string, unknown>): Promise<Ask> =>
  house.withKey((await house.join({ email, ...user })).key);
const agent = await join('ann@example.com', { listing_ids: [mine.id] });
const colleague = await join('bob@example.com', { listing_ids: [mine.id] });
const manager = await join('users@example.com', { agent: false, users_admin: true });
const data = await join('data@example.com', { agent: false, lists_admin: true });
const analyst = await join('analyst@example.com', { agent: false, analyst: true });
const supervisor = await join('super@example.com', { agent: false, supervisor: true });

const delegate = (by: Ask, lead: { id: number }, delegate_to: unknown) =>
  by('PATCH', `/leads/${lead.id}/delegate`, { lead: { delegate_to } });
const migrate = (by: Ask, lead: { id: number }, list: { id: number }) =>
  by('PATCH', `/leads/${lead.id}/migrate`, { lead: { to_list_id: list.id, give_back_leads: '1' } });
const outcomes = ['winner', 'call_back', 'loser', 'archive'];

async function addClaimed(holder: string) {
  const lead = await addLead(mine, { company_name: 'Claimed' });
  await delegate(ask, lead, holder);
  return readLead(lead);
}

describe('An agent', () => {
  test('reads, finds and searches the leads of the lists they work; others are as if they did not exist', async () => {
    const seen = await addLead(mine, { company_name: 'Visible' });
    const unseen = await addLead(other, { company_name: 'Visible' });
    assert.equal((await agent('GET', `/leads/${seen.id}`)).body.id, seen.id);
    const { body } = await agent('GET', '/leads/search?query=visible');
    assert.deepEqual([body.total, idsOf(body.leads)], [1, [seen.id]]);
    const scoped = await agent('GET', `/leads/search?query=visible&list_ids=${other.id}`);
    assert.deepEqual(scoped.body, { total: 0, leads: [] });
    assert.deepEqual(idsOf((await agent('GET', `/lists/${mine.id}/leads/find?company_name=Visible`)).body), [seen.id]);
    for (const path of [
      `/leads/${unseen.id}`,
      `/leads/${unseen.id}/events`,
      `/lists/${other.id}/leads`,
      `/lists/${other.id}/leads/find?company_name=Visible`,
      `/lists/${other.id}/stats`,
    ])
      assert.equal((await agent('GET', path)).status, 404, path);
  });

  test('may not touch what they do not see: 404, even with a wrong body, and nothing changes', async () => {
    const unseen = await addLead(other, { company_name: 'Acme' });
    for (const [method, path, body] of [
      ['POST', `/lists/${other.id}/leads`, { lead: {} }],
      ['POST', `/lists/${other.id}/leads`, { wrong: 1 }],
      ['PATCH', `/leads/${unseen.id}`, { lead: { company_name: 'x' } }],
      ['PATCH', `/leads/${unseen.id}`, { wrong: 1 }],
      ...outcomes.map((kind) => ['POST', `/leads/${unseen.id}/${kind}`, undefined] as const),
      ['POST', `/leads/${unseen.id}/winner`, { wrong: 1 }],
      ['PATCH', `/leads/${unseen.id}/delegate`, { lead: { delegate_to: 'ann@example.com' } }],
      ['PATCH', `/leads/${unseen.id}/delegate`, { wrong: 1 }],
      ['PATCH', `/leads/${unseen.id}/migrate`, { lead: { to_list_id: mine.id } }],
      ['PATCH', `/leads/${unseen.id}/migrate`, { wrong: 1 }],
      ['GET', `/lists/${other.id}/leads?page=0`, undefined],
      ['GET', `/lists/${other.id}/leads/find`, undefined],
    ] as const)
      assert.equal((await agent(method, path, body)).status, 404, `${method} ${path} ${JSON.stringify(body)}`);
    assert.deepEqual(await readLead(unseen), unseen);
  });

  test('creates, changes and gives outcomes where nobody holds the lead, or they do', async () => {
    const { status, body: made } = await agent('POST', `/lists/${mine.id}/leads`, { lead: { company_name: 'Acme' } });
    assert.equal(status, 201);
    for (const lead of [made, await addClaimed('ann@example.com')]) {
      assert.equal((await agent('PATCH', `/leads/${lead.id}`, { lead: { title: 'CEO' } })).status, 204);
      for (const kind of outcomes) assert.equal((await agent('POST', `/leads/${lead.id}/${kind}`)).status, 204, kind);
    }
  });

  test('acting on another’s claim is 409 naming the holder, and nothing changes', async () => {
    const lead = await addClaimed('bob@example.com');
    for (const [method, verb, values] of [
      ['PATCH', '', { title: 'CEO' }],
      ...outcomes.map((kind) => ['POST', `/${kind}`, { comment: 'x' }] as const),
      ['PATCH', '/delegate', { delegate_to: 'ann@example.com' }],
      ['PATCH', '/migrate', { to_list_id: mine.id, give_back_leads: '1' }],
    ] as const) {
      const { status, body } = await agent(method, `/leads/${lead.id}${verb}`, { lead: values });
      const { request_id, ...said } = body;
      assert.equal(typeof request_id, 'string');
      assert.deepEqual(
        [status, said],
        [409, { error: 'bob@example.com holds this lead.', code: 'lead_claimed' }],
        verb,
      );
    }
    assert.deepEqual(await readLead(lead), lead);
    assert.equal((await agent('GET', `/leads/${lead.id}`)).status, 200);
  });

  test('takes what is free for themselves; to others is 403', async () => {
    const lead = await addLead(mine);
    const refused = await delegate(agent, lead, 'bob@example.com');
    assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden']);
    assert.equal((await readLead(lead)).claimed_by, null);
    assert.equal((await delegate(agent, lead, 'ann@example.com')).status, 204);
    assert.equal((await readLead(lead)).claimed_by, 'ann@example.com');
    assert.equal((await delegate(agent, lead, 'bob@example.com')).status, 403);
    assert.equal((await delegate(colleague, lead, 'bob@example.com')).status, 409);
  });

  test('of two who take a free lead at once, one has it and the other is told who', async () => {
    const lead = await addLead(mine);
    const answers = await Promise.all([
      delegate(agent, lead, 'ann@example.com'),
      delegate(colleague, lead, 'bob@example.com'),
    ]);
    const refused = answers.filter(({ status }) => status === 409);
    assert.deepEqual([answers.filter(({ status }) => status === 204).length, refused.length], [1, 1]);
    const holder = refused[0] === answers[0] ? 'bob@example.com' : 'ann@example.com';
    assert.equal((await readLead(lead)).claimed_by, holder);
    assert.equal(refused[0]!.body.error, `${holder} holds this lead.`);
  });

  test('who holds a lead of a list they do not work finds it, and no longer once it is given back', async () => {
    const lead = await addLead(other, { company_name: 'Glockenspiel' });
    await delegate(ask, lead, 'ann@example.com');
    const { body } = await agent('GET', `/leads/search?query=glockenspiel&list_ids=${other.id}`);
    assert.deepEqual(idsOf(body.leads), [lead.id]);
    assert.equal((await agent('GET', `/leads/${lead.id}/events`)).status, 200);
    assert.equal((await migrate(agent, lead, other)).status, 204);
    assert.equal((await agent('GET', `/leads/${lead.id}`)).status, 404);
  });

  test('gives their own claim back within the list; another list is 403', async () => {
    const lead = await addClaimed('ann@example.com');
    assert.equal((await migrate(agent, lead, other)).status, 403);
    assert.deepEqual(await readLead(lead), lead);
    assert.equal((await migrate(agent, lead, mine)).status, 204);
    assert.equal((await readLead(lead)).claimed_by, null);
  });

  test('makes no lists, invites nobody and has no webhooks', async () => {
    const webhook = { target_url: 'https://example.com/', event: 'new_call' };
    for (const [method, path, body] of [
      ['POST', '/lists', { list: { name: 'x' } }],
      ['POST', '/users', { accept_charge_upon_invitation_acceptance: '1', user: { email: 'x@example.com' } }],
      ['POST', '/webhooks', { webhook }],
      ['POST', `/lists/${mine.id}/webhook`, { webhook }],
      ['GET', '/webhooks', undefined],
      ['DELETE', '/webhook/1', undefined],
    ] as const)
      assert.equal((await agent(method, path, body)).status, 403, `${method} ${path}`);
  });
});

describe('A supervisor and a data manager', () => {
  test('act on claimed leads of the whole account, and the claim stays', async () => {
    for (const by of [supervisor, data]) {
      const lead = await addClaimed('bob@example.com');
      assert.equal((await by('PATCH', `/leads/${lead.id}`, { lead: { title: 'CEO' } })).status, 204);
      for (const kind of outcomes) assert.equal((await by('POST', `/leads/${lead.id}/${kind}`)).status, 204, kind);
      assert.equal((await readLead(lead)).claimed_by, 'bob@example.com');
      assert.equal((await delegate(by, lead, 'ann@example.com')).status, 204);
      assert.equal((await migrate(by, lead, mine)).status, 204);
      assert.equal((await readLead(lead)).claimed_by, null);
      assert.equal((await by('POST', `/lists/${other.id}/leads`, { lead: {} })).status, 201);
    }
  });

  test('only a data manager moves leads to another list', async () => {
    const lead = await addLead(mine);
    assert.equal((await migrate(supervisor, lead, other)).status, 403);
    assert.equal((await readLead(lead)).list_name, 'Mine');
    assert.equal((await migrate(data, lead, other)).status, 204);
    assert.equal((await readLead(lead)).list_name, 'Other');
  });

  test('only a data manager makes lists and webhooks', async () => {
    const webhook = { target_url: 'https://example.com/data', event: 'winner' };
    const statuses = async (by: Ask) => [
      (await by('POST', '/lists', { list: { name: 'x' } })).status,
      (await by('POST', `/lists/${mine.id}/webhook`, { webhook })).status,
      (await by('GET', '/webhooks')).status,
    ];
    assert.deepEqual(
      [await statuses(supervisor), await statuses(data)],
      [
        [403, 403, 403],
        [201, 201, 200],
      ],
    );
  });
});

describe('An analyst and a user manager', () => {
  test('see no leads: 403, known or not', async () => {
    const lead = await addLead(mine);
    for (const by of [analyst, manager]) {
      for (const [method, path, body] of [
        ['GET', `/lists/${mine.id}/leads`, undefined],
        ['GET', `/lists/${mine.id}/leads/find?title=x`, undefined],
        ['GET', '/leads/search?query=x', undefined],
        ['GET', `/leads/${lead.id}`, undefined],
        ['GET', '/leads/999999', undefined],
        ['GET', `/leads/${lead.id}/events`, undefined],
        ['POST', `/lists/${mine.id}/leads`, { lead: {} }],
        ['PATCH', `/leads/${lead.id}`, { lead: {} }],
        ['POST', `/leads/${lead.id}/winner`, undefined],
        ['PATCH', `/leads/${lead.id}/delegate`, { lead: { delegate_to: 'ann@example.com' } }],
        ['PATCH', `/leads/${lead.id}/migrate`, { lead: { to_list_id: mine.id } }],
      ] as const) {
        const answer = await by(method, path, body);
        assert.deepEqual([answer.status, answer.body.code], [403, 'forbidden'], `${method} ${path}`);
      }
    }
    assert.deepEqual(await readLead(lead), lead);
  });

  test('an analyst reads lists, columns and stats; a user manager only the index', async () => {
    const paths = ['/lists', `/lists/${mine.id}`, `/lists/${mine.id}/columns`, `/lists/${mine.id}/stats`];
    const statuses = async (by: Ask) => {
      const answers = [];
      for (const path of paths) answers.push((await by('GET', path)).status);
      return answers;
    };
    assert.deepEqual(await statuses(analyst), [200, 200, 200, 200]);
    assert.deepEqual(await statuses(manager), [200, 403, 403, 403]);
  });

  test('roles add up: an agent who is an analyst works their own lists only', async () => {
    const both = await join('both@example.com', { analyst: true, listing_ids: [mine.id] });
    const [own, foreign] = [await addLead(mine), await addLead(other)];
    assert.deepEqual(
      [
        (await both('GET', `/leads/${own.id}`)).status,
        (await both('GET', `/leads/${foreign.id}`)).status,
        (await both('GET', `/lists/${other.id}/stats`)).status,
      ],
      [200, 404, 200],
    );
  });
});
