import assert from 'node:assert/strict';
import { copyFileSync, globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { Client } from 'pg';
import { createBareDatabase } from '../test/database.ts';
import { makeFolder } from '../test/leadline.ts';
import { migrate } from './migrate.ts';

/** The migrations up to one, as an installation has them that was not upgraded since. */
function upTo(number: string): string {
  const folder = makeFolder();
  for (const file of globSync(join(import.meta.dirname, 'migrations', '*.sql')))
    if (basename(file).slice(0, 4) <= number) copyFileSync(file, join(folder, basename(file)));
  return folder;
}

const BEFORE = `
  insert into accounts (name, base_url, host) values ('Acme', 'http://acme.example.com', 'acme.example.com');
  insert into lists (account_id, name) values (1, 'One'), (1, 'Two');
  insert into leads (account_id, id, list_id) overriding system value values (1, 3, 1), (1, 4, 2), (1, 6, 1);
  insert into lead_data (account_id, lead_id, list_id, created_at, marks)
  values (1, 3, 1, now(), '{phone 1}'), (1, 4, 2, now(), '{phone 1}'), (1, 6, 1, now(), '{}');
  insert into lead_marks (account_id, mark, lead_id) values (1, 'phone 1', 3), (1, 'phone 1', 4), (1, 'phone 1', 99);
  -- 1 into 2, then 2 into 3, whose events they became; 5 into 6, where a column called merged said something.
  insert into events (account_id, lead_id, list_id, kind, via, changes) values
    (1, 3, 1, 'merge', 'app', '{"merged": [1, null]}'), (1, 3, 1, 'merge', 'app', '{"merged": [2, null]}'),
    (1, 6, 1, 'merge', 'app', '{"merged": ["yes", ""]}'), (1, 6, 1, 'lead_updated', 'app', '{"merged": [4, ""]}');
  insert into calls (account_id, direction, state, recorded, recording_told_at) values
    (1, 'outbound', 'completed', true, now()), (1, 'outbound', 'completed', true, null),
    (1, 'outbound', 'active', true, null);
  insert into recordings (account_id, call_id, part, started_at, file) values (1, 2, '1', now(), 'waits.wav');
  insert into users (account_id, email, email_folded) values (1, 'ann@example.com', 'ann@example.com');
  insert into bulk_acts (account_id, kind, asked, lead_ids, position, unknown, refusals, refused, user_id, via, finished_at) values
    (1, 'delegate', '{"delegate_to": 1}', '{3,6}', 1, 0, 0, '[]', 1, 'app', null),
    (1, 'archive', '{}', '{3}', 1, 2, 2, '[{"lead_id": 8, "error": "Gone."}, {"lead_id": 9, "error": "Gone."}]', 1, 'app', now())`;

test('what was there before is as if it had been made by the rules of today', async () => {
  const url = await createBareDatabase();
  await migrate(url, upTo('0014'));
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(BEFORE);
    assert.ok((await migrate(url)).length > 0);
    const rows = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows;
    assert.deepEqual(
      await rows('select lead_id::int, survivor_id::int from merged_leads order by 1'),
      [
        [1, 3],
        [2, 3],
      ],
      'a merged lead leads to the last of its chain',
    );
    assert.deepEqual(
      await rows('select mark, lead_id::int, list_id::int from lead_marks order by 2'),
      [
        ['phone 1', 3, 1],
        ['phone 1', 4, 2],
      ],
      'marks know their list',
    );
    assert.deepEqual(
      await rows('select id::int, recording_told_to_list_at is not null from calls order by 1'),
      [
        [1, true],
        [2, false],
        [3, false],
      ],
      'recordings that were told count as told to their list',
    );
    assert.deepEqual(
      await rows('select says, asked, total::int, position::int, reasons from bulk_acts order by id'),
      [
        ['Delegated', { delegate_to: [1] }, 2, 1, {}],
        ['Archived', {}, 3, 1, { 'Gone.': 2 }],
      ],
      'acts on many leads are told as before',
    );
    assert.deepEqual(
      await rows('select act_id::int, place::int, lead_id::int from bulk_leads order by 1, 2'),
      [
        [1, 1, 6],
        [1, 2, 3],
      ],
      'and those that were not finished go on, from the last to the first',
    );
  } finally {
    await client.end();
  }
});
