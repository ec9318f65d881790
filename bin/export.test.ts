import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Refusal } from '../db/refusal.ts';
import { openHouse } from '../test/house.ts';
import { makeFolder, makeInstallation, runLeadline } from '../test/leadline.ts';
import { readWorkbook } from '../test/workbook.ts';
import { exportLeads } from './export.ts';

const house = await openHouse();
const api = house.withKey(house.key);
const said: string[] = [];
const run = (...args: string[]) => exportLeads(args, house, (sentence) => said.push(sentence));

test('leads are exported from a shell, by list and filter, as CSV and as a workbook', async () => {
  const { id: list } = (await api('POST', '/lists', { list: { name: 'Spring campaign' } })).body;
  const add = async (first_name: string) =>
    (await api('POST', `/lists/${list}/leads`, { lead: { first_name } })).body.id as number;
  const [archived] = [await add('Ann'), await add('Bo')];
  await api('POST', `/leads/${archived}/archive`, { lead: {} });
  const folder = makeFolder();
  const csv = join(folder, 'leads.csv');
  await run('--list', 'Spring campaign', '--filter', 'state:is:new', '--out', csv);
  assert.deepEqual(said, [`1 lead exported to ${csv}.`]);
  assert.match(readFileSync(csv, 'utf8'), /^Lead id,List,.*\r\n\d+,Spring campaign,.*Bo.*\r\n$/);
  const xlsx = join(folder, 'leads.xlsx');
  await run('--list', String(list), '--as', 'OWNER@example.com', '--out', xlsx);
  assert.equal(readWorkbook(readFileSync(xlsx)).get('Leads')!.length, 3);
  assert.deepEqual(readdirSync(folder).toSorted(), ['leads.csv', 'leads.xlsx']);
  const { rows } = await house.pool.query(
    `select actor, subject from audit_log where action = 'leads.exported' order by id`,
  );
  assert.deepEqual(rows, [
    { actor: 'command line', subject: '1 lead' },
    { actor: 'owner@example.com', subject: '2 leads' },
  ]);
});

test('what is wrong is said in a sentence', async () => {
  await house.join({ email: 'agent@example.com' });
  const refused = (sentence: RegExp, ...args: string[]) => assert.rejects(run(...args), sentence);
  await refused(/Say which leads/);
  await refused(/There is no list Autumn/, '--list', 'Autumn');
  await refused(/Nobody here is/, '--all', '--as', 'nobody@example.com');
  await refused(/agent@example.com may not export leads/, '--all', '--as', 'agent@example.com');
  await refused(/is nothing a filter knows/, '--all', '--filter', 'colour:is:red');
  await refused(/--format is one of csv, xlsx/, '--all', '--format', 'pdf');
  await assert.rejects(run('--all', '--dance'), Refusal);
  const { code, output } = await runLeadline(['export', '--all'], { env: { DATA_DIR: makeInstallation() } });
  assert.deepEqual([code, output.trim()], [1, 'There is no account yet.']);
});
