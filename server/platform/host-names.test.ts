import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { describe, mock, test, type TestContext } from 'node:test';
import { eventually } from '../../test/leadline.ts';
import { openSubscriber } from '../../test/subscriber.ts';
import { createHostNames } from './host-names.ts';
import { createPostOut } from './http-out.ts';

const LOCAL = { local: true };
const PUBLIC = { local: false };

/** A name server that knows some names, says of others that there are none, and of those under `silent.test` nothing at all. */
async function openNameServer(context: TestContext, known: Record<string, string>) {
  const socket = createSocket('udp4');
  const heard: string[] = [];
  socket.on('message', (asked, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = asked[at]!; length > 0; length = asked[at]!) {
      labels.push(asked.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    const name = labels.join('.');
    const isIPv4 = asked.readUInt16BE(at + 1) === 1;
    heard.push(`${name} ${isIPv4 ? 'IPv4' : 'IPv6'}`);
    if (name.endsWith('silent.test') && !known[name]) return;
    const found = isIPv4 ? known[name] : undefined;
    const answer = Buffer.concat([
      asked.subarray(0, at + 5),
      found ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...found.split('.').map(Number)]) : Buffer.alloc(0),
    ]);
    answer.writeUInt16BE(found || known[name] ? 0x8180 : 0x8183, 2);
    answer.writeUInt16BE(found ? 1 : 0, 6);
    answer.fill(0, 8, 12);
    socket.send(answer, port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  context.after(() => socket.close());
  const server = `127.0.0.1:${socket.address().port}`;
  return { heard, socket, server, names: createHostNames({ servers: [server] }) };
}

describe('where names that others chose lead', () => {
  test('a hundred names that nobody answers for hold up no other name, nor those of our own', async (context) => {
    const { names } = await openNameServer(context, { 'hooks.test': '192.0.2.7' });
    let round = 0;
    await eventually('one is answered while all others still wait', async () => {
      round += 1;
      const silent = Array.from({ length: 100 }, (_, index) => names(`${index}.${round}.silent.test`, LOCAL));
      let ended = 0;
      const all = Promise.allSettled(silent.map((one) => one.finally(() => (ended += 1))));
      const found = await names('hooks.test', PUBLIC).catch(() => undefined);
      assert.ok((await lookup('localhost')).address);
      const isFirst = found?.[0] === '192.0.2.7' && ended === 0;
      const answers = await all;
      assert.ok(answers.every((answer) => answer.status === 'rejected' && answer.reason.code === 'ETIMEOUT'));
      return isFirst;
    });
  });

  test('name servers that keep silent have three seconds together, however many they are', async (context) => {
    const nobody = await Promise.all([1, 2, 3].map(() => openNameServer(context, {})));
    mock.timers.enable({ apis: ['setTimeout'] });
    context.after(() => mock.timers.reset());
    const names = createHostNames({ servers: nobody.map(({ server }) => server) });
    const ended = assert.rejects(names('silent.test', LOCAL), {
      code: 'ETIMEOUT',
      message: 'No name server answered for silent.test.',
    });
    await Promise.race(nobody.map(({ socket }) => once(socket, 'message')));
    mock.timers.tick(3_000);
    await ended;
  });

  test('a name server that answers is heard behind two that keep silent', async (context) => {
    const nobody = await Promise.all([1, 2].map(() => openNameServer(context, {})));
    const knows = await openNameServer(context, { 'known.silent.test': '192.0.2.7' });
    const names = createHostNames({ servers: [...nobody, knows].map(({ server }) => server) });
    // On a busy machine the three seconds may be over before it had its turn.
    const found = await eventually('it is heard', () => names('known.silent.test', PUBLIC).catch(() => undefined));
    assert.deepEqual(found, ['192.0.2.7']);
  });

  test('the machine’s own list goes first, in any case, and an address is itself', async (context) => {
    const { names, heard } = await openNameServer(context, {});
    assert.deepEqual(await names('LocalHost', PUBLIC), ['127.0.0.1', '::1']);
    assert.deepEqual(await names('some.localhost', PUBLIC), ['127.0.0.1', '::1']);
    assert.deepEqual(await names('192.0.2.1', PUBLIC), ['192.0.2.1']);
    assert.deepEqual(heard, []);
  });

  test('what no name server knows is unknown; those who ask at once ask once', async (context) => {
    const { names, heard } = await openNameServer(context, {});
    await assert.rejects(Promise.all([names('nobody.test', PUBLIC), names('nobody.test', PUBLIC)]), {
      code: 'ENOTFOUND',
    });
    // One that took long is asked for again, by the same question.
    assert.deepEqual(new Set(heard), new Set(['nobody.test IPv4', 'nobody.test IPv6']));
  });

  test('a delivery goes where the name leads, under its own name', async (context) => {
    const subscriber = await openSubscriber(() => 200);
    const { port } = new URL(subscriber.url);
    const { names } = await openNameServer(context, { 'hooks.test': '127.0.0.1' });
    const { post, close } = createPostOut(names);
    context.after(close);
    const sent = { url: `http://hooks.test:${port}/a`, body: '{}', headers: {} };
    assert.equal((await post(sent, { exceptions: undefined, nearby: true })).status, 200);
    await assert.rejects(
      post(sent, { exceptions: undefined, nearby: false }),
      /hooks\.test is not an address that may be reached/,
    );
  });
});
