import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { CHUNK_BYTES, type Import } from '../../contract/imports.ts';
import { openHouse, type Answer } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { openUploads } from '../../test/uploads.ts';
import { makeWorkbook, rowOf } from '../../test/workbooks.ts';
import { createUser, findActor } from '../people/users/users.ts';
import { serviceActor, type Actor } from '../platform/actor.ts';
import type { Log } from '../platform/log.ts';
import type { Sql } from '../platform/sql.ts';
import { openChecks } from './checking.ts';
import { receiveChunk } from './chunks.ts';
import { holdImport } from './held.ts';
import { announceImport, discardImport } from './imports.ts';
import { dropStaged } from './past.ts';
import { openReaders } from './reading.ts';
import { openCheckers } from './threads.ts';
import { giveImportTurns } from './turns.ts';

const house = await openHouse();
const api = house.withKey(house.key);
const manager = await house.join({ email: 'manager@example.com', agent: false, lists_admin: true });
const agent = await house.join({ email: 'agent@example.com' });
const { ask } = manager;
const uploads = openUploads(ask);
const OCTETS = { 'content-type': 'application/octet-stream' };

const newList = async () =>
  (await api('POST', '/lists', { list: { name: 'Vans', duplicates_match_on_phone: true } })).body.id;
const announce = (bytes: number, more = {}) =>
  ask('POST', '/imports', { import: { file_name: 'leads.csv', bytes, ...more } });
const put = (id: number, place: number | string, bytes: Buffer) =>
  ask('PUT', `/imports/${id}/chunks/${place}`, bytes, OCTETS);
const count = async (table: string, id: number): Promise<number> =>
  (await house.pool.query(`select count(distinct row) as rows from ${table} where import_id = $1`, [id])).rows[0].rows;

/** Its rows hold more than one chunk does. */
const makeLongFile = () =>
  Buffer.from(
    `Name,Phone\r\n${Array.from({ length: 300 }, (_, n) => `${n} ${'é'.repeat(4_900)},020 7946 ${1_000 + n}\r\n`).join('')}`,
  );

test('a file arrives in chunks, in any order and some twice, and is read from them', async () => {
  const file = makeLongFile();
  const [first, second] = [file.subarray(0, CHUNK_BYTES), file.subarray(CHUNK_BYTES)];
  assert.ok(second.length > 0 && second.length < CHUNK_BYTES);
  const { body } = await announce(file.length);
  assert.deepEqual([body.state, body.received, body.by], ['uploading', 0, 'manager@example.com']);

  assert.deepEqual((await put(body.id, 1, second)).body, { received: second.length, state: 'uploading' });
  assert.deepEqual((await put(body.id, 1, second)).body, { received: second.length, state: 'uploading' });
  const late = await put(body.id, 0, first);
  assert.deepEqual(late.body, { received: file.length, state: 'reading' });
  const again = await put(body.id, 0, first);
  assert.deepEqual([again.status, again.body.received], [200, file.length]);

  const checked = await uploads.until(body.id, 'checked');
  assert.deepEqual([checked.rows, checked.counts.fresh, checked.exact], [300, 300, true]);
  assert.deepEqual(
    checked.columns.map(({ name }) => name),
    ['Name', 'Phone'],
  );
  const { rows } = await house.pool.query('select cells from import_rows where import_id = $1 and row = 301', [
    body.id,
  ]);
  assert.equal(rows[0].cells[0], `299 ${'é'.repeat(4_900)}`);
});

test('what is no chunk of the file is refused with a sentence', async () => {
  const { body } = await announce(10);
  const { id } = body;
  const short = await put(id, 0, Buffer.from('abc'));
  assert.deepEqual(
    [short.status, short.body.errors.chunk],
    [422, ['must have 10 bytes, and has 3: the file may have changed']],
  );
  for (const place of [1, -1, 'x', 1e9]) assert.equal((await put(id, place, Buffer.from('abc'))).status, 422);
  assert.equal((await ask('PUT', `/imports/${id}/chunks/0`, { a: 1 })).status, 422);
  assert.equal((await put(id, 0, Buffer.alloc(CHUNK_BYTES + 1))).status, 413);
  assert.equal((await put(999_999, 0, Buffer.from('abc'))).status, 404);

  assert.equal((await announce(0)).body.error, 'File is empty.');
  assert.match((await announce(2_000_000_000)).body.error, /^File has 2000 MB; at most 1000 MB can be uploaded/);
  assert.deepEqual((await announce(10, { list_id: 999_999 })).body.errors, { list_id: ['names no list'] });

  const whole = await announce(4);
  assert.equal((await put(whole.body.id, 0, Buffer.from('a\nb\n'))).body.state, 'reading');
  assert.equal((await put(whole.body.id, 0, Buffer.from('c\nd\n'))).body.code, 'other_chunk');
  const many: Answer[] = [];
  for (let number = 0; number < 10; number += 1) many.push(await announce(10));
  assert.match(many.at(-1)!.body.error, /^10 of your files are not all here yet/);
  for (const given of [id, ...many.map((one) => one.body.id)]) if (given) await ask('DELETE', `/imports/${given}`);
});

test('imports are for those who may, and of their own account alone', async () => {
  for (const path of ['', '/1', '/1/sample', '/1/faulty', '/1/kept'])
    assert.equal((await agent.ask('GET', `/imports${path}`)).status, 403, path);
  assert.equal((await agent.ask('PUT', '/imports/1/chunks/0', Buffer.from('a'), OCTETS)).status, 403);

  const other = (await house.addAccount('Other', 'http://other.example.com')).account;
  const theirs = await house.transact(async (work) => {
    const { id } = await createUser(work, serviceActor(other, 'test'), {
      email: 'them@example.com',
      lists_admin: true,
    });
    return announceImport(work, await findActor(work, other.id, id, 'app'), { file_name: 'a.csv', bytes: 1 }, 10);
  });
  assert.equal((await ask('GET', `/imports/${theirs.id}`)).status, 404);
  assert.equal((await put(theirs.id, 0, Buffer.from('a'))).status, 404);
  for (const [method, path] of [
    ['DELETE', ''],
    ['POST', '/stop'],
    ['POST', '/undo'],
    ['GET', '/sample'],
    ['GET', '/faulty'],
  ])
    assert.equal((await ask(method!, `/imports/${theirs.id}${path}`)).status, 404, path);
  assert.equal((await ask('PATCH', `/imports/${theirs.id}`, { import: { version: 1 } })).status, 404);
  assert.equal(
    (await ask('GET', '/imports')).body.some(({ id }: Import) => id === theirs.id),
    false,
  );
});

const ROWS = [
  'Company name,Work/Office phone,E-mail,Vehicles',
  'Ashdown,+44 20 7946 0118,,5', // of the list
  'Bellweather,+44 20 7946 0119,,7', // of another
  'Copperfield,+44 20 7946 0120,a@example.com,9',
  'Fenwick,+44 20 7946 0121,A@example.com,9', // the e-mail of the one before
  'Larch,+44 20 7946 0119,,9', // of another, and the number of a row before
  'Quill,4.5E+10,,1',
  'Rook,+44 20 7946 0122,,12', // ragged behind
  'Short',
];

test('every row is counted: new, here, elsewhere, twice or faulty, and the first are shown', async () => {
  const [list, other] = [await newList(), await newList()];
  const lead = (to: number, phone: string) =>
    api('POST', `/lists/${to}/leads`, { lead: { company_name: 'There', work_office_phone: phone } });
  await lead(list, '+44 20 7946 0118');
  await lead(other, '+44 20 7946 0119');
  const gone = await newList();
  await lead(gone, '+44 20 7946 0120');
  await ask('DELETE', `/lists/${gone}`, { list: { name: 'Vans' } });

  const checked = await uploads.upload(ROWS.join('\r\n'), list);
  const { fresh, here, elsewhere, elsewhere_twice, twice, faulty, reasons } = checked.counts;
  assert.deepEqual(
    { fresh, here, elsewhere, elsewhere_twice, twice, faulty, rows: checked.rows, checked: checked.checked },
    { fresh: 2, here: 1, elsewhere: 2, elsewhere_twice: 1, twice: 1, faulty: 2, rows: 8, checked: 8 },
  );
  assert.deepEqual(reasons.length, 2);
  assert.deepEqual(checked.matched_by, ['phone', 'e-mail']);
  assert.deepEqual(checked.list, { id: list, name: 'Vans' });

  const { body } = await ask('GET', `/imports/${checked.id}/sample`);
  assert.equal(body.rows.length, 8);
  assert.deepEqual(body.rows[0].values.slice(0, 2), ['Ashdown', '+44 20 7946 0118']);
  assert.match(body.rows[5].fault, /lost its digits/);
  assert.deepEqual(
    body.faulty.map(({ row, value }: { row: number; value: string }) => [row, value]),
    [
      [7, '4.5E+10'],
      [9, '1 columns'],
    ],
  );
  assert.equal(body.faulty[0].column, 'Work/Office phone');
});

test('a workbook is counted as a text is', async () => {
  const rows = ROWS.slice(0, 5).map((line) => rowOf(...line.split(',')));
  const file = makeWorkbook({ sheets: [{ name: 'Leads', rows: rows.join('') }] });
  const { body } = await announce(file.length, { file_name: 'leads.xlsx' });
  await put(body.id, 0, file);
  const { how_read, sheets, counts } = await uploads.until(body.id, 'checked');
  assert.deepEqual([how_read!.format, sheets], ['xlsx', ['Leads']]);
  assert.deepEqual([counts.fresh + counts.elsewhere, counts.twice, counts.faulty], [3, 1, 0]);
});

test('read in another way, or matched otherwise, it is found out anew', async () => {
  const { id, how_read, version } = await uploads.upload('Näme;Phone\nJörg;020 7946 0118\nAnn;020 7946 0118\n');
  assert.deepEqual([how_read!.delimiter, how_read!.encoding, how_read!.header], [';', 'utf-8', true]);
  const change = (seen: number, import_: object) =>
    ask('PATCH', `/imports/${id}`, { import: { version: seen, ...import_ } });

  const other = await change(version, { how_read: { ...how_read, encoding: 'windows-1252', header: false } });
  assert.deepEqual([other.body.state, other.body.rows, other.body.exact], ['reading', 0, false]);
  assert.equal((await change(version, { how_read })).body.code, 'outdated');
  const anew = await uploads.until(id, 'checked');
  assert.deepEqual([anew.rows, anew.columns[0]!.name, anew.columns[0]!.samples[0]], [3, 'Column 1', 'NÃ¤me']);

  await change(anew.version, { how_read });
  const back = await uploads.until(id, 'checked');
  assert.deepEqual([back.rows, back.counts.twice, back.columns[0]!.name], [2, 1, 'Näme']);

  const phone = back.plan!.matches.find(({ columns }) => columns[0] === 1)!;
  const asText = { ...phone, new_field: { label: 'Phone', kind: 'none' } };
  await change(back.version, { plan: { ...back.plan, matches: [asText] } });
  const matched = await uploads.until(id, 'checked');
  assert.deepEqual([matched.counts.twice, matched.counts.fresh], [0, 2]);

  // Other choices change nothing of what was found.
  const chosen = await change(matched.version, { plan: { ...matched.plan, duplicates: 'add', people: [manager.id] } });
  assert.deepEqual([chosen.body.state, chosen.body.counts.fresh], ['checked', 2]);
});

test('a plan that cannot be is refused, each fault by its place', async () => {
  const list = await newList();
  const { id, plan, version } = await uploads.upload(ROWS.slice(0, 2).join('\n'), list);
  const refused = await ask('PATCH', `/imports/${id}`, {
    import: {
      version,
      plan: {
        ...plan,
        matches: [
          { columns: [0], field: 'company_name' },
          { columns: [0], field: 'nothing' },
          { columns: [9], field: 'company_name' },
          { columns: [1], new_field: { label: 'e-mail', kind: 'none' } },
          { columns: [2] },
        ],
        state: 'won',
        category: 'Nothing',
        people: [999_999],
      },
    },
  });
  assert.equal(refused.status, 422);
  assert.deepEqual(Object.keys(refused.body.errors).toSorted(), [
    'category',
    'matches[1].columns',
    'matches[1].field',
    'matches[2].columns',
    'matches[2].field',
    'matches[3].new_field.label',
    'matches[4]',
    'people[0]',
  ]);
  const elsewhere = await ask('PATCH', `/imports/${id}`, { import: { version, plan: { ...plan, list_id: 999_999 } } });
  assert.deepEqual(elsewhere.body.errors, { list_id: ['names no list'] });
});

test('another node goes on where one was killed, and no row is there twice or lost', async () => {
  const actor = await findActor({ db: house.db, secrets: house.secrets }, house.account.id, manager.id, 'app');
  const me = randomUUID();
  const text = `Name,Phone\n${Array.from({ length: 6_000 }, (_, n) => `${n},020 7946 ${1_000 + (n % 4_500)}\n`).join('')}`;
  const { id } = await house.transact(async (work) => {
    const announced = await announceImport(work, actor, { file_name: 'a.csv', bytes: text.length }, 1e9);
    await receiveChunk(work, actor, announced.id, '0', Buffer.from(text));
    return announced;
  });
  // Where one of our turns takes longer than a node may be silent, the house's own goes on, and may have come to the end.
  const hold = async () => {
    await house.pool.query('update imports set taken_by = $2, taken_at = now() where id = $1', [id, me]);
    return holdImport(house.db, me, house.account.id, id);
  };
  const means = { db: house.db, transact: house.transact, me };
  /** One turn of a node that is new each time, so that it knows nothing of what others have read ahead. */
  for (let held = await hold(); held?.state === 'reading';) {
    const readers = openReaders(means);
    for (const from = held.last_row; held?.state === 'reading' && held.last_row === from; held = await hold())
      await readers.readSome(held, performance.now() + 50, false);
    readers.keepOnly(new Set());
  }
  assert.equal(await count('import_rows', id), 6_000);
  for (let held = await hold(); held && held.checked_to < held.last_row; held = await hold()) {
    const checkers = openCheckers(1);
    await openChecks({ ...means, checkers }).checkSome(held, performance.now() + 1, false);
    checkers.close();
  }
  await house.pool.query('update imports set taken_by = null where id = $1', [id]);
  const checked = await uploads.until(id, 'checked');
  assert.equal(await count('import_checked', id), 6_000);
  assert.deepEqual([checked.rows, checked.counts.fresh, checked.counts.twice], [6_000, 4_500, 1_500]);
});

test('a file that takes long to be looked at leaves the turns to others meanwhile', async () => {
  const actor = await findActor({ db: house.db, secrets: house.secrets }, house.account.id, manager.id, 'app');
  const me = randomUUID();
  const text = 'Name\nAnn\n';
  const { id } = await house.transact(async (work) => {
    const announced = await announceImport(work, actor, { file_name: 'a.csv', bytes: text.length }, 1e9);
    await receiveChunk(work, actor, announced.id, '0', Buffer.from(text));
    const hold = 'update imports set taken_by = $2, taken_at = clock_timestamp() where id = $1' as Sql;
    await work.db.send(hold, [announced.id, me]);
    return announced;
  });
  const readers = openReaders({ db: house.db, transact: house.transact, me });
  const held = (await holdImport(house.db, me, house.account.id, id))!;
  const slow = await house.pool.connect();
  await slow.query(`begin; lock table import_chunks_${id}`);
  assert.equal(await readers.readSome(held, performance.now() + 50, false), false);
  await slow.query('rollback');
  slow.release();
  readers.close(id);
  await house.pool.query('update imports set taken_by = null where id = $1', [id]);
  assert.equal((await uploads.until(id, 'checked')).rows, 1);
});

test('who brings many files that take long leaves room for others, and keeps none from another node', async () => {
  const bring = (actor: Actor) =>
    house.transact(async (work) => {
      const { id } = await announceImport(work, actor, { file_name: 'a.csv', bytes: 9 }, 1e9);
      await receiveChunk(work, actor, id, '0', Buffer.from('Name\nAnn\n'));
      await work.db.send('update imports set taken_by = $2, taken_at = now() where id = $1' as Sql, [id, randomUUID()]);
      return id;
    });
  const letGo = (ids: number[]) => house.pool.query('update imports set taken_by = null where id = any ($1)', [ids]);
  const reading = { db: house.db, secrets: house.secrets };
  const ids: number[] = [];
  for (let number = 0; number < 4; number += 1) {
    const { id } = await house.join({ email: `many-${number}@example.com`, agent: false, lists_admin: true });
    ids.push(await bring(await findActor(reading, house.account.id, id, 'app')));
  }
  const slow = await house.pool.connect();
  await slow.query(`begin; lock table ${ids.map((id) => `import_chunks_${id}`).join(', ')}`);
  await letGo(ids);
  const held = async () =>
    (await house.pool.query('select id from imports where id = any ($1) and taken_by is not null', [ids])).rows.length;
  await eventually('three are being looked at', async () => (await held()) >= 3);

  const { account } = await house.addAccount('Others', 'http://others.example.com');
  const { id: userId } = await house.transact((work) =>
    createUser(work, serviceActor(account, 'test'), { email: 'other@example.com', lists_admin: true }),
  );
  const other = await bring(await findActor(reading, account.id, userId, 'app'));
  await letGo([other]);
  const checked = async (all: number[]) =>
    (await house.pool.query(`select from imports where id = any ($1) and state = 'checked'`, [all])).rows.length;
  await eventually('the other’s is checked', async () => (await checked([other])) === 1);
  await eventually('three are held, and the fourth is free', async () => (await held()) === 3);
  await slow.query('rollback');
  slow.release();
  await eventually('all are checked', async () => (await checked(ids)) === 4);
});

test('where something goes wrong again and again the import is given up, and nobody waits for ever', async () => {
  const list = await newList();
  const { id, plan, version } = await uploads.upload(ROWS.slice(0, 3).join('\n'), list);
  // What no file holds: the thread that comes to it dies.
  await house.pool.query(`insert into import_rows (import_id, row, cells) values ($1, 4, 'null')`, [id]);
  await house.pool.query('update imports set last_row = 4 where id = $1', [id]);
  const log = { error: () => {}, debug: () => {} } as unknown as Log;
  const turns = giveImportTurns({ db: house.db, transact: house.transact, log, restMs: 10 });
  try {
    await ask('PATCH', `/imports/${id}`, {
      import: { version, plan: { ...plan, matches: plan!.matches.slice(0, 1) } },
    });
    const refused = await uploads.until(id, 'refused');
    assert.match(refused.refusal!, /^Something went wrong on our side/);
  } finally {
    await turns.stop();
  }
  assert.equal((await ask('POST', `/imports/${id}/start`, { import: { version: version + 1 } })).status, 409);
});

test('a file that cannot be read is refused with a sentence, and may be read otherwise', async () => {
  const open = await announce(15, { file_name: 'broken.csv' });
  await put(open.body.id, 0, Buffer.from('a,b\n"never,ends'));
  const refused = await uploads.until(open.body.id, 'refused');
  assert.ok(refused.refusal!.length > 20);
  assert.equal((await ask('DELETE', `/imports/${open.body.id}`)).status, 204);
  assert.equal((await ask('GET', `/imports/${open.body.id}`)).status, 404);

  const heading = await announce(4);
  await put(heading.body.id, 0, Buffer.from('a,b\n'));
  const alone = await uploads.until(heading.body.id, 'refused', 'checked');
  if (alone.state === 'refused') {
    await ask('PATCH', `/imports/${alone.id}`, {
      import: { version: 1, how_read: { ...alone.how_read, header: false } },
    });
    assert.equal((await uploads.until(alone.id, 'checked')).rows, 1);
  }
});

test('faulty rows come as a file, which is mended and uploaded', async () => {
  const list = await newList();
  const { id } = await uploads.upload(`${ROWS.join('\r\n')}\r\n=1+1,4.4E+10,,\r\n`, list);
  const { status, headers, body } = await ask('GET', `/imports/${id}/faulty`);
  assert.equal(status, 200);
  assert.match(headers.get('content-disposition')!, /filename="leads-faulty\.csv"/);
  const lines = (body as string).trim().split('\r\n');
  assert.equal(lines.length, 4);
  assert.match(lines[0]!, /^Company name,Work\/Office phone,E-mail,Vehicles,Reason$/);
  assert.match(lines[1]!, /^Quill,4\.5E\+10,,1,Work\/Office phone lost its digits/);
  assert.match(lines[3]!, /^'=1\+1,/);
  const mended = (body as string).replaceAll(/4\.[45]E\+10/g, '020 7946 0199');
  const again = await uploads.upload(mended.replace(/Short,[^\r]*/, 'Short,,,,'), list);
  assert.deepEqual([again.rows, again.counts.faulty], [3, 0]);
  assert.ok(again.plan!.matches.every(({ columns }) => !columns.includes(4)));
  assert.equal((await ask('GET', `/imports/${again.id}/sample`)).body.rows[2].values[0], '=1+1');
});

/** Read as slowly as one likes; more of it than lies in the buffers between two programs. */
async function openFaulty(who: typeof manager, id: number): Promise<IncomingMessage> {
  const asking = get(`${house.address}/app/imports/${id}/faulty`, { headers: { cookie: who.cookie }, agent: false });
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  return answer;
}

async function uploadLarge(): Promise<Import> {
  const bad = Array.from({ length: 60 }, (_, at) => `Van ${at},4.5E+10`).join('\r\n');
  const large = await uploads.upload(`Company name,Phone\r\n${bad}\r\n`, await newList());
  assert.equal(large.counts.faulty, 60);
  await house.pool.query(`update import_rows set cells = json_build_array($2::text, '4.5E+10') where import_id = $1`, [
    large.id,
    'long '.repeat(60_000),
  ]);
  return large;
}

test('faulty rows that are looked at anew while they are read do not look whole', async () => {
  const large = await uploadLarge();
  const answer = await openFaulty(manager, large.id);
  assert.match(answer.headers['content-disposition']!, /filename="leads-faulty\.csv"/);
  await once(answer, 'readable');
  await uploads.change(large.id, { list_id: await newList() });
  await assert.rejects(answer.toArray(), /aborted/);
});

test('whoever downloads several files and reads none of them gets no more, and holds up nobody else', async (context) => {
  const { id } = await uploadLarge();
  const slow: IncomingMessage[] = [];
  context.after(() => slow.forEach((answer) => answer.destroy()));
  for (let at = 0; at < 4; at += 1) slow.push(await openFaulty(manager, id));
  const { status, body } = await ask('GET', `/imports/${id}/faulty`);
  assert.deepEqual([status, body.code], [503, 'too_many_downloads']);
  const other = await house.join({ email: 'other-manager@example.com', agent: false, lists_admin: true });
  const theirs = await openFaulty(other, id);
  assert.equal(theirs.statusCode, 200);
  theirs.destroy();
  slow[0]!.destroy();
  await eventually('their place is free again', async () => {
    const next = await openFaulty(manager, id);
    slow.push(next);
    return next.statusCode === 200;
  });
});

const past = (column: string, days: number, id: number) =>
  house.pool.query(`update imports set ${column} = now() - $2 * interval '1 day' where id = $1`, [id, days]);

test('an account has so many bytes and files waiting, one person half of them; discarded files are among them', async () => {
  const other = (await house.addAccount('Hoarders', 'http://hoarders.example.com')).account;
  const [actor, second, third] = await house.transact((work) =>
    Promise.all(
      ['hoarder', 'second', 'third'].map(async (name) => {
        const given = { email: `${name}@example.com`, lists_admin: true };
        const { id } = await createUser(work, serviceActor(other, 'test'), given);
        return findActor(work, other.id, id, 'app');
      }),
    ),
  );
  const bring = (bytes: number, who = actor!) =>
    house.transact((work) => announceImport(work, who, { file_name: 'a.csv', bytes }, 1_000_000));
  const first = await bring(1_000_000);
  for (let file = 1; file < 5; file += 1) await bring(1_000_000);
  await assert.rejects(
    bring(1),
    /^Error: With this one, files of yours that were not imported would have more than 5 MB/,
  );
  for (let file = 0; file < 5; file += 1) await bring(1_000_000, second);
  await house.pool.query(`update imports set state = 'checked' where account_id = $1`, [other.id]);
  await assert.rejects(
    bring(1, third),
    /^Error: With this one, files that were not imported would have more than 10 MB/,
  );
  await house.transact((work) => discardImport(work, actor!, first.id));
  await bring(1_000);
  const parts = 'insert into import_parts select $1, -n from generate_series(1, 300) as n';
  await house.pool.query(parts, [other.id]);
  await assert.rejects(bring(1), /^Error: 300 files were not imported, or discarded in the last hour/);
  // One person has half of them at most.
  await house.pool.query('delete from import_parts where account_id = $1 and import_id < 0', [other.id]);
  await house.pool.query(
    `with made as (
       insert into imports (account_id, user_id, via, address, file_name, bytes, state)
       select $1, $2, 'app', '', 'b.csv', 1, 'checked' from generate_series(1, 150) returning id)
     insert into import_parts select $1, id from made`,
    [other.id, third!.user!.id],
  );
  await assert.rejects(bring(1, third), /^Error: 150 of your files were not imported/);
  await bring(1);
});

test('files that nobody went on with go after a week, with all that lay ready of them', async () => {
  const parts = async (id: number) =>
    (
      await house.pool.query(
        `select relname from pg_class where relkind = 'r' and relname like 'import\\_%\\_' || $1`,
        [id],
      )
    ).rows.length;
  const { id } = await uploads.upload('Name\nAnn\n');
  const discarded = (await uploads.upload('Name\nAnn\n')).id;
  await ask('DELETE', `/imports/${discarded}`);
  const ended = (await uploads.bring('Name\nBob\n')).id;
  await dropStaged(house.db, house.transact);
  assert.deepEqual([await parts(id), await parts(discarded), await parts(ended)], [3, 0, 3]);

  for (const column of ['created_at', 'received_at', 'went_on_at']) await past(column, 8, id);
  const { version, plan } = await uploads.look(id);
  await ask('PATCH', `/imports/${id}`, { import: { version, plan: { ...plan, duplicates: 'add' } } });
  await dropStaged(house.db, house.transact);
  assert.equal((await ask('GET', `/imports/${id}`)).status, 200);

  await past('went_on_at', 8, id);
  await past('finished_at', 8, ended);
  await eventually('they are gone', async () => {
    await dropStaged(house.db, house.transact);
    return (await parts(id)) + (await parts(ended)) === 0;
  });
  assert.equal((await ask('GET', `/imports/${id}`)).status, 404);
  const told = await uploads.look(ended);
  assert.deepEqual([told.state, told.has_faulty], ['finished', false]);
  assert.equal((await ask('GET', `/imports/${ended}/sample`)).body.rows.length, 0);
});

test('a file that somebody goes on with at the last moment stays', async () => {
  const { id } = await uploads.upload('Name\nAnn\n');
  await past('went_on_at', 8, id);
  await dropStaged(house.db, async (act) => {
    await house.pool.query(`update imports set begun_at = now() where id = $1 and begun_at is null`, [id]);
    return house.transact(act);
  });
  assert.equal((await ask('GET', `/imports/${id}`)).status, 200);
});

test('the same file, and the same headings, are known again', async () => {
  const list = await newList();
  const text = 'Company name,Tel\nAshdown,020 7946 0118\n';
  const first = await uploads.upload(text, list);
  assert.deepEqual([first.same_file, first.same_headings], [null, false]);
  const tel = [{ columns: [1], field: 'mobile_phone' }];
  await uploads.change(first.id, { matches: tel });
  await uploads.run(first.id);
  const second = await uploads.upload(text, list);
  assert.equal(second.same_file!.file_name, 'leads.csv');
  assert.equal(second.same_headings, true);
  assert.deepEqual(
    second.plan!.matches.map(({ columns, field }) => ({ columns, field })),
    tel,
  );
  const history = (await ask('GET', `/imports?list_id=${list}`)).body as Import[];
  assert.deepEqual(
    history.map(({ id, state }) => [id, state]),
    [
      [second.id, 'checked'],
      [first.id, 'finished'],
    ],
  );
});
