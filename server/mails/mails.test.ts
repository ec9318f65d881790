import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { createTestDatabase } from '../../test/database.ts';
import { openHouse, OWNER, send } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { createLog } from '../platform/log.ts';
import { askForReset } from '../people/users/resets.ts';
import { giveMailTurns, postMail, pullMails } from './mails.ts';

const received: { to: string[]; text: string }[] = [];
let isBusy = true;
/** Of addresses that the server has not made up its mind about. */
const held: (() => void)[] = [];
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onRcptTo({ address }, _session, done) {
    if (address.startsWith('hang')) held.push(() => done());
    else done();
  },
  onData(stream, session, done) {
    let text = '';
    stream.on('data', (data) => (text += String(data)));
    stream.on('end', () => {
      if (isBusy) return done(new Error('busy'));
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
  isBusy = false;
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

test('a link that is on its way by mail is its reader’s alone; one that fails may be handed over', async () => {
  const owner = await house.signIn(OWNER.email, OWNER.password);
  assert.equal((await owner('GET', '/me')).body.account.sends_mail, true);
  const { body: user } = await house.invite({ email: 'hang-a@example.com' });
  const show = () => owner('POST', `/users/${user.id}/invitation/link`);
  const early = await show();
  assert.deepEqual([early.status, early.body.code], [409, 'on_its_way']);
  await eventually('held', () => held.length > 0);
  await house.pool.query(`update mails set last_error = 'busy' where recipient = 'hang-a@example.com'`);
  assert.match((await show()).body.link, /^http:\/\/acme\.example\.com\/accept\?token=/);
  for (const go of held.splice(0)) go();
  await eventually('sent', async () => (await show()).body.code === 'no_link');
});

test('a name or address cannot put headers into a mail', async () => {
  const { status } = await house.invite({ email: 'eve@example.com\r\nBcc: all@example.com' });
  assert.equal(status, 422);
});

const reached = (address: string) => received.findIndex(({ to }) => to[0] === address);

test('two hundred who forgot their password hold up nobody of another account', async () => {
  const other = await house.addAccount('Other', 'http://other.example.com');
  const adding = `
    insert into users (account_id, email, email_folded, accepted_at)
    select $1, email, email, now() from unnest($2::text[]) email`;
  const many = Array.from({ length: 200 }, (_, index) => `many${index}@example.com`);
  await house.pool.query(adding, [house.account.id, many]);
  await house.pool.query(adding, [other.account.id, ['bo@other.example.com']]);
  await house.transact(async (work) => {
    for (const email of many) await askForReset(work, house.account, email);
    // Asked for in the same moment, or most of the others would be through before on a slow machine.
    await askForReset(work, other.account, 'bo@other.example.com');
  });
  await eventually('the other has theirs', () => reached('bo@other.example.com') >= 0);
  const before = reached('bo@other.example.com');
  // The others are not waited for.
  await house.pool.query('delete from reset_requests');
  await house.pool.query('delete from mails where sent_at is null');
  assert.ok(before < 100, `${before} came before`);
});

test('an address at which the mail server hangs holds up no other, and is reached once it answers', async () => {
  const post = (recipient: string) =>
    house.transact((work) =>
      postMail(work, house.account.id, { recipient, subject: 'Hello', text: 'Hello', hours: 1 }),
    );
  for (const name of ['hang1', 'hang1', 'hang2']) await post(`${name}@example.com`);
  await eventually('two hang: one at each address', () => held.length === 2);
  await post('quick@example.com');
  await eventually('the quick one is there', () => reached('quick@example.com') >= 0);
  assert.equal(reached('hang1@example.com'), -1);
  for (const go of held.splice(0)) go();
  await eventually('the second to the same address', () => held.length === 1);
  held.pop()!();
  await eventually('they are there', () => received.filter(({ to }) => to[0]!.startsWith('hang')).length === 3);
});

test('a stop gives back what the mail server has not taken, and a clock that was set back holds up no mail', async () => {
  const { pool, db } = await createTestDatabase();
  await pool.query(`insert into accounts (name, base_url, host) values ('Acme', 'http://localhost', 'localhost')`);
  await pool.query(
    `insert into mails (account_id, recipient, subject, sealed, due_at)
     select a.id, 'hang@example.com', '', $1, now() + interval '1 hour' from accounts a`,
    [house.secrets.seal('Hello')],
  );
  await pullMails(db);
  const mail = { smtpUrl: `smtp://127.0.0.1:${port}`, from: 'calls@example.com' };
  const turns = giveMailTurns({ db, secrets: house.secrets, mail, log: createLog('silent') })!;
  await eventually('it hangs', () => held.length === 1);
  await turns.stop();
  const { rows } = await pool.query('select due_at <= now() as due, attempts from mails');
  assert.deepEqual(rows, [{ due: true, attempts: 0 }]);
  held.pop()!();
});

test('a mail that has left leaves no second time because the database could not take note of it', async () => {
  const { pool, db } = await createTestDatabase();
  await pool.query(`insert into accounts (name, base_url, host) values ('Acme', 'http://localhost', 'localhost')`);
  await pool.query(
    `insert into mails (account_id, recipient, subject, sealed) select id, 'once@example.com', '', $1 from accounts`,
    [house.secrets.seal('Hello')],
  );
  await pool.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
     create trigger refuse before update of sent_at on mails for each row execute function refuse()`,
  );
  const mail = { smtpUrl: `smtp://127.0.0.1:${port}`, from: 'Calls <calls@example.com>' };
  const turns = giveMailTurns({ db, secrets: house.secrets, mail, log: createLog('silent') })!;
  const arrived = () => received.filter(({ to }) => to[0] === 'once@example.com');
  await eventually('it arrives', () => arrived().length === 1);
  assert.match(arrived()[0]!.text, /^Message-ID: <[0-9a-f]{32}@example\.com>/m);
  await pool.query('drop trigger refuse on mails');
  await pool.query('update mails set due_at = now()');
  await eventually('it is noted', async () => {
    const { rows } = await pool.query('select from mails where sent_at is not null');
    return rows.length === 1;
  });
  await turns.stop();
  assert.equal(arrived().length, 1);
});

test('a reset is not asked for without end: ten links that work are enough, and so are two thousand mails of an hour that wait', async () => {
  await house.pool.query(
    `insert into mailed_tokens (account_id, hash, purpose, user_id, email_folded, expires_at)
     select u.account_id, sha256(n::text::bytea), 'reset', u.id, u.email_folded, now() + interval '1 hour'
       from users u, generate_series(1, 9) n where email = 'many1@example.com'`,
  );
  const links = async () => {
    await house.transact((work) => askForReset(work, house.account, 'many1@example.com'));
    return eventually('it was looked at', async () => {
      const { rows } = await house.pool.query(
        `select (select count(*) from reset_requests) as waiting, count(*) as links
           from mailed_tokens t join users u on u.account_id = t.account_id and u.id = t.user_id where u.email = 'many1@example.com'`,
      );
      return rows[0].waiting === 0 && rows[0].links;
    });
  };
  assert.equal(await links(), 10);
  const fill = (age: string) =>
    house.pool.query(
      `insert into mails (account_id, recipient, subject, sealed, created_at, due_at)
       select $1, 'x@example.com', '', '', now() - $2::interval, now() + interval '1 hour' from generate_series(1, 2000)`,
      [house.account.id, age],
    );
  // What nobody sends any more takes nobody's place.
  await fill('2 hours');
  assert.equal((await house.invite({ email: 'early@example.com' })).status, 201);
  await fill('10 minutes');
  const { status, body } = await house.invite({ email: 'late@example.com' });
  assert.deepEqual([status, body.code], [409, 'outbox_full']);
});
