import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBareDatabase } from '../test/database.ts';
import { checkExternal, refuseUnfit } from './open.ts';

const silent = () => {};

test('a PostgreSQL that is too old, or not in UTF8, is refused with a sentence', () => {
  assert.throws(
    () => refuseUnfit({ version: 160_004, encoding: 'UTF8' }, 'db/leadline'),
    /PostgreSQL 16 at db\/leadline.*17 or later/,
  );
  assert.throws(() => refuseUnfit({ version: 170_000, encoding: 'SQL_ASCII' }, 'db/leadline'), /encoded in SQL_ASCII/);
  refuseUnfit({ version: 170_000, encoding: 'UTF8' }, 'db/leadline');
});

test('a database that is not there is waited for, then refused without telling the password', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  const said: string[] = [];
  // The minute is over once it has said that it waits, however long that took.
  const say = (sentence: string) => {
    said.push(sentence);
    t.mock.timers.setTime(60_001);
  };
  await assert.rejects(
    checkExternal('postgresql://ann:geheim@127.0.0.1:1/leadline', say),
    (error: Error) =>
      /127\.0\.0\.1:1\/leadline cannot be used: connect ECONNREFUSED/.test(error.message) &&
      !error.message.includes('geheim'),
  );
  assert.deepEqual(said, ['The database at 127.0.0.1:1/leadline does not answer yet; trying for a minute.']);
});

test('a wrong password and a database that does not exist are refused at once', async () => {
  const right = await createBareDatabase();
  const wrong = new URL(right);
  wrong.password = 'wrong';
  await assert.rejects(checkExternal(wrong.href, silent), /password authentication failed/);
  const missing = new URL(right);
  missing.pathname = '/nowhere';
  await assert.rejects(checkExternal(missing.href, silent), /database "nowhere" does not exist/);
});
