import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse, OWNER, send } from '../../test/house.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const authorization = `Token "${house.key}"`;
const { headers: signedIn } = await send(`${house.address}/app/session`, 'POST', OWNER, { origin: house.address });
const byCookie = { cookie: signedIn.get('set-cookie')!.split(';', 1)[0]!, origin: house.address };
const { body: list } = await ask('POST', '/lists', { list: { name: 'Addresses' } });
const { body: lead } = await ask('POST', `/lists/${list.id}/leads`, { lead: { company_name: 'Acme' } });

/** Past the description, which does not know these spellings. */
const at = (path: string, method = 'GET', body?: unknown) =>
  send(house.address + path, method, body, path.startsWith('/app/') ? byCookie : { authorization });

describe('the same resource', () => {
  test('with a trailing slash and with .json, at both doors', async () => {
    for (const path of ['/lists', `/lists/${list.id}`, `/lists/${list.id}/leads`, `/leads/${lead.id}`]) {
      const { body: plain } = await ask('GET', path);
      for (const ending of ['/', '.json', '.json/', '/?page=', '.json?page=']) {
        const { status, body } = await at(`/api/v2${path}${ending}`);
        assert.deepEqual([status, body], [200, plain], path + ending);
      }
      for (const ending of ['/', '.json']) {
        const { status, body } = await at(`/app${path}${ending}`);
        assert.deepEqual([status, Array.isArray(body)], [200, Array.isArray(plain)], path + ending);
      }
    }
    const { status } = await at(`/api/v2/leads/${lead.id}/winner.json`, 'POST', { lead: { comment: 'x' } });
    assert.equal(status, 204);
    assert.equal((await at('/api/v2/lists.json', 'POST', { list: { name: 'x' } })).status, 201);
  });

  test('the way to the next page leads there from each of them', async () => {
    await ask('POST', `/lists/${list.id}/leads`, { lead: { company_name: 'Second' } });
    for (const ending of ['', '/', '.json']) {
      const { headers } = await at(`/api/v2/lists/${list.id}/leads${ending}?per_page=1`);
      const [, next] = /<http:\/\/acme\.example\.com([^>]+)>; rel="next"/.exec(headers.get('link')!)!;
      assert.equal((await at(next!)).body[0].id, lead.id);
    }
  });

  test('the description keeps its name, and what was no address is none', async () => {
    for (const path of ['/api/v2/openapi.json', '/api/v2/openapi.json/'])
      assert.equal((await at(path)).status, 200, path);
    for (const path of [
      '/api/v2/',
      '/api/v2/.json',
      '/api/v2/lists//',
      '/api/v2/lists.xml',
      '/api/v2/nowhere/',
      '/api/v2/lists.json.json',
    ])
      assert.deepEqual([path, (await at(path)).status], [path, 404]);
    const long = await at(`/api/v2/leads/${'9'.repeat(300)}`);
    assert.deepEqual([long.status, long.body.code], [404, 'not_found']);
  });
});

describe('another method on a known path', () => {
  test('is 405 with Allow, in the one shape, at both doors', async () => {
    for (const [method, path, allow] of [
      ['DELETE', '/lists', 'GET, HEAD, POST'],
      ['PUT', `/leads/${lead.id}`, 'GET, HEAD, PATCH'],
      ['GET', `/leads/${lead.id}/winner`, 'POST'],
      ['GET', `/leads/${lead.id}/winner.json`, 'POST'],
      ['POST', '/leads/search', 'GET, HEAD'],
      ['GET', '/webhook/1', 'DELETE'],
      ['OPTIONS', '/webhooks', 'GET, HEAD, POST'],
      ['POST', '/openapi.json', 'GET, HEAD'],
    ] as const) {
      const { status, body, headers } = await at(`/api/v2${path}`, method);
      assert.deepEqual(
        [status, headers.get('allow'), body.code],
        [405, allow, 'method_not_allowed'],
        `${method} ${path}`,
      );
      assert.match(body.error, new RegExp(`${method}.*${allow}`));
      assert.deepEqual(Object.keys(body), ['error', 'code', 'request_id']);
    }
    for (const [method, path, allow] of [
      ['GET', '/simulate', 'POST'],
      ['DELETE', '/live', 'GET'],
      ['PUT', `/lists/${list.id}`, 'DELETE, GET, HEAD, PATCH'],
    ] as const) {
      const { status, headers } = await at(`/app${path}`, method);
      assert.deepEqual([status, headers.get('allow')], [405, allow], path);
    }
    assert.equal((await at('/health/live', 'POST')).headers.get('allow'), 'GET, HEAD');
  });

  test('comes after the key and before the body; what is nowhere stays 404', async () => {
    const { status, headers } = await send(`${house.address}/api/v2/lists`, 'DELETE');
    assert.deepEqual([status, headers.get('allow')], [401, null]);
    assert.equal((await at('/api/v2/lists', 'DELETE', '{"broken')).status, 405);
    for (const [method, path] of [
      ['POST', '/api/v2/nowhere'],
      ['POST', '/api/v2/lists/1/2'],
      ['GET', '/api/v2/leads/999999'],
      ['PATCH', '/api/v2/leads/search'],
      ['POST', '/nowhere'],
    ] as const)
      assert.equal((await at(path, method)).status, 404, path);
  });
});
