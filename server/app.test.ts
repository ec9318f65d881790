import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { atEnd, createTestDatabase } from '../test/database.ts';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { createLog, logOptions } from './platform/log.ts';
import { createPools, endPools } from './platform/pool.ts';
import { startPulse } from './platform/pulse.ts';
import { Secrets } from './platform/secrets.ts';
import { openWays } from './platform/work.ts';
import { eventually, makeFolder } from '../test/leadline.ts';
import { openStore } from './recordings/open.ts';
import { consequences } from './consequences.ts';

const METRICS_TOKEN = 'a-token-of-sixteen-characters';
let logged = '';
const log = pino(
  logOptions('info'),
  new Writable({ write: (line, _encoding, done) => ((logged += String(line)), done()) }),
);
const { url } = await createTestDatabase();
const silent = createLog('silent');
const store = openStore({ folder: makeFolder() });

const openParts = (at: string) => {
  const pulse = startPulse([at], at, silent);
  const pools = createPools(at, { log: silent, pulse });
  atEnd(async () => {
    await pulse.stop();
    await endPools(pools);
  });
  const ways = openWays(pools, { secrets: new Secrets('for tests alone'), consequences });
  return { pools, ways, pulse, store, node: { id: 0, silent: () => [] } };
};
const app = buildApp({ config: readConfig({ METRICS_TOKEN }), ...openParts(url), log });
app.get('/fault', () => {
  throw new Error('something secret: hunter2');
});
app.post('/echo', (request) => request.body);
const address = await app.listen({ port: 0, host: '127.0.0.1' });
after(() => app.close());

test('alive and ready', async () => {
  for (const path of ['/health/live', '/health/ready']) {
    // A database that a busy machine keeps from answering is away for that long.
    const response = await eventually('all is well', async () => {
      const answer = await fetch(address + path);
      return answer.ok && answer;
    });
    assert.deepEqual([response.status, await response.json()], [200, { status: 'ok' }]);
  }
});

test('without a database it is alive, not ready, and says when to ask again', async () => {
  const parts = openParts('postgresql://a:b@127.0.0.1:1/leadline');
  const away = buildApp({ config: readConfig({}), ...parts, log: silent });
  try {
    await eventually('it is missed', () => parts.pulse.fault());
    const { statusCode, headers } = await away.inject('/health/ready');
    assert.deepEqual([statusCode, headers['retry-after']], [503, '2']);
    assert.equal((await away.inject('/health/live')).statusCode, 200);
  } finally {
    await away.close();
  }
});

test('every answer names its request and carries the security headers', async () => {
  for (const path of ['/', '/health/live', '/nowhere', '/fault', '/%zz']) {
    const { headers } = await fetch(address + path);
    assert.match(headers.get('x-request-id') ?? '', /^[\da-f-]{36}$/);
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/);
    assert.doesNotMatch(headers.get('content-security-policy') ?? '', /unsafe/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('strict-transport-security'), null);
  }
});

test('every error has the one shape, and a fault of ours tells the client nothing', async () => {
  const post = (body: string, type = 'application/json') =>
    fetch(`${address}/echo`, { method: 'POST', body, headers: { 'content-type': type } });
  const cases: [Response, number, RegExp][] = [
    [await fetch(`${address}/nowhere`), 404, /nothing here/],
    [await fetch(`${address}/fault`), 500, /^Something went wrong on our side\.$/],
    [await fetch(`${address}/%zz`), 400, /not a valid url/],
    [await post('{"half":'), 400, /./],
    [await post('a=b', 'application/x-www-form-urlencoded'), 415, /./],
    [await post(`"${'x'.repeat(1024 * 1024)}"`), 413, /too large/],
  ];
  for (const [response, status, sentence] of cases) {
    const body = (await response.json()) as Record<string, unknown>;
    assert.equal(response.status, status);
    assert.deepEqual(Object.keys(body), ['error', 'code', 'request_id']);
    assert.match(String(body.error), sentence);
    assert.equal(body.request_id, response.headers.get('x-request-id'));
  }
});

test('the log has a line for each request, with its id and without its query', async () => {
  const answer = await fetch(`${address}/?token=hunter3`, {
    headers: { authorization: 'Token "hunter4"', cookie: 'session=hunter5' },
  });
  const line = await eventually('it is written', () =>
    logged.split('\n').find((candidate) => candidate.includes(answer.headers.get('x-request-id')!)),
  );
  const { method, path, status } = JSON.parse(line) as Record<string, unknown>;
  assert.deepEqual({ method, path, status }, { method: 'GET', path: '/', status: answer.status });
  assert.doesNotMatch(logged, /hunter[345]/);
});

test('metrics are for this machine, or for those with the token', async () => {
  const ask = (headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
    app.inject({ url: '/metrics', headers: { host: 'localhost:3000', ...headers }, remoteAddress });
  assert.match((await ask({})).body, /leadline_http_request_seconds_bucket/);
  assert.equal((await ask({}, '10.0.0.7')).statusCode, 403);
  assert.equal((await ask({ 'x-forwarded-for': '10.0.0.7' })).statusCode, 403);
  assert.equal((await ask({ host: 'calls.example.com' })).statusCode, 403);
  assert.equal((await ask({ authorization: 'Bearer wrong' }, '10.0.0.7')).statusCode, 403);
  assert.equal((await ask({ authorization: `Bearer ${METRICS_TOKEN}` }, '10.0.0.7')).statusCode, 200);
});

test('bytes that are no HTTP are answered with 400 and cut off', async () => {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  socket.end('NONSENSE\r\n\r\n');
  const answer = (await socket.setEncoding('utf8').toArray()).join('');
  assert.match(answer, /^HTTP\/1\.1 400 /);
});
