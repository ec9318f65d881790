import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ROLES, scopeOf, type Right, type Role } from '../contract/roles.ts';
import { OWNER_ROLES } from '../server/platform/actor.ts';
import { query } from '../server/platform/db.ts';
import { openHouse, OWNER, send } from './house.ts';
import { asIs } from './database.ts';

const house = await openHouse();

/** The table of the product, written out: who may, besides owners. What the code says is held against it. */
const TABLE: Record<string, readonly Role[]> = {
  'users.manage': ['users_admin'],
  'users.read': ['users_admin', 'lists_admin'],
  'users.assign': ['users_admin', 'lists_admin'],
  'lists.index': ['agent', 'users_admin', 'lists_admin', 'analyst', 'supervisor'],
  'lists.read': ['agent', 'lists_admin', 'analyst', 'supervisor'],
  'stats.read': ['agent', 'lists_admin', 'analyst', 'supervisor'],
  'lists.write': ['lists_admin'],
  'leads.read': ['agent', 'lists_admin', 'supervisor'],
  'leads.write': ['agent', 'lists_admin', 'supervisor'],
  'leads.outcome': ['agent', 'lists_admin', 'supervisor'],
  'leads.delegate': ['agent', 'lists_admin', 'supervisor'],
  'leads.release': ['agent', 'lists_admin', 'supervisor'],
  'leads.manage': ['lists_admin'],
  'leads.bulk': ['lists_admin', 'supervisor'],
  'leads.import': ['lists_admin'],
  'leads.export': ['lists_admin'],
  'calls.read': ['agent', 'lists_admin', 'analyst', 'supervisor'],
  'calls.make': ['agent'],
  'line.simulate': [],
  'queue.work': ['agent'],
  'webhooks.manage': ['lists_admin'],
  'audit.read': [],
  'account.manage': [],
  'subscription.read': [],
  'outbox.read': [],
};

const SET_ROLES = `update users set (${ROLES.join(', ')}) = row($2, $3, $4, $5, $6) where id = $1`;

const rolesOf = (given: readonly Role[]) =>
  Object.fromEntries(ROLES.map((role) => [role, given.includes(role)])) as Record<Role, boolean>;
const COMBINATIONS = Array.from({ length: 2 ** ROLES.length }, (_, bits) =>
  ROLES.filter((role) => bits & (1 << ROLES.indexOf(role))),
);
/** What a combination may, one function says; all of them come to every route by EVERY_COMBINATION=1. */
const sent = COMBINATIONS.filter(
  ({ length }) => process.env.EVERY_COMBINATION || length <= 1 || length === ROLES.length,
);

// It answers without end; server/live has its own tests.
const LIVE = '/app/live';

const fillIn = (path: string) => path.replaceAll(/:\w+/g, '999999');
const guarded = house.routes.filter(
  ({ method, url }) => /^\/(api\/v2|app)\//.test(url) && method !== 'HEAD' && method !== 'OPTIONS' && url !== LIVE,
);

describe('two doors, one house', () => {
  test('every route at a door says who may', () => {
    assert.ok(guarded.length > 20);
    assert.deepEqual(
      guarded.filter(({ right }) => !right),
      [],
    );
  });

  test('every POST by a key or someone signed in honours an Idempotency-Key, but for those with a password, session or key', () => {
    const posts = guarded.filter(({ method }) => method === 'POST');
    assert.ok(posts.length > 40);
    assert.deepEqual(
      posts
        .filter(({ repeatable }) => !repeatable)
        .map(({ url }) => url)
        .toSorted(),
      [
        // Public: whoever is not inside yet.
        '/app/invitation',
        '/app/password/forgotten',
        '/app/password/reset',
        '/app/session',
        // The password is asked for, and what is told is the key.
        '/app/keys/account/replace',
        '/app/keys/account/revoke',
        '/app/keys/account/show',
        '/app/keys/personal/replace',
        '/app/keys/personal/revoke',
        '/app/keys/personal/show',
        '/app/password',
        // They may be a card's.
        '/app/calls/:id/digits',
        // What is told is a link that opens the door.
        '/app/users/:id/invitation/link',
      ].toSorted(),
    );
    assert.deepEqual(
      guarded.filter(({ method, repeatable }) => method !== 'POST' && repeatable),
      [],
    );
  });

  test('every path of the contract exists at both doors, with the same method and the same right', () => {
    const api = guarded.filter(({ url, right }) => url.startsWith('/api/v2/') && right !== 'public');
    for (const { method, url, right } of api) {
      const twin = guarded.find((other) => other.method === method && other.url === url.replace('/api/v2', '/app'));
      assert.equal(twin?.right, right, `${method} ${url}`);
    }
  });

  test('every combination of roles may what one of them may', () => {
    for (const given of COMBINATIONS) {
      const roles = { owner: false, ...rolesOf(given) };
      for (const [right, may] of Object.entries(TABLE))
        assert.equal(
          scopeOf(roles, right as Right) !== undefined,
          may.some((role) => roles[role]),
          right,
        );
    }
  });

  test('every route × both doors × no role, each alone and all: 403 exactly where the table says so', async () => {
    const member = await house.join({ email: 'member@example.com' });
    const byKey = house.withKey(member.key);
    for (const given of sent) {
      const roles = rolesOf(given);
      await query(house.db, asIs(SET_ROLES), [member.id, ...ROLES.map((role) => roles[role])]);
      for (const { method, url, right } of guarded) {
        if (right === 'public' || (method === 'DELETE' && url === '/app/session')) continue;
        const expected = right === 'anyone' || TABLE[right!]!.some((role) => roles[role]);
        const ask = url.startsWith('/app') ? member.ask : byKey;
        const { status } = await ask(
          method,
          fillIn(url.replace(/^\/(app|api\/v2)/, '')),
          method === 'GET' ? undefined : {},
        );
        assert.equal(status === 403, !expected, `${method} ${url} as ${given.join(', ')} answered ${status}`);
      }
    }
  });

  test('the account key may do what an owner may', async () => {
    const ours = guarded.filter(({ url, right }) => url.startsWith('/api/v2/') && right !== 'public');
    for (const { method, url } of ours) {
      const { status } = await house.withKey(house.key)(
        method,
        fillIn(url.replace('/api/v2', '')),
        method === 'GET' ? undefined : {},
      );
      assert.notEqual(status, 403);
    }
    assert.ok(scopeOf(OWNER_ROLES, 'account.manage'));
  });

  test('without a key or a cookie nothing but what is public answers', async () => {
    for (const { method, url, right } of guarded) {
      if (right === 'public') continue;
      const { status } = await send(house.address + fillIn(url), method, method === 'GET' ? undefined : {}, {
        origin: house.address,
      });
      assert.equal(status, 401, `${method} ${url}`);
    }
  });

  test('changing requests by cookie need to come from our own pages', async () => {
    const ask = await house.signIn(OWNER.email, OWNER.password);
    const change = (headers: Record<string, string>) =>
      ask('PATCH', '/account', { account: {} }, headers).then(({ status }) => status);
    assert.equal(await change({}), 200);
    assert.equal(await change({ origin: 'http://acme.example.com' }), 200);
    assert.equal(await change({ origin: 'http://evil.example.com' }), 403);
    assert.equal(await change({ origin: 'null' }), 403);
    assert.equal(await change({ 'sec-fetch-site': 'cross-site' }), 403);
    const { headers } = await send(`${house.address}/app/session`, 'POST', OWNER, { origin: house.address });
    const cookie = headers.get('set-cookie')!.split(';', 1)[0]!;
    const bare = (more: Record<string, string>) =>
      send(`${house.address}/app/account`, 'PATCH', { account: {} }, { cookie, ...more }).then(({ status }) => status);
    assert.equal(await bare({}), 403);
    assert.equal(await bare({ 'sec-fetch-site': 'same-origin' }), 200);
  });
});

describe('other accounts', () => {
  test('another account’s key, host and ids are as if they did not exist', async () => {
    const other = await house.addAccount('Other', 'http://other.example.com');
    const at = (host: string, key: string) =>
      house.app.inject({
        method: 'POST',
        url: '/api/v2/users',
        headers: { host, authorization: `Token "${key}"` },
        payload: {},
      });
    assert.equal((await at('acme.example.com', house.key)).statusCode, 422);
    assert.equal((await at('other.example.com', other.key)).statusCode, 422);
    assert.equal((await at('OTHER.example.com', other.key)).statusCode, 422);
    assert.equal((await at('other.example.com', house.key)).statusCode, 401);
    assert.equal((await at('acme.example.com', other.key)).statusCode, 401);
    assert.equal(
      (await at('unknown.example.com', house.key)).statusCode,
      422,
      'the first account answers for hosts of nobody',
    );
    assert.equal((await at('unknown.example.com', other.key)).statusCode, 401);

    const add = 'insert into users (account_id, email, email_folded) values ($1, $2, $2) returning id';
    const [added] = await query<{ id: number }>(house.db, asIs(add), [other.account.id, 'theirs@example.com']);
    const { id } = added!;
    const owner = await house.signIn(OWNER.email, OWNER.password);
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['POST', '/disable'],
      ['POST', '/invitation'],
      ['DELETE', '/invitation'],
    ] as const) {
      const { status } = await owner(method, `/users/${id}${path}`, method === 'GET' ? undefined : { user: {} });
      assert.equal(status, 404, `${method} ${path}`);
    }
    assert.ok(!(await owner('GET', '/users')).body.some((user: { id: number }) => user.id === id));
    // The same address may be a user of both.
    assert.equal((await house.invite({ email: 'theirs@example.com' })).status, 201);
  });

  test('every table of an account has account_id in its primary key, and foreign keys carry it', async () => {
    // Found by hash before the account is known, or belonging to no account.
    const exceptions = new Set([
      'accounts',
      'api_keys',
      'sessions',
      'migrations',
      'nodes',
      'leases',
      'request_counts',
      'installation',
      // Parts of an import, which has one, and goes with them.
      'import_chunks',
      'import_rows',
      'import_checked',
    ]);
    const { rows: keys } = await house.pool.query<{ name: string; columns: string[] }>(
      `select c.relname as name, array(select attname::text from pg_attribute a
          where a.attrelid = c.oid and a.attnum = any (p.conkey)) as columns
         from pg_class c left join pg_constraint p on p.conrelid = c.oid and p.contype = 'p'
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`,
    );
    assert.deepEqual(
      keys.filter(({ name, columns }) => !exceptions.has(name) && !columns.includes('account_id')),
      [],
    );
    const { rows: references } = await house.pool.query<{ name: string; target: string; columns: string[] }>(
      `select conrelid::regclass::text as name, confrelid::regclass::text as target,
              array(select attname::text from pg_attribute a where a.attrelid = conrelid and a.attnum = any (conkey)) as columns
         from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
    );
    assert.ok(references.length > 5);
    assert.deepEqual(
      references.filter(({ columns }) => !columns.includes('account_id')),
      [],
    );
  });
});
