import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pool } from 'pg';
import { asIs, createBareDatabase, createTestDatabase } from '../test/database.ts';
import { runLeadline } from '../test/leadline.ts';
import { createAccount } from './people/accounts/accounts.ts';
import { acceptSecretKey, isSecretKey, isUnsealed, openSecrets } from './canary.ts';
import { readKey } from './people/keys/keys.ts';
import { listMails } from './mails/mails.ts';
import { serviceActor } from './platform/actor.ts';
import { createDb, query } from './platform/db.ts';
import { Secrets } from './platform/secrets.ts';
import { createTransact } from './platform/work.ts';
import { consequences } from './consequences.ts';

const RIGHT = 'the same on every node, 32 characters';
const WRONG = 'something else on this one, 32 characters';
const REFUSED = /^(Refusal: )?SECRET_KEY is not the one under which this database keeps its secrets/;

/** A database from before there was the text, with an account key that was sealed under this secret. */
async function upgraded(secretKey: string) {
  const { db, pool } = await createTestDatabase();
  const transact = createTransact({ db, secrets: new Secrets(secretKey), consequences });
  const account = await transact((work) => createAccount(work, { name: 'Acme', baseUrl: 'http://acme.example.com' }));
  const isWritten = async () => (await pool.query('select from installation')).rowCount === 1;
  /** So many mails, sealed under another secret, as old as it says. */
  const add = async (count: number, other: string, age: string) => {
    for (let made = 0; made < count; made += 1) {
      await pool.query(
        `insert into mails (account_id, recipient, subject, sealed, created_at) values ($1, 'x', 'x', $2, now() - $3::interval)`,
        [account.id, new Secrets(other).seal('text'), age],
      );
    }
  };
  return { db, account, isWritten, add };
}

test('a process with another SECRET_KEY than the first does not start, whatever it is to do', async () => {
  const DATABASE_URL = await createBareDatabase();
  const run = (secret: string, ...args: string[]) =>
    runLeadline(args, { env: { DATABASE_URL, SECRET_KEY: secret, PORT: '0', LOG_LEVEL: 'silent' } });
  const first = await run(RIGHT, 'key');
  assert.equal(first.code, 0, first.output);
  for (const { code, output } of await Promise.all(['serve', 'work', 'key'].map((command) => run(WRONG, command)))) {
    assert.equal(code, 1);
    assert.match(output, REFUSED);
    assert.equal(output.trim().split('\n').length, 1);
  }
  assert.deepEqual(await run(RIGHT, 'key'), first);
});

test('on an upgraded database the wrong node is refused even if it comes first, and the right one still starts', async () => {
  const { db, isWritten } = await upgraded(RIGHT);
  await assert.rejects(openSecrets(db, WRONG), REFUSED);
  assert.equal(await isWritten(), false);
  await openSecrets(db, RIGHT);
  assert.equal(await isWritten(), true);
  await assert.rejects(openSecrets(db, WRONG), REFUSED);
});

test('whether a key is that of a database is known on any, and a new one will do only where nothing is sealed', async () => {
  const bare = new Pool({ connectionString: await createBareDatabase() });
  assert.equal(await isSecretKey(createDb(bare), WRONG), true);
  await bare.end();
  const { db } = await upgraded(RIGHT);
  for (const written of [false, true]) {
    assert.deepEqual([await isSecretKey(db, RIGHT), await isSecretKey(db, WRONG)], [true, false]);
    assert.equal(await isUnsealed(db), false);
    if (!written) await openSecrets(db, RIGHT);
  }
  assert.equal(await isUnsealed((await createTestDatabase()).db), true);
});

test('rows of a secret that was lost before do not keep the one in use from starting', async () => {
  const { db, add } = await upgraded(RIGHT);
  await add(120, 'a secret that was lost a year ago', '1 year');
  await add(99, RIGHT, '1 day');
  await add(30, WRONG, '1 minute');
  await assert.rejects(openSecrets(db, WRONG), REFUSED);
  await openSecrets(db, RIGHT);
});

test('ten that start together on an empty database agree; of two different secrets one wins', async () => {
  const { db, pool } = await createTestDatabase();
  await Promise.all(Array.from({ length: 10 }, () => openSecrets(db, RIGHT)));
  await pool.query('delete from installation');
  const both = await Promise.allSettled([openSecrets(db, RIGHT), openSecrets(db, WRONG)]);
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

test('where the former secret is lost, another is accepted, but not while a node is at work', async () => {
  const { db, account, add } = await upgraded(RIGHT);
  await add(1, RIGHT, '1 minute');
  await openSecrets(db, RIGHT);
  await query(db, asIs(`insert into nodes (role, host, pid, version) values ('serve', 'elsewhere', 1, '0.1.0')`), []);
  const never = () => assert.fail('no key is made before it is needed');
  await assert.rejects(acceptSecretKey(db, never), /at work \(process 1 on elsewhere\)\. Stop it first/);
  await query(db, asIs('delete from nodes'), []);
  await acceptSecretKey(db, () => WRONG);
  const secrets = await openSecrets(db, WRONG);
  await assert.rejects(openSecrets(db, RIGHT), REFUSED);
  // What it sealed is told to be unreadable, and is in nobody's way.
  const [mail] = await listMails({ db, secrets }, serviceActor(account, 'test'));
  assert.match(`${mail!.text}${mail!.last_error}`, /^This was sealed under a SECRET_KEY that is lost/);
  await assert.rejects(readKey({ db, secrets }, { accountId: account.id, userId: null }), /SECRET_KEY that is lost/);
});
