import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { get, request as ask, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import Fastify from 'fastify';
import { openTestBucket } from '../../test/bucket.ts';
import { eventually } from '../../test/leadline.ts';
import { answerError } from '../platform/errors.ts';
import { addSecurityHeaders } from '../platform/security-headers.ts';
import { sendRecording } from './serve.ts';
import { openStore } from './open.ts';
import type { Store } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'leadline-serve-'));
after(() => rmSync(folder, { recursive: true, force: true }));
// Of this process, as links to them.
const OPEN_FILES = '/proc/self/fd';
const LARGE = 64 * 1024 * 1024;

async function openDoor(store: Store) {
  const app = Fastify({ forceCloseConnections: true });
  addSecurityHeaders(app, false);
  app.setErrorHandler(answerError);
  app.get<{ Params: { id: string }; Querystring: { name?: string } }>('/:id', (request, reply) =>
    sendRecording(store, `1/${request.params.id}.wav`, request, reply, request.query.name ?? 'call 1.wav'),
  );
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  after(() => app.close());

  /** Not by fetch, which sets headers of its own. */
  const fetchIt = async (path: string, range?: string, method = 'GET', more: Record<string, string> = {}) => {
    const headers = { ...(range !== undefined && { range }), ...more };
    const [response] = (await once(ask(`${address}${path}`, { method, headers }).end(), 'response')) as [
      IncomingMessage,
    ];
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  };
  return { address, fetchIt };
}

async function fill(store: Store): Promise<Store> {
  for (const [id, content] of Object.entries({ 1: '0123456789', 2: '', 3: Buffer.alloc(LARGE, 7) })) {
    const file = join(folder, 'finished.wav');
    writeFileSync(file, content);
    await store.take(`1/${id}.wav`, file);
  }
  return store;
}

const bucket = await openTestBucket();
const stores = {
  'a folder': await fill(openStore({ folder })),
  'a bucket': await fill(openStore({ bucket: bucket.url })),
};

for (const [kind, store] of Object.entries(stores)) {
  describe(`from ${kind}`, async () => {
    const { address, fetchIt } = await openDoor(store);

    test('a recording is sent whole', async () => {
      const { status, headers, body } = await fetchIt('/1');
      assert.deepEqual([status, body], [200, '0123456789']);
      assert.equal(headers['content-type'], 'audio/wav');
      assert.equal(headers['content-length'], '10');
      assert.equal(headers['transfer-encoding'], undefined);
      assert.equal(headers['accept-ranges'], 'bytes');
      assert.equal(headers['content-range'], undefined);
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['content-disposition'], 'inline; filename="call 1.wav"');
      assert.equal(headers['x-content-type-options'], 'nosniff');
    });

    test('HEAD says the same and sends nothing, and knows no ranges', async () => {
      const whole = await fetchIt('/1');
      const head = await fetchIt('/1', undefined, 'HEAD');
      for (const { headers } of [whole, head]) delete headers.date;
      assert.deepEqual(head, { ...whole, body: '' });
      const part = await fetchIt('/1', 'bytes=2-3', 'HEAD');
      assert.deepEqual([part.status, part.headers['content-length'], part.body], [200, '10', '']);
      assert.equal((await fetchIt('/2', undefined, 'HEAD')).headers['content-length'], '0');
      assert.equal((await fetchIt('/9', undefined, 'HEAD')).status, 404);
    });

    for (const [range, body, place] of [
      ['bytes=0-0', '0', '0-0'],
      ['bytes=2-4', '234', '2-4'],
      ['bytes=9-9', '9', '9-9'],
      ['bytes=-1', '9', '9-9'],
      ['bytes=-3', '789', '7-9'],
      ['bytes=-10', '0123456789', '0-9'],
      ['bytes=-99', '0123456789', '0-9'],
      ['bytes=0-', '0123456789', '0-9'],
      ['bytes=7-', '789', '7-9'],
      ['bytes=7-10', '789', '7-9'],
      ['bytes=7-99999999999999999999999', '789', '7-9'],
      ['bytes=00-01', '01', '0-1'],
      ['Bytes=1-1', '1', '1-1'],
    ] as const) {
      test(`${range} is ${body}`, async () => {
        const answer = await fetchIt('/1', range);
        assert.deepEqual([answer.status, answer.body], [206, body]);
        assert.equal(answer.headers['content-range'], `bytes ${place}/10`);
        assert.equal(answer.headers['content-length'], String(body.length));
        assert.equal(answer.headers['content-type'], 'audio/wav');
        assert.equal(answer.headers['accept-ranges'], 'bytes');
      });
    }

    for (const [path, range, size] of [
      ['/1', 'bytes=10-', 10],
      ['/1', 'bytes=10-10', 10],
      ['/1', 'bytes=99999999999999999999999-', 10],
      ['/1', 'bytes=-0', 10],
      ['/2', 'bytes=0-0', 0],
      ['/2', 'bytes=0-', 0],
      ['/2', 'bytes=-1', 0],
    ] as const) {
      test(`${range} of ${size} bytes cannot be had`, async () => {
        const answer = await fetchIt(path, range);
        assert.equal(answer.status, 416);
        assert.equal(answer.headers['content-range'], `bytes */${size}`);
        assert.equal(answer.headers['cache-control'], undefined);
        assert.equal((JSON.parse(answer.body) as { code: string }).code, 'range_not_satisfiable');
      });
    }

    test('several ranges and nonsense get the whole', async () => {
      for (const range of [
        'bytes=0-0,2-3',
        'bytes=0-0, -1',
        'bytes=4-2',
        'bytes=-',
        'bytes=',
        'bytes=a-b',
        'bytes=1',
        'bytes=--1',
        'bytes=1-2-3',
        'bytes=0x1-2',
        'bytes=1.5-2',
        'bytes 1-2',
        'seconds=1-2',
        '',
        `bytes=${'0-0,'.repeat(500)}`,
      ]) {
        const answer = await fetchIt('/1', range);
        assert.deepEqual([answer.status, answer.body, answer.headers['content-range']], [200, '0123456789', undefined]);
      }
    });

    test('a part that must be of a certain version gets the whole, for no version has a name', async () => {
      const answer = await fetchIt('/1', 'bytes=1-2', 'GET', { 'if-range': '"some"' });
      assert.deepEqual([answer.status, answer.body], [200, '0123456789']);
    });

    test('an empty one is sent whole', async () => {
      const answer = await fetchIt('/2');
      assert.deepEqual([answer.status, answer.body, answer.headers['content-length']], [200, '', '0']);
    });

    test('what is not there is not found, in whole and in part', async () => {
      for (const range of [undefined, 'bytes=0-1']) {
        const answer = await fetchIt('/9', range);
        assert.equal(answer.status, 404);
        assert.equal((JSON.parse(answer.body) as { code: string }).code, 'not_found');
        assert.equal(answer.headers['content-disposition'], undefined);
      }
    });

    test('clients that go away in the middle leave nothing open', { skip: !existsSync(OPEN_FILES) }, async () => {
      const countOpen = () => (kind === 'a folder' ? countOpenFiles() : bucket.countUnderway());
      for (let times = 0; times < 10; times++) {
        const headers = times % 2 ? { range: 'bytes=1000-' } : {};
        const [response] = (await once(get(`${address}/3`, { headers }), 'response')) as [IncomingMessage];
        await once(response, 'data');
        assert.notEqual(countOpen(), 0);
        response.destroy();
      }
      await eventually('nothing is open', () => countOpen() === 0);
      assert.equal((await fetchIt('/1')).status, 200);
    });
  });
}

function countOpenFiles(): number {
  const isRecording = (fd: string) => {
    try {
      return readlinkSync(join(OPEN_FILES, fd)).startsWith(folder);
    } catch {
      return false;
    }
  };
  return readdirSync(OPEN_FILES).filter(isRecording).length;
}

test('a client that is gone before the recording is found leaves nothing open', async () => {
  const body = new Readable({ read: () => {} });
  const opening = Promise.withResolvers<void>();
  const found = Promise.withResolvers<{ body: Readable; size: number }>();
  const open = () => {
    opening.resolve();
    return found.promise;
  };
  const { address } = await openDoor({ ...stores['a folder'], open });
  const request = get(`${address}/1`).on('error', () => {});
  await opening.promise;
  request.destroy();
  await wait(100);
  found.resolve({ body, size: 10 });
  await once(body, 'close', { signal: AbortSignal.timeout(60_000) });
});

test('a store that fails in the middle ends the answer, and the client knows', async () => {
  const body = Readable.from(
    (async function* sound() {
      yield Buffer.alloc(1000);
      await wait(20);
      throw new Error('The disk is gone.');
    })(),
  );
  const { fetchIt } = await openDoor({ ...stores['a folder'], open: async () => ({ body, size: 2000 }) });
  await assert.rejects(fetchIt('/1'), { code: 'ECONNRESET' });
});

test('a bucket that is away is our fault and says nothing of itself', async () => {
  const { fetchIt } = await openDoor(openStore({ bucket: new URL('s3://key:secret@127.0.0.1:1/calls?tls=off') }));
  const { status, body } = await fetchIt('/1');
  assert.deepEqual([status, (JSON.parse(body) as { code: string }).code], [500, 'internal']);
});

test('a name cannot leave its header, and keeps its letters beside the plain ones', async () => {
  const { fetchIt } = await openDoor(stores['a folder']);
  const name = async (given: string) =>
    (await fetchIt(`/1?name=${encodeURIComponent(given)}`)).headers['content-disposition'];
  assert.equal(await name('Müller.wav'), `inline; filename="M_ller.wav"; filename*=UTF-8''M%C3%BCller.wav`);
  assert.equal(await name('a"; b=\\c.wav'), `inline; filename="a_; b=_c.wav"; filename*=UTF-8''a%22%3B%20b%3D%5Cc.wav`);
  assert.equal(await name('a\r\nx: y.wav'), `inline; filename="a__x: y.wav"; filename*=UTF-8''a%0D%0Ax%3A%20y.wav`);
  assert.equal(
    await name("(it's)*😀.wav"),
    `inline; filename="(it's)*_.wav"; filename*=UTF-8''%28it%27s%29%2a%F0%9F%98%80.wav`,
  );
});
