import assert from 'node:assert/strict';
import { get } from 'node:http';
import { describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { openHouse, OWNER, send } from '../../test/house.ts';
import { chooseCoding } from './packing.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { body: list } = await ask('POST', '/lists', { list: { name: 'Packed' } });
const { headers: signedIn } = await send(`${house.address}/app/session`, 'POST', OWNER, { origin: house.address });
const byKey = { authorization: `Token "${house.key}"` };
const byCookie = { cookie: signedIn.get('set-cookie')!.split(';', 1)[0]! };
const leads = `/lists/${list.id}/leads`;

// Enough for an answer of more than a megabyte, with characters of every length.
const note = 'Ærø 😀 “wants the big one” '.repeat(300);
await Promise.all(
  Array.from({ length: 150 }, (_, index) =>
    ask('POST', leads, { lead: { company_name: `Acme ${index}`, title: note } }),
  ),
);

type Got = { status: number; headers: Record<string, unknown>; bytes: Buffer };

/** `fetch` unpacks by itself and says so always. */
const fetchPacked = (path: string, headers: Record<string, string>, method = 'GET'): Promise<Got> =>
  new Promise((resolve, reject) => {
    get(house.address + path, { headers, method }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
      response.on('error', reject);
    }).on('error', reject);
  });

const UNPACK = { br: brotliDecompressSync, gzip: gunzipSync };

describe('answers', () => {
  test('of 1 kB and more are packed as the client can unpack them, at both doors, however large they are', async () => {
    for (const [path, least] of [
      [`${leads}?per_page=1`, 2_000],
      [`${leads}?per_page=10`, 32_768],
      [`${leads}?per_page=150`, 1_048_576],
    ] as const) {
      for (const [door, credentials] of [
        ['/api/v2', byKey],
        ['/app', byCookie],
      ] as const) {
        const plain = await fetchPacked(door + path, credentials);
        assert.deepEqual([plain.headers['content-encoding'], plain.headers.vary], [undefined, undefined]);
        assert.ok(plain.bytes.length > least, `${path} ${plain.bytes.length}`);
        for (const coding of ['br', 'gzip'] as const) {
          const packed = await fetchPacked(door + path, { ...credentials, 'accept-encoding': coding });
          assert.equal(packed.status, 200);
          assert.deepEqual([packed.headers['content-encoding'], packed.headers.vary], [coding, 'Accept-Encoding']);
          assert.equal(Number(packed.headers['content-length']), packed.bytes.length);
          assert.ok(packed.bytes.length < plain.bytes.length / 2);
          assert.deepEqual(JSON.parse(String(UNPACK[coding](packed.bytes))), JSON.parse(String(plain.bytes)));
          assert.equal(packed.headers['x-total-count'], plain.headers['x-total-count']);
        }
      }
    }
  });

  test('that are small, or for someone who unpacks nothing, are sent as they are', async () => {
    const small = await fetchPacked('/api/v2/lists', { ...byKey, 'accept-encoding': 'gzip, br' });
    assert.equal(small.headers['content-encoding'], undefined);
    for (const accepted of ['identity', 'br;q=0, gzip;q=0', 'zstd', ''])
      assert.equal(
        (await fetchPacked(`/api/v2${leads}`, { ...byKey, 'accept-encoding': accepted })).headers['content-encoding'],
        undefined,
        accepted,
      );
    const nothing = await fetchPacked(`/api/v2${leads}`, { ...byKey, 'accept-encoding': 'br' }, 'HEAD');
    assert.deepEqual([nothing.status, nothing.bytes.length], [200, 0]);
  });

  test('the description and what /docs is made of are packed; files of the pages keep their own', async () => {
    for (const path of ['/api/v2/openapi.json', '/docs/scalar.js']) {
      const plain = await fetchPacked(path, {});
      const packed = await fetchPacked(path, { 'accept-encoding': 'gzip, deflate, br' });
      assert.equal(packed.headers['content-encoding'], 'br', path);
      assert.ok(brotliDecompressSync(packed.bytes).equals(plain.bytes), path);
    }
  });

  test('the choice is the client’s', () => {
    for (const [accepted, coding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip', 'gzip'],
      ['x-gzip', 'gzip'],
      ['GZIP;Q=0.5', 'gzip'],
      ['br;q=0.5, gzip;q=0.8', 'gzip'],
      ['br;q=0, *', 'gzip'],
      ['*;q=0', undefined],
      ['gzip;q=0', undefined],
      ['gzip;q=nonsense', 'gzip'],
      ['', undefined],
    ] as const)
      assert.equal(chooseCoding(accepted), coding, accepted);
  });

  test('others have their turn while a large answer is packed', async () => {
    for (const coding of ['br', 'gzip']) {
      let turns = 0;
      const timer = setInterval(() => (turns += 1), 0);
      await fetchPacked(`/api/v2${leads}?per_page=150`, { ...byKey, 'accept-encoding': coding });
      clearInterval(timer);
      assert.ok(turns > 5, `${coding} ${turns}`);
    }
  });
});

test('nobody keeps what was answered at a door', async () => {
  for (const [path, headers] of [
    ['/api/v2/lists', byKey],
    [`/api/v2${leads}`, byKey],
    ['/api/v2/leads/999999', byKey],
    ['/api/v2/nowhere', byKey],
    ['/api/v2/lists', {}],
    ['/app/lists', byCookie],
    ['/app/account', byCookie],
    ['/app/lists', {}],
  ] as const) {
    const { status, headers: given } = await fetchPacked(path, { ...headers });
    assert.equal(given['cache-control'], 'no-store', `${path} ${status}`);
  }
});
