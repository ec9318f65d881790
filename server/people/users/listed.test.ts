import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addNeighbour, blame, idsOf, stepsOf } from '../../../test/contract/steps.ts';
import { openHouse } from '../../../test/house.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList } = stepsOf(ask);
const list = await addList();

const KEYS = [
  'id',
  'first_name',
  'last_name',
  'email',
  'created_at',
  'updated_at',
  'location',
  'owner',
  'agent',
  'users_admin',
  'lists_admin',
  'analyst',
  'supervisor',
  'status',
  'listing_ids',
];
const nextOf = (headers: Headers): string | undefined =>
  /<[^>]*\/api\/v2([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];

describe('GET /api/v2/users', () => {
  test('tells of everyone what their invitation answered, their roles, lists and status, and no secret', async () => {
    const { body: invited } = await house.invite({
      email: 'ann@example.com',
      first_name: 'Ann',
      listing_ids: [list.id],
    });
    const joined = await house.join({ email: 'bob@example.com', agent: false, supervisor: true });
    const { status, headers, body } = await ask('GET', '/users');
    assert.equal(status, 200);
    for (const one of body) assert.deepEqual(Object.keys(one), KEYS);
    assert.deepEqual(
      idsOf(body),
      idsOf(body).toSorted((a, b) => b - a),
      'newest first',
    );
    assert.equal(headers.get('x-total-count'), String(body.length));
    const [bob, ann, owner] = body;
    const roles = {
      owner: false,
      agent: true,
      users_admin: false,
      lists_admin: false,
      analyst: false,
      supervisor: false,
    };
    const location = `/api/v2/users/${invited.id}`;
    assert.deepEqual(ann, { ...invited, location, ...roles, status: 'invited', listing_ids: [list.id] });
    assert.deepEqual([bob.id, bob.status, bob.agent, bob.supervisor], [joined.id, 'active', false, true]);
    assert.deepEqual([owner.owner, owner.status], [true, 'active']);
    for (const one of body) assert.deepEqual((await ask('GET', `/users/${one.id}`)).body, one);
  });

  test('those who were disabled are told too', async () => {
    const gone = await house.join({ email: 'gone@example.com' });
    const owner = await house.join({ email: 'boss@example.com', agent: false, users_admin: true });
    await owner.ask('POST', `/users/${gone.id}/disable`);
    assert.equal((await ask('GET', `/users/${gone.id}`)).body.status, 'disabled');
    assert.ok((await ask('GET', '/users')).body.some(({ id }: { id: number }) => id === gone.id));
  });

  test('page by page: following next visits each exactly once while others are invited', async () => {
    for (let number = 0; number < 7; number += 1) await house.invite({ email: `page${number}@example.com` });
    const before = idsOf((await ask('GET', '/users?per_page=1000')).body);
    const seen: number[] = [];
    let turn = 0;
    for (let next: string | undefined = '/users?per_page=3'; next;) {
      const { body, headers } = await ask('GET', next);
      seen.push(...idsOf(body));
      await house.invite({ email: `later${(turn += 1)}@example.com` });
      next = nextOf(headers);
    }
    assert.deepEqual(seen, before);
    const { body, headers } = await ask('GET', '/users?per_page=3&page=2');
    const now = idsOf((await ask('GET', '/users?per_page=1000')).body);
    assert.deepEqual(idsOf(body), now.slice(3, 6));
    assert.match(headers.get('link')!, /page=1>; rel="prev".*after=\d+>; rel="next".*rel="last"/);
    const past = await ask('GET', '/users?page=99');
    assert.deepEqual([past.status, past.body, past.headers.get('x-total-count')], [200, [], String(now.length)]);
  });

  test('what cannot be is 422 and named; ids that are none of the account’s users are 404', async () => {
    for (const [query, parameter] of [
      ['page=0', 'page'],
      ['per_page=1001', 'per_page'],
      ['per_page=x', 'per_page'],
      ['after=x', 'after'],
    ] as const)
      assert.deepEqual(blame(await ask('GET', `/users?${query}`)), [422, [parameter]], query);
    const neighbour = await addNeighbour(house);
    const user = { email: 'theirs@example.com' };
    const { body } = await neighbour.ask('POST', '/users', { accept_charge_upon_invitation_acceptance: '1', user });
    for (const id of [body.id, 999_999, 'x', '0']) assert.equal((await ask('GET', `/users/${id}`)).status, 404);
    assert.deepEqual(idsOf((await neighbour.ask('GET', '/users')).body), [body.id]);
  });

  test('user managers and data managers see everyone; agents, analysts and supervisors nobody', async () => {
    const { body: all } = await ask('GET', '/users?per_page=1000');
    for (const role of ['users_admin', 'lists_admin', 'agent', 'analyst', 'supervisor']) {
      const { id, key } = await house.join({ email: `${role}@example.com`, agent: false, [role]: true });
      const as = house.withKey(key);
      const may = role === 'users_admin' || role === 'lists_admin';
      assert.equal((await as('GET', `/users/${id}`)).status, may ? 200 : 403, role);
      const { status, body } = await as('GET', '/users?per_page=1000');
      assert.equal(status, may ? 200 : 403, role);
      if (may) assert.ok(idsOf(body).length > all.length);
    }
  });
});
