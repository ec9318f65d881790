import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openHouse, OWNER, type Ask } from '../../test/house.ts';
import { eventually, makeFolder } from '../../test/leadline.ts';
import { measureFile, measureStored, MOMENTS } from './peaks.ts';
import { removeOldRecordings } from './recordings.ts';

/** A WAV file with a note before its sound, as some carriers leave one. */
function writeWav(channels: number, samples: number[]): string {
  const head = Buffer.from('RIFF----WAVEfmt --------------------LIST----odd-data----');
  const fields = [16, 1 | (channels << 16), 8_000, 16_000 * channels, (2 * channels) | (16 << 16)];
  for (const [index, field] of fields.entries()) head.writeUInt32LE(field, 16 + index * 4);
  head.writeUInt32LE(3, 40);
  head.writeUInt32LE(samples.length * 2, 52);
  const file = join(makeFolder(), 'sound.wav');
  writeFileSync(file, Buffer.concat([head, Buffer.from(Int16Array.from(samples).buffer)]));
  return file;
}

describe('peaks', () => {
  test('say how loud each moment is, channel after channel', async () => {
    const frames = MOMENTS * 100;
    const samples = Array.from({ length: frames * 2 }, (_, at) =>
      at % 2 === 0 ? (at < frames ? -32_768 : 128) : at === frames * 2 - 1 ? 32_767 : 0,
    );
    const { seconds, peaks } = (await measureFile(writeWav(2, samples)))!;
    assert.equal(seconds, 6);
    assert.equal(peaks.length, MOMENTS * 2);
    assert.deepEqual([peaks[0], peaks[MOMENTS / 2 - 1], peaks[MOMENTS / 2], peaks[MOMENTS - 1]], [255, 255, 1, 1]);
    assert.deepEqual([peaks[MOMENTS], peaks.at(-2), peaks.at(-1)], [0, 0, 36]);
  });

  test('are there for a single channel, for silence, and for a recording of nothing', async () => {
    assert.equal((await measureFile(writeWav(1, [0, 0, 0, 0])))!.peaks.length, MOMENTS);
    assert.deepEqual(await measureFile(writeWav(2, [])), { seconds: 0, peaks: Buffer.alloc(MOMENTS * 2), gaps: [] });
  });

  test('of what is no WAV file are empty, of what is not there unknown', async () => {
    const file = join(makeFolder(), 'sound.wav');
    for (const content of ['', 'RIFF', 'RIFF----WAVE', 'x'.repeat(300_000)]) {
      writeFileSync(file, content);
      assert.equal((await measureFile(file))!.peaks.length, 0);
    }
    assert.equal(await measureFile(`${file}.missing`), undefined);
  });
});

describe('the sound of a call', async () => {
  const house = await openHouse();
  await house.openLine();
  const api = house.withKey(house.key);
  const owner = await house.signIn(OWNER.email, OWNER.password);
  const list = (await api('POST', '/lists', { list: { name: 'Calls' } })).body.id as number;
  const agent = await house.join({ email: 'ann@example.com', listing_ids: [list] });
  const soundOf = async (id: number, ask: Ask = agent.ask) => (await ask('GET', `/calls/${id}/sound`)).body;
  const callTo = async (phone: string): Promise<number> => {
    const lead = (await api('POST', `/lists/${list}/leads`, { lead: { work_office_phone: phone } })).body.id;
    const { id } = (await agent.ask('POST', '/calls', { call: { lead_id: lead } })).body;
    await eventually('it is over', async () => (await api('GET', `/calls/${id}`)).body.state === 'completed');
    return id;
  };
  const record = async () => {
    const id = await callTo('+4533112212');
    await eventually('it is stored', async () => (await soundOf(id)).silence === null);
    return id;
  };

  test('is told to be under way while it is', async () => {
    const { id } = (await agent.ask('POST', '/calls', { call: { number: '+4533112280' } })).body;
    assert.equal((await soundOf(id)).silence, 'under_way');
    await agent.ask('POST', `/calls/${id}/hang_up`);
    await eventually('it is over', async () => (await soundOf(id)).silence !== 'under_way');
  });

  test('is two rows of moments, as long as the recording, for those who may hear it', async () => {
    // What mixes the sound begins with the first call, which may be over before anyone has spoken.
    await record();
    const id = await record();
    const { recordings } = await soundOf(id);
    const call = (await api('GET', `/calls/${id}`)).body;
    assert.equal(recordings.length, 1);
    const { seconds } = recordings[0];
    assert.ok(seconds > call.duration - 1 && seconds < call.duration + 10, `${seconds} s`);
    assert.deepEqual(recordings[0].gaps, []);
    const [mine, theirs] = recordings[0].channels.map((channel: string) => Buffer.from(channel, 'base64'));
    assert.deepEqual([mine.length, theirs.length], [MOMENTS, MOMENTS]);
    assert.ok(
      theirs.some((level: number) => level > 20),
      'whoever picks up says hello',
    );
    const supervisor = await house.join({ email: 'sue@example.com', agent: false, supervisor: true });
    assert.deepEqual(await soundOf(id, supervisor.ask), { silence: null, ended_by: 'other', recordings });
  });

  test('is not for others: they learn why, or where they do not see the call, nothing', async () => {
    const id = await record();
    const colleague = await house.join({ email: 'bo@example.com', listing_ids: [list] });
    const analyst = await house.join({ email: 'ana@example.com', agent: false, analyst: true });
    const stranger = await house.join({ email: 'eve@example.com' });
    const silent = { silence: 'no_right', ended_by: 'other', recordings: [] };
    assert.deepEqual([await soundOf(id, colleague.ask), await soundOf(id, analyst.ask)], [silent, silent]);
    assert.equal((await stranger.ask('GET', `/calls/${id}/sound`)).status, 404);
  });

  test('is missing for a reason: nobody answered, nobody recorded, or its time is over', async () => {
    assert.equal((await soundOf(await callTo('+4533112240'))).silence, 'not_answered');
    await owner('PATCH', '/account', { account: { record_calls: false } });
    assert.equal((await soundOf(await callTo('+4533112211'))).silence, 'not_recorded');
    await owner('PATCH', '/account', { account: { record_calls: true, recordings_keep_days: 30 } });
    const id = await record();
    await house.pool.query(`update recordings set started_at = now() - interval '31 days' where call_id = $1`, [id]);
    await removeOldRecordings(house.db, house.store);
    assert.equal((await soundOf(id)).silence, 'removed');
  });

  test('of what was stored before there were peaks is flat until it has been measured', async () => {
    const id = await record();
    const before = await soundOf(id);
    await house.pool.query('update recordings set seconds = null, peaks = null where call_id = $1', [id]);
    assert.deepEqual(await soundOf(id), { ...before, recordings: [{ seconds: null, channels: [], gaps: [] }] });
    await measureStored(house.db, house.store);
    assert.deepEqual(await soundOf(id), before);
  });
});
