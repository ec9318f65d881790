import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse, OWNER, send } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';

const house = await openHouse();
const tryPassword = (email: string, password: string) =>
  send(
    `${house.address}/app/session`,
    'POST',
    { email, password },
    { origin: house.address, 'user-agent': 'Test browser' },
  );

/** Guesses are counted in windows of five minutes: one must not end in the middle of a test. */
async function beWithinWindow(seconds = 20): Promise<void> {
  const left = 300_000 - (Date.now() % 300_000);
  if (left < seconds * 1_000) await new Promise((resolve) => setTimeout(resolve, left + 200));
}

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

  test('guessing is throttled by whom it aims at and from where, whoever exists or not, and leaves a trace', async () => {
    await house.join({ email: 'target@example.com' });
    await beWithinWindow();
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
    const password = '🦊'.repeat(150);
    assert.equal(
      (await member.ask('POST', '/password', { password: OWNER.password, new_password: password })).status,
      204,
    );
    await house.signIn('emoji@example.com', password);
  });
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
      await house.tokenFor('dump@example.com'),
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
      country: ['must be two capital letters, such as DK'],
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
