import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { openHouse, OWNER, send } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';

const received: { to: string[]; text: string }[] = [];
let refusals = 1;
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, session, done) {
    let text = '';
    stream.on('data', (data) => (text += String(data)));
    stream.on('end', () => {
      if (refusals > 0) {
        refusals -= 1;
        return done(new Error('busy'));
      }
      received.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
      return done();
    });
  },
});
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
after(() => server.close(() => {}));
const { port } = server.server.address() as { port: number };

const house = await openHouse({
  RATE_LIMITS: 'off',
  SMTP_URL: `smtp://127.0.0.1:${port}`,
  MAIL_FROM: 'Calls <calls@example.com>',
});

test('an invitation reaches its address, also when the mail server is busy at first, and the outbox says so', async () => {
  await house.invite({ email: 'ann@example.com' });
  const owner = await house.signIn(OWNER.email, OWNER.password);
  const read = async () => (await owner('GET', '/outbox')).body[0];
  await eventually('a refusal', async () => (await read()).last_error !== null);
  assert.match((await read()).last_error, /busy/);
  await eventually('sent', async () => (await read()).sent_at !== null);
  assert.equal((await read()).last_error, null);
  assert.equal(received.length, 1);
  assert.deepEqual(received[0]!.to, ['ann@example.com']);
  assert.match(received[0]!.text, /^From: Calls <calls@example\.com>/m);
  // Quoted-printable folds long lines.
  const text = received[0]!.text.replaceAll(/=\r\n/g, '').replaceAll('=3D', '=');
  const [, token] = /http:\/\/acme\.example\.com\/accept\?token=([\w-]+)/.exec(text)!;
  const accepted = await send(
    `${house.address}/app/invitation`,
    'POST',
    { token, password: OWNER.password },
    { origin: house.address },
  );
  assert.equal(accepted.status, 201);
  // A mail that has left is its reader's alone.
  assert.equal((await read()).text, '');
});

test('a name or address cannot put headers into a mail', async () => {
  const { status } = await house.invite({ email: 'eve@example.com\r\nBcc: all@example.com' });
  assert.equal(status, 422);
});
