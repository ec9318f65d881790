import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openHouse, OWNER } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
const MEGABYTE = 1024 * 1024;
const asks = { per_page: ['must be smaller: the answer would have more than 16 MiB'] };

const list = (await ask('POST', '/lists', { list: { name: 'Large' } })).body.id as number;
const leads = await Promise.all(
  Array.from({ length: 17 }, async () => {
    const { body } = await ask('POST', `/lists/${list}/leads`, { lead: { title: 'Large', first_name: 'large' } });
    return body.id as number;
  }),
);
// As large as a lead can be.
await house.pool.query(`update lead_data set data = data || jsonb_build_object('website', repeat('x', $1))`, [
  MEGABYTE - 10_000,
]);

describe('an answer has at most 16 MiB', () => {
  test('pages of leads that would be larger are 422, which asks for a smaller one', async () => {
    for (const path of [
      `/lists/${list}/leads?`,
      `/lists/${list}/leads/find?title=Large&`,
      '/leads/search?query=large&',
    ]) {
      const { status, body } = await ask('GET', `${path}per_page=17`);
      assert.deepEqual([status, body.errors], [422, asks], path);
      assert.equal((await ask('GET', `${path}per_page=15`)).status, 200, path);
    }
  });

  test('so are those of what happened, of deliveries and of the audit log', async () => {
    const [lead] = leads;
    const large = `repeat('x', ${2 * MEGABYTE})`;
    await house.pool.query(
      `insert into events (account_id, lead_id, list_id, kind, via, comment, changes)
       select $1, $2, $3, 'comment', 'app', ${large}, jsonb_build_object('a', array['', ${large}]) from generate_series(1, 10)`,
      [house.account.id, lead, list],
    );
    await house.pool.query(
      `insert into audit_log (account_id, actor, address, action, subject, detail)
       select $1, 'x', '', 'account.changed', '', jsonb_build_object('a', ${large}) from generate_series(1, 10)`,
      [house.account.id],
    );
    const webhook = { event: 'winner', target_url: 'https://93.184.215.14/' };
    const { id } = (await ask('POST', `/lists/${list}/webhook`, { webhook })).body;
    await house.pool.query(
      `with made as (insert into deliveries (account_id, webhook_id, resource, state) select $1, $2, '/x', 'failed' from generate_series(1, 10) returning id)
       insert into delivery_attempts (account_id, delivery_id, attempt, at, ms, status, answer) select $1, id, 1, now(), 1, 500, ${large} from made`,
      [house.account.id, id],
    );
    for (const [path, few] of [
      [`/leads/${lead}/events`, 7],
      [`/leads/${lead}/activity`, 3],
      ['/deliveries', 7],
      ['/audit', 7],
    ] as const) {
      const { status, body } = await owner('GET', `${path}?per_page=1000`);
      assert.deepEqual([status, body.errors], [422, asks], path);
      const page = await owner('GET', `${path}?per_page=${few}`);
      assert.deepEqual([page.status, page.body.length], [200, few], path);
    }
  });
});

describe('what is asked for and not read', () => {
  test('of one account is 64 MiB at most; then it is told to read first, and others are served', async (context) => {
    const url = `/api/v2/lists/${list}/leads?per_page=15`;
    const sockets: Socket[] = [];
    const letGo = () => {
      for (const socket of sockets.splice(0)) socket.destroy();
    };
    context.after(letGo);
    const askWithoutReading = async () => {
      const socket = connect(Number(new URL(house.address).port), '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {});
      socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\nAuthorization: Token "${house.key}"\r\n\r\n`);
      await once(socket, 'data');
      socket.pause();
    };
    const again = () => ask('GET', url.slice('/api/v2'.length));
    // On a busy machine one of the four may be told to come back, or the first be cut off before the last is answered: all are asked again.
    const refused = await eventually('it is too much', async () => {
      letGo();
      await Promise.all(Array.from({ length: 4 }, askWithoutReading));
      const answer = await again();
      return answer.body.code === 'too_much_unread' && answer;
    });
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5']);
    assert.equal((await ask('GET', `/lists/${list}`)).status, 200);
    const other = await house.addAccount('Other', 'http://other.example.com');
    const { statusCode } = await house.app.inject({
      url: '/api/v2/lists',
      headers: { host: 'other.example.com', authorization: `Token "${other.key}"` },
    });
    assert.equal(statusCode, 200);
    letGo();
    await eventually('it is forgotten', async () => (await again()).status === 200);
  });

  test('by whoever has gone before it was written counts for nobody', async () => {
    for (let turn = 0; turn < 6; turn += 1) {
      const socket = connect(Number(new URL(house.address).port), '127.0.0.1');
      socket.write(
        `GET /api/v2/lists/${list}/leads?per_page=15 HTTP/1.1\r\nHost: x\r\nAuthorization: Token "${house.key}"\r\n\r\n`,
      );
      await once(socket, 'connect');
      await sleep(2 * turn);
      socket.destroy();
    }
    await eventually('one can ask again', async () => {
      return (await ask('GET', `/lists/${list}/leads?per_page=15`)).status === 200;
    });
  });
});
