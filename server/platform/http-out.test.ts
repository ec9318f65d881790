import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openSubscriber } from '../../test/subscriber.ts';
import { createPostOut, isAllowed, isNearby, RefusedTarget, type Allowed } from './http-out.ts';

const PUBLIC: Allowed = { exceptions: undefined, nearby: false };
const NEARBY: Allowed = { exceptions: undefined, nearby: true };

/** Ways to write an address that should not be reached from here. */
const HOSTILE = `
  127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 017700000001 0177.0.0.1
  127.255.255.254 127。0。0。1 0.0.0.0 0 00000000 255.255.255.255 224.0.0.1 240.0.0.1
  192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 10.0.0.1 10.1 167772161 172.16.0.1
  172.31.255.255 192.168.0.1 192.168.1 3232235521 100.64.0.1 0xc0a80001 169.254.169.254 2852039166
  0xa9fea9fe 0251.0376.0251.0376 [fe80::1] [fe80::a9fe:a9fe] [::ffff:169.254.169.254] [::1] [::] [::ffff:127.0.0.1]
  [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] [::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::10.0.0.1] [fc00::1] [fd00::1] [ff02::1]
  [2001:db8::1] [2002:7f00:1::] [2001:0:7f00:1::] [::ffff:10.0.0.1] [::ffff:192.168.0.1] localhost LOCALHOST localhost.
  foo.localhost example.com@127.0.0.1 user:password@127.0.0.1 127.0.0.1:22 [::1]:5432 127.0.0.1:3000
`
  .trim()
  .split(/\s+/);

describe('requests to addresses that others chose', () => {
  test('60 ways to write what is not public: none is reached from a public service', async (context) => {
    assert.ok(HOSTILE.length >= 60, String(HOSTILE.length));
    const { post, close } = createPostOut();
    context.after(close);
    for (const host of HOSTILE) {
      const url = `http://${host}/`;
      if (!URL.canParse(url)) continue;
      const refused = post({ url, body: '{}', headers: {} }, PUBLIC);
      await assert.rejects(
        refused,
        (error: Error & { code?: string }) =>
          error instanceof RefusedTarget || error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN',
        host,
      );
    }
  });

  test('link-local addresses are refused even nearby', () => {
    for (const address of [
      '169.254.169.254',
      '169.254.170.2',
      '168.63.129.16',
      '100.100.100.200',
      '192.0.0.192',
      'fd00:ec2::254',
      'fd20:ce::254',
      'fe80::1',
      '::ffff:169.254.169.254',
      '0.0.0.0',
      '64:ff9b::a9fe:a9fe',
      'x',
      '',
    ])
      assert.equal(isAllowed(address, address, NEARBY), false, address);
    for (const address of ['127.0.0.1', '::1', '10.0.0.1', '192.168.1.1', 'fd00::1']) {
      assert.equal(isAllowed(address, address, NEARBY), true, address);
      assert.equal(isAllowed(address, address, PUBLIC), false, address);
    }
    for (const address of ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'])
      assert.equal(isAllowed(address, address, PUBLIC), true);
  });

  test('exceptions open networks, addresses and names, and nothing beside them', () => {
    const allowed = { exceptions: ['10.1.0.0/16', 'fd00::/8', '192.168.7.7', 'hooks.internal'], nearby: true };
    for (const [address, host, expected] of [
      ['10.1.2.3', 'x', true],
      ['10.2.2.3', 'x', false],
      ['fd12::1', 'x', true],
      ['192.168.7.7', 'x', true],
      ['192.168.7.8', 'x', false],
      ['192.168.7.8', 'Hooks.Internal', true],
      ['127.0.0.1', 'localhost', false],
      ['169.254.169.254', 'hooks.internal', false],
    ] as const)
      assert.equal(isAllowed(address, host, allowed), expected, `${address} ${host}`);
  });

  test('a service is nearby by its own address', () => {
    for (const host of ['localhost', 'a.localhost', '127.0.0.1', '[::1]', '192.168.0.10'])
      assert.equal(isNearby(host), true, host);
    for (const host of ['calls.example.com', '93.184.215.14', 'localhost.example.com'])
      assert.equal(isNearby(host), false, host);
  });

  test('redirects are not followed, and a gigabyte is cut off', async (context) => {
    const { post, close } = createPostOut();
    context.after(close);
    const subscriber = await openSubscriber(() => 302);
    assert.deepEqual(await post({ url: `${subscriber.url}/a`, body: '{}', headers: {} }, NEARBY), {
      status: 302,
      text: 'heard',
    });
    const { createServer } = await import('node:http');
    const server = createServer((_request, response) => {
      const piece = Buffer.alloc(64 * 1024, 'x');
      const pour = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', pour);
      pour();
    }).listen(0, '127.0.0.1');
    context.after(() => {
      server.closeAllConnections();
      server.close();
    });
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const { text } = await post({ url: `http://127.0.0.1:${port}/`, body: '{}', headers: {} }, NEARBY);
    assert.equal(text.length, 64 * 1024);
  });
});
