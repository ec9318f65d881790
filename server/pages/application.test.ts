import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { openHouse } from '../../test/house.ts';
import { listAssets, listFirst } from './application.ts';

const house = await openHouse();

/** As it comes over the wire, the path as it is written here: `fetch` would unpack the one and tidy the other. */
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>((resolve, reject) => {
    const { hostname, port } = new URL(house.address);
    const asking = request({ hostname, port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }),
      );
    });
    asking.on('error', reject).end();
  });

const read = (path: string) => readFileSync(join(import.meta.dirname, '../../web/dist', path));

const TYPES = { js: 'application/javascript; charset=utf-8', css: 'text/css; charset=utf-8', woff2: 'font/woff2' };

test('every file that the first page names comes whole, under its type, to be kept for ever', async () => {
  const first = listFirst();
  assert.ok(first.length > 5, 'they are found at all');
  for (const path of first) {
    const { status, headers, body } = await ask(path);
    assert.equal(status, 200, path);
    assert.equal(headers['content-type'], TYPES[path.split('.').at(-1) as keyof typeof TYPES], path);
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable', path);
    assert.equal(headers['content-encoding'], undefined, path);
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
    assert.ok(body.equals(read(path)), path);
  }
});

test('a page is a few files: what pages share is not a file for each part of it', () => {
  const scripts = listAssets().filter((name) => name.endsWith('.js'));
  const importsOf = (name: string): string[] =>
    [
      ...read(`assets/${name}`)
        .toString()
        .matchAll(/\b(?:from|import)\s*"\.\/([^"]+\.js)"/g),
    ].map(([, path]) => path!);
  const needed = (name: string, known = new Set<string>()): Set<string> => {
    known.add(name);
    for (const other of importsOf(name)) if (!known.has(other)) needed(other, known);
    return known;
  };
  const pages = scripts.filter((name) => /-page-/.test(name));
  assert.ok(pages.length > 10, 'they are found at all');
  for (const page of pages) {
    const files = [...needed(page)];
    assert.ok(files.length > 3, `${page} stands on others`);
    assert.ok(files.length <= 12, `${page} needs ${files.length} scripts: ${files.join(', ')}`);
  }
});

test('scripts and styles come packed, with brotli or gzip, whichever the browser can unpack', async () => {
  const packable = listFirst().filter((path) => /\.(js|css)$/.test(path));
  for (const path of packable) {
    for (const [accepted, encoding, unpack] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip, deflate', 'gzip', gunzipSync],
    ] as const) {
      const { status, headers, body } = await ask(path, { 'accept-encoding': accepted });
      assert.equal(status, 200, path);
      assert.equal(headers['content-encoding'], encoding, path);
      assert.equal(headers.vary, 'accept-encoding', path);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable', path);
      assert.match(headers['content-type'] as string, /^(application\/javascript|text\/css); charset=utf-8$/);
      assert.ok(unpack(body).equals(read(path)), path);
    }
    assert.equal((await ask(path, { 'accept-encoding': 'br;q=0, identity' })).headers['content-encoding'], undefined);
  }
});

test('what is not there, not meant to be asked for, or lies elsewhere is a 404 in the one shape', async () => {
  const packed = listAssets().find((name) => name.endsWith('.br'))!;
  for (const path of [
    '/assets/nothing.js',
    '/assets/',
    `/assets/${packed}`,
    '/assets/../index.html',
    '/assets/..%2findex.html',
    '/assets/%2e%2e/index.html',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/assets//etc/passwd.js',
    '/assets/.%00.js',
    '/assets/a%5cb.js',
    '/assets/index.html',
  ]) {
    const { status, body } = await ask(path, { 'accept-encoding': 'br' });
    assert.equal(status, 404, path);
    assert.equal((JSON.parse(body.toString()) as { code: string }).code, 'not_found', path);
  }
});

test('a range and a HEAD are answered, and a file that a browser has is not sent again', async () => {
  const [path] = listFirst() as [string];
  const { headers } = await ask(path);
  assert.equal((await ask(path, {}, 'HEAD')).headers['content-length'], headers['content-length']);
  assert.equal((await ask(path, { range: 'bytes=0-9' })).body.length, 10);
  assert.equal((await ask(path, { 'if-none-match': headers.etag as string })).status, 304);
});

test('whoever is not signed in is sent to the door, and back from there', async () => {
  for (const path of [
    '/work',
    '/leads/7',
    '/lists',
    '/lists/7/settings/fields',
    '/imports/7',
    '/manage/users?x=1',
    '/preferences',
  ]) {
    const { status, headers } = await ask(path);
    assert.equal(status, 303, path);
    assert.equal(headers.location, `/sign-in?to=${encodeURIComponent(path)}`);
  }
  assert.equal((await ask('/work/nothing')).status, 404);
});
