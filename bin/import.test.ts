import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from 'pg';
import type { ImportCounts, Match } from '../contract/imports.ts';
import { prepareHome } from '../db/embedded/home.ts';
import { databaseUrl } from '../db/embedded/server.ts';
import { send } from '../test/house.ts';
import { createBareDatabase } from '../test/database.ts';
import { makeFolder, makeInstallation, runLeadline, startLeadline } from '../test/leadline.ts';
import { matchColumns, readImportArgs } from './import-args.ts';
import { sayWhat } from './import.ts';

const fields = [
  { key: 'first_name', label: 'First name' },
  { key: 'mobile_phone', label: 'Mobile phone' },
  { key: 'state', label: 'State of the ship' },
];

test('columns that are named are matched as it is said, the others as they look', () => {
  const columns = ['Vorname', 'Nachname', 'Tel', 'Stand', 'Notiz'];
  const guessed: Match[] = [
    { columns: [0], field: 'first_name' },
    { columns: [2], field: 'mobile_phone' },
    { columns: [4], part: 'comment' },
  ];
  const maps = ['vorname=First name', 'Nachname=first_name', '4=+Standing:text', 'Notiz='];
  assert.deepEqual(matchColumns(maps, columns, fields, guessed), [
    { columns: [0, 1], field: 'first_name' },
    { columns: [2], field: 'mobile_phone' },
    { columns: [3], new_field: { label: 'Standing', kind: 'text' } },
  ]);
  // A field of that name goes before what else of a lead is called so.
  assert.deepEqual(matchColumns(['Stand=state'], columns, fields, []), [{ columns: [3], field: 'state' }]);
  assert.deepEqual(matchColumns(['Stand=claimed by'], columns, fields, []), [{ columns: [3], part: 'claimed_by' }]);
  assert.throws(() => matchColumns(['Nobody=First name'], columns, fields, []), /has no column Nobody. It has Vorname/);
  assert.throws(() => matchColumns(['Tel=Fax'], columns, fields, []), /has no field Fax. It has First name.*\+Fax/);
  assert.throws(() => matchColumns(['Tel'], columns, fields, []), /--map takes "Header=field"/);
});

test('what is asked for wrongly is told before anything is opened', () => {
  const args =
    (...given: string[]) =>
    () =>
      readImportArgs(given);
  assert.throws(args('a.csv'), /--list or --new-list/);
  assert.throws(args('--list', 'A'), /Name one file/);
  assert.throws(args('a.csv', '--list', 'A', '--duplicates', 'perhaps'), /--duplicates takes one of skip, fill/);
  assert.throws(args('a.csv', '--list', 'A', '--colour', 'red'), /--colour/);
  for (const sheet of ['first', '0', '1.5'])
    assert.throws(
      args('a.xlsx', '--list', 'A', '--sheet', sheet),
      /--sheet takes the number of a sheet, counted from 1/,
    );
  // Whoever wanted to see first what an undo would do is not taken at the other word.
  for (const beside of [['--dry-run'], ['--list', 'A'], ['a.csv']])
    assert.throws(args('--undo', '3', ...beside), /--undo goes with --as and --base-url alone. Nothing was undone/);
  assert.deepEqual(readImportArgs(['--undo', '3', '--as', 'ann@example.com', '--yes']).undo, 3);
  const { how, within } = readImportArgs(['a.csv', '--list', 'A', '--delimiter', 'tab', '--no-header', '--sheet', '2']);
  assert.deepEqual([how, within], [{ delimiter: '\t', header: false, sheet: 1 }, 'list']);
});

test('what will happen is told in numbers that add up', () => {
  const counts: ImportCounts = {
    fresh: 10,
    here: 3,
    elsewhere: 4,
    elsewhere_twice: 1,
    twice: 2,
    faulty: 1,
    reasons: [{ reason: 'Mobile phone is required', number: 1 }],
  };
  const [all, reason, list] = sayWhat(counts, { duplicates: 'skip', within: 'list' });
  assert.match(all!, /^20 rows: 10 new, 3 already in the list, 4 in other lists, 2 twice in the file, 1 faulty/);
  assert.match(reason!, /1 × Mobile phone is required/);
  assert.match(list!, /^13 leads will be made; of duplicates \(in the list\) 6 rows are left out/);
  assert.match(sayWhat(counts, { duplicates: 'fill', within: 'account' })[2]!, /^10 leads .* 9 rows are fill/);
  assert.match(sayWhat(counts, { duplicates: 'add', within: 'account' })[2]!, /^19 leads/);
});

const owner = { OWNER_EMAIL: 'owner@example.com', OWNER_PASSWORD: 'a whole sentence of mine' };

test('a file comes in beside the running service, faulty rows come back as a file, and it is undone', async () => {
  const env = { DATA_DIR: makeInstallation(), ...owner };
  const leadline = await startLeadline({ env });
  const key = (await runLeadline(['key'], { env })).output.trim();
  const api = (method: string, path: string, body?: unknown) =>
    send(`${leadline.address}/api/v2${path}`, method, body, { authorization: `Token "${key}"` });
  const columns_attributes = [
    { label: 'Name', required: true },
    { label: 'Mobile phone', kind: 'phone' },
  ];
  const list = (await api('POST', '/lists', { list: { name: 'Harbour', columns_attributes } })).body.id;
  const file = join(makeFolder(), 'leads.csv');
  writeFileSync(file, 'Who;Tel\nAnn;+4520000001\nBo;+4520000002\n;+4520000003\nCy;+4520000001\n');
  const maps = ['--map', 'Who=Name', '--map', 'Tel=mobile_phone'];

  const dry = await runLeadline(['import', file, '--list', 'harbour', ...maps, '--dry-run'], { env });
  assert.equal(dry.code, 2, dry.output);
  assert.match(dry.output, /4 rows: 2 new, .* 1 twice in the file, 1 faulty/);
  assert.match(dry.output, /Nothing was imported/);
  assert.equal((await api('GET', `/lists/${list}/leads`)).body.length, 0);

  const { code, output } = await runLeadline(['import', file, '--list', String(list), ...maps, '--yes'], { env });
  assert.equal(code, 2, output);
  const [, id] =
    /Import (\d+) of leads\.csv into Harbour of .+ at http:\S+: 2 leads made, 0 changed, 1 left out, 1 row faulty/.exec(
      output,
    )!;
  const leads = (await api('GET', `/lists/${list}/leads`)).body;
  assert.deepEqual(leads.map(({ primary_identifier: name }: any) => name).toSorted(), ['Ann', 'Bo']);
  const faulty = readFileSync(`${file}.faulty.csv`, 'utf8').trim().split(/\r?\n/);
  assert.deepEqual(faulty.length, 2);
  assert.match(faulty[0]!, /^Who[,;]Tel[,;]Reason$/);
  assert.match(faulty[1]!, /\+4520000003.*Name is required/);

  const undone = await runLeadline(['import', '--undo', id!], { env });
  assert.equal(undone.code, 0, undone.output);
  assert.match(undone.output, /2 leads removed, 0 put back, 0 kept/);
  assert.equal((await api('GET', `/lists/${list}/leads`)).body.length, 0);

  // Its list goes in the moment it begins to run.
  const db = new Client({
    connectionString: databaseUrl(prepareHome({ path: env.DATA_DIR, explicit: true }, () => {})),
  });
  await db.connect();
  await db.query(`create function delete_list() returns trigger language plpgsql as
    'begin update lists set deleted_at = now() where id = new.list_id; return new; end'`);
  await db.query(`create trigger delete_list before update on imports for each row
    when (old.state = 'checked' and new.state = 'running') execute function delete_list()`);
  await db.end();
  const stopped = await runLeadline(['import', file, '--new-list', 'Gone', '--yes'], { env });
  assert.equal(stopped.code, 3, stopped.output);
  assert.match(stopped.output, / 0 leads made/);
  assert.match(stopped.output, /The list was deleted before all rows were in\./);
  writeFileSync(file, '%PDF-1.7');
  const refused = await runLeadline(['import', file, '--list', 'Harbour'], { env });
  assert.equal(refused.code, 1);
  assert.match(refused.output, /^This is a PDF\./m);
  const none = await runLeadline(['import', file, '--list', 'Nowhere'], { env });
  assert.equal(none.code, 1);
  assert.match(none.output, /No list is called Nowhere\. There are:\n +\d+ +Harbour/);
  await leadline.stop();
});

test('where no service runs, the command does all of it itself', async () => {
  const env = { DATA_DIR: makeInstallation(), ...owner };
  // It makes the owner.
  await (await startLeadline({ env })).stop();
  const file = join(makeFolder(), 'leads.csv');
  writeFileSync(file, 'Company,Phone\nAcme,+4520000001\nBolt,+4520000002\n');
  const { code, output } = await runLeadline(['import', file, '--new-list', 'Made here', '--yes'], { env });
  assert.equal(code, 0, output);
  assert.match(output, /into Made here of .+ at http:\S+: 2 leads made/);
  assert.equal(existsSync(`${file}.faulty.csv`), false);
});

test('of several accounts the first is meant, or the one that is named, and it is told before and after', async () => {
  const DATABASE_URL = await createBareDatabase();
  const env = { DATABASE_URL, SECRET_KEY: 'x'.repeat(32), DATA_DIR: makeFolder() };
  await runLeadline(['migrate'], { env });
  const db = new Client({ connectionString: DATABASE_URL });
  await db.connect();
  for (const host of ['none', 'one', 'two']) {
    await db.query(
      `insert into accounts (name, base_url, host) values ('Acme', 'http://${host}.example.com', '${host}.example.com')`,
    );
  }
  const enrol = (host: string, email: string) =>
    db.query(
      `insert into users (account_id, email, email_folded, owner, accepted_at)
       select id, $2, $2, true, now() from accounts where host = $1`,
      [`${host}.example.com`, email],
    );
  for (const host of ['one', 'two']) await enrol(host, 'ann@example.com');
  await enrol('two', 'bo@example.com');
  const file = join(makeFolder(), 'leads.csv');
  writeFileSync(file, 'Company,Phone\nAcme,+4520000001\nBolt,+4520000002\n');
  const run = (...args: string[]) => runLeadline(['import', ...args], { env });
  const leads = async () => {
    const { rows } = await db.query<{ host: string; leads: number }>(
      `select split_part(host, '.', 1) as host, (select count(*)::int from leads where account_id = a.id) as leads
         from accounts a order by id`,
    );
    return Object.fromEntries(rows.map((row) => [row.host, row.leads]));
  };
  const ann = ['--as', 'ann@example.com'];
  const at = (host: string) => ['--base-url', `http://${host}.example.com`];

  // The first account is the one that `key` and `export` mean, though another has the first owner.
  const ownerless = await run(file, '--new-list', 'Depots');
  assert.equal(ownerless.code, 1);
  assert.match(ownerless.output, /^Acme at http:\/\/none\.example\.com has no owner yet/);
  for (const host of ['one', 'two']) {
    const made = await run(file, '--new-list', 'Depots', ...at(host));
    assert.equal(made.code, 0, made.output);
    assert.match(
      made.output,
      new RegExp(`^Into Depots of Acme at http://${host}\\.example\\.com, in the name of ann@example\\.com\\.$`, 'm'),
    );
    assert.match(made.output, new RegExp(` into Depots of Acme at http://${host}\\.example\\.com: 2 leads made`));
  }
  const add = [file, '--list', 'Depots', '--duplicates', 'add'];
  const several =
    /^ann@example\.com is in several accounts\. Say which, with --base-url:\n.*http:\/\/one\..*\n.*http:\/\/two\./;
  for (const refused of [
    await run(...add, ...ann),
    await run('--undo', '1', ...ann),
    await runLeadline(['export', '--all', ...ann], { env }),
  ]) {
    assert.equal(refused.code, 1);
    assert.match(refused.output, several);
  }
  assert.match((await run(...add, '--base-url', 'two')).output, /^--base-url is no address such as/);
  assert.match((await run(...add, ...at('three'))).output, /^No account answers at http:\/\/three\.example\.com\./);
  const elsewhere = await run(...add, '--as', 'bo@example.com', ...at('one'));
  assert.match(elsewhere.output, /^Nobody there is bo@example\.com\.\n +bo@example\.com +http:\/\/two\./);
  assert.deepEqual(await leads(), { none: 0, one: 2, two: 2 });

  const second = await run(...add, ...ann, ...at('two'));
  assert.equal(second.code, 0, second.output);
  assert.deepEqual(await leads(), { none: 0, one: 2, two: 4 });
  // Who is in one account alone names it.
  assert.equal((await run(...add, '--as', 'bo@example.com')).code, 0);
  assert.deepEqual(await leads(), { none: 0, one: 2, two: 6 });
  const [, id] = /^Import (\d+) /m.exec(second.output)!;
  const undone = await run('--undo', id!, ...at('two'));
  assert.equal(undone.code, 0, undone.output);
  assert.match(undone.output, /^Import \d+ of Acme at http:\/\/two\.example\.com is undone: 2 leads removed/m);
  assert.deepEqual(await leads(), { none: 0, one: 2, two: 4 });
  await db.end();
});
