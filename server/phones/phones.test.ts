import assert from 'node:assert/strict';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, mock, test } from 'node:test';
import { LONGEST_SDP } from '../../contract/phones.ts';
import { openHouse } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { openSocket } from '../../test/telephone.ts';
import { asIs } from '../../test/database.ts';
import { query } from '../platform/db.ts';
import { iceServersFor, readIceServers } from './ice.ts';

const house = await openHouse({
  RATE_LIMITS: 'off',
  ICE_SERVERS: 'stun:stun.example.com,turns:turn.example.com:443?transport=tcp&secret=of+the+house',
});

const openPage = async (cookie: string, page = randomUUID(), address = house.address) => {
  const socket = await openSocket(address, { cookie });
  return {
    ...socket,
    here: async (take: boolean) => {
      const before = socket.said.length;
      socket.say({ kind: 'here', phone: page, take });
      await eventually('it is told', () => socket.said.length > before);
      return socket.isPhone();
    },
  };
};
const join = (name: string, roles: object = {}) => house.join({ email: `${name}@example.com`, ...roles });

describe('a telephone', () => {
  test('is one of all pages of a person: it moves to the one that takes it, and to another when that has gone', async () => {
    const { cookie } = await join('ann');
    // As if on another node.
    const { address } = await house.open();
    const [first, second, third] = [
      await openPage(cookie),
      await openPage(cookie),
      await openPage(cookie, randomUUID(), address),
    ];
    assert.equal(await first.here(false), true, 'no other is');
    assert.equal(await second.here(false), false);
    assert.equal(await third.here(true), true);
    await eventually('the first hears of it', () => !first.isPhone());
    assert.equal(await second.here(true), true);
    await eventually('the third hears of it', () => !third.isPhone());
    second.socket.close();
    await eventually('one of the others is it', () => first.isPhone() || third.isPhone());
    assert.notEqual(first.isPhone(), third.isPhone());
  });

  test('is found again by a page that is loaded anew, although another waits', async () => {
    const { cookie } = await join('ben');
    const page = randomUUID();
    const [first, other] = [await openPage(cookie, page), await openPage(cookie)];
    assert.equal(await first.here(false), true);
    assert.equal(await other.here(false), false);
    const anew = await openPage(cookie, page);
    first.socket.terminate();
    assert.equal(await anew.here(false), true);
    assert.equal(other.isPhone(), false);
  });

  test('of a node that was killed is free', async () => {
    const { id, cookie } = await join('cleo');
    await query(house.db, asIs('insert into phones (account_id, user_id, page, node_id) values ($1, $2, $3, 0)'), [
      house.account.id,
      id,
      randomUUID(),
    ]);
    assert.equal(await (await openPage(cookie)).here(false), true);
  });

  test('is told which servers help, with a password that lasts for an hour', async () => {
    const { id, cookie } = await join('dan');
    const page = await openPage(cookie);
    await page.here(true);
    const [stun, turn] = (page.said[0] as { ice_servers: { urls: string[]; username?: string; credential?: string }[] })
      .ice_servers;
    assert.deepEqual(stun, { urls: ['stun:stun.example.com'] });
    assert.deepEqual(turn!.urls, ['turns:turn.example.com:443?transport=tcp']);
    const [until, user] = turn!.username!.split(':').map(Number);
    assert.ok(until! * 1_000 > Date.now() && until! * 1_000 < Date.now() + 3_700_000);
    assert.equal(user, id);
    const settings = readIceServers('turn:a?secret=of+the+house')!;
    assert.equal(iceServersFor(settings, user, (until! - 3_600) * 1_000)[0]!.credential, turn!.credential);
  });

  test('is not answered for a call that is somebody else’s, nor where another page is it', async () => {
    const [ann, bo] = [await join('eve'), await join('fay')];
    const { body } = await ann.ask('POST', '/calls', { call: { user_id: bo.id } });
    const page = await openPage(bo.cookie);
    const refusal = async (no: number) => {
      page.say({ kind: 'offer', call_id: body.id, no, sdp: 'v=0' });
      return eventually(
        'it is refused',
        () => page.said.flatMap((one) => (one.kind === 'refused' && one.no === no ? [one.reason] : []))[0],
      );
    };
    assert.equal(await refusal(1), 'The page has not said which one it is.');
    await page.here(true);
    assert.equal(await refusal(2), 'This call is not yours.');
    await bo.ask('POST', `/calls/${body.id}/answer`);
    await (await openPage(bo.cookie)).here(true);
    assert.equal(await refusal(3), 'The telephone is in another tab.');
    await bo.ask('POST', `/calls/${body.id}/hang_up`);
  });
});

describe('the servers that help', () => {
  const passwordOf = (setting: string) => iceServersFor(readIceServers(setting)!, 7, 0)[0]!;

  test('have a secret as it is written, with its pluses, in an address or in a list', () => {
    const credential = createHmac('sha1', 'a+b/c==').update('3600:7').digest('base64');
    const expected = { urls: ['turn:turn.example.com'], username: '3600:7', credential };
    assert.deepEqual(passwordOf('turn:turn.example.com?secret=a+b/c=='), expected);
    assert.deepEqual(passwordOf('turn:turn.example.com?secret=a%2Bb/c=='), expected);
    assert.deepEqual(passwordOf('[{"urls": "turn:turn.example.com", "secret": "a+b/c=="}]'), expected);
    assert.equal(readIceServers('[{"urls": "turn:turn.example.com", "secret": 1}]'), undefined);
  });

  test('are given passwords by the database’s clock, not by that of a machine which may be off', (context) => {
    const now = Date.now();
    mock.timers.enable({ apis: ['Date'], now: now + 86_400_000 });
    context.after(() => mock.timers.reset());
    const [server] = iceServersFor(readIceServers('turn:turn.example.com?secret=a')!, 7);
    const until = Number(server!.username!.split(':')[0]) * 1_000;
    assert.ok(Math.abs(until - now - 3_600_000) < 600_000, server!.username);
  });
});

describe('its socket', () => {
  test('is for those who may call, from our own pages, by WebSocket', async () => {
    const { cookie, ask } = await join('gus');
    const refused = async (headers: Record<string, string>) => (await openSocket(house.address, headers)).refused;
    assert.equal(await refused({ cookie }), undefined);
    assert.equal(await refused({ cookie, origin: 'https://evil.example.com' }), 403);
    assert.equal(await refused({ cookie, origin: 'null' }), 403);
    assert.equal(await refused({ cookie, 'sec-fetch-site': 'cross-site' }), 403);
    assert.equal(await refused({}), 401);
    const { cookie: analyst } = await join('hal', { agent: false, analyst: true });
    assert.equal(await refused({ cookie: analyst }), 403);
    assert.equal((await ask('GET', '/phone')).body.code, 'upgrade_required');
    // What would become something else elsewhere is a request like any other.
    const headers = { connection: 'upgrade', upgrade: 'websocket' };
    const [answer] = (await once(get(`${house.address}/health/live`, { headers }), 'response')) as [IncomingMessage];
    assert.equal(answer.statusCode, 200);
    answer.destroy();
  });

  test('closes when the session ends, or the right, and leaves the telephone', async () => {
    const [ann, bo] = [await join('ida'), await join('jon')];
    const [first, second] = [await openPage(ann.cookie), await openPage(bo.cookie)];
    await first.here(true);
    await second.here(true);
    await ann.ask('DELETE', '/session');
    await query(house.db, asIs('update users set agent = false, analyst = true where id = $1'), [bo.id]);
    await eventually('both are closed', () => first.closed.code && second.closed.code);
    assert.deepEqual(first.closed, { code: 1008, reason: 'You are signed out.' });
    assert.deepEqual(second.closed, { code: 1008, reason: 'Your role does not allow this any more.' });
    await eventually('the telephones are free', async () => {
      const values = [[ann.id, bo.id]];
      return (await house.pool.query('select from phones where user_id = any ($1)', values)).rowCount === 0;
    });
  });

  test('closes with a sentence at what is no message, whatever it is', async () => {
    // So many that one person alone would say too much at once.
    const cookies = [(await join('kim')).cookie, (await join('kit')).cookie];
    const offer = { kind: 'offer', call_id: 1, no: 1, sdp: 'v=0' };
    const here = { kind: 'here', phone: randomUUID(), take: false };
    const wrong: (string | Buffer)[] = [
      '',
      'null',
      '[]',
      '{',
      '"here"',
      randomBytes(500),
      randomBytes(500).toString('latin1'),
      '['.repeat(10_000),
      ...[
        { kind: 'here' },
        { ...here, phone: 'me' },
        { ...here, phone: '../../etc/passwd' },
        { ...here, take: 'yes' },
        { ...here, kind: '__proto__' },
        { ...offer, call_id: 1e300 },
        { ...offer, call_id: '1' },
        { ...offer, no: 0 },
        { ...offer, no: 1.5 },
        { ...offer, sdp: 'x\0' },
        { ...offer, sdp: '\ud800' },
        { ...offer, sdp: 'x'.repeat(LONGEST_SDP + 1) },
      ].map((message) => JSON.stringify(message)),
    ];
    for (const [place, message] of wrong.entries()) {
      const { socket, closed } = await openSocket(house.address, { cookie: cookies[place % 2]! });
      socket.send(message);
      await eventually('it is closed', () => closed.code);
      assert.deepEqual(closed, { code: 1008, reason: 'A message was not understood.' }, String(message).slice(0, 80));
    }
    const { socket, closed } = await openSocket(house.address, { cookie: cookies[0]! });
    socket.send('x'.repeat(1_000_000));
    await eventually('it is closed', () => closed.code);
    assert.deepEqual(closed, { code: 1009, reason: '' }, 'too big to be read');
  });

  test('of whoever sends ten thousand messages a second is closed with a sentence; all others go on', async () => {
    const [ann, bo] = [await join('lea'), await join('mo')];
    const other = await openPage(bo.cookie);
    assert.equal(await other.here(true), true);
    const flood = await openPage(ann.cookie);
    const message = JSON.stringify({ kind: 'here', phone: randomUUID(), take: true });
    for (let sent = 0; sent < 10_000; sent += 1) flood.socket.send(message);
    assert.equal(await other.here(true), true, 'another is answered meanwhile');
    await eventually('it is closed', () => flood.closed.code);
    assert.deepEqual(flood.closed, { code: 1008, reason: 'Too many messages at once.' });
    assert.equal((await ann.ask('GET', '/line')).status, 200);
    assert.equal(other.closed.code, undefined);
  });

  test('of whoever sends a little by each of twenty is closed, too: they hold one connection to the database', async () => {
    const [ann, bo] = [await join('quin'), await join('rob')];
    const other = await openPage(bo.cookie);
    const first = await openPage(ann.cookie);
    assert.equal(await first.here(true), true);
    const flood = [first, ...(await Promise.all(Array.from({ length: 19 }, () => openPage(ann.cookie))))];
    // What they ask for takes as long as anything may.
    const holder = await house.pool.connect();
    await holder.query('begin');
    await holder.query('select from phones where user_id = $1 for update', [ann.id]);
    try {
      const message = JSON.stringify({ kind: 'here', phone: randomUUID(), take: true });
      for (const { socket } of flood) for (let sent = 0; sent < 19; sent += 1) socket.send(message);
      await eventually('all are closed', () => flood.every(({ closed }) => closed.code));
      for (const { closed } of flood) assert.deepEqual(closed, { code: 1008, reason: 'Too many messages at once.' });
      const { rows } = await house.pool.query(
        `select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%into phones%'`,
      );
      assert.ok(rows[0].waiting <= 1, `${rows[0].waiting} wait in the database`);
      assert.equal((await bo.ask('GET', '/line')).status, 200);
      assert.equal(await other.here(true), true);
      const again = await openPage(ann.cookie);
      for (let sent = 0; sent < 19; sent += 1) again.socket.send(message);
      await eventually('whoever comes again is counted on', () => again.closed.code);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    await eventually('all is well again', async () => {
      const page = await openPage(ann.cookie);
      page.say({ kind: 'here', phone: randomUUID(), take: true });
      return eventually('it is told or closed', () => page.isPhone() || page.closed.code !== undefined).then(() =>
        page.isPhone(),
      );
    });
  });

  test('is one of twenty of a person', async () => {
    const { cookie } = await join('nia');
    const all = await Promise.all(Array.from({ length: 20 }, () => openSocket(house.address, { cookie })));
    assert.ok(all.every(({ refused }) => refused === undefined));
    assert.equal((await openSocket(house.address, { cookie })).refused, 429);
    all[0]!.socket.close();
    await eventually('there is room again', async () => {
      return (await openSocket(house.address, { cookie })).refused === undefined;
    });
  });

  test('counts as a stream while it is open', async () => {
    const { cookie } = await join('pia');
    const { address } = await house.open();
    const streams = async () => /^leadline_streams (\d+)$/m.exec(await (await fetch(`${address}/metrics`)).text())?.[1];
    const { socket } = await openSocket(address, { cookie });
    assert.equal(await streams(), '1');
    socket.close();
    await eventually('it is counted no more', async () => (await streams()) === '0');
  });

  test('is told when the service stops', async () => {
    const { cookie } = await join('ole');
    const { app, address } = await house.open();
    const page = await openPage(cookie, randomUUID(), address);
    await page.here(true);
    await app.close();
    await eventually('it is closed', () => page.closed.code);
    assert.deepEqual(page.closed, { code: 1001, reason: 'The service stops. Come again in a moment.' });
  });
});
