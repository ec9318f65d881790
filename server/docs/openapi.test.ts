import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { WEBHOOK_EVENTS } from '../../contract/webhooks.ts';
import { followAll } from '../../test/described.ts';
import { openHouse, send } from '../../test/house.ts';
import { readConfig } from '../config.ts';
import { apiRoutes } from '../doors.ts';
import { allowedBy } from '../webhooks/targets.ts';
import { nameOf } from './openapi.ts';
import { OPERATIONS, TAGS } from './operations.ts';

const house = await openHouse();
const read = async (headers?: Record<string, string>) =>
  (await send(`${house.address}/api/v2/openapi.json`, 'GET', undefined, headers)).body;
const document = await read();

type Parameter = { name: string; in: string; required: boolean; description: string; schema: any };
type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters: Parameter[];
  requestBody?: { required: boolean; content: { 'application/json': { schema: any } } };
  responses: Record<string, { description: string; headers?: object; content?: object }>;
};

/** Everything that is told, with what its references lead to. */
const operations = Object.entries<any>(document.paths).flatMap(([path, methods]) =>
  Object.entries<any>(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path.replace('/api/v2', '').replaceAll(/\{(\w+)\}/g, ':$1')}`,
    ...(followAll(operation, document) as Operation),
  })),
);
const find = (name: string) => operations.find((one) => one.name === name)!;
const bodyOf = (name: string) => find(name).requestBody!.content['application/json'].schema;
const parameter = (name: string, parameterName: string) =>
  find(name).parameters.find((one) => one.name === parameterName)!;

describe('Every route at /api/v2 is described', () => {
  const routes = apiRoutes({ allowedFor: allowedBy(readConfig({})) }).map(nameOf);

  test('by a row of server/docs/operations.ts, and there is no row without a route', () => {
    const silent = routes.filter((name) => !OPERATIONS[name]);
    assert.deepEqual(silent, [], `not described: add a row to server/docs/operations.ts for ${silent.join(', ')}`);
    const gone = Object.keys(OPERATIONS).filter((name) => !routes.includes(name));
    assert.deepEqual(gone, [], `described, but there is no such route: ${gone.join(', ')}`);
    assert.deepEqual(
      operations.map(({ name }) => name).toSorted(),
      routes.toSorted((one, other) => (one < other ? -1 : 1)),
    );
  });

  test('with a name of its own, a summary, sentences, and a tag that is explained', () => {
    const ids = operations.map(({ operationId }) => operationId);
    assert.equal(new Set(ids).size, ids.length, 'two operations have one name');
    for (const { name, operationId, summary, description, tags } of operations) {
      assert.match(operationId, /^[a-z][A-Za-z]+$/, name);
      assert.ok(summary && description.length > 20 && /[.!]$/.test(description), `${name}: ${description}`);
      assert.ok(tags.length === 1 && Object.hasOwn(TAGS, tags[0]!), name);
    }
  });

  test('and so is each parameter, each member of a body or an answer, and each schema has a name', () => {
    const mute: string[] = [];
    /** Ids and names speak for themselves. */
    const plain = new Set(['id', 'name', 'list_name', 'first_name', 'last_name', 'new', 'call_back', 'won', 'lost']);
    const look = (schema: any, where: string) => {
      for (const [name, member] of Object.entries<any>(schema.properties ?? {})) {
        const isWrapper = member.type === 'object' && member.properties;
        if (!member.description && !plain.has(name) && !isWrapper) mute.push(`${where}.${name}`);
        look(member, `${where}.${name}`);
      }
      if (schema.items) look(schema.items, `${where}[]`);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) look(followAll(schema, document), name);
    for (const { name, parameters } of operations)
      for (const one of parameters) if (!one.description) mute.push(`${name} ${one.in} ${one.name}`);
    assert.deepEqual(mute, [], `without a description: ${mute.join(', ')}`);
    const names = Object.keys(document.components.schemas);
    for (const name of ['Lead', 'List', 'Call', 'Webhook', 'Event', 'User', 'Column', 'Error'])
      assert.ok(names.includes(name), name);
  });
});

describe('It says what the contract says', () => {
  test('give_back_leads is "1" or "0"', () => {
    assert.deepEqual(bodyOf('PATCH /leads/:id/migrate').properties.lead.properties.give_back_leads.enum, ['0', '1']);
  });

  test('find takes the keys of columns', () => {
    const { schema, ...fields } = parameter('GET /lists/:id/leads/find', 'fields') as any;
    assert.deepEqual([fields.in, fields.style, fields.explode], ['query', 'form', true]);
    assert.equal(schema.type, 'object');
    assert.ok(schema.additionalProperties);
  });

  test('outcomes need no body; everything else that takes one does', () => {
    for (const { name, requestBody } of operations)
      if (requestBody) assert.equal(requestBody.required, !/\/(winner|call_back|loser|archive)$/.test(name), name);
  });

  test('ids are integers', () => {
    for (const { name, parameters } of operations)
      for (const one of parameters.filter(({ in: place }) => place === 'path'))
        assert.deepEqual([one.schema.type, one.required], ['integer', true], name);
  });

  test('headers: limits on every answer, links on pages, where what was created is, how long to wait', () => {
    for (const { name, responses } of operations) {
      for (const [status, { headers = {} }] of Object.entries(responses)) {
        const told = Object.keys(headers);
        for (const header of ['Ratelimit-Limit', 'Ratelimit-Remaining', 'Ratelimit-Reset', 'X-Request-Id'])
          assert.ok(told.includes(header), `${name} ${status} ${header}`);
        if (status === '429' || status === '503') assert.ok(told.includes('Retry-After'), `${name} ${status}`);
        if (status === '401') assert.ok(told.includes('WWW-Authenticate'), name);
      }
    }
    const headersOf = (name: string, status: number) => Object.keys(find(name).responses[status]!.headers!);
    for (const name of ['GET /lists/:id/leads', 'GET /lists/:id/leads/find', 'GET /leads/search'])
      for (const header of ['Link', 'X-Total-Count']) assert.ok(headersOf(name, 200).includes(header), name);
    assert.ok(headersOf('POST /lists', 201).includes('Location'));
    assert.ok(headersOf('POST /lists/:id/leads', 201).includes('Location'));
    assert.ok(headersOf('POST /lists/:id/leads', 201).includes('X-Unknown-Fields'));
  });

  test('each status by itself, with its codes', () => {
    for (const { name, responses } of operations) {
      for (const [status, response] of Object.entries<any>(responses)) {
        assert.match(status, /^\d{3}$/, name);
        if (Number(status) < 300) continue;
        const [, { properties }] = response.content['application/json'].schema.allOf;
        assert.ok(properties.code.enum.length > 0, `${name} ${status}`);
        for (const code of properties.code.enum) assert.ok(response.description.includes(`\`${code}\``), code);
      }
    }
  });

  test('every POST takes an Idempotency-Key, and nothing else does', () => {
    for (const { name, parameters } of operations)
      assert.equal(
        parameters.some((one) => one.name === 'Idempotency-Key'),
        name.startsWith('POST '),
        name,
      );
  });

  test('each webhook event with the headers of Standard Webhooks', () => {
    assert.deepEqual(Object.keys(document.webhooks).toSorted(), WEBHOOK_EVENTS.toSorted());
    for (const [event, { post }] of Object.entries<any>(document.webhooks)) {
      const headers = post.parameters.map(({ name }: Parameter) => name);
      assert.deepEqual(headers, ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'User-Agent'], event);
      const { schema } = followAll(post.requestBody.content['application/json'], document) as any;
      assert.deepEqual(schema.required, ['resource_url'], event);
    }
  });
});

test('every operation and every notification has an example that was really given, for the account that asks', () => {
  for (const { name, requestBody, responses } of operations) {
    const [status, success] = Object.entries<any>(responses).find(([one]) => one.startsWith('2'))!;
    if (status !== '204') assert.ok(success.content['application/json'].example, `${name} has no example`);
    if (requestBody) assert.ok('example' in requestBody.content['application/json'], `${name} has no example`);
  }
  for (const [event, { post }] of Object.entries<any>(document.webhooks)) {
    const { resource_url } = post.requestBody.content['application/json'].example;
    assert.match(resource_url, /^http:\/\/acme\.example\.com\/api\/v2\/(leads|calls)\/\d+$/, event);
  }
});

test('it names the address of the account first, and the one where it was asked for', async () => {
  assert.deepEqual(
    document.servers.map(({ url }: { url: string }) => url),
    ['http://acme.example.com', house.address],
  );
});
