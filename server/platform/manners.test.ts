import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse, OWNER, send } from '../../test/house.ts';
import { readAuthorization } from '../people/keys/authenticate.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const authorization = `Token "${house.key}"`;
const post = (body: string | undefined, type?: string) =>
  house.app.inject({
    method: 'POST',
    url: '/api/v2/users',
    headers: { authorization, ...(type && { 'content-type': type }) },
    ...(body !== undefined && { payload: body }),
  });
const invitation = (email: string) => ({ accept_charge_upon_invitation_acceptance: '1', user: { email } });

describe('the key', () => {
  test('is accepted in the documented form and in those in the field', () => {
    for (const header of [
      'Token "k"',
      'token "k"',
      'Token k',
      'Token token="k"',
      'TOKEN TOKEN="k"',
      'Bearer k',
      'bearer k',
      '  Token   "k" ',
      'Token token=k',
      'Token token = k , nonce="x"',
      'Token "k", a=b, c',
    ]) {
      assert.equal(readAuthorization(header), 'k', header);
    }
    for (const header of [
      undefined,
      '',
      'k',
      'Token',
      'Token ""',
      'Basic k',
      'Token "k',
      'Token a b',
      'Token "k" x',
      'Digest username="k"',
      'Token token==k',
      'Token ,k',
      `Token ${'='.repeat(400)}k`,
      `Token "${'k'.repeat(512)}"`,
    ]) {
      assert.equal(readAuthorization(header), undefined, String(header));
    }
    assert.equal(readAuthorization('Bearer YWJj+/=='), 'YWJj+/==');
  });

  test('missing, wrong or revoked: 401 that says how to ask', async () => {
    for (const header of [{}, { authorization: 'Token "wrong"' }, { authorization: 'Basic abc' }]) {
      const { status, headers, body } = await send(`${house.address}/api/v2/users`, 'POST', {}, header);
      assert.deepEqual(
        [status, headers.get('www-authenticate'), body.code],
        [401, 'Token realm="api"', 'unauthorized'],
      );
    }
  });
});

describe('bodies', () => {
  test('more than 5,000 keys or 32 levels: 422, whoever asks what, and with an Idempotency-Key the same', async () => {
    const keys = (count: number) =>
      `{"lead":{${Array.from({ length: count - 1 }, (_, index) => `"${index}":"{:"`).join(',')}}}`;
    const levels = (count: number) => `${'['.repeat(count)}${']'.repeat(count)}`;
    for (const [body, fault] of [
      [keys(5_001), 'must have at most 5,000 keys'],
      [keys(80_000), 'must have at most 5,000 keys'],
      [levels(33), 'must have at most 32 levels'],
      [`{"lead":${levels(200_000)}}`, 'must have at most 32 levels'],
      ['['.repeat(1_000_000), 'must have at most 32 levels'],
    ] as const) {
      for (const headers of [{}, { 'idempotency-key': 'nested' }]) {
        for (const path of ['/lists/999/leads', '/users']) {
          const answer = await ask('POST', path, body, headers);
          assert.deepEqual([answer.status, answer.body.errors], [422, { body: [fault] }]);
        }
      }
    }
    // Within the bounds the usual order of checks holds.
    for (const body of [keys(5_000), levels(32), `{"lead":${levels(31)}}`, '{"a":"\\\\\\"{{{{[[[["}'])
      for (const headers of [{}, { 'idempotency-key': 'flat' }])
        assert.equal((await ask('POST', '/lists/999/leads', body, headers)).status, 404);
    const faults = [];
    for (const headers of [{}, { 'idempotency-key': 'deep' }])
      faults.push((await ask('POST', '/users', `{"user":${levels(25)}}`, headers)).body.errors);
    assert.deepEqual(faults[0], faults[1]);
  });

  test('an empty body is an absent body, whatever the content type', async () => {
    for (const [body, type] of [
      [undefined, 'application/json'],
      ['', 'x'],
      ['', 'application/json'],
      ['  ', 'text/plain'],
      ['', undefined],
    ] as const) {
      const { statusCode, json } = await post(body, type);
      assert.equal(statusCode, 422);
      assert.match(json().error, /body must be an object|is missing/i);
    }
    const signedIn = await house.signIn(OWNER.email, OWNER.password);
    assert.equal((await signedIn('DELETE', '/session', '')).status, 204);
  });

  test('JSON with parameters, +json, and no content type at all are JSON; anything else is 415; malformed is 400; over 1 MiB is 413', async () => {
    const good = (email: string) => JSON.stringify(invitation(email));
    assert.equal((await post(good('b1@example.com'), 'application/json; charset=utf-8')).statusCode, 201);
    assert.equal((await post(good('b2@example.com'), 'application/vnd.api+json')).statusCode, 201);
    assert.equal((await post(good('b3@example.com'))).statusCode, 201);
    assert.equal((await post(good('b4@example.com'), 'text/plain')).statusCode, 415);
    assert.equal((await post('{"user":', 'application/json')).statusCode, 400);
    assert.equal((await post(`"${'x'.repeat(1024 * 1024)}"`, 'application/json')).statusCode, 413);
  });

  test('a missing wrapper is named; U+0000 is refused by name', async () => {
    const { body } = await ask('POST', '/users', {
      accept_charge_upon_invitation_acceptance: '1',
      email: 'x@example.com',
    });
    assert.deepEqual(body.errors, { user: ['is missing'] });
    const nul = await house.invite({ email: 'nul@example.com', first_name: 'a\0b' });
    assert.deepEqual([nul.status, Object.keys(nul.body.errors)], [422, ['first_name']]);
  });
});

test('half a character in a form at the door is no fault of ours', async () => {
  for (const url of ['/forgotten', '/sign-in', '/accept', '/reset']) {
    const headers = { host: 'acme.example.com', origin: 'http://acme.example.com', 'content-type': 'application/json' };
    const payload = '{"email":"\\ud800","password":"\\ud800 long enough","token":"\\ud800"}';
    const { statusCode } = await house.app.inject({ method: 'POST', url, headers, payload });
    assert.ok(statusCode < 500, `${url} ${statusCode}`);
  }
});

describe('paths', () => {
  test('unknown ones under /api are JSON 404, after the key', async () => {
    for (const path of ['/api/v2/nowhere', '/api/v2/', '/api/v2/leads/1']) {
      const { status, body, headers } = await send(house.address + path, 'GET', undefined, { authorization });
      assert.deepEqual([status, body.code], [404, 'not_found'], path);
      assert.match(headers.get('content-type')!, /^application\/json/);
    }
    assert.equal((await send(`${house.address}/api/v2/nowhere`, 'GET')).status, 401);
    assert.equal((await send(`${house.address}/api/v1/users`, 'GET')).body.code, 'not_found');
  });

  test('an id that is no integer, out of range or unknown is the same 404', async () => {
    const signedIn = await house.signIn(OWNER.email, OWNER.password);
    for (const id of ['x', '0', '-1', '1.5', '99999999999999999999', '999999', '%00', "1'--"]) {
      assert.equal((await signedIn('GET', `/users/${id}`)).status, 404, id);
    }
  });
});

describe('pages', () => {
  test('following Link visits each row exactly once while others are added; page numbers agree; nonsense is refused by name', async () => {
    const signedIn = await house.signIn(OWNER.email, OWNER.password);
    for (let turn = 0; turn < 7; turn += 1) await signedIn('PATCH', '/account', { account: { name: `Acme ${turn}` } });
    const all = (await signedIn('GET', '/audit?per_page=1000')).body.map(({ id }: { id: number }) => id);
    const seen: number[] = [];
    for (let path: string | undefined = '/audit?per_page=3'; path;) {
      const { body, headers } = await signedIn('GET', path);
      seen.push(...body.map(({ id }: { id: number }) => id));
      await signedIn('PATCH', '/account', { account: { name: 'Acme in between' } });
      const next: string | undefined = /<http:\/\/acme\.example\.com\/app([^>]+)>; rel="next"/.exec(
        headers.get('link')!,
      )?.[1];
      path = next;
    }
    assert.deepEqual(seen, all);
    const { body: second, headers } = await signedIn('GET', '/audit?per_page=2&page=2');
    const { body: four } = await signedIn('GET', '/audit?per_page=4');
    assert.deepEqual(second, four.slice(2));
    assert.ok(Number(headers.get('x-total-count')) > all.length);
    assert.match(headers.get('link')!, /rel="first".*rel="prev".*rel="next".*rel="last"/);
    assert.deepEqual((await signedIn('GET', '/audit?page=100000')).body, []);
    for (const query of ['page=0', 'page=x', 'per_page=0', 'per_page=1001', 'per_page=1.5']) {
      const { status, body } = await signedIn('GET', `/audit?${query}`);
      assert.deepEqual([status, Object.keys(body.errors)], [422, [query.split('=')[0]]], query);
    }
  });
});

describe('Idempotency-Key', () => {
  const withKey = (key: string, body: unknown) => ask('POST', '/users', body, { 'idempotency-key': key });

  test('the same request twice has one effect and one answer', async () => {
    const first = await withKey('a', invitation('once@example.com'));
    const again = await withKey('a', invitation('once@example.com'));
    assert.deepEqual([first.status, again.status, again.body], [201, 201, first.body]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
  });

  test('the same key with another body is 422; a refused request may be tried again with it', async () => {
    await withKey('b', invitation('b@example.com'));
    const other = await withKey('b', invitation('c@example.com'));
    assert.deepEqual([other.status, Object.keys(other.body.errors)], [422, ['Idempotency-Key']]);
    assert.equal((await withKey('c', invitation('not valid'))).status, 422);
    assert.equal((await withKey('c', invitation('valid@example.com'))).status, 201);
  });

  test('twenty at once: one effect, the others are told that it is in progress or get its answer', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => withKey('d', invitation('race@example.com'))));
    const statuses = new Set(answers.map(({ status }) => status));
    assert.ok(statuses.has(201));
    assert.deepEqual(
      [...statuses].filter((status) => status !== 201 && status !== 409),
      [],
    );
    const { rows } = await house.pool.query(
      "select count(*)::int as users from users where email = 'race@example.com'",
    );
    assert.deepEqual(rows, [{ users: 1 }]);
  });

  test('keys of different people do not meet, and one is forgotten after 24 hours', async () => {
    const member = await house.join({ email: 'peer@example.com', users_admin: true });
    await withKey('e', invitation('e1@example.com'));
    const theirs = await house.withKey(member.key)('POST', '/users', invitation('e2@example.com'), {
      'idempotency-key': 'e',
    });
    assert.equal(theirs.status, 201);
    await house.pool.query("update idempotent_answers set created_at = now() - interval '25 hours'");
    assert.equal((await withKey('e', invitation('e3@example.com'))).status, 201);
  });

  test('at the pages’ own routes, too: a call, a text, a note, an outcome and a skip are made once', async () => {
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const list = (await ask('POST', '/lists', { list: { name: 'Once' } })).body.id as number;
    const lead = (await ask('POST', `/lists/${list}/leads`, { lead: { mobile_phone: '+4533112233' } })).body
      .id as number;
    const steps = [
      ['/calls', { call: { lead_id: lead } }],
      [`/leads/${lead}/texts`, { text: { body: 'Hello' } }],
      [`/leads/${lead}/comments`, { comment: 'Likes nougat' }],
      [`/leads/${lead}/call_back`, { lead: { comment: 'Later' } }],
      [`/leads/${lead}/skip`, {}],
      [`/lists/${list}/next`, {}],
      [`/leads/${lead}/hold`, { input: true }],
    ] as const;
    for (const [path, body] of steps) {
      const headers = { 'idempotency-key': `step ${path}` };
      const [first, again] = [await owner('POST', path, body, headers), await owner('POST', path, body, headers)];
      assert.ok(first.status < 300, JSON.stringify(first.body));
      assert.deepEqual([again.status, again.body], [first.status, first.body], path);
      assert.equal(again.headers.get('idempotent-replayed'), 'true', path);
    }
    const { events } = (await ask('GET', `/leads/${lead}`)).body;
    assert.deepEqual(
      events.map(({ kind }: { kind: string }) => kind),
      ['skip', 'call_back', 'comment', 'text', 'lead_created'],
    );
    const { rows } = await house.pool.query(
      'select (select count(*)::int from calls where lead_id = $1) as calls, (select count(*)::int from texts) as texts',
      [lead],
    );
    assert.deepEqual(rows, [{ calls: 1, texts: 1 }]);
  });

  test('two who sign in with the same key are two; what holds a password is not kept', async () => {
    const headers = { origin: house.address, 'idempotency-key': 'sign in' };
    const signIn = () => send(`${house.address}/app/session`, 'POST', OWNER, headers);
    const cookies = [await signIn(), await signIn()].map((answer) => answer.headers.get('set-cookie'));
    assert.ok(cookies[0] && cookies[1] && cookies[0] !== cookies[1]);
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const show = () =>
      owner('POST', '/keys/personal/show', { password: OWNER.password }, { 'idempotency-key': 'show' });
    for (const answer of [await show(), await show()])
      assert.deepEqual([answer.status, answer.headers.get('idempotent-replayed')], [200, null]);
    const { rows } = await house.pool.query(`select key from idempotent_answers where key in ('sign in', 'show')`);
    assert.deepEqual(rows, []);
  });
});
