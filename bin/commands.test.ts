import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Client } from 'pg';
import { PgBoss } from 'pg-boss';
import { prepareHome } from '../db/embedded/home.ts';
import { databaseUrl } from '../db/embedded/server.ts';
import { createBareDatabase } from '../test/database.ts';
import { eventually, makeFolder, makeInstallation, runLeadline, startLeadline } from '../test/leadline.ts';
import { prepareWrites, startWriter, tallyWrites } from '../test/writer.ts';

const urlOf = (dataDir: string) => databaseUrl(prepareHome({ path: dataDir, explicit: true }, () => {}));

test('help tells every command, and an unknown one is told apart', async () => {
  const help = await runLeadline(['help'], { env: {} });
  assert.equal(help.code, 0);
  for (const name of ['serve', 'work', 'import', 'export', 'migrate', 'backup', 'restore', 'move', 'owner reset'])
    assert.match(help.output, new RegExp(`leadline ${name}`));
  for (const name of ['dance', 'constructor']) {
    const unknown = await runLeadline([name], { env: {} });
    assert.equal(unknown.code, 1, name);
    assert.match(unknown.output, new RegExp(`There is no command "${name}"`));
  }
});

async function lastBackup(address: string): Promise<number> {
  const text = await (await fetch(`${address}/metrics`)).text();
  return Number(/^leadline_last_backup_timestamp_seconds (.+)$/m.exec(text)![1]);
}

describe('backup and restore', () => {
  test('a backup taken while writing restores elsewhere with all that was acknowledged before it', async () => {
    const DATA_DIR = makeInstallation({ durable: true });
    const file = join(makeFolder(), 'leadline.tar.gz');
    const leadline = await startLeadline({ env: { DATA_DIR } });
    const writer = await startWriter(urlOf(DATA_DIR));
    await eventually('200 writes', () => writer.acknowledged() >= 200);
    const before = writer.acknowledged();
    const key = await runLeadline(['key'], { env: { DATA_DIR } });
    assert.equal(await lastBackup(leadline.address), 0);
    const begun = Date.now() / 1_000;
    const { code, output } = await runLeadline(['backup', file], { env: { DATA_DIR } });
    assert.equal(code, 0, output);
    assert.match(output, /It holds the secret key too/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const at = await lastBackup(leadline.address);
    assert.ok(begun <= at && at <= Date.now() / 1_000, 'the metrics know when');
    await writer.stop();

    const elsewhere = join(makeFolder(), 'data');
    const restored = await runLeadline(['restore', file], { env: { DATA_DIR: elsewhere }, cwd: '/' });
    assert.equal(restored.code, 0, restored.output);
    const second = await startLeadline({ env: { DATA_DIR: elsewhere } });
    const tally = await tallyWrites(urlOf(elsewhere));
    assert.ok(tally.count >= before, `${tally.count} rows of ${before}`);
    assert.deepEqual(tally, await tallyWrites(urlOf(DATA_DIR), tally.highest));
    // The secret came along: the key can be read again.
    assert.deepEqual(await runLeadline(['key'], { env: { DATA_DIR: elsewhere } }), key);
    await second.stop();
    await leadline.stop();
  });

  test('nothing is overwritten, and a damaged file restores nothing', async () => {
    const folder = makeFolder();
    const file = join(folder, 'leadline.tar.gz');
    const nothing = await runLeadline(['backup', file], { env: { DATA_DIR: makeFolder() } });
    assert.match(nothing.output, /^There is no database in /);
    const DATA_DIR = makeInstallation();
    const taken = await runLeadline(['backup', file], {
      env: { DATA_DIR, SECRET_KEY: 'x'.repeat(32) },
    });
    assert.equal(taken.code, 0, taken.output);
    assert.match(taken.output, /It does not hold the secret key: keep what SECRET_KEY says as well/);
    assert.match((await runLeadline(['backup', file], { env: { DATA_DIR } })).output, /is there already/);
    assert.match((await runLeadline(['restore', file], { env: { DATA_DIR } })).output, /already holds pgdata/);

    // Within a file or between two.
    const cuts = [0.2, 0.5, 0.8].map((part) => {
      const cut = join(folder, `cut-${part}.tar.gz`);
      copyFileSync(file, cut);
      truncateSync(cut, Math.floor(statSync(file).size * part));
      return cut;
    });
    const text = join(folder, 'text.tar.gz');
    writeFileSync(text, 'not a backup');
    for (const damaged of [...cuts, text]) {
      const elsewhere = makeFolder();
      const { code, output } = await runLeadline(['restore', damaged], { env: { DATA_DIR: elsewhere } });
      assert.equal(code, 1, damaged);
      assert.match(output, /is damaged or no backup.*Nothing was restored/);
      assert.deepEqual(readdirSync(elsewhere), ['run']);
    }
    assert.match(
      (await runLeadline(['restore', join(folder, 'none')], { env: { DATA_DIR: makeFolder() } })).output,
      /There is no file/,
    );
  });

  test('a SECRET_KEY that is forgotten makes no file, and a file that is not the key is left out and told', async () => {
    const DATA_DIR = makeInstallation();
    const env = { DATA_DIR, SECRET_KEY: 'x'.repeat(32) };
    const secret = join(DATA_DIR, 'secret');
    const key = await runLeadline(['key'], { env });
    assert.equal(key.code, 0, key.output);
    for (const args of [['key'], ['export', '--all'], ['serve']]) {
      const { code, output } = await runLeadline(args, { env: { DATA_DIR, PORT: '0' } });
      assert.equal(code, 1, output);
      assert.match(output, /^SECRET_KEY is not set and there is no file .* Set SECRET_KEY to the one the service has/);
      assert.equal(existsSync(secret), false, args[0]);
    }
    const leadline = await startLeadline({ env });
    const accepted = await runLeadline(['secret', '--accept'], { env: { DATA_DIR } });
    assert.match(accepted.output, /at work .* Stop it first/);
    assert.equal(existsSync(secret), false);
    await leadline.stop();

    // One that an earlier version left there.
    writeFileSync(secret, `${'y'.repeat(43)}\n`);
    const folder = makeFolder();
    for (const [index, known] of [env, { DATA_DIR }].entries()) {
      const { code, output } = await runLeadline(['backup', join(folder, `${index}.tar.gz`)], { env: known });
      assert.equal(code, 0, output);
      assert.match(
        output,
        /It does not hold the secret key, as the file .*secret is another and was left out: keep what/,
      );
    }
    const elsewhere = { DATA_DIR: join(makeFolder(), 'data'), SECRET_KEY: env.SECRET_KEY };
    await runLeadline(['restore', join(folder, '0.tar.gz')], { env: elsewhere, cwd: '/' });
    assert.equal(existsSync(join(elsewhere.DATA_DIR, 'secret')), false);
    assert.deepEqual(await runLeadline(['key'], { env: elsewhere, cwd: '/' }), key);

    // Where the former is lost, a new one is made, and is the one from then on.
    rmSync(secret);
    const made = await runLeadline(['secret', '--accept'], { env: { DATA_DIR } });
    assert.equal(made.code, 0, made.output);
    const { output } = await runLeadline(['backup', join(folder, 'made.tar.gz')], { env: { DATA_DIR } });
    assert.match(output, /It holds the secret key too/);
  });

  test('a backup that cannot be written leaves no half of it', async () => {
    const DATA_DIR = makeInstallation();
    writeFileSync(join(DATA_DIR, 'secret'), 'x'.repeat(43));
    const { code, output } = await runLeadline(['backup', '/nowhere/leadline.tar.gz'], { env: { DATA_DIR } });
    assert.equal(code, 1);
    assert.match(output, /^The backup failed: .*\/nowhere/);
  });

  test('an external PostgreSQL is left to its own tools', async () => {
    const env = { DATABASE_URL: await createBareDatabase(), SECRET_KEY: 'x'.repeat(32) };
    for (const command of ['backup', 'restore']) {
      assert.match((await runLeadline([command, 'file'], { env })).output, /with its own tools, such as pg_dump/);
    }
    assert.equal(existsSync('file'), false);
  });
});

describe('move', () => {
  test('everything arrives in an external PostgreSQL with equal counts and checksums, and works from there', async () => {
    const DATA_DIR = makeInstallation();
    const leadline = await startLeadline({ env: { DATA_DIR } });
    const writer = await startWriter(urlOf(DATA_DIR));
    await eventually('200 writes', () => writer.acknowledged() >= 200);
    await writer.stop();
    const key = await runLeadline(['key'], { env: { DATA_DIR } });
    // Jobs refer to their queues by constraints that are checked late.
    const boss = new PgBoss({ connectionString: urlOf(DATA_DIR), schema: 'pgboss', supervise: false, schedule: false });
    await boss.start();
    const job = await boss.send('sweep', {}, { startAfter: 3_600 });
    await boss.stop();
    // What lies ready of an uploaded file is in a part that no migration makes.
    const client = new Client({ connectionString: urlOf(DATA_DIR) });
    await client.connect();
    await client.query('create table import_rows_7 partition of import_rows for values in (7)');
    await client.query(`insert into import_rows (import_id, row, cells) values (7, 2, '["Ann"]')`);
    await client.end();

    const target = await createBareDatabase();
    const busy = await runLeadline(['move', '--to', target], { env: { DATA_DIR } });
    assert.equal(busy.code, 1);
    assert.match(busy.output, new RegExp(`Leadline is at work \\(process ${leadline.pid} `));
    await leadline.stop();

    // The writer's table has no migration, so the target has to be given it.
    await prepareWrites(target);
    await runLeadline(['migrate'], { env: { DATABASE_URL: target, SECRET_KEY: 'x'.repeat(32) } });
    const moved = await runLeadline(['move', '--to', target], { env: { DATA_DIR } });
    assert.equal(moved.code, 0, moved.output);
    assert.match(moved.output, /public\.writes +\d+ rows, equal/);
    assert.equal((await tallyWrites(target)).count, writer.acknowledged());
    assert.match(moved.output, /public\.import_rows_7 +1 rows, equal/);
    assert.match(moved.output, /pgboss\.job_common +\d+ rows, equal/);
    assert.ok(job);
    const env = { DATABASE_URL: target, SECRET_KEY: readFileSync(join(DATA_DIR, 'secret'), 'utf8').trim() };
    const there = await startLeadline({ env });
    assert.deepEqual(await runLeadline(['key'], { env }), key);
    const other = await runLeadline(['key'], { env: { ...env, SECRET_KEY: 'x'.repeat(32) } });
    assert.match(other.output, /^SECRET_KEY is not the one/);
    await there.stop();

    const again = await runLeadline(['move', '--to', target], { env: { DATA_DIR } });
    assert.equal(again.code, 1);
    assert.match(again.output, /is not empty: its table \w+ has rows/);
  });

  test('an address that is none is told in a sentence', async () => {
    const DATA_DIR = makeInstallation();
    const { code, output } = await runLeadline(['move', '--to', 'elsewhere'], { env: { DATA_DIR } });
    assert.equal(code, 1);
    assert.match(output, /--to takes an address such as/);
  });
});

test('who has a shell lets an owner in who cannot get in: beside the running service, and nothing else of theirs goes on', async () => {
  const password = 'a whole sentence of mine';
  const env = { DATA_DIR: makeInstallation(), OWNER_EMAIL: 'ann@example.com', OWNER_PASSWORD: password };
  const leadline = await startLeadline({ env });
  const send = (path: string, body: object, cookie = '') =>
    fetch(leadline.address + path, {
      method: 'POST',
      headers: { origin: leadline.address, 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    });
  const signedIn = await send('/app/session', { email: 'ann@example.com', password });
  const cookie = signedIn.headers.get('set-cookie')!.split(';', 1)[0]!;
  const me = async () => (await fetch(`${leadline.address}/app/me`, { headers: { cookie } })).status;
  assert.equal(await me(), 200);
  const run = (...args: string[]) =>
    runLeadline(['owner', 'reset', ...args], { env: { DATA_DIR: env.DATA_DIR, BASE_URL: 'http://localhost' } });

  const other = await run('eve@example.com');
  assert.equal(other.code, 1);
  assert.match(other.output, /No owner is like that\.[^]*ann@example\.com/);
  assert.equal(await me(), 200, 'nothing was done');
  const { code, output } = await run();
  assert.equal(code, 0, output);
  assert.match(output, /ann@example\.com of Leadline is signed out everywhere/);
  assert.equal(await me(), 401);
  const [, first] = /\/reset\?token=([\w-]+)/.exec(output)!;
  const [, token] = /\/reset\?token=([\w-]+)/.exec((await run('ANN@example.com')).output)!;
  const choose = (link: string) => send('/app/password/reset', { token: link, password: 'kaffe kage cykel' });
  assert.equal((await choose(first!)).status, 410, 'the earlier link has ended');
  const chosen = await choose(token!);
  assert.equal(chosen.status, 201);
  assert.equal((await choose(token!)).status, 410, 'it works once');
  const audit = await fetch(`${leadline.address}/app/audit`, {
    headers: { cookie: chosen.headers.get('set-cookie')!.split(';', 1)[0]! },
  });
  const entries = (await audit.json()) as { action: string; actor: string; subject: string }[];
  const entry = entries.find(({ action }) => action === 'owner.reset');
  assert.deepEqual([entry!.actor, entry!.subject], ['command line', 'ann@example.com']);
  await leadline.stop();
});

test('an owner is told apart by e-mail and address; without one there is nobody to let in', async () => {
  const url = await createBareDatabase();
  const env = { DATABASE_URL: url, SECRET_KEY: 'x'.repeat(32), BASE_URL: 'http://localhost' };
  const nobody = await runLeadline(['owner', 'reset'], { env });
  assert.match(nobody.output, /^There is no owner yet\./);
  const elsewhere = await runLeadline(['owner', 'reset'], { env: { DATA_DIR: makeFolder() } });
  assert.match(elsewhere.output, /^There is no database in /);
  const db = new Client({ connectionString: url });
  await db.connect();
  for (const host of ['one', 'two']) {
    await db.query(`with a as (insert into accounts (name, base_url, host)
        values ('${host}', 'http://${host}.example.com', '${host}.example.com') returning id)
      insert into users (account_id, email, email_folded, owner, accepted_at)
      select id, 'ann@example.com', 'ann@example.com', true, now() from a`);
  }
  await db.end();
  const several = await runLeadline(['owner', 'reset', 'ann@example.com'], { env });
  assert.equal(several.code, 1);
  assert.match(
    several.output,
    /There are several owners\.[^]*http:\/\/one\.example\.com[^]*http:\/\/two\.example\.com/,
  );
  const { output } = await runLeadline(['owner', 'reset', 'ann@example.com', '--base-url', 'http://two.example.com/'], {
    env,
  });
  assert.match(output, /^http:\/\/two\.example\.com\/reset\?token=/m);
});
