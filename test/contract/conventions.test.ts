import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse, send } from '../house.ts';
import { addNeighbour, blame, LEAD_KEYS, keysOf, stepsOf, TIME } from './steps.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList, addLead, readLead } = stepsOf(ask);
const authorization = `Token "${house.key}"`;
const list = await addList();
const lead = await addLead(list, { company_name: 'Acme' });

/** Bytes, so that no content type is added to what is sent. */
async function post(path: string, body: string, type?: string): Promise<number> {
  const headers = { authorization, ...(type !== undefined && { 'content-type': type }) };
  const answer = await fetch(`${house.address}/api/v2${path}`, { method: 'POST', headers, body: Buffer.from(body) });
  await answer.text();
  return answer.status;
}

describe('General conventions', () => {
  test('requests and responses are JSON', async () => {
    const paths = ['/lists', `/lists/${list.id}`, `/leads/${lead.id}`, '/leads/search?query=acme', '/leads/0'];
    for (const path of paths) {
      const { headers } = await ask('GET', path, undefined, { accept: 'application/json' });
      assert.match(headers.get('content-type')!, /^application\/json(; charset=utf-8)?$/, path);
    }
  });

  test('clients send Content-type: application/json on every request, also without a body', async () => {
    const json = { accept: 'application/json', 'content-type': 'application/json' };
    const webhook = { target_url: 'https://example.com/every', event: 'new_call' };
    const { body } = await ask('POST', '/webhooks', { webhook }, json);
    const statuses = [
      await ask('GET', '/lists', undefined, json),
      await ask('POST', `/leads/${lead.id}/archive`, undefined, json),
      await ask('DELETE', `/webhook/${body.id}`, undefined, json),
    ].map(({ status }) => status);
    assert.deepEqual(statuses, [200, 204, 200]);
  });

  test('resources link to each other through location paths', async () => {
    const { location, list_location } = lead;
    assert.deepEqual([location, list_location], [`/api/v2/leads/${lead.id}`, `/api/v2/lists/${list.id}`]);
    for (const [path, id] of [
      [location, lead.id],
      [list_location, list.id],
    ]) {
      const { status, body } = await send(house.address + path, 'GET', undefined, { authorization });
      assert.deepEqual([status, body.id, body.location], [200, id, path]);
    }
  });

  test('success responses with status 204 have no body', async () => {
    for (const [method, path, body] of [
      ['PATCH', `/leads/${lead.id}`, { lead: { company_name: 'Acme 2' } }],
      ['POST', `/leads/${lead.id}/winner`, undefined],
      ['PATCH', `/leads/${lead.id}/delegate`, { lead: { delegate_to: 'owner@example.com' } }],
      ['PATCH', `/leads/${lead.id}/migrate`, { lead: { to_list_id: list.id, give_back_leads: '1' } }],
    ] as const) {
      const answer = await ask(method, path, body);
      assert.deepEqual([answer.status, answer.body, answer.headers.get('content-type')], [204, '', null], path);
    }
  });

  test('timestamps are ISO 8601 in UTC with milliseconds', async () => {
    await ask('POST', `/leads/${lead.id}/call_back`, { lead: { scheduled_for: '2030-01-02 03:04:05 UTC' } });
    await ask('PATCH', `/leads/${lead.id}/delegate`, { lead: { delegate_to: 'owner@example.com' } });
    const { created_at, last_updated, claimed_at, scheduled_for, events } = await readLead(lead);
    for (const time of [list.created_at, created_at, last_updated, claimed_at, events[0].created_at])
      assert.match(time, TIME);
    assert.equal(scheduled_for, '2030-01-02T03:04:05.000Z');
  });
});

describe('Bodies', () => {
  test('an empty body is an absent body, whatever the content type', async () => {
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', undefined]) {
      assert.equal(await post(`/leads/${lead.id}/winner`, '', type), 204, type);
      assert.equal(await post('/lists', '', type), 422, type);
    }
  });

  test('application/json with parameters, *+json and no content type are JSON; another one is 415', async () => {
    const body = JSON.stringify({ lead: { comment: 'As JSON' } });
    const statuses = [];
    for (const type of ['application/json; charset=utf-8', 'application/vnd.api+json', undefined, 'text/plain'])
      statuses.push(await post(`/leads/${lead.id}/winner`, body, type));
    assert.deepEqual(statuses, [204, 204, 204, 415]);
  });

  test('malformed is 400, over 1 MiB is 413, and neither leaves anything behind', async () => {
    const before = await readLead(lead);
    assert.equal(await post(`/leads/${lead.id}/loser`, '{"lead":{', 'application/json'), 400);
    const comment = 'x'.repeat(1024 * 1024);
    assert.equal(await post(`/leads/${lead.id}/loser`, JSON.stringify({ lead: { comment } }), 'application/json'), 413);
    assert.deepEqual(await readLead(lead), before);
  });

  test('a missing wrapper is 422 naming it', async () => {
    const cases = [
      ['POST', '/lists', 'list'],
      ['POST', `/lists/${list.id}/leads`, 'lead'],
      ['PATCH', `/leads/${lead.id}`, 'lead'],
      ['PATCH', `/leads/${lead.id}/delegate`, 'lead'],
      ['PATCH', `/leads/${lead.id}/migrate`, 'lead'],
      ['POST', `/lists/${list.id}/webhook`, 'webhook'],
      ['POST', '/webhooks', 'webhook'],
    ] as const;
    for (const [method, path, wrapper] of cases) {
      assert.deepEqual(blame(await ask(method, path, { name: 'x', company_name: 'x' })), [422, [wrapper]], path);
      assert.deepEqual(blame(await ask(method, path)), [422, [wrapper]], `${path}, nothing sent`);
      for (const value of ['text', 5, null, ['x']])
        assert.deepEqual(
          blame(await ask(method, path, { [wrapper]: value })),
          [422, [wrapper]],
          `${path} ${String(value)}`,
        );
    }
    const user = await ask('POST', '/users', { accept_charge_upon_invitation_acceptance: '1', email: 'x@example.com' });
    assert.deepEqual(blame(user), [422, ['user']]);
  });

  test('a body that is no object is 422', async () => {
    for (const body of ['[]', '5', '"text"', 'null', 'true'])
      assert.equal((await ask('POST', '/lists', body)).status, 422, body);
  });

  test('integers also as numeric strings, booleans also as "true", "1", 1', async () => {
    const other = await addList({ lock_on_defaults: '1', user_ids: [] });
    assert.equal(other.locked_on_defaults, true);
    assert.equal((await addList({ lock_on_defaults: 0 })).locked_on_defaults, false);
    const moved = await addLead(list);
    const body = { lead: { to_list_id: String(other.id), give_back_leads: 'false' } };
    assert.equal((await ask('PATCH', `/leads/${moved.id}/migrate`, body)).status, 204);
    assert.equal((await readLead(moved)).list_location, other.location);
  });

  test('otherwise a wrong type is 422 naming the parameter', async () => {
    const cases = [
      ['POST', '/lists', { list: { name: ['x'] } }, 'name'],
      ['POST', '/lists', { list: { name: 'x', lock_on_defaults: 'yes' } }, 'lock_on_defaults'],
      ['POST', '/lists', { list: { name: 'x', show_avatars: 2 } }, 'show_avatars'],
      ['PATCH', `/leads/${lead.id}/migrate`, { lead: { to_list_id: 'x' } }, 'to_list_id'],
      ['PATCH', `/leads/${lead.id}/migrate`, { lead: { to_list_id: 1.5 } }, 'to_list_id'],
      ['POST', `/leads/${lead.id}/winner`, { lead: { call_back_in: 'soon' } }, 'call_back_in'],
      ['POST', `/leads/${lead.id}/winner`, { lead: { comment: 5 } }, 'comment'],
      ['POST', '/webhooks', { webhook: { event: 'new_call', target_url: 5 } }, 'target_url'],
    ] as const;
    for (const [method, path, body, name] of cases)
      assert.deepEqual(blame(await ask(method, path, body)), [422, [name]], JSON.stringify(body));
  });

  test('unknown members and parameters are ignored', async () => {
    const { status, body } = await ask('POST', '/lists?colour=red', {
      list: { name: 'x', id: 1, colour: 'red' },
      a: 1,
    });
    assert.deepEqual([status, body.location], [201, `/api/v2/lists/${body.id}`]);
    assert.notEqual(body.id, 1);
    assert.equal((await ask('GET', `/lists/${list.id}/leads?colour=red`)).status, 200);
    assert.equal((await ask('POST', `/leads/${lead.id}/loser`, { lead: { state: 'won', id: 1 } })).status, 204);
    assert.equal((await readLead(lead)).state, 'lost');
  });
});

describe('Ids and paths', () => {
  test('an id that is no integer, out of range, unknown or of another account is the same 404', async () => {
    const { ask: theirs } = await addNeighbour(house);
    const { body: foreignList } = await theirs('POST', '/lists', { list: { name: 'Theirs' } });
    const { body: foreignLead } = await theirs('POST', `/lists/${foreignList.id}/leads`, { lead: {} });
    const subscription = { webhook: { target_url: 'https://example.com/theirs', event: 'new_call' } };
    const { body: foreignWebhook } = await theirs('POST', '/webhooks', subscription);
    const wrong = ['x', '-1', '1.5', '99999999999999999999', '2000000000'];
    const routes: [string, string, unknown, { id: number }][] = [
      ['GET', '/lists/:id', undefined, foreignList],
      ['GET', '/lists/:id/columns', undefined, foreignList],
      ['GET', '/lists/:id/leads', undefined, foreignList],
      ['GET', '/lists/:id/stats', undefined, foreignList],
      ['GET', '/lists/:id/leads/find?company_name=x', undefined, foreignList],
      ['POST', '/lists/:id/leads', { lead: {} }, foreignList],
      ['POST', '/lists/:id/webhook', subscription, foreignList],
      ['GET', '/leads/:id', undefined, foreignLead],
      ['GET', '/leads/:id/events', undefined, foreignLead],
      ['PATCH', '/leads/:id', { lead: {} }, foreignLead],
      ['POST', '/leads/:id/winner', undefined, foreignLead],
      ['POST', '/leads/:id/call_back', undefined, foreignLead],
      ['POST', '/leads/:id/loser', undefined, foreignLead],
      ['POST', '/leads/:id/archive', undefined, foreignLead],
      ['PATCH', '/leads/:id/delegate', { lead: { delegate_to: 'owner@example.com' } }, foreignLead],
      ['PATCH', '/leads/:id/migrate', { lead: { to_list_id: list.id } }, foreignLead],
      ['GET', '/calls/:id', undefined, { id: 1 }],
      ['DELETE', '/webhook/:id', undefined, foreignWebhook],
    ];
    for (const [method, path, body, foreign] of routes) {
      for (const id of [...wrong, foreign.id]) {
        const answer = await ask(method, path.replace(':id', String(id)), body);
        const { request_id, ...said } = answer.body;
        assert.equal(typeof request_id, 'string');
        assert.deepEqual(
          [answer.status, said],
          [404, { error: 'There is nothing here.', code: 'not_found' }],
          `${method} ${path} ${id}`,
        );
      }
    }
    const { body: untouched } = await theirs('GET', `/leads/${foreignLead.id}`);
    assert.deepEqual(untouched, foreignLead);
  });

  test('unknown paths under /api are JSON 404', async () => {
    for (const path of [
      '/api/v2/nowhere',
      '/api/v1/lists',
      '/api/v2/leads',
      `/api/v2/webhooks/1`,
      '/api/v2/lists/1/2',
    ]) {
      const { status, headers, body } = await send(house.address + path, 'GET', undefined, { authorization });
      assert.deepEqual([status, body.code], [404, 'not_found'], path);
      assert.match(headers.get('content-type')!, /^application\/json/);
    }
  });

  test('order of checks: key, route, body syntax, role, visibility, validation', async () => {
    const { key: agent } = await house.join({ email: 'agent@example.com' });
    const { key: analyst } = await house.join({ email: 'analyst@example.com', agent: false, analyst: true });
    const malformed = '{"lead":';
    const wrong = { lead: { category: 'Nonsense' } };
    const winner = `/leads/${lead.id}/winner`;
    const statuses = [
      await send(`${house.address}/api/v2/nowhere`, 'POST', malformed, { authorization: 'Token "wrong"' }),
      await send(`${house.address}/api/v2/nowhere`, 'POST', malformed, { authorization }),
      await house.withKey(analyst)('POST', winner, malformed),
      await house.withKey(analyst)('POST', '/leads/0/winner', wrong),
      await house.withKey(agent)('POST', winner, wrong),
      await ask('POST', winner, wrong),
    ].map(({ status }) => status);
    assert.deepEqual(statuses, [401, 404, 400, 403, 404, 422]);
  });
});

test('the object of a lead has the documented members wherever it is told', async () => {
  const { body: page } = await ask('GET', `/lists/${list.id}/leads`);
  const { body: found } = await ask('GET', `/lists/${list.id}/leads/find?company_name=Acme+2`);
  const { body: searched } = await ask('GET', '/leads/search?query=acme');
  for (const row of [page[0], found[0], searched.leads[0]]) assert.deepEqual(keysOf(row), LEAD_KEYS);
  assert.deepEqual(keysOf(await readLead(lead)), [...LEAD_KEYS, 'events'].toSorted());
});
