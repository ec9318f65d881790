import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openHouse, OWNER } from '../../test/house.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
const { body: list } = await ask('POST', '/lists', { list: { name: 'Bodies', winner_categories: 'Sale' } });
const leads = `/lists/${list.id}/leads`;
const addLead = async (lead: Record<string, unknown> = {}) => (await ask('POST', leads, { lead })).body.id as number;

const post = (path: string, body: string | Buffer, headers: Record<string, string>, by = ask) =>
  by('POST', path, body, headers);

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const LATIN = Buffer.from('{"lead":{"company_name":"Café Ærø"}}', 'latin1');

describe('text', () => {
  test('bytes that are not UTF-8 are 400 at both doors, and nothing is stored', async () => {
    const total = async () => (await ask('GET', `/lists/${list.id}`)).body.leads_count as number;
    const before = await total();
    const cut = Buffer.from('{"lead":{"company_name":"Café"}}').subarray(0, 29);
    const overlong = Buffer.concat([
      Buffer.from('{"lead":{"company_name":"'),
      Buffer.from([0xc0, 0xaf]),
      Buffer.from('"}}'),
    ]);
    for (const bytes of [
      LATIN,
      overlong,
      Buffer.concat([cut, Buffer.from('"}}')]),
      Buffer.from('{"lead":{}}', 'utf16le'),
    ]) {
      for (const by of [ask, owner]) {
        const { status, body } = await post(leads, bytes, JSON_TYPE, by);
        assert.deepEqual([status, Object.keys(body)], [400, ['error', 'code', 'request_id']], bytes.toString('hex'));
      }
    }
    const form = await post(leads, 'lead[company_name]=Caf%E9', FORM);
    assert.deepEqual([form.status, form.body.code], [400, 'not_utf8']);
    assert.equal(await total(), before);
  });

  test('ISO-8859-1 and Windows-1252 are read where they are named; a charset that we cannot read is 415', async () => {
    const windows = Buffer.concat([
      Buffer.from('{"lead":{"company_name":"'),
      Buffer.from([0x80, 0x92, 0xe6]),
      Buffer.from('"}}'),
    ]);
    for (const [bytes, type, name] of [
      [LATIN, 'application/json; charset=iso-8859-1', 'Café Ærø'],
      [LATIN, 'application/json;charset="ISO-8859-1"', 'Café Ærø'],
      [windows, 'application/json; charset=Windows-1252', '€’æ'],
      [Buffer.from('{"lead":{"company_name":"Café"}}'), 'application/json; charset=UTF-8', 'Café'],
      [
        Buffer.from('lead[company_name]=Caf%E9+%80'),
        'application/x-www-form-urlencoded; charset=windows-1252',
        'Café €',
      ],
      [
        Buffer.from('lead[company_name]=Café', 'latin1'),
        'application/x-www-form-urlencoded; charset=iso-8859-1',
        'Café',
      ],
    ] as const) {
      const { status, body } = await post(leads, bytes, { 'content-type': type });
      assert.deepEqual([status, body.lead_data?.company_name], [201, name], type);
    }
    const { status, body } = await post(leads, '{"lead":{}}', { 'content-type': 'application/json; charset=koi8-r' });
    assert.deepEqual([status, body.code], [415, 'unsupported_media_type']);
  });

  test('a byte order mark is skipped', async () => {
    for (const [bytes, type] of [
      ['\ufeff{"lead":{"company_name":"Marked"}}', JSON_TYPE],
      ['\ufefflead[company_name]=Marked', FORM],
    ] as const) {
      const { status, body } = await post(leads, bytes, type);
      assert.deepEqual([status, body.lead_data.company_name], [201, 'Marked']);
    }
    const wrong = { 'content-type': 'application/json; charset=windows-1252' };
    const { body } = await post(leads, '\ufeff{"lead":{"company_name":"Café"}}', wrong);
    assert.equal(body.lead_data.company_name, 'Café', 'it says more than the name of another charset');
    assert.equal((await post(`/leads/${await addLead()}/winner`, '\ufeff', JSON_TYPE)).status, 204);
  });

  test('a query and a path are UTF-8 too', async () => {
    const id = await addLead({ company_name: 'Blåbærgrød' });
    for (const path of [`/leads/search?query=%FF`, `${leads}/find?company_name=bl%E5b`, `${leads}?order=%C3%28`]) {
      const answer = await ask('GET', path);
      assert.deepEqual([answer.status, answer.body.code], [400, 'not_utf8'], path);
    }
    assert.equal((await owner('GET', '/leads/search?query=%FF')).status, 400);
    assert.equal((await ask('GET', '/leads/%FF')).status, 400);
    const { body } = await ask('GET', `${leads}/find?company_name=Bl%C3%A5b%C3%A6rgr%C3%B8d`);
    assert.deepEqual(
      body.map((lead: { id: number }) => lead.id),
      [id],
    );
    // A percent sign by itself is one.
    assert.equal((await ask('GET', '/leads/search?query=100%')).status, 200);
  });
});

describe('gzip', () => {
  const gzip = { ...JSON_TYPE, 'content-encoding': 'gzip' };

  test('a packed body is read like any other, of every kind, at both doors', async () => {
    for (const by of [ask, owner]) {
      const { status, body } = await post(leads, gzipSync('{"lead":{"company_name":"Packed ø"}}'), gzip, by);
      assert.deepEqual([status, body.lead_data.company_name], [201, 'Packed ø']);
    }
    const form = await post(leads, gzipSync('lead[company_name]=Packed'), { ...FORM, 'content-encoding': 'x-gzip' });
    assert.deepEqual([form.status, form.body.lead_data.company_name], [201, 'Packed']);
    assert.equal((await post(`/leads/${await addLead()}/winner`, '', gzip)).status, 204);
    assert.equal((await post(`/leads/${await addLead()}/winner`, gzipSync(''), gzip)).status, 204);
    const latin = await post(leads, gzipSync(LATIN), gzip);
    assert.deepEqual([latin.status, latin.body.code], [400, 'not_utf8']);
  });

  test('what is not gzip is 400, another coding 415', async () => {
    const packed = gzipSync('{"lead":{}}');
    for (const bytes of [Buffer.from('{"lead":{}}'), packed.subarray(0, packed.length - 4)]) {
      const { status, body } = await post(leads, bytes, gzip);
      assert.deepEqual([status, body.code], [400, 'malformed_gzip']);
    }
    for (const coding of ['br', 'deflate', 'gzip, gzip']) {
      const { status, body } = await post(leads, packed, { ...JSON_TYPE, 'content-encoding': coding });
      assert.deepEqual([status, body.code], [415, 'unsupported_media_type'], coding);
    }
  });

  test('1 MiB unpacked is the most; a bomb is 413 and is not unpacked to its end', async () => {
    const of = (bytes: number) => gzipSync(`{"lead":{}}${' '.repeat(bytes - 11)}`);
    assert.equal((await post(leads, of(1024 * 1024), gzip)).status, 201);
    const over = await post(leads, of(1024 * 1024 + 1), gzip);
    assert.deepEqual([over.status, over.body.code], [413, 'body_too_large']);
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    assert.ok(bomb.length < 1024 * 1024);
    const before = process.memoryUsage().arrayBuffers;
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(leads, bomb, gzip)));
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.code]),
      answers.map(() => [413, 'body_too_large']),
    );
    assert.ok(process.memoryUsage().arrayBuffers - before < 100 * 1024 * 1024);
    // What counts toward no limit takes less, unpacked too.
    const small = await post('/calls/999999/hang_up', gzipSync(`{}${' '.repeat(2_000)}`), gzip, owner);
    assert.equal(small.status, 413);
  });
});
