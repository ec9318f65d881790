import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Users } from '../../../db/schema.ts';
import { openHouse, OWNER, send, type Ask } from '../../../test/house.ts';
import { eventually } from '../../../test/leadline.ts';
import { query } from '../../platform/db.ts';
import { asIs } from '../../../test/database.ts';

const house = await openHouse();
const ask = house.withKey(house.key);

describe('POST /api/v2/users', () => {
  test('creates the user, answers with the documented fields and sends an invitation', async () => {
    const { status, body } = await house.invite({ email: ' Ann@Example.com ', first_name: 'Ann' });
    assert.equal(status, 201);
    assert.deepEqual(Object.keys(body), ['id', 'first_name', 'last_name', 'email', 'created_at', 'updated_at']);
    assert.deepEqual([body.email, body.first_name, body.last_name], ['Ann@Example.com', 'Ann', '']);
    assert.match(body.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(await house.tokenFor('Ann@Example.com'));
  });

  test('an invitation says who sent it: a person by name, the account where it was its key', async () => {
    const mona = await house.join({
      email: 'mona@example.com',
      first_name: 'Mona',
      last_name: 'Berg',
      users_admin: true,
    });
    await mona.ask('POST', '/users', {
      accept_charge_upon_invitation_acceptance: '1',
      user: { email: 'by-mona@example.com' },
    });
    await house.invite({ email: 'by-key@example.com' });
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const { body: mails } = await owner('GET', '/outbox');
    const begins = (to: string) =>
      mails.find(({ recipient }: { recipient: string }) => recipient === to).text.split(' has', 1)[0];
    assert.deepEqual([begins('by-mona@example.com'), begins('by-key@example.com')], ['Mona Berg', 'Acme']);
  });

  test('default roles: an agent and nothing else', async () => {
    const { body } = await house.invite({ email: 'defaults@example.com' });
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const { body: person } = await owner('GET', `/users/${body.id}`);
    const { owner: isOwner, agent, users_admin, lists_admin, analyst, supervisor, status } = person;
    assert.deepEqual(
      [isOwner, agent, users_admin, lists_admin, analyst, supervisor, status],
      [false, true, false, false, false, false, 'invited'],
    );
  });

  test('accept_charge_upon_invitation_acceptance must be "1"', async () => {
    for (const accept of [undefined, '0', 1, true, '']) {
      const { status, body } = await ask('POST', '/users', {
        accept_charge_upon_invitation_acceptance: accept,
        user: { email: 'x@example.com' },
      });
      assert.equal(status, 422);
      assert.deepEqual(Object.keys(body.errors), ['accept_charge_upon_invitation_acceptance']);
    }
  });

  test('an e-mail that is missing, not valid or taken (in any case) is refused by name', async () => {
    await house.invite({ email: 'taken@example.com' });
    const cases: [unknown, RegExp][] = [
      [undefined, /is missing/],
      ['', /must not be empty/],
      ['ann', /is not a valid/],
      ['ann@', /is not a valid/],
      ['a b@example.com', /is not a valid/],
      [5, /must be a string/],
      ['\ud800@example.com', /half a character/],
      ['TAKEN@example.com', /has already been taken/],
    ];
    for (const [email, fault] of cases) {
      const { status, body } = await house.invite({ email });
      assert.equal(status, 422, String(email));
      assert.match(body.errors.email[0], fault);
      assert.match(body.error, fault);
    }
  });

  test('booleans also as "true", "1", 1; anything else is refused by name', async () => {
    const right = await house.invite({ email: 'loose@example.com', agent: '0', analyst: 'true', supervisor: 1 });
    assert.equal(right.status, 201);
    const wrong = await house.invite({ email: 'wrong@example.com', agent: 'maybe' });
    assert.deepEqual([wrong.status, wrong.body.errors], [422, { agent: ['must be a boolean'] }]);
  });

  test('lists that do not exist, or are another account’s, are refused and nothing is stored', async () => {
    const other = await house.addAccount('Other lists', 'http://lists.example.com');
    const addList = async (account: number, name: string) => {
      const insert = 'insert into lists (account_id, name) values ($1, $2) returning id';
      return (await query<{ id: number }>(house.db, asIs(insert), [account, name]))[0]!;
    };
    const mine = await addList(house.account.id, 'Mine');
    const theirs = await addList(other.account.id, 'Theirs');
    const refused = await house.invite({ email: 'lists@example.com', listing_ids: [mine.id, theirs.id, 999_999] });
    for (const huge of [1e300, 1e19]) {
      assert.equal((await house.invite({ email: 'huge@example.com', listing_ids: [huge] })).status, 422);
    }
    assert.deepEqual(refused.body.errors, { listing_ids: [`name lists that do not exist: ${theirs.id}, 999999`] });
    const { status, body } = await house.invite({ email: 'lists@example.com', listing_ids: [String(mine.id)] });
    assert.equal(status, 201);
    const owner = await house.signIn(OWNER.email, OWNER.password);
    assert.deepEqual((await owner('GET', `/users/${body.id}`)).body.listing_ids, [mine.id]);
  });

  test('unknown members never assign anything', async () => {
    const { body } = await house.invite({
      email: 'sly@example.com',
      owner: true,
      id: 1,
      account_id: 2,
      password_hash: 'x',
      accepted_at: '2020-01-01',
    });
    const [row] = await query<Users>(house.db, asIs('select * from users where id = $1'), [body.id]);
    assert.deepEqual(
      [row!.owner, row!.password_hash, row!.accepted_at, row!.account_id],
      [false, null, null, house.account.id],
    );
  });
});

describe('the life of a user', () => {
  test('invited, accepted from the mail, signed in, keyed with their own rights, disabled, out at once', async () => {
    const { status, body } = await house.invite({ email: 'bob@example.com', users_admin: true });
    assert.equal(status, 201);
    const early = await send(
      `${house.address}/app/session`,
      'POST',
      { email: 'bob@example.com', password: OWNER.password },
      { origin: house.address },
    );
    assert.equal(early.status, 401);

    const token = await house.tokenFor('bob@example.com');
    const accept = (password: string) =>
      send(`${house.address}/app/invitation`, 'POST', { token, password }, { origin: house.address });
    assert.deepEqual((await accept('short')).body.errors, { password: ['must have at least 10 characters'] });
    assert.equal((await accept('a password of mine')).status, 201);
    assert.deepEqual(
      [(await accept('a password of mine')).status, (await accept('a password of mine')).body.code],
      [410, 'link_lapsed'],
    );

    const bob = await house.signIn('BOB@example.com', 'a password of mine');
    assert.equal((await bob('GET', '/me')).body.user.email, 'bob@example.com');
    const { body: shown } = await bob('POST', '/keys/personal/show', { password: 'a password of mine' });
    assert.match(shown.key, /^ll_user_/);
    const byKey = house.withKey(shown.key);
    const invited = await byKey('POST', '/users', {
      accept_charge_upon_invitation_acceptance: '1',
      user: { email: 'bobs@example.com' },
    });
    assert.equal(invited.status, 201);

    const owner = await house.signIn(OWNER.email, OWNER.password);
    // A lost role counts from the next request on.
    await owner('PATCH', `/users/${body.id}`, { user: { users_admin: false } });
    assert.equal((await byKey('POST', '/users', {})).status, 403);
    assert.equal((await bob('GET', '/users')).status, 403);

    assert.equal((await owner('POST', `/users/${body.id}/disable`)).body.status, 'disabled');
    assert.equal((await byKey('POST', '/users', {})).status, 401);
    assert.equal((await bob('GET', '/me')).status, 401);
    const after = await send(
      `${house.address}/app/session`,
      'POST',
      { email: 'bob@example.com', password: 'a password of mine' },
      { origin: house.address },
    );
    assert.equal(after.status, 401);

    assert.equal((await owner('POST', `/users/${body.id}/enable`)).body.status, 'active');
    assert.equal((await byKey('POST', '/users', {})).status, 401, 'the old key stays dead');
    await house.signIn('bob@example.com', 'a password of mine');
  });

  test('a sent-again invitation ends the first link; a withdrawn one ends both', async () => {
    const { body } = await house.invite({ email: 'cleo@example.com' });
    const first = await house.tokenFor('cleo@example.com');
    const owner = await house.signIn(OWNER.email, OWNER.password);
    assert.equal((await owner('POST', `/users/${body.id}/invitation`)).status, 204);
    const second = await house.tokenFor('cleo@example.com');
    const accept = (token: string) =>
      send(`${house.address}/app/invitation`, 'POST', { token, password: OWNER.password }, { origin: house.address });
    assert.equal((await accept(first)).status, 410);
    assert.equal((await owner('DELETE', `/users/${body.id}/invitation`)).status, 204);
    assert.equal((await accept(second)).status, 410);
    assert.equal((await house.invite({ email: 'cleo@example.com' })).status, 201);
  });

  test('one address is sent five invitations a day, also when it is withdrawn in between', async () => {
    const email = 'Often@example.com';
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const { body: first } = await house.invite({ email });
    for (let time = 0; time < 2; time += 1)
      assert.equal((await owner('POST', `/users/${first.id}/invitation`)).status, 204);
    assert.equal((await owner('DELETE', `/users/${first.id}/invitation`)).status, 204);
    const { body: second } = await house.invite({ email: email.toLowerCase() });
    assert.equal((await owner('POST', `/users/${second.id}/invitation`)).status, 204);
    const refused = await owner('POST', `/users/${second.id}/invitation`);
    assert.deepEqual(
      [refused.status, refused.body.errors],
      [422, { email: ['was sent 5 mails in the last 24 hours, as many as one address is; try again tomorrow'] }],
    );
    await house.pool.query(`update mails set created_at = created_at - interval '1 day' where recipient = $1`, [email]);
    assert.equal((await owner('POST', `/users/${second.id}/invitation`)).status, 204, 'a day later');
  });

  test('an invitation lapses after 72 hours, and one sent to an address the user no longer has opens nothing', async () => {
    const accept = async (email: string) => {
      const body = { token: await house.tokenFor(email), password: OWNER.password };
      return (await send(`${house.address}/app/invitation`, 'POST', body, { origin: house.address })).status;
    };
    await house.invite({ email: 'late@example.com' });
    const [{ hours } = { hours: 0 }] = (
      await house.pool.query('select extract(epoch from max(expires_at) - now()) / 3600 as hours from mailed_tokens')
    ).rows;
    assert.equal(Math.round(Number(hours)), 72);
    await house.pool.query("update mailed_tokens set expires_at = now() - interval '1 second'");
    assert.equal(await accept('late@example.com'), 410);
    await house.invite({ email: 'moved@example.com' });
    await house.pool.query("update users set email_folded = 'elsewhere@example.com' where email = 'moved@example.com'");
    assert.equal(await accept('moved@example.com'), 410);
  });

  test('everyone knows the names of their colleagues, and whom to ask for a list, but nothing else of them', async () => {
    const agent = await house.join({ email: 'gwen@example.com', first_name: 'Gwen', last_name: 'Lund' });
    await house.invite({ email: 'hugo@example.com', lists_admin: true });
    const { status, body } = await agent.ask('GET', '/colleagues');
    assert.equal(status, 200);
    const colleague = (email: string) => body.find((one: { email: string }) => one.email === email);
    assert.deepEqual(colleague('gwen@example.com'), {
      id: agent.id,
      email: 'gwen@example.com',
      name: 'Gwen Lund',
      active: true,
      assigns_lists: false,
    });
    const { name, active, assigns_lists } = colleague('hugo@example.com');
    assert.deepEqual([name, active, assigns_lists], ['hugo@example.com', false, true]);
  });

  test('who counts in the subscription: from acceptance on, until disabled', async () => {
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const read = async () => {
      const { body } = await owner('GET', '/subscription');
      const has = (people: { email: string }[]) => people.some(({ email }) => email === 'dan@example.com');
      return [has(body.counted), has(body.pending)];
    };
    const { body } = await house.invite({ email: 'dan@example.com' });
    assert.deepEqual(await read(), [false, true]);
    const accept = { token: await house.tokenFor('dan@example.com'), password: OWNER.password };
    await send(`${house.address}/app/invitation`, 'POST', accept, { origin: house.address });
    assert.deepEqual(await read(), [true, false]);
    await owner('POST', `/users/${body.id}/disable`);
    assert.deepEqual(await read(), [false, false]);
  });

  test('a forgotten password: the link from the mail sets a new one, once, and ends other sessions', async () => {
    const { ask: before } = await house.join({ email: 'eve@example.com' });
    const forget = (email: string) =>
      send(`${house.address}/app/password/forgotten`, 'POST', { email }, { origin: house.address });
    assert.deepEqual(
      [(await forget('eve@example.com')).status, (await forget('nobody@example.com')).status],
      [204, 204],
    );
    const token = await eventually('a mail', () => house.resetTokenFor('eve@example.com'));
    const reset = () =>
      send(
        `${house.address}/app/password/reset`,
        'POST',
        { token, password: 'quite another one' },
        { origin: house.address },
      );
    assert.equal((await reset()).status, 201);
    assert.equal((await reset()).status, 410);
    assert.equal((await before('GET', '/me')).status, 401);
    await house.signIn('eve@example.com', 'quite another one');
  });

  test('accepting and disabling in the same moment: one after the other, and disabled in the end', async () => {
    const owner = await house.signIn(OWNER.email, OWNER.password);
    for (let turn = 0; turn < 5; turn += 1) {
      const email = `both${turn}@example.com`;
      const { body } = await house.invite({ email });
      const accept = { token: await house.tokenFor(email), password: OWNER.password };
      const [accepted, disabled] = await Promise.all([
        send(`${house.address}/app/invitation`, 'POST', accept, { origin: house.address }),
        owner('POST', `/users/${body.id}/disable`),
      ]);
      assert.equal(disabled.status, 200);
      assert.ok([201, 410].includes(accepted.status), String(accepted.status));
      const tried = await send(
        `${house.address}/app/session`,
        'POST',
        { email, password: OWNER.password },
        { origin: house.address },
      );
      assert.equal(tried.status, 401);
    }
  });

  test('user managers cannot touch owners, data managers can assign lists and nothing else', async () => {
    const [found] = await query<{ id: number }>(house.db, asIs('select id from users where owner'), []);
    const ownerId = found!.id;
    const { ask: manager } = await house.join({ email: 'manager@example.com', users_admin: true });
    assert.equal((await manager('PATCH', `/users/${ownerId}`, { user: { agent: false } })).status, 403);
    assert.equal((await manager('POST', `/users/${ownerId}/disable`)).status, 403);
    assert.equal((await manager('POST', `/users/${ownerId}/enable`)).status, 403);
    assert.equal((await manager('PATCH', `/users/${ownerId}`, { user: { listing_ids: [] } })).status, 403);
    const { ask: data, id } = await house.join({ email: 'data@example.com', lists_admin: true });
    assert.equal((await data('PATCH', `/users/${id}`, { user: { listing_ids: [] } })).status, 200);
    assert.equal((await data('PATCH', `/users/${id}`, { user: { users_admin: true } })).status, 403);
  });

  test('who manages users gives and takes Agent, and of the other roles only those they have', async () => {
    const manager = await house.join({ email: 'granting@example.com', users_admin: true, analyst: true });
    const { body: plain } = await house.invite({ email: 'plain@example.com' });
    const change = (user: object, id = plain.id) => manager.ask('PATCH', `/users/${id}`, { user });
    assert.equal((await change({ users_admin: true, analyst: true, agent: false })).status, 200);
    assert.equal((await change({ users_admin: false, analyst: false, agent: true, first_name: 'Plain' })).status, 200);
    const refused = await change({ supervisor: true, lists_admin: true, first_name: 'Other' });
    assert.deepEqual(
      [refused.status, refused.body.error],
      [403, 'Only an owner, or someone who has the role, may give or take it: Data manager, Supervisor.'],
    );
    // Taking it away is the same; leaving it as it is, is nothing.
    const { body: chief } = await house.invite({ email: 'chief@example.com', supervisor: true });
    assert.equal((await change({ supervisor: false }, chief.id)).status, 403);
    assert.equal((await change({ supervisor: true, agent: false, last_name: 'Chief' }, chief.id)).status, 200);
    assert.equal((await change({ users_admin: false }, manager.id)).status, 403);
    assert.equal((await change({ agent: false }, manager.id)).status, 403);
    assert.equal((await change({ users_admin: true, first_name: 'Own' }, manager.id)).status, 200);

    const owner = await house.signIn(OWNER.email, OWNER.password);
    const own = (await owner('GET', '/me')).body.user;
    assert.equal((await owner('PATCH', `/users/${own.id}`, { user: { analyst: !own.analyst } })).status, 403);
    assert.equal((await owner('PATCH', `/users/${plain.id}`, { user: { supervisor: true } })).status, 200);
  });

  test('an invitation gives no role that its sender may not: by page and by personal key; the account key equals an owner', async () => {
    const manager = await house.join({ email: 'sender@example.com', users_admin: true });
    const invitation = (email: string, roles: object) => ({
      accept_charge_upon_invitation_acceptance: '1',
      user: { email, ...roles },
    });
    for (const [door, byDoor] of Object.entries({ app: manager.ask, key: house.withKey(manager.key) })) {
      const invite = (roles: object) => byDoor('POST', '/users', invitation(`${door}@example.com`, roles));
      const { status, body } = await invite({ supervisor: true });
      assert.deepEqual([status, /Supervisor/.test(body.error)], [403, true], door);
      assert.equal(
        (await invite({ users_admin: true, supervisor: false })).status,
        201,
        'nobody was made by the other',
      );
    }
    assert.equal((await house.invite({ email: 'all@example.com', supervisor: true, lists_admin: true })).status, 201);
  });
});

describe('where no mail can be sent', () => {
  const inviteAs = async (who: Ask, user: Record<string, unknown>) => {
    const { status, body } = await who('POST', '/users', { accept_charge_upon_invitation_acceptance: '1', user });
    assert.equal(status, 201, JSON.stringify(body));
    return body.id as number;
  };
  const openMails = async (to: string) => {
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const { body } = await owner('GET', '/outbox');
    return body.filter(({ recipient }: { recipient: string }) => recipient === to).length as number;
  };
  const accept = (link: string) =>
    send(
      `${house.address}/app/invitation`,
      'POST',
      { token: new URL(link).searchParams.get('token'), password: OWNER.password },
      { origin: house.address },
    );

  test('whoever invites is given the link to hand over; it leaves the outbox with its use, and is worth nothing then', async () => {
    const { ask: manager } = await house.join({ email: 'manager-1@example.com', users_admin: true });
    assert.equal((await manager('GET', '/me')).body.account.sends_mail, false);
    const id = await inviteAs(manager, { email: 'handed@example.com' });
    const show = () => manager('POST', `/users/${id}/invitation/link`);
    const { status, body } = await show();
    assert.equal(status, 200);
    // The same however often it is looked at: it may be in somebody's hand.
    assert.equal((await show()).body.link, body.link);
    assert.equal(await openMails('handed@example.com'), 1);
    assert.equal((await manager('POST', `/users/${id}/invitation`)).status, 204);
    assert.equal((await accept(body.link)).status, 410, 'sent again, the earlier link has ended');
    assert.equal(await openMails('handed@example.com'), 1, 'and its mail has left');
    const { link } = (await show()).body;
    assert.equal((await accept(link)).status, 201);
    assert.equal(await openMails('handed@example.com'), 0);
    assert.equal((await accept(link)).status, 410);
    const used = await show();
    assert.deepEqual([used.status, used.body.code], [409, 'already_accepted']);
    const withdrawn = await inviteAs(manager, { email: 'withdrawn@example.com' });
    await manager('DELETE', `/users/${withdrawn}/invitation`);
    assert.equal(await openMails('withdrawn@example.com'), 0);
  });

  test('the link to choose another password is for its reader alone: whoever manages users does not become an owner by it', async () => {
    const { ask: manager } = await house.join({ email: 'manager-3@example.com', users_admin: true });
    const { ask: colleague } = await house.join({ email: 'colleague@example.com' });
    const owner = await house.signIn(OWNER.email, OWNER.password);
    for (const [who, email] of [
      [owner, OWNER.email],
      [colleague, 'colleague@example.com'],
    ] as const) {
      await send(`${house.address}/app/password/forgotten`, 'POST', { email }, { origin: house.address });
      await eventually('a mail', () => house.resetTokenFor(email));
      const { id } = (await who('GET', '/me')).body.user;
      const { status, body } = await manager('POST', `/users/${id}/invitation/link`);
      assert.deepEqual([status, body.code, body.link], [409, 'already_accepted', undefined]);
    }
  });

  test('a link that gives more than one has oneself is not shown, nor to those who do not manage users', async () => {
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const { ask: manager } = await house.join({ email: 'manager-2@example.com', users_admin: true });
    const { ask: agent } = await house.join({ email: 'agent-2@example.com' });
    const id = await inviteAs(owner, { email: 'above-me@example.com', lists_admin: true });
    const statuses = await Promise.all(
      [owner, manager, agent].map(async (who) => (await who('POST', `/users/${id}/invitation/link`)).status),
    );
    assert.deepEqual(statuses, [200, 403, 403]);
  });

  test('whoever was shown a link is not in by it with roles that are given afterwards: it ends, and another leaves', async () => {
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const { ask: manager } = await house.join({ email: 'manager-4@example.com', users_admin: true });
    const id = await inviteAs(manager, { email: 'rises@example.com' });
    const { link } = (await manager('POST', `/users/${id}/invitation/link`)).body;
    const change = (user: object) => owner('PATCH', `/users/${id}`, { user });
    assert.equal((await change({ first_name: 'Ri', lists_admin: true })).status, 200);
    assert.equal((await accept(link)).status, 410);
    assert.equal((await manager('POST', `/users/${id}/invitation/link`)).status, 403);
    const { link: sent } = (await owner('POST', `/users/${id}/invitation/link`)).body;
    assert.equal((await change({ last_name: 'Ses', supervisor: true })).status, 200);
    assert.equal((await accept(sent)).status, 201, 'nobody has seen it who could not give that');

    // As many mails as one address gets in a day.
    const often = await inviteAs(manager, { email: 'mailed-often@example.com' });
    for (let again = 0; again < 4; again += 1)
      assert.equal((await manager('POST', `/users/${often}/invitation`)).status, 204);
    const { link: shown } = (await manager('POST', `/users/${often}/invitation/link`)).body;
    const raised = await owner('PATCH', `/users/${often}`, { user: { lists_admin: true } });
    assert.deepEqual([raised.status, raised.body.lists_admin], [200, true]);
    assert.equal((await accept(shown)).status, 410);
  });

  test('a mail whose link is used up is not sent, nor counted as waiting', async () => {
    const id = await inviteAs(await house.signIn(OWNER.email, OWNER.password), { email: 'used-up@example.com' });
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const { link } = (await owner('POST', `/users/${id}/invitation/link`)).body;
    assert.equal((await accept(link)).status, 201);
    const { rows } = await house.pool.query(
      `select count(*) as due from mails where recipient = 'used-up@example.com' and sent_at is null and ends_at > now()`,
    );
    assert.deepEqual(rows, [{ due: 0 }]);
  });
});

test('whom a lead can be given to: those who work its list, the others with what they lack, and to agents only themselves', async () => {
  const { body: list } = await ask('POST', '/lists', { list: { name: 'Given away' } });
  const at = { listing_ids: [list.id] };
  const { ask: agent } = await house.join({ email: 'works@example.com', ...at });
  const { ask: supervisor } = await house.join({ email: 'watches@example.com', agent: false, supervisor: true });
  await house.join({ email: 'not-here@example.com' });
  await house.invite({ email: 'to-come@example.com' });
  const { id } = await house.join({ email: 'has-gone@example.com', ...at });
  const owner = await house.signIn(OWNER.email, OWNER.password);
  await owner('POST', `/users/${id}/disable`);
  type Delegate = { email: string; lacks: string[] };
  const lacks = async (who: Ask) => {
    const { body } = await who('GET', `/lists/${list.id}/delegates`);
    return new Map((body as Delegate[]).map((one) => [one.email, one.lacks]));
  };
  const seen = await lacks(supervisor);
  assert.deepEqual(
    ['works', 'watches', 'not-here', 'to-come', 'has-gone', 'owner'].map((name) => seen.get(`${name}@example.com`)),
    [[], ['role'], ['list'], ['acceptance', 'list'], undefined, []],
  );
  assert.deepEqual([...(await lacks(agent))], [['works@example.com', []]]);
});
