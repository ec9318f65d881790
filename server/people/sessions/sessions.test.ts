import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { openHouse, OWNER, send, type Answer, type Ask } from '../../../test/house.ts';
import { holdWindows } from '../../../test/held-windows.ts';
import { eventually } from '../../../test/leadline.ts';
import { subjectOf } from '../../platform/limits.ts';
import { hashPassword } from '../../platform/passwords.ts';
import { Secrets } from '../../platform/secrets.ts';

const house = await openHouse();
const tryPassword = (email: string, password: string) =>
  send(
    `${house.address}/app/session`,
    'POST',
    { email, password },
    { origin: house.address, 'user-agent': 'Test browser' },
  );

describe('sessions', () => {
  test('sign in, see where one is signed in, end one, sign out', async () => {
    const first = await house.signIn(OWNER.email, OWNER.password);
    const second = await house.signIn(OWNER.email.toUpperCase(), OWNER.password);
    const { body } = await second('GET', '/sessions');
    assert.equal(body.length, 2);
    assert.equal(body.filter(({ current }: { current: boolean }) => current).length, 1);
    const other = body.find(({ current }: { current: boolean }) => !current);
    assert.equal((await second('DELETE', `/sessions/${other.id}`)).status, 204);
    assert.equal((await first('GET', '/me')).status, 401);
    const out = await second('DELETE', '/session');
    assert.match(out.headers.get('set-cookie')!, /Max-Age=0/);
    assert.equal((await second('GET', '/me')).status, 401);
  });

  test('the cookie is closed to scripts and other sites, and is another after each sign-in', async () => {
    const cookies = [];
    for (let turn = 0; turn < 2; turn += 1)
      cookies.push((await tryPassword(OWNER.email, OWNER.password)).headers.get('set-cookie')!);
    assert.match(cookies[0]!, /; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1209600$/);
    assert.notEqual(cookies[0], cookies[1]);
  });

  test('a page that asks by itself does not keep its session from ending; whoever does something does', async () => {
    const ask = await house.signIn(OWNER.email, OWNER.password);
    const { id } = (await ask('GET', '/sessions')).body.find(({ current }: { current: boolean }) => current);
    await house.pool.query("update sessions set seen_at = now() - interval '1 hour' where id = $1", [id]);
    const isOld = async () => {
      const { rows } = await house.pool.query('select now() - seen_at > $2 as old from sessions where id = $1', [
        id,
        '30 minutes',
      ]);
      return rows[0].old as boolean;
    };
    assert.equal((await ask('GET', '/me', undefined, { 'leadline-unattended': '1' })).status, 200);
    assert.equal(await isOld(), true);
    await ask('GET', '/me');
    assert.equal(await isOld(), false);
  });

  test('a session or key that is just being ended holds up no request', async () => {
    const ask = await house.signIn(OWNER.email, OWNER.password);
    const api = house.withKey(house.key);
    await house.pool.query("update sessions set seen_at = now() - interval '1 hour'");
    await house.pool.query('update api_keys set last_used_at = null');
    const ending = await house.pool.connect();
    await ending.query('begin');
    await ending.query('delete from sessions');
    await ending.query('delete from api_keys');
    const answers = await Promise.all([ask('GET', '/me'), api('GET', '/lists')]).finally(async () => {
      await ending.query('rollback');
      ending.release();
    });
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
  });

  /** What a session's first request of the day answers, when that session began so long ago. */
  const useAfter = async (began: string, answer: Answer, headers: Record<string, string> = {}, path = '/app/me') => {
    const cookie = answer.headers.get('set-cookie')!.split(';', 1)[0]!;
    const hash = createHash('sha256').update(cookie.split('=')[1]!).digest();
    await house.pool.query(
      `update sessions set created_at = now() - $2::interval, seen_at = now() - interval '1 hour', expires_at = now() + interval '1 hour'
        where hash = $1`,
      [hash, began],
    );
    const used = await fetch(house.address + path, { headers: { cookie, ...headers }, redirect: 'manual' });
    await used.body?.cancel();
    const { rows } = await house.pool.query(
      'select extract(epoch from expires_at - now())::int as left from sessions where hash = $1',
      [hash],
    );
    const renewed = used.headers.get('set-cookie');
    return { status: used.status, left: rows[0].left as number, renewed, stored: used.headers.get('cache-control') };
  };
  const DAY = 86_400;

  test('the cookie is renewed as its session is moved on, and both end thirty days after the sign-in', async () => {
    const signedIn = await tryPassword(OWNER.email, OWNER.password);
    const young = await useAfter('2 days', signedIn);
    assert.match(young.renewed!, /^leadline_session=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=(1209[56]\d\d)$/);
    assert.deepEqual([young.status, young.stored, Math.round(young.left / DAY)], [200, 'no-store', 14]);
    // A moment later nothing is moved.
    const again = { cookie: signedIn.headers.get('set-cookie')!.split(';', 1)[0]! };
    assert.equal((await fetch(`${house.address}/app/me`, { headers: again })).headers.get('set-cookie'), null);
    // What is left is less than what is usual.
    const old = await useAfter('29 days 22 hours', signedIn, {}, '/work');
    const age = Number(/Max-Age=(\d+)$/.exec(old.renewed!)![1]);
    assert.ok(
      old.status === 200 && age <= 7_200 && age > 7_000 && old.left <= age + 1 && old.left > 7_000,
      JSON.stringify(old),
    );
    const over = await useAfter('30 days 1 minute', signedIn);
    assert.deepEqual([over.status, over.renewed], [401, null]);
  });

  test('a cookie that goes with the browser is not made to stay, nor does a page nobody is at, or its stream, renew one', async () => {
    const unkept = await fetch(`${house.address}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: house.address },
      body: new URLSearchParams(OWNER),
    });
    const moved = await useAfter('1 day', { status: 303, headers: unkept.headers, body: '' });
    assert.deepEqual([moved.status, moved.renewed, Math.round(moved.left / DAY)], [200, null, 14]);
    const signedIn = await tryPassword(OWNER.email, OWNER.password);
    for (const [path, headers] of [
      ['/app/me', { 'leadline-unattended': '1' }],
      ['/app/live', {}],
    ] as const) {
      const unmoved = await useAfter('1 day', signedIn, headers, path);
      assert.deepEqual([unmoved.status, unmoved.renewed, Math.round(unmoved.left / 3_600)], [200, null, 1], path);
    }
    // Who signs out is not signed in again by the same answer.
    const cookie = signedIn.headers.get('set-cookie')!.split(';', 1)[0]!;
    await useAfter('1 day', signedIn, { 'leadline-unattended': '1' });
    const out = await send(`${house.address}/app/session`, 'DELETE', undefined, { cookie, origin: house.address });
    assert.deepEqual(out.headers.getSetCookie().length, 1);
    assert.match(out.headers.get('set-cookie')!, /Max-Age=0/);
  });

  test('nobody ends another’s session', async () => {
    const member = await house.join({ email: 'sly@example.com' });
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const [{ id }] = (await owner('GET', '/sessions')).body;
    assert.equal((await member.ask('DELETE', `/sessions/${id}`)).status, 404);
    assert.equal((await owner('GET', '/me')).status, 200);
  });

  test('a changed password ends the other sessions', async () => {
    const member = await house.join({ email: 'change@example.com' });
    const elsewhere = await house.signIn('change@example.com', OWNER.password);
    const wrong = await member.ask('POST', '/password', {
      password: 'not the right one',
      new_password: 'a new password',
    });
    assert.deepEqual([wrong.status, wrong.body.errors], [422, { password: ['is not right'] }]);
    assert.equal(
      (await member.ask('POST', '/password', { password: OWNER.password, new_password: 'a new password' })).status,
      204,
    );
    assert.equal((await member.ask('GET', '/me')).status, 200);
    assert.equal((await elsewhere('GET', '/me')).status, 401);
    assert.equal((await tryPassword('change@example.com', OWNER.password)).status, 401);
  });

  test('guessing is throttled by whom it aims at and from where, whoever exists or not, and leaves a trace', async (context) => {
    await house.join({ email: 'target@example.com' });
    const { letGo } = await holdWindows(house.pool);
    context.after(letGo);
    for (const email of ['target@example.com', 'nobody@example.com']) {
      const statuses: number[] = [];
      for (let turn = 0; turn < 12; turn += 1) statuses.push((await tryPassword(email, `guess number ${turn}`)).status);
      assert.deepEqual(statuses, [...Array<number>(10).fill(401), 429, 429]);
      assert.equal((await tryPassword(email, OWNER.password)).status, 429);
    }
    // Elsewhere the user still gets in: strangers lock nobody out.
    const elsewhere = await house.app.inject({
      method: 'POST',
      url: '/app/session',
      remoteAddress: '10.0.0.9',
      headers: { host: 'acme.example.com', origin: 'http://acme.example.com' },
      payload: { email: 'target@example.com', password: OWNER.password },
    });
    assert.equal(elsewhere.statusCode, 201);
    const { rows } = await house.pool.query(
      "select count(*)::int as refused from audit_log where action = 'session.refused' and subject = 'target@example.com'",
    );
    assert.deepEqual(rows, [{ refused: 10 }]);
  });

  test('those who succeed are not counted: an office of many behind one address gets in', async () => {
    for (let turn = 0; turn < 30; turn += 1) assert.equal((await tryPassword(OWNER.email, OWNER.password)).status, 201);
  });

  test('a storm of sign-ins does not hold up others, nor do they wait for each other without end', async () => {
    const storm = Array.from({ length: 60 }, (_, index) => tryPassword(`storm${index}@example.com`, 'wrong password'));
    const bystander = await house.withKey(house.key)('GET', '/nowhere');
    assert.equal(bystander.status, 404);
    const statuses = new Set((await Promise.all(storm)).map(({ status }) => status));
    assert.deepEqual(
      [...statuses].filter((status) => status !== 401 && status !== 429),
      [],
    );
  });

  test('a sign-in with the old password that was under way does not survive the reset', async () => {
    await house.join({ email: 'racer@example.com' });
    await send(
      `${house.address}/app/password/forgotten`,
      'POST',
      { email: 'racer@example.com' },
      { origin: house.address },
    );
    await eventually('a mail', async () => {
      const { rows } = await house.pool.query(
        "select from mails where recipient = 'racer@example.com' and subject like 'A new password%'",
      );
      return rows.length > 0;
    });
    const body = { token: await house.tokenFor('racer@example.com'), password: 'quite another password' };
    const reset = send(`${house.address}/app/password/reset`, 'POST', body, { origin: house.address });
    const attempts = await Promise.all(
      Array.from({ length: 8 }, () => tryPassword('racer@example.com', OWNER.password)),
    );
    assert.equal((await reset).status, 201);
    for (const { headers } of attempts) {
      const cookie = headers.get('set-cookie')?.split(';', 1)[0];
      if (cookie) assert.equal((await send(`${house.address}/app/me`, 'GET', undefined, { cookie })).status, 401);
    }
  });

  test('a password of 150 emoji that is accepted lets its user in', async () => {
    const member = await house.join({ email: 'emoji@example.com' });
    const password = Array.from({ length: 150 }, (_, index) => String.fromCodePoint(0x1f400 + index)).join('');
    assert.equal(
      (await member.ask('POST', '/password', { password: OWNER.password, new_password: password })).status,
      204,
    );
    await house.signIn('emoji@example.com', password);
  });
});

describe('a password that is chosen', () => {
  const EASY = 'is easily guessed: use a few unrelated words';

  test('is refused where a guesser would soon come to it, by what is known of whoever chooses it too', async () => {
    const person = { email: 'josephine@example.com', first_name: 'Josephine', last_name: 'Vestergaard' };
    await house.invite(person);
    const token = await house.tokenFor(person.email);
    const accept = (password: string) =>
      send(`${house.address}/app/invitation`, 'POST', { token, password }, { origin: house.address });
    for (const password of [
      'aaaaaaaaaa',
      'Password123!',
      'qwertyuiop',
      'Vestergaard1',
      'leadline2026',
      'a'.repeat(200),
    ]) {
      const { status, body } = await accept(password);
      assert.deepEqual([status, body.errors], [422, { password: [EASY] }], password);
    }
    assert.equal((await accept('tulip wagon moss')).status, 201, 'the link is still good');

    const ask = await house.signIn(person.email, 'tulip wagon moss');
    const change = (new_password: string) => ask('POST', '/password', { password: 'tulip wagon moss', new_password });
    assert.deepEqual((await change('josephine@example.com')).body.errors, { new_password: [EASY] });
    await send(`${house.address}/app/password/forgotten`, 'POST', person, { origin: house.address });
    const link = await eventually('a mail', () => house.resetTokenFor(person.email));
    const reset = await send(
      `${house.address}/app/password/reset`,
      'POST',
      { token: link, password: '1234567890' },
      { origin: house.address },
    );
    assert.deepEqual([reset.status, reset.body.errors], [422, { password: [EASY] }]);
  });

  test('and is in use is never judged: whoever has an easy one still gets in', async () => {
    await house.join({ email: 'easy@example.com' });
    await house.pool.query("update users set password_hash = $1 where email = 'easy@example.com'", [
      await hashPassword('aaaaaaaaaa'),
    ]);
    await house.signIn('easy@example.com', 'aaaaaaaaaa');
  });

  test('replaces the personal key with it where that is asked for, and only then', async () => {
    const member = await house.join({ email: 'renew@example.com' });
    const works = async (key: string) => (await house.withKey(key)('GET', '/nowhere')).status === 404;
    const show = async (ask: Ask, password: string) =>
      (await ask('POST', '/keys/personal/show', { password })).body.key as string;
    const first = { password: OWNER.password, new_password: 'a second sentence' };
    assert.equal((await member.ask('POST', '/password', first)).status, 204);
    assert.equal(await works(member.key), true);
    const second = { password: first.new_password, new_password: 'a third sentence', replace_key: true };
    const changed = await member.ask('POST', '/password', second);
    assert.deepEqual([changed.status, changed.body], [204, '']);
    const key = await show(member.ask, second.new_password);
    assert.deepEqual([await works(member.key), await works(key)], [false, true]);

    const forgotten = { email: 'renew@example.com' };
    await send(`${house.address}/app/password/forgotten`, 'POST', forgotten, { origin: house.address });
    const token = await eventually('a mail', () => house.resetTokenFor(forgotten.email));
    const body = { token, password: 'the fourth sentence', replace_key: true };
    const reset = await send(`${house.address}/app/password/reset`, 'POST', body, { origin: house.address });
    assert.equal(reset.status, 201);
    assert.ok(!JSON.stringify(reset.body).includes('ll_user_'));
    const again = await house.signIn(forgotten.email, body.password);
    const last = await show(again, body.password);
    assert.deepEqual([await works(key), await works(last)], [false, true]);
    const { rows } = await house.pool.query(
      "select actor from audit_log where action = 'key.replaced' and subject = $1",
      [`personal key of user ${member.id}`],
    );
    assert.deepEqual(rows, [{ actor: forgotten.email }, { actor: forgotten.email }]);

    // Who has ended theirs is not given another.
    await again('POST', '/keys/personal/revoke', { password: body.password });
    const after = { password: body.password, new_password: 'the fifth sentence', replace_key: true };
    assert.equal((await again('POST', '/password', after)).status, 204);
    assert.equal((await again('GET', '/keys/personal')).status, 404);
  });

  test('replaces a key that nobody can read any more, as where SECRET_KEY was lost', async () => {
    const { ask, id, key } = await house.join({ email: 'unreadable@example.com', users_admin: true });
    await house.pool.query('update api_keys set sealed = $2 where user_id = $1', [id, new Secrets('lost').seal(key)]);
    const chosen = { password: OWNER.password, new_password: 'a sixth sentence', replace_key: true };
    assert.equal((await ask('POST', '/password', chosen)).status, 204);
    assert.match((await ask('POST', '/keys/personal/show', { password: chosen.new_password })).body.key, /^ll_user_/);
  });
});

test('signing in again and again, even with the right password, is slowed, and leaves no more than 100 sessions', async () => {
  const { id, ask } = await house.join({ email: 'again-and-again@example.com' });
  await house.pool.query(
    `insert into sessions (hash, account_id, user_id, address, browser, kept, seen_at, expires_at)
     select sha256(convert_to('planted ' || at, 'UTF8')), account_id, id, '', at::text, true, now() - interval '1 day',
            now() + interval '1 day'
       from users, generate_series(1, 150) as at where id = $1`,
    [id],
  );
  const { email } = (await ask('GET', '/me')).body.user;
  const again = await house.signIn(email, OWNER.password);
  assert.equal((await again('GET', '/sessions')).body.length, 100);
  assert.equal((await ask('GET', '/me')).status, 200, 'who was seen last stays in');
  const signIn = () =>
    send(`${house.address}/app/session`, 'POST', { email, password: OWNER.password }, { origin: house.address });
  const { letGo } = await holdWindows(house.pool);
  assert.equal((await signIn()).status, 201);
  const counted = await house.pool.query('update request_counts set requests = 59 where subject = $1', [
    subjectOf('signed-in', house.account.id, id),
  ]);
  assert.equal(counted.rowCount, 1);
  assert.deepEqual([(await signIn()).status, (await signIn()).status], [201, 429]);
  await letGo();
});

describe('keys', () => {
  test('are shown and replaced only after the password; the old one ends, or lasts a day more', async () => {
    const member = await house.join({ email: 'keys@example.com', users_admin: true });
    const works = async (key: string) => (await house.withKey(key)('POST', '/users', {})).status !== 401;
    const replace = async (more: object) =>
      (await member.ask('POST', '/keys/personal/replace', { password: OWNER.password, ...more })).body.key as string;
    assert.equal((await member.ask('POST', '/keys/personal/show', { password: 'not the right one' })).status, 422);
    assert.equal((await member.ask('POST', '/keys/personal/show', { password: OWNER.password })).body.key, member.key);

    const second = await replace({ keep_old: true });
    assert.deepEqual([await works(member.key), await works(second)], [true, true]);
    const { body } = await member.ask('GET', '/keys/personal');
    const hours = (Date.parse(body.old_until) - Date.now()) / 3_600_000;
    assert.ok(hours > 23.9 && hours < 24.1 && body.last_used_at);

    const third = await replace({});
    assert.deepEqual([await works(member.key), await works(second), await works(third)], [false, false, true]);

    assert.equal((await member.ask('POST', '/keys/personal/revoke', { password: OWNER.password })).status, 204);
    assert.deepEqual([await works(third), (await member.ask('GET', '/keys/personal')).status], [false, 404]);
    assert.equal(await works(await replace({})), true);
  });

  test('three replacements at once follow each other, and one key is left', async () => {
    const member = await house.join({ email: 'three@example.com' });
    const answers = await Promise.all(
      [1, 2, 3].map(() => member.ask('POST', '/keys/personal/replace', { password: OWNER.password })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201],
    );
    const works = await Promise.all(answers.map(({ body }) => house.withKey(body.key)('GET', '/nowhere')));
    assert.deepEqual(
      works.map(({ status }) => status).toSorted((a, b) => a - b),
      [401, 401, 404],
    );
  });

  test('the account key is for owners alone', async () => {
    const member = await house.join({
      email: 'noowner@example.com',
      users_admin: true,
      lists_admin: true,
      analyst: true,
      supervisor: true,
    });
    assert.equal((await member.ask('POST', '/keys/account/show', { password: OWNER.password })).status, 403);
    const owner = await house.signIn(OWNER.email, OWNER.password);
    assert.equal((await owner('POST', '/keys/account/show', { password: OWNER.password })).body.key, house.key);
  });
});

describe('what is kept', () => {
  test('a dump of the database holds no usable key, session, invitation, reset or password', async () => {
    const member = await house.join({ email: 'dump@example.com' });
    await house.invite({ email: 'dump2@example.com' });
    const cookie = (await tryPassword('dump@example.com', OWNER.password)).headers.get('set-cookie')!;
    const owner = await house.signIn(OWNER.email, OWNER.password);
    await owner('POST', '/keys/account/show', { password: OWNER.password }, { 'idempotency-key': 'dump' });
    // An Idempotency-Key makes nothing of this stay.
    const once = { origin: house.address, 'idempotency-key': 'dump' };
    const session = await send(
      `${house.address}/app/session`,
      'POST',
      { email: 'dump@example.com', password: OWNER.password },
      once,
    );
    await send(`${house.address}/app/password/forgotten`, 'POST', { email: 'dump@example.com' }, once);
    const secrets = [
      house.key,
      member.key,
      /=([^;]+)/.exec(cookie)![1]!,
      /=([^;]+)/.exec(session.headers.get('set-cookie')!)![1]!,
      await house.tokenFor('dump2@example.com'),
      await eventually('it is mailed', () => house.resetTokenFor('dump@example.com')),
      OWNER.password,
    ];

    const { rows: tables } = await house.pool.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'pgboss')`,
    );
    let dump = '';
    for (const { name } of tables)
      dump += (await house.pool.query(`select t::text as row from ${name} t`)).rows.map(({ row }) => row).join('\n');
    assert.ok(dump.includes('dump@example.com'));
    for (const secret of secrets) {
      const hidden = [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')];
      assert.deepEqual(
        hidden.filter((form) => dump.includes(form)),
        [],
      );
    }
  });

  test('the audit log tells who, what and from where, and can only grow', async () => {
    const owner = await house.signIn(OWNER.email, OWNER.password);
    await owner('PATCH', '/account', { account: { time_zone: 'Europe/Copenhagen' } });
    const { body } = await owner('GET', '/audit');
    const { actor, address, action, detail } = body[0];
    assert.deepEqual(
      { actor, address, action, detail },
      {
        actor: OWNER.email,
        address: '127.0.0.1',
        action: 'account.changed',
        detail: { time_zone: 'Europe/Copenhagen' },
      },
    );
    for (const sql of ["update audit_log set actor = 'x'", 'delete from audit_log', 'truncate audit_log']) {
      await assert.rejects(house.pool.query(sql), /only ever added/);
    }
    // With the account itself it may go.
    const { account } = await house.addAccount('Gone', 'http://gone.example.com');
    await house.pool.query('delete from accounts where id = $1', [account.id]);
  });

  test('settings are checked by name', async () => {
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const change = (account: object) => owner('PATCH', '/account', { account });
    assert.deepEqual((await change({ time_zone: 'Mars/Base', country: 'dk', base_url: 'x' })).body.errors, {
      country: ['must be a country, by its two capital letters, such as DK'],
      time_zone: ['must be a time zone such as Europe/Copenhagen'],
      base_url: ['must be an http(s) address without a path'],
    });
    await house.addAccount('Taken', 'http://taken.example.com');
    assert.deepEqual((await change({ base_url: 'http://taken.example.com' })).body.errors, {
      base_url: ['is set by the operator where there are several accounts'],
    });
    assert.equal((await change({ country: 'DK', claim_lapse_days: 30 })).body.claim_lapse_days, 30);
  });
});
