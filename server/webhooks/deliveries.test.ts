import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { WEBHOOK_EVENTS } from '../../contract/webhooks.ts';
import { openHouse, OWNER } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { openSubscriber } from '../../test/subscriber.ts';
import { allowedBy, nameRefused } from './targets.ts';

const house = await openHouse({ RATE_LIMITS: 'off', WEBHOOK_ALLOW: '127.0.0.0/8' });
const api = house.withKey(house.key);
const app = await house.signIn(OWNER.email, OWNER.password);

const newList = async () =>
  (await api('POST', '/lists', { list: { name: 'Told', winner_categories: 'Sale' } })).body.id as number;
const newLead = async (list: number, ask = api) =>
  (await ask('POST', `/lists/${list}/leads`, { lead: { first_name: 'Ann' } })).body.id as number;
const subscribe = async (list: number, event: string, target_url: string) =>
  (await api('POST', `/lists/${list}/webhook`, { webhook: { event, target_url } })).body as {
    id: number;
    secret: string;
  };
const resource = (lead: number) => `http://acme.example.com/api/v2/leads/${lead}`;

/** Everything that is on its way has arrived or failed. */
const settled = () =>
  eventually('every delivery was tried', async () => {
    const { rows } = await house.pool.query(
      `select from deliveries d where taken_by is not null or state = 'waiting'
          and not exists (select from delivery_attempts a where a.delivery_id = d.id and a.attempt = d.attempts)`,
    );
    return rows.length === 0;
  });
const logOf = async (webhook: number) =>
  (await app('GET', `/deliveries?webhook_id=${webhook}`)).body as {
    id: number;
    state: string;
    attempts: number;
    next_at: string | null;
    log: { status: number | null; error: string | null; answer: string }[];
  }[];

describe('webhooks that arrive', () => {
  test('each fires exactly when the description says, and nothing fires for the same act through the API', async () => {
    const subscriber = await openSubscriber();
    const list = await newList();
    for (const event of WEBHOOK_EVENTS) await subscribe(list, event, `${subscriber.url}/${event}`);
    const heard = async (act: () => Promise<unknown>) => {
      subscriber.received.length = 0;
      await act();
      await settled();
      return subscriber.received.map(({ path }) => path.slice(1)).toSorted();
    };
    const acts = (ask: typeof api, lead: number, name: string): [() => Promise<unknown>, string[]][] => [
      [() => ask('POST', `/leads/${lead}/winner`, { lead: { category: 'Sale' } }), ['new_event', 'winner']],
      [() => ask('POST', `/leads/${lead}/loser`, { lead: { comment: 'No' } }), ['loser', 'new_comment', 'new_event']],
      [() => ask('POST', `/leads/${lead}/archive`), ['archive', 'new_event']],
      [() => ask('POST', `/leads/${lead}/call_back`, { lead: { call_back_in: 5 } }), ['call_back', 'new_event']],
      [() => newLead(list, ask), ['lead_created', 'new_event']],
      [() => ask('PATCH', `/leads/${lead}`, { lead: { first_name: name } }), ['lead_updated', 'new_event']],
      [() => ask('PATCH', `/leads/${lead}`, { lead: { first_name: name } }), []],
      [() => ask('PATCH', `/leads/${lead}/delegate`, { lead: { delegate_to: OWNER.email } }), ['new_event']],
      [() => ask('PATCH', `/leads/${lead}/migrate`, { lead: { to_list_id: list, give_back_leads: '1' } }), []],
    ];
    const lead = await newLead(list);
    for (const [act] of acts(api, lead, 'Api')) assert.deepEqual(await heard(act), [], String(act));
    for (const [act, expected] of acts(app, lead, 'App')) assert.deepEqual(await heard(act), expected, String(act));
    const say = () => app('POST', `/leads/${lead}/comments`, { comment: 'Hello' });
    assert.deepEqual(await heard(say), ['new_comment', 'new_event']);
  });

  test('whoever has no subscriber of their own yet can have the service answer itself, and reads in the log what it was sent', async () => {
    const list = await newList();
    const { id } = await subscribe(list, 'winner', `${house.address}/receiver`);
    await app('POST', `/leads/${await newLead(list)}/winner`);
    await settled();
    const [delivery] = await logOf(id);
    assert.deepEqual([delivery!.state, delivery!.log[0]!.answer], ['delivered', '{"received":true}']);
  });

  test('the notification is exactly as described, and its signature verifies', async () => {
    const subscriber = await openSubscriber();
    const list = await newList();
    const lead = await newLead(list);
    const { secret } = await subscribe(list, 'winner', `${subscriber.url}/here`);
    await app('POST', `/leads/${lead}/winner`);
    await settled();
    const [notification] = subscriber.received;
    assert.equal(subscriber.received.length, 1);
    assert.deepEqual([notification!.method, notification!.path], ['POST', '/here']);
    assert.equal(notification!.body, `{"resource_url":"${resource(lead)}"}`);
    assert.equal(notification!.headers['content-type'], 'application/json');
    assert.equal(notification!.headers['user-agent'], 'Leadline');
    new StandardWebhook(secret).verify(notification!.body, notification!.headers as Record<string, string>);
    assert.throws(() =>
      new StandardWebhook(secret).verify(`${notification!.body} `, notification!.headers as Record<string, string>),
    );
  });

  test('a name and password in the target are sent as Basic authentication, and shown nowhere', async (context) => {
    const heard: (string | undefined)[] = [];
    const server = createServer(({ headers }, response) => {
      heard.push(headers.authorization);
      response.writeHead(403).end(`Not you: ${headers.authorization} s3cr%et`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    context.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const list = await newList();
    const { id } = await subscribe(list, 'winner', `http://ann:s3cr%25et@127.0.0.1:${port}/here`);
    await app('POST', `/leads/${await newLead(list)}/winner`);
    await settled();
    const basic = Buffer.from('ann:s3cr%et').toString('base64');
    assert.deepEqual(heard, [`Basic ${basic}`]);
    const { body } = await app('GET', `/deliveries?webhook_id=${id}`);
    assert.equal(body[0].target_url, `http://***@127.0.0.1:${port}/here`);
    assert.equal(body[0].log[0].answer, 'Not you: Basic *** ***');
    const shown = JSON.stringify([body, (await app('GET', '/webhooks')).body, (await app('GET', '/audit')).body]);
    for (const secret of ['s3cr', basic]) assert.ok(!shown.includes(secret), secret);
  });

  test('a list hears of its own leads only', async () => {
    const subscriber = await openSubscriber();
    const [list, other] = [await newList(), await newList()];
    await subscribe(list, 'winner', `${subscriber.url}/one`);
    const [mine, theirs] = [await newLead(list), await newLead(other)];
    await app('POST', `/leads/${theirs}/winner`);
    await app('POST', `/leads/${mine}/winner`);
    await settled();
    assert.deepEqual(subscriber.resources('/one'), [resource(mine)]);
  });

  test('410 ends the subscription; 500 and 404 do not: the one is tried again, the other is not', async () => {
    const subscriber = await openSubscriber(({ path }) => Number(path.slice(1)));
    const list = await newList();
    const lead = await newLead(list);
    const hooks = new Map<number, number>();
    for (const status of [410, 500, 429, 404, 301, 204])
      hooks.set(status, (await subscribe(list, 'winner', `${subscriber.url}/${status}`)).id);
    await app('POST', `/leads/${lead}/winner`);
    await settled();

    const listed = (await api('GET', '/webhooks')).body as { id: number; last_error: string | null }[];
    const known = (status: number) => listed.find(({ id }) => id === hooks.get(status));
    assert.equal(known(410), undefined);
    assert.equal((await api('DELETE', `/webhook/${hooks.get(410)}`)).status, 404);
    // Were it the other way round, a node that dies between the two would leave a subscription that nobody wants.
    const { rows: order } = await house.pool.query(
      `select w.xmin::text::bigint <= a.xmin::text::bigint as ended_first from webhooks w
         join deliveries d on d.webhook_id = w.id join delivery_attempts a on a.delivery_id = d.id where w.id = $1`,
      [hooks.get(410)],
    );
    assert.deepEqual(order, [{ ended_first: true }]);
    for (const [status, state] of [
      [500, 'waiting'],
      [429, 'waiting'],
      [404, 'failed'],
      [301, 'failed'],
    ] as const) {
      const [delivery] = await logOf(hooks.get(status)!);
      assert.deepEqual([delivery!.state, delivery!.log[0]!.status, delivery!.log[0]!.answer], [state, status, 'heard']);
      assert.equal(known(status)!.last_error, `The subscriber answered ${status}.`);
    }
    assert.equal(known(204)!.last_error, null);
    // From when the first attempt was noted: by now there may have been a second.
    const { rows } = await house.pool.query<{ wait: number }>(
      `select extract(epoch from d.next_at - a.at)::float8 as wait from deliveries d
         join delivery_attempts a on a.delivery_id = d.id and a.attempt = d.attempts where d.webhook_id = $1 and d.attempts = 1`,
      [hooks.get(500)],
    );
    for (const { wait } of rows) assert.ok(wait > 47 && wait < 150, `a minute, give or take a fifth: ${wait}`);
  });

  test('410 ends the subscription of a list that was deleted meanwhile, which is not there when the list is back', async () => {
    let status = 500;
    const subscriber = await openSubscriber(() => status);
    const list = await newList();
    const lead = await newLead(list);
    const { id } = await subscribe(list, 'winner', `${subscriber.url}/here`);
    for (let count = 0; count < 2; count += 1) await app('POST', `/leads/${lead}/winner`);
    await settled();
    assert.equal((await app('DELETE', `/lists/${list}`, { list: { name: 'Told' } })).status, 204);
    status = 410;
    const again =
      'update deliveries set next_at = now() where webhook_id = $1 and id = (select min(id) from deliveries where webhook_id = $1)';
    await house.pool.query(again, [id]);
    await eventually('it was asked again', () => subscriber.received.length === 3);
    assert.equal((await api('DELETE', `/webhook/${id}`)).status, 404);
    assert.equal((await app('POST', `/lists/${list}/restore`)).status, 200);
    const states = async () => (await logOf(id)).map(({ state }) => state);
    await eventually('it is noted', async () => (await logOf(id)).some(({ log }) => log[0]?.status === 410));
    assert.deepEqual(await states(), ['failed', 'failed']);
    assert.ok(!(await api('GET', '/webhooks')).body.some((one: { id: number }) => one.id === id));
  });

  test('what waits to be told of a lead that is merged, and of those merged into it before, is told of the one that stays', async () => {
    let status = 500;
    const subscriber = await openSubscriber(() => status);
    const list = await newList();
    const [first, second, last] = [await newLead(list), await newLead(list), await newLead(list)];
    const { id } = await subscribe(list, 'winner', `${subscriber.url}/merged`);
    for (const lead of [first, second, last]) await app('POST', `/leads/${lead}/winner`);
    await settled();
    assert.equal((await app('POST', `/leads/${second}/merge`, { duplicate_id: first })).status, 204);
    assert.equal((await app('POST', `/leads/${last}/merge`, { duplicate_id: second })).status, 204);
    status = 200;
    subscriber.received.length = 0;
    await house.pool.query('update deliveries set next_at = now() where webhook_id = $1', [id]);
    await eventually('all came again', () => subscriber.received.length === 3);
    assert.deepEqual(new Set(subscriber.resources('/merged')), new Set([resource(last)]));
  });

  test('the index tells all subscriptions, however many and long: those that would be too much for one answer are refused', async () => {
    const target_url = `https://example.com/${'x'.repeat(1_980)}`;
    const lists = await Promise.all(Array.from({ length: 25 }, newList));
    await house.pool.query(
      `insert into webhooks (account_id, list_id, event, target_url, sealed)
       select $1, list, 'winner', $3 || n, '\\x00' from unnest($2::bigint[]) list, generate_series(10, 95) n`,
      [house.account.id, lists, target_url.slice(0, -2)],
    );
    const { status, body } = await api('POST', `/lists/${lists[0]}/webhook`, {
      webhook: { event: 'winner', target_url },
    });
    assert.deepEqual(
      [status, body.errors],
      [422, { target_url: ['cannot be added: the targets of an account have at most 4 MiB together'] }],
    );
    for (const ask of [api, app]) {
      const { body: all } = await ask('GET', '/webhooks');
      const told = all.filter(({ list }: { list: string }) => lists.some((id) => list === `/api/v2/lists/${id}`));
      assert.equal(told.length, 25 * 86);
      assert.ok(told.every((one: { target_url: string }) => one.target_url.length === target_url.length));
    }
    await house.pool.query('delete from webhooks where list_id = any ($1::bigint[])', [lists]);
  });

  test('a delivery can be brought again, under the same id, and a subscriber can be tried', async () => {
    const subscriber = await openSubscriber();
    const list = await newList();
    const lead = await newLead(list);
    const { id } = await subscribe(list, 'winner', `${subscriber.url}/again`);
    await app('POST', `/leads/${lead}/winner`);
    await settled();
    const [delivery] = await logOf(id);
    assert.equal((await app('POST', `/deliveries/${delivery!.id}/redeliver`)).status, 204);
    await eventually('it came again', () => subscriber.received.length === 2);
    const [first, second] = subscriber.received.map(({ headers }) => headers['webhook-id']);
    assert.equal(first, second);
    assert.equal((await app('POST', `/webhooks/${id}/test`)).status, 201);
    await eventually('the trial came', () => subscriber.received.length === 3);
    assert.deepEqual(new Set(subscriber.resources('/again')), new Set([resource(lead)]));
    assert.equal((await app('POST', `/webhooks/999999/test`)).status, 404);
  });

  test('the log is asked for by state, and says how many there are of each', async () => {
    const subscriber = await openSubscriber(({ path }) => Number(path.slice(1)));
    const list = await newList();
    const lead = await newLead(list);
    const hooks = new Map<number, number>();
    for (const status of [500, 404, 204])
      hooks.set(status, (await subscribe(list, 'winner', `${subscriber.url}/${status}`)).id);
    for (let count = 0; count < 2; count += 1) await app('POST', `/leads/${lead}/winner`);
    await settled();
    const told = async (status: number) => {
      const id = hooks.get(status)!;
      const lengths = ['', '&state=failed', '&state=waiting', '&state=delivered'].map(async (state) => {
        const { body, headers } = await app('GET', `/deliveries?webhook_id=${id}${state}&per_page=1`);
        assert.equal(body.length, Math.min(1, Number(headers.get('x-total-count'))));
        return Number(headers.get('x-total-count'));
      });
      const { all, failed, waiting } = (await app('GET', `/webhooks/${id}/deliveries/counts`)).body;
      const [every, ...states] = await Promise.all(lengths);
      assert.deepEqual([every, ...states.slice(0, 2)], [all, failed, waiting]);
      return states;
    };
    assert.deepEqual(await told(404), [2, 0, 0]);
    assert.deepEqual(await told(500), [0, 2, 0]);
    assert.deepEqual(await told(204), [0, 0, 2]);
    assert.deepEqual((await app('GET', '/deliveries?state=lost')).body.errors, {
      state: ['must be one of waiting, delivered, failed'],
    });
    assert.equal((await app('GET', '/webhooks/999999/deliveries/counts')).status, 404);
  });

  test('whoever asks for one once more, again and again, does not use up the attempts that follow', async () => {
    const subscriber = await openSubscriber(() => 503);
    const list = await newList();
    const { id } = await subscribe(list, 'winner', `${subscriber.url}/away`);
    await app('POST', `/leads/${await newLead(list)}/winner`);
    await settled();
    for (let times = 1; times <= 7; times += 1) {
      const [before] = await logOf(id);
      assert.equal((await app('POST', `/deliveries/${before!.id}/redeliver`)).status, 204);
      await eventually('it was tried once more', async () => (await logOf(id))[0]!.log.length === times + 1);
    }
    const [delivery] = await logOf(id);
    assert.equal(delivery!.state, 'waiting');
    const wait = Date.parse(delivery!.next_at!) - Date.now();
    assert.ok(wait < 80_000, `the next is a minute away, not ${wait} ms`);
  });

  test('nobody there: tried again later, and said in a sentence', async () => {
    const list = await newList();
    const { id } = await subscribe(list, 'winner', 'http://127.0.0.1:9/');
    await app('POST', `/leads/${await newLead(list)}/winner`);
    await settled();
    const [delivery] = await logOf(id);
    assert.deepEqual([delivery?.state, delivery?.log[0]?.status], ['waiting', null]);
    assert.match(delivery!.log[0]!.error!, /^The subscriber could not be reached: ECONNREFUSED\.$/);
  });

  test('those who hang hold up nobody else', async () => {
    const hanging = await openSubscriber(() => undefined);
    const good = await openSubscriber();
    const list = await newList();
    for (let count = 0; count < 20; count += 1) await subscribe(list, 'winner', `${hanging.url}/${count}`);
    await subscribe(list, 'winner', `${good.url}/good`);
    const leads = await Promise.all(Array.from({ length: 50 }, () => newLead(list)));
    for (const lead of leads) await app('POST', `/leads/${lead}/winner`);
    await eventually('all fifty arrived', () => good.received.length === 50);
    await house.pool.query(`update deliveries set state = 'failed' where state = 'waiting' and taken_by is null`);
  });

  test('a status stands, whatever becomes of the body', async (context) => {
    const server = createServer((_request, response) => void response.writeHead(200).write('ok')).listen(
      0,
      '127.0.0.1',
    );
    context.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const list = await newList();
    const { port } = server.address() as AddressInfo;
    const { id } = await subscribe(list, 'winner', `http://127.0.0.1:${port}/`);
    await app('POST', `/leads/${await newLead(list)}/winner`);
    await settled();
    const [delivery] = await logOf(id);
    assert.deepEqual([delivery!.state, delivery!.log[0]!.status, delivery!.log[0]!.answer], ['delivered', 200, 'ok']);
  });

  test('a secret that cannot be read any more is said in a sentence, and others are served', async () => {
    const subscriber = await openSubscriber();
    const list = await newList();
    const lost = await subscribe(list, 'winner', `${subscriber.url}/lost`);
    await subscribe(list, 'winner', `${subscriber.url}/good`);
    await house.pool.query(`update webhooks set sealed = '\\x00' where id = $1`, [lost.id]);
    await app('POST', `/leads/${await newLead(list)}/winner`);
    await settled();
    assert.deepEqual(
      subscriber.received.map(({ path }) => path),
      ['/good'],
    );
    const [delivery] = await logOf(lost.id);
    assert.equal(delivery!.state, 'failed');
    assert.match(delivery!.log[0]!.error!, /sealed under a SECRET_KEY that is lost/);
  });

  test('an ended subscription gets nothing more, whatever was on its way', async () => {
    const subscriber = await openSubscriber(() => undefined);
    const list = await newList();
    const lead = await newLead(list);
    const { id } = await subscribe(list, 'winner', `${subscriber.url}/hangs`);
    for (let count = 0; count < 15; count += 1) await app('POST', `/leads/${lead}/winner`);
    await eventually('some are under way', () => subscriber.received.length > 0);
    assert.equal((await api('DELETE', `/webhook/${id}`)).status, 200);
    assert.ok((await logOf(id)).every(({ state }) => state === 'failed'));
  });

  test('the database itself refuses to tell of what came by the API', async () => {
    const list = await newList();
    const lead = await newLead(list);
    const { id } = await subscribe(list, 'winner', 'http://127.0.0.1:9/');
    await assert.rejects(
      house.pool.query(
        `insert into deliveries (account_id, webhook_id, event_id, resource)
         select account_id, $2, id, '/x' from events where lead_id = $1`,
        [lead, id],
      ),
      /came by the API/,
    );
  });
});

describe('the guard, where WEBHOOK_ALLOW is not set', () => {
  test('an owner who moves the account to localhost does not open it: it takes the operator’s address, too', async () => {
    const subscriber = await openSubscriber();
    const guarded = await openHouse({ RATE_LIMITS: 'off', BASE_URL: 'https://calls.example.com' });
    const owner = await guarded.signIn(OWNER.email, OWNER.password);
    assert.equal((await owner('PATCH', '/account', { account: { base_url: 'http://localhost' } })).status, 200);
    const key = guarded.withKey(guarded.key);
    const list = (await key('POST', '/lists', { list: { name: 'Told' } })).body.id as number;
    const targets = [
      `${subscriber.url}/here`,
      'http://localhost:9/',
      'https://93.184.215.14/',
      'http://168.63.129.16/',
    ];
    for (const target_url of targets)
      await key('POST', `/lists/${list}/webhook`, { webhook: { target_url, event: 'winner' } });

    // Told before a delivery fails …
    const listed = (await owner('GET', '/webhooks')).body as { target_url: string; refused?: string }[];
    const refused = listed.filter((one) => one.refused).map(({ target_url }) => target_url);
    assert.deepEqual(refused.toReversed(), [targets[0], targets[1], targets[3]]);
    const lines: string[] = [];
    const log = pino(
      { level: 'warn' },
      { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) },
    );
    await nameRefused(guarded.db, allowedBy({ baseUrl: 'https://calls.example.com' }), log);
    assert.equal(lines.length, 3);
    assert.match(lines[0]!, /^Subscription \d+ of Acme: 127\.0\.0\.1 is not an address that may be reached from here/);

    // … and then it does.
    const lead = (await key('POST', `/lists/${list}/leads`, { lead: {} })).body.id as number;
    await key('DELETE', `/webhook/${(listed[1] as unknown as { id: number }).id}`);
    await owner('POST', `/leads/${lead}/winner`);
    await eventually('all are refused', async () => {
      const { body } = await owner('GET', '/deliveries?state=failed');
      return body.length === 3;
    });
    assert.deepEqual(subscriber.received, []);
  });

  test('both addresses nearby: this machine may be told', () => {
    const nearby = (baseUrl: string, account: string) => allowedBy({ baseUrl })(account).nearby;
    assert.equal(nearby('http://localhost:3000', 'http://192.168.1.5'), true);
    assert.equal(nearby('http://localhost:3000', 'https://calls.example.com'), false);
    assert.equal(nearby('https://calls.example.com', 'http://localhost:3000'), false);
  });
});
