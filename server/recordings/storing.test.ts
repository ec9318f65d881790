import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { atEnd } from '../../test/database.ts';
import { openHouse, OWNER } from '../../test/house.ts';
import { eventually, makeFolder } from '../../test/leadline.ts';
import { readRecording } from '../../test/sound.ts';
import { tellOfCall } from '../calls/tell.ts';
import type { Log } from '../platform/log.ts';
import { UNRECORDED, wavHeader } from '../telephony/media/wav.ts';
import { isInPlace, openIncoming, sweepIncoming } from './incoming.ts';
import { keyOf } from './store.ts';
import { startStoring } from './storing.ts';

const house = await openHouse();
const countWaiting = async (): Promise<number> =>
  (await house.pool.query('select count(*) as waiting from recordings where file is not null')).rows[0].waiting;
const owner = await house.signIn(OWNER.email, OWNER.password);
const incoming = openIncoming(makeFolder());
const said: string[] = [];
const log = {
  error: (_: unknown, text: string) => said.push(text),
  info: (_: unknown, text = _) => said.push(text as string),
} as unknown as Log;
const means = { ...house, incoming, carrier: 'test', log, ready: tellOfCall, restMs: 100 };

const row = async (id: number) =>
  (
    await house.pool.query(
      'select account_id, id, file, folder, ready_at, removed_at, error from recordings where id = $1',
      [id],
    )
  ).rows[0];

const startStoringHere = (store = house.store) => {
  const storing = startStoring({ ...means, store });
  atEnd(() => storing.stop());
  return storing;
};

let calls = 0;
/** A call that is over, as its carrier knows it. */
const newCall = async (accountId: number, state = 'completed'): Promise<{ id: number; subject: string }> => {
  const subject = `call-${(calls += 1)}`;
  const { rows } = await house.pool.query(
    `insert into calls (account_id, direction, destination_number, state, disposition, answered_at, ended_at, carrier, carrier_call_id)
     select $1, 'automated', '+4533', $3, case when $3 = 'completed' then 'normal' end, now(),
       case when $3 = 'completed' then now() end, 'test', $2 returning id`,
    [accountId, subject, state],
  );
  return { id: rows[0].id, subject };
};
const newRecording = async ({ accountId = house.account.id, folder = null as string | null, written = true } = {}) => {
  const call = await newCall(accountId);
  const file = `${call.subject}.wav`;
  if (written) writeFileSync(join(incoming.path, file), 'sound');
  const { rows } = await house.pool.query(
    `insert into recordings (account_id, call_id, part, started_at, file, folder) values ($1, $2, '1', now(), $3, $4) returning id`,
    [accountId, call.id, file, folder],
  );
  return rows[0].id as number;
};
const isStored = async (id: number) => {
  const { file, ready_at, error, ...key } = await row(id);
  return file === null && ready_at !== null && error === null && (await house.store.measure(keyOf(key))) === 5;
};
const trouble = async () => (await owner('GET', '/recordings/trouble')).body;

describe('recordings that wait', () => {
  test('those that cannot be stored hold up no others, are told of, and are stored when they can be', async () => {
    assert.deepEqual(await trouble(), { waiting: 0, since: null, reason: null, lost: 0, lost_reason: null });
    // A store that takes nothing of one account.
    const broken = join(house.recordings.folder, String(house.account.id));
    writeFileSync(broken, '');
    const { account: other } = await house.addAccount('Other', 'http://other.example.com');
    const stuck = [];
    for (let count = 0; count < 120; count += 1) stuck.push(await newRecording());
    const good = await newRecording({ accountId: other.id });
    const storing = startStoringHere();
    await eventually('the other account has its own', () => isStored(good));
    await eventually('each was tried', async () => (await trouble()).waiting === 120);
    const told = await trouble();
    assert.deepEqual([told.reason, typeof told.since, told.lost], ['a file is where a folder should be', 'string', 0]);
    assert.equal(await countWaiting(), 120);
    rmSync(broken);
    await eventually('all are stored', async () => (await countWaiting()) === 0);
    for (const id of stuck) assert.ok(await isStored(id));
    await eventually('it is well again', () => said.at(-1) === 'Recordings are stored again');
    // Once for each reason: in the moment in which the file was removed there is another one.
    const [first, ...others] = said.slice(0, -1);
    assert.equal(first, 'Recordings cannot be stored; they wait and are tried again');
    assert.ok(others.length <= 1 && others.every((one) => one === first), said.join('; '));
    assert.deepEqual(await trouble(), { waiting: 0, since: null, reason: null, lost: 0, lost_reason: null });
    await storing.stop();
  });

  test('are found by where they lie, whatever the machine was called; and lost is what should lie here and does not', async () => {
    const former = await newRecording({ folder: 'a folder of another name' });
    const away = await newRecording({ written: false });
    const gone = await newRecording({ folder: incoming.id, written: false });
    const storing = startStoringHere();
    await eventually('it is stored', () => isStored(former));
    await eventually('it is lost', async () => (await row(gone)).removed_at !== null);
    assert.equal((await row(away)).removed_at, null, 'it may lie on another machine');
    assert.deepEqual((await trouble()).lost, 1);
    await storing.stop();
    await house.pool.query('delete from recordings where id = any ($1)', [[away, gone]]);
  });

  test('are not lost while their folder is away, or another in its place', async () => {
    const waits = await newRecording({ folder: incoming.id });
    const away = `${incoming.path}-away`;
    renameSync(incoming.path, away);
    const storing = startStoringHere();
    const isTold = async () => (await row(waits)).error === 'the folder they wait in is not there';
    await eventually('it is told', isTold);
    openIncoming(incoming.path);
    const other = await newRecording({ folder: incoming.id, written: false });
    await eventually('another folder is not taken for it', async () => (await row(other)).error !== null);
    assert.deepEqual([(await row(other)).removed_at, (await trouble()).lost], [null, 0]);
    writeFileSync(join(away, (await row(other)).file), 'sound');
    rmSync(incoming.path, { recursive: true });
    renameSync(away, incoming.path);
    for (const id of [waits, other]) await eventually('it is stored', () => isStored(id));
    await storing.stop();
  });

  test('are not lost when their folder comes back in the moment in which they are looked for', async () => {
    const waits = await newRecording({ folder: incoming.id });
    const away = `${incoming.path}-away`;
    renameSync(incoming.path, away);
    const storing = startStoringHere({
      ...house.store,
      async measure(key) {
        // The file was not there; the folder is when it is looked at next.
        if (existsSync(away)) renameSync(away, incoming.path);
        return house.store.measure(key);
      },
    });
    await eventually('it is stored', () => isStored(waits));
    assert.equal((await trouble()).lost, 0);
    await storing.stop();
  });

  test('one that was taken for lost is found again where it lies', async () => {
    const lost = await newRecording({ folder: incoming.id });
    const file = join(incoming.path, (await row(lost)).file);
    const hoursAgo = Date.now() / 1_000 - 25 * 3_600;
    utimesSync(file, hoursAgo, hoursAgo);
    await house.pool.query(
      `update recordings set file = null, removed_at = now(), error = 'its file is gone', failed_at = now() where id = $1`,
      [lost],
    );
    await sweepIncoming(means);
    assert.equal((await row(lost)).removed_at, null);
    const storing = startStoringHere();
    await eventually('it is stored', () => isStored(lost));
    assert.equal((await trouble()).lost, 0);
    await storing.stop();
  });

  test('what a killed node left: a finished recording goes to its call, and what belongs to none is removed after a day', async () => {
    const call = await newCall(house.account.id);
    const leave = (name: string, hours: number) => {
      const file = join(incoming.path, name);
      writeFileSync(file, 'sound');
      const at = Date.now() / 1_000 - hours * 3_600;
      utimesSync(file, at, at);
    };
    leave(`${call.subject}.wav`, 1);
    leave('nobody.wav', 1);
    leave('half.wav.part', 25);
    leave('old.wav', 25);
    await sweepIncoming(means);
    assert.deepEqual(readdirSync(incoming.path).toSorted(), [`${call.subject}.wav`, 'id', 'nobody.wav'].toSorted());
    const { rows } = await house.pool.query('select id from recordings where call_id = $1', [call.id]);
    const storing = startStoringHere();
    await eventually('it is stored', () => isStored(rows[0].id));
    await storing.stop();
  });

  test('what a killed process was recording is mended and goes to its call, with its pauses; what still grows is left alone, and a call that goes on', async () => {
    const [left, growing] = [await newCall(house.account.id), await newCall(house.account.id)];
    const asleep = await newCall(house.account.id, 'active');
    const begun = ({ subject }: { subject: string }) => join(incoming.path, `${subject}.wav.part`);
    const sound = new Int16Array(2_000 * 2 + 1).fill(UNRECORDED, 1_000 * 2, 2_000 * 2);
    for (const call of [left, growing, asleep])
      writeFileSync(begun(call), Buffer.concat([wavHeader(), Buffer.from(sound.buffer)]));
    const before = Date.now() / 1_000 - 300;
    for (const call of [left, asleep]) utimesSync(begun(call), before, before);
    assert.equal(await sweepIncoming(means), true, 'what grows is looked at again');
    const of = async ({ id }: { id: number }) =>
      (await house.pool.query('select file from recordings where call_id = $1', [id])).rows;
    assert.deepEqual(await of(left), [{ file: `${left.subject}.wav` }]);
    for (const call of [growing, asleep]) {
      assert.deepEqual(await of(call), []);
      assert.ok(existsSync(begun(call)));
      rmSync(begun(call));
    }
    assert.equal(readRecording(join(incoming.path, `${left.subject}.wav`)).seconds, 0.25);
    const storing = startStoringHere();
    const kept = async () =>
      (await house.pool.query('select gaps from recordings where call_id = $1 and ready_at is not null', [left.id]))
        .rows;
    assert.deepEqual(await eventually('it is stored', async () => (await kept())[0]), {
      gaps: [{ from: 0.125, to: 0.25 }],
    });
    await storing.stop();
  });

  test('nobody else may read them', () => {
    const folder = join(makeFolder(), 'incoming');
    mkdirSync(folder, { mode: 0o755 });
    writeFileSync(join(folder, 'x.wav'), '', { mode: 0o644 });
    chmodSync(folder, 0o755);
    const { id } = openIncoming(folder);
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    assert.deepEqual(
      [modeOf(folder), modeOf(join(folder, 'x.wav')), modeOf(join(folder, 'id'))],
      ['700', '600', '600'],
    );
    assert.equal(openIncoming(folder).id, id);
    renameSync(folder, `${folder}-moved`);
    assert.equal(openIncoming(`${folder}-moved`).id, id, 'it keeps its name wherever it is');
  });

  test('a folder whose name a full disk refused to keep is named once there is room', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'id'), '');
    const named = openIncoming(folder);
    assert.ok(await isInPlace(named));
    assert.equal(openIncoming(folder).id, named.id);
    assert.deepEqual(readdirSync(folder), ['id']);
  });

  test('one that could not even be written down is lost, and the call and the owner’s page say so', async () => {
    await house.openLine();
    rmSync(house.incoming, { recursive: true });
    writeFileSync(house.incoming, 'no folder any more');
    const { id } = (await owner('POST', '/calls', { call: { number: '+4533112211' } })).body;
    const silence = async () => (await owner('GET', `/calls/${id}/sound`)).body.silence as string;
    await eventually('it is told', async () => (await silence()) === 'lost');
    const { lost, lost_reason } = await trouble();
    assert.deepEqual([lost, lost_reason], [1, 'a file is where a folder should be']);
    rmSync(house.incoming);
    const again = (await owner('POST', '/calls', { call: { number: '+4533112211' } })).body.id;
    await eventually(
      'the next one is kept',
      async () => (await owner('GET', `/calls/${again}/sound`)).body.silence === null,
    );
    assert.ok(existsSync(join(house.recordings.folder, String(house.account.id))));
  });
});
