import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, describe, mock, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openTestBucket } from '../../test/bucket.ts';
import { openBucket } from './bucket.ts';
import { openStore } from './open.ts';
import type { Range, Store } from './store.ts';

const KEY = '12/345.wav';
const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function makeFolder(under = tmpdir()): string {
  const folder = mkdtempSync(join(under, 'leadline-recordings-'));
  folders.push(folder);
  return folder;
}

function record(content: Buffer | string, under?: string): string {
  const file = join(makeFolder(under), 'finished.wav');
  writeFileSync(file, content);
  return file;
}

async function read(store: Store, key = KEY, range?: Range): Promise<{ text: string; size: number } | undefined> {
  const found = await store.open(key, range);
  return found && { text: (await buffer(found.body)).toString(), size: found.size };
}

const refusalOf = (asked: Promise<unknown>): Promise<Error> =>
  asked.then(
    () => assert.fail('It was not refused.'),
    (error: Error) => error,
  );

const kinds: [string, () => Promise<Store>][] = [
  ['a folder', async () => openStore({ folder: join(makeFolder(), 'not', 'made', 'yet') })],
  ['a bucket', async () => openStore({ bucket: (await openTestBucket()).url })],
];

for (const [kind, open] of kinds) {
  describe(kind, () => {
    test('takes a file in, gives it back whole or in part, and removes it', async () => {
      const store = await open();
      const file = record('0123456789');
      await store.take(KEY, file);
      assert.equal(existsSync(file), false);
      assert.equal(await store.measure(KEY), 10);
      assert.deepEqual(await read(store), { text: '0123456789', size: 10 });
      assert.deepEqual(await read(store, KEY, { start: 0, end: 0 }), { text: '0', size: 10 });
      assert.deepEqual(await read(store, KEY, { start: 3, end: 5 }), { text: '345', size: 10 });
      assert.deepEqual(await read(store, KEY, { start: 9, end: 9 }), { text: '9', size: 10 });
      await assert.rejects(store.open(KEY, { start: 10, end: 10 }));
      await store.remove(KEY);
      assert.equal(await store.open(KEY), undefined);
    });

    test('has nothing where there is nothing', async () => {
      const store = await open();
      assert.equal(await store.measure(KEY), undefined);
      assert.equal(await store.open(KEY), undefined);
      assert.equal(await store.open(KEY, { start: 0, end: 1 }), undefined);
      await store.remove(KEY);
    });

    test('keeps a file of many megabytes as it is, and one that is empty', async () => {
      const store = await open();
      const sound = randomBytes(8 * 1024 * 1024 + 1);
      await store.take(KEY, record(sound));
      await store.take('12/346.wav', record(''));
      const found = await store.open(KEY);
      const hash = (content: Buffer) => createHash('sha256').update(content).digest('hex');
      assert.equal(hash(await buffer(found!.body)), hash(sound));
      assert.deepEqual(await read(store, '12/346.wav'), { text: '', size: 0 });
    });

    test('takes the same recording in again', async () => {
      const store = await open();
      await store.take(KEY, record('first'));
      await store.take(KEY, record('second'));
      assert.deepEqual(await read(store), { text: 'second', size: 6 });
    });

    test('refuses to take in what is not there', async () => {
      const store = await open();
      await assert.rejects(store.take(KEY, join(makeFolder(), 'none.wav')), /ENOENT/);
      assert.equal(await store.open(KEY), undefined);
    });

    test('refuses every key that we do not make', async () => {
      const store = await open();
      const file = record('kept');
      for (const key of [
        '',
        '1',
        '1.wav',
        '/1/2.wav',
        '../1/2.wav',
        '1/../2.wav',
        '1/../../2.wav',
        '..%2f1/2.wav',
        '1\\2.wav',
        '1/2/3.wav',
        '1/2.wav/',
        '1/2.wav\n',
        '1/2.wav\0',
        '1/2.mp3',
        'a/2.wav',
        '1/b.wav',
        '-1/2.wav',
        '１/2.wav',
        '1/2.wav?x',
      ]) {
        await assert.rejects(store.take(key, file), /Not the key of a recording/, key);
        await assert.rejects(store.measure(key), /Not the key of a recording/, key);
        await assert.rejects(store.open(key), /Not the key of a recording/, key);
        await assert.rejects(store.remove(key), /Not the key of a recording/, key);
      }
      assert.equal(readFileSync(file, 'utf8'), 'kept');
    });

    test('a body that is given up unread or in the middle troubles nobody', async () => {
      const store = await open();
      for (const size of [10, 4 * 1024 * 1024]) {
        await store.take(KEY, record(randomBytes(size)));
        const { body } = (await store.open(KEY))!;
        const closed = new Promise((resolve) => body.once('close', resolve));
        await wait(100);
        body.destroy();
        await closed;
        assert.equal(await store.measure(KEY), size);
      }
    });
  });
}

describe('a folder', () => {
  const here = statSync(tmpdir()).dev;
  const elsewhere = ['/dev/shm', '/tmp'].find((path) => existsSync(path) && statSync(path).dev !== here);
  const skip = elsewhere === undefined;

  test('takes in a file of another file system, and leaves nothing half done', { skip }, async () => {
    const folder = makeFolder();
    const store = openStore({ folder });
    mkdirSync(join(folder, '12'));
    writeFileSync(join(folder, '12', '345.wav.part'), 'what a crash left');
    const file = record('from afar', elsewhere);
    await store.take(KEY, file);
    assert.equal(existsSync(file), false);
    assert.deepEqual(readdirSync(join(folder, '12')), ['345.wav']);
    assert.deepEqual(await read(store), { text: 'from afar', size: 9 });
  });

  test('keeps a file where it was when it cannot be taken in', { skip }, async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, KEY), { recursive: true });
    for (const file of [record('near'), record('far', elsewhere)]) {
      await assert.rejects(openStore({ folder }).take(KEY, file));
      assert.equal(existsSync(file), true);
      assert.deepEqual(readdirSync(join(folder, '12')), ['345.wav']);
    }
  });

  test('shows its recordings to nobody else on the machine', async () => {
    const folder = join(makeFolder(), 'recordings');
    await openStore({ folder }).take(KEY, record('private'));
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });
});

describe('a bucket', () => {
  test('is asked by its path, with what lies before the key', async () => {
    const bucket = await openTestBucket("/calls/it's (ours)/2026");
    await openStore({ bucket: bucket.url }).take(KEY, record('sound'));
    assert.deepEqual(bucket.requests, ['PUT /calls/it%27s%20%28ours%29/2026/12/345.wav']);
    assert.deepEqual([...bucket.objects.keys()], ["/calls/it's (ours)/2026/12/345.wav"]);
  });

  test('that refuses is told of by status and code, without what is secret, and the file stays', async () => {
    const bucket = await openTestBucket();
    bucket.url.password = 'another';
    const store = openStore({ bucket: bucket.url });
    const file = record('sound');
    for (const ask of [
      () => store.take(KEY, file),
      () => store.measure(KEY),
      () => store.open(KEY),
      () => store.remove(KEY),
    ]) {
      const error = await refusalOf(ask());
      assert.match(error.message, /403 SignatureDoesNotMatch to [A-Z]+ 12\/345/);
      const all = `${error.stack} ${JSON.stringify(error)}`;
      assert.ok(!all.includes('another') && !all.includes(bucket.secret), all);
    }
    assert.equal(existsSync(file), true);
  });

  test('that does not exist is an error, not a lost recording', async () => {
    const bucket = await openTestBucket('/nowhere');
    const store = openStore({ bucket: bucket.url });
    await assert.rejects(store.open(KEY), /404 NoSuchBucket/);
    await assert.rejects(store.measure(KEY), /404 NoSuchBucket/);
    await assert.rejects(store.remove(KEY), /404 NoSuchBucket/);
    await assert.rejects(store.take(KEY, record('sound')), /404 NoSuchBucket/);
  });

  test('that refuses what was signed by another time is asked again by its own', async (context) => {
    const now = () => performance.timeOrigin + performance.now();
    const bucket = await openTestBucket('/calls', (request, response) => {
      const told = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
      const signed = String(request.headers['x-amz-date']).replace(told, '$1-$2-$3T$4:$5:$6Z');
      if (Math.abs(Date.parse(signed) - now()) < 900_000) return false;
      request.resume();
      response.writeHead(403, { date: new Date(now()).toUTCString() });
      return Boolean(response.end('<Error><Code>RequestTimeTooSkewed</Code></Error>'));
    });
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 });
    context.after(() => mock.timers.reset());
    const store = openStore({ bucket: bucket.url });
    await store.take(KEY, record('sound'));
    assert.equal(await store.measure(KEY), 5);
    assert.deepEqual(bucket.requests, [`PUT /calls/${KEY}`, `PUT /calls/${KEY}`, `HEAD /calls/${KEY}`]);
  });

  test('that is not reached says so without the code by which the database is known to be away', async () => {
    const store = openStore({ bucket: new URL('s3://key:secret@127.0.0.1:1/calls?tls=off') });
    const file = record('sound');
    for (const ask of [() => store.open(KEY), () => store.take(KEY, file)]) {
      const error: NodeJS.ErrnoException = await refusalOf(ask());
      assert.match(error.message, /The bucket did not answer/);
      assert.equal(error.code, undefined);
      assert.ok(!`${error.stack} ${String(error.cause)}`.includes('secret'));
    }
    assert.equal(existsSync(file), true);
  });

  test('is asked by https unless it says otherwise', async () => {
    const bucket = await openTestBucket();
    bucket.url.searchParams.delete('tls');
    await assert.rejects(openStore({ bucket: bucket.url }).open(KEY), /did not answer/);
    assert.deepEqual(bucket.requests, []);
  });

  test('that answers with the whole to a part is not believed', async () => {
    const whole = await openTestBucket('/calls', (_request, response) => Boolean(response.end('0123456789')));
    await assert.rejects(openStore({ bucket: whole.url }).open(KEY, { start: 1, end: 2 }), /answered 200 to GET/);
  });

  test('that answers endlessly to what it refuses is cut off', async () => {
    const bucket = await openTestBucket('/calls', (_request, response) => {
      response.writeHead(500);
      const timer = setInterval(() => response.write('<Code>Internal</Code>'.repeat(1000)), 1);
      return Boolean(response.on('close', () => clearInterval(timer)));
    });
    await assert.rejects(openStore({ bucket: bucket.url }).open(KEY), /500 Internal to GET/);
  });

  describe('in time', { concurrency: true }, () => {
    const patience = { answerMs: 2_000, silenceMs: 4_000 };

    test('that says nothing is given up', async () => {
      const bucket = await openTestBucket('/calls', () => true);
      const store = openBucket(bucket.url, patience);
      const file = record('sound');
      await assert.rejects(store.open(KEY), /did not answer/);
      await assert.rejects(store.take(KEY, file), /did not answer/);
      assert.equal(existsSync(file), true);
    });

    test('that falls silent in the middle ends the body, and one that only takes long does not', async () => {
      const bucket = await openTestBucket('/calls', ({ url }, response) => {
        const silent = url!.endsWith('1.wav');
        response.writeHead(200, { 'content-length': 5 }).write('0');
        for (const [index, piece] of ['1', '2', '3', '4'].entries()) {
          if (!silent) setTimeout(() => response.write(piece), 1_500 * (index + 1));
        }
        return true;
      });
      const store = openBucket(bucket.url, patience);
      await Promise.all([
        assert.rejects(read(store, '1/1.wav'), { code: 'UND_ERR_BODY_TIMEOUT' }),
        read(store, '1/2.wav').then((found) => assert.deepEqual(found, { text: '01234', size: 5 })),
      ]);
    });

    test('that takes a file in slowly gets all of it', async () => {
      let taken = 0;
      const bucket = await openTestBucket('/calls', (request, response) => {
        request.on('data', async (piece: Buffer) => {
          taken += piece.length;
          request.pause();
          await wait(25);
          request.resume();
        });
        return Boolean(request.on('end', () => response.end()));
      });
      const started = performance.now();
      await openBucket(bucket.url, patience).take(KEY, record(randomBytes(16 * 1024 * 1024)));
      assert.equal(taken, 16 * 1024 * 1024);
      assert.ok(performance.now() - started > patience.silenceMs, 'It was too fast to prove anything.');
    });

    test('whose listener takes a rest goes on afterwards', async () => {
      const bucket = await openTestBucket();
      // To be taken in it takes as long as a busy machine needs.
      await openBucket(bucket.url).take(KEY, record(randomBytes(32 * 1024 * 1024)));
      const { body, size } = (await openBucket(bucket.url, patience).open(KEY))!;
      await wait(patience.silenceMs * 2);
      assert.equal((await buffer(body)).length, size);
    });
  });
});
