import assert from 'node:assert/strict';
import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { OWNER, send } from '../../test/house.ts';
import { eventually, makeFolder, makeInstallation, startLeadline } from '../../test/leadline.ts';
import { measureTone, readRecording } from '../../test/sound.ts';

test('what was said before a kill -9 is kept to its last second, and belongs to its call', async () => {
  const recordings = makeFolder();
  const env = {
    DATA_DIR: makeInstallation({ durable: true }),
    RECORDINGS: recordings,
    OWNER_EMAIL: OWNER.email,
    OWNER_PASSWORD: OWNER.password,
    RATE_LIMITS: 'off',
  };
  const first = await startLeadline({ env });
  const signIn = async (address: string) => {
    const { headers, status } = await send(`${address}/app/session`, 'POST', OWNER, { origin: address });
    assert.equal(status, 201);
    const cookie = headers.get('set-cookie')!.split(';', 1)[0]!;
    return (method: string, path: string, body?: object) =>
      send(`${address}/app${path}`, method, body, { cookie, origin: address });
  };
  const owner = await signIn(first.address);
  const { body: call } = await owner('POST', '/calls', { call: { number: '+4533112280' } });
  const find = (folder: string, ending: string) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .find((name) => name.endsWith(ending));
  const hums = (samples: Int16Array) => measureTone(samples.subarray(-4_000), 1_000) > 1_000;
  // A machine that does much else has gaps in what it records: it is killed where there is none.
  const part = await eventually('it has been recorded for three seconds', () => {
    const found = find(env.DATA_DIR, '.wav.part') ?? find(recordings, '.wav.part');
    const isLong = found && statSync(found).size > 3 * 32_000;
    return isLong && hums(readRecording(found, { isGrowing: true }).right) && found;
  });
  first.child.kill('SIGKILL');
  await first.ended;
  const written = statSync(part).size;
  // As if nobody had looked for a while: what grows is not touched, and what was just finished may still be told of.
  const before = Date.now() / 1_000 - 120;
  utimesSync(part, before, before);

  const second = await startLeadline({ env });
  const again = await signIn(second.address);
  const sound = await eventually('it is stored', async () => {
    const { body } = await again('GET', `/calls/${call.id}/sound`);
    return body.silence === null && body.recordings[0].seconds !== null && body;
  });
  const { seconds, right } = readRecording(find(join(recordings), '.wav')!);
  assert.equal(sound.recordings[0].seconds, seconds);
  assert.equal(seconds, Math.floor((written - 44) / 4) / 8_000);
  assert.ok(hums(right), 'to its end');
  await second.stop();
});
