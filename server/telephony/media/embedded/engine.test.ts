import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openCaller, type Caller } from '../../../../test/caller.ts';
import { eventually } from '../../../../test/leadline.ts';
import type { Asked } from '../../../../test/parties.ts';
import { measureTone, readRecording } from '../../../../test/sound.ts';
import { SAMPLES } from '../g711.ts';
import { BadOffer, FRAME_BYTES, type Heard } from '../media.ts';
import { repairRecording } from '../repair.ts';
import { UNRECORDED } from '../wav.ts';
import { openEmbedded } from './engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'leadline-engine-'));
const heard: Heard[] = [];
const warnings: string[] = [];
process.on('warning', ({ message }) => warnings.push(message));
const media = openEmbedded({ publicIps: ['127.0.0.1'], ports: { first: 41_100, last: 41_199 } }, (told) =>
  heard.push(told),
);
after(async () => {
  for (const phone of phones) phone.stop();
  await media.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A caller that speaks all the time, and keeps what it heard last. */
type Phone = { name: string; caller: Caller; heard: Uint8Array[]; stop(): void; speak(on: boolean): void };
const phones: Phone[] = [];

/** What it says is a byte of its own. */
async function openPhone(name: string, byte: number): Promise<Phone> {
  const caller = await openCaller();
  try {
    return await startPhone(name, caller, await media.connect(name, caller.offer()), byte);
  } catch (error) {
    caller.close();
    throw error;
  }
}

async function startPhone(name: string, caller: Caller, answer: string, byte: number): Promise<Phone> {
  await caller.take(answer);
  const frames: Uint8Array[] = [];
  caller.socket.on('message', (message: Buffer) => {
    const end = caller.unpack(message);
    if (end > 12) frames.push(message.subarray(12, end));
    if (frames.length > 100) frames.shift();
  });
  let [sequence, speaks] = [65_500, true];
  const timer = setInterval(() => {
    if (speaks) caller.send(caller.pack(sequence, sequence * FRAME_BYTES, new Uint8Array(FRAME_BYTES).fill(byte)));
    sequence += 1;
  }, 20);
  const phone: Phone = {
    name,
    caller,
    heard: frames,
    speak: (on) => (speaks = on),
    stop() {
      clearInterval(timer);
      try {
        caller.close();
      } catch {
        // It was stopped before.
      }
    },
  };
  phones.push(phone);
  return phone;
}

const hears = ({ name, heard: frames }: Phone, byte: number) => {
  frames.length = 0;
  return eventually(
    `${name} hears ${byte}`,
    () => frames.length > 5 && frames.slice(-5).every((frame) => frame[80] === byte),
  );
};
const SILENT = 0xff;
const waits = ({ name, heard: frames }: Phone) => {
  frames.length = 0;
  return eventually(`${name} hears that they wait`, () => new Set(frames.at(-1)).size > 20);
};

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
const told = (kind: Heard['kind'], leg: string) =>
  heard.filter((each) => each.kind === kind && 'leg' in each && each.leg === leg).length;
const party = (options: Asked) => ({ module: new URL('../../../../test/parties.ts', import.meta.url).href, options });

test('Two browsers hear each other, and are recorded each on a channel', async () => {
  const [ann, bob] = [await openPhone('ann', 0x10), await openPhone('bob', 0x90)];
  const file = join(folder, 'colleagues.wav');
  media.begin('colleagues');
  media.attach('colleagues', 'agent', 'ann');
  media.attach('colleagues', 'other', 'bob');
  media.record('colleagues', file);
  await Promise.all([hears(ann, 0x90), hears(bob, 0x10)]);

  media.hold('colleagues', 'agent', true);
  await Promise.all([hears(ann, SILENT), waits(bob)]);
  media.hold('colleagues', 'agent', false);
  await Promise.all([hears(ann, 0x90), hears(bob, 0x10)]);

  // The other may hold as well, and each ends their own.
  media.hold('colleagues', 'other', true);
  await Promise.all([waits(ann), hears(bob, SILENT)]);
  media.hold('colleagues', 'agent', true);
  await Promise.all([hears(ann, SILENT), hears(bob, SILENT)]);
  media.hold('colleagues', 'other', false);
  await Promise.all([hears(ann, SILENT), waits(bob)]);
  media.hold('colleagues', 'agent', false);
  await Promise.all([hears(ann, 0x90), hears(bob, 0x10)]);

  const recorded = await media.end('colleagues');
  assert.equal(recorded?.file, file);
  const { left, right } = readRecording(file);
  assert.ok(left.every((sample) => sample === 0 || sample === SAMPLES[0x10]));
  assert.ok(right.every((sample) => sample === 0 || sample === SAMPLES[0x90]));
  assert.ok(left.includes(SAMPLES[0x10]!) && right.includes(SAMPLES[0x90]!));
  // Nobody is at a side any more.
  await Promise.all([hears(ann, SILENT), hears(bob, SILENT)]);
  for (const phone of [ann, bob]) {
    media.disconnect(phone.name);
    phone.stop();
  }
});

test('The agent hears ringing until there is someone, and digits arrive as tones and as digits', async () => {
  const ann = await openPhone('ann-2', 0x10);
  const [asked, digits] = [0, 0].map(() => new Int32Array(new SharedArrayBuffer(64)));
  media.begin('dialled');
  media.attach('dialled', 'agent', ann.name);
  media.play('dialled', 'ringing');
  await eventually('it rings', () => {
    const samples = ann.heard.slice(-10).flatMap((frame) => Array.from(frame, (byte) => SAMPLES[byte]!));
    return samples.length > 1_000 && measureTone(samples, 425) > 4_000;
  });
  media.attachParty('dialled', party({ kind: 'counts', asked: asked!, digits: digits! }));
  media.play('dialled', null);
  await hears(ann, SILENT);
  media.sendDigits('dialled', '12#x*');
  await eventually('the digits arrive', () => String.fromCharCode(...digits!.subarray(0, 4)) === '12#*');
  media.disconnect(ann.name);
  ann.stop();

  // Nobody listens and nothing is recorded: what comes after in the same thread shows that it was not asked meanwhile.
  media.begin('after');
  await media.end('after');
  const before = Atomics.load(asked!, 0);
  const ben = await openPhone('ben', 0x20);
  assert.equal(Atomics.load(asked!, 0), before, 'asked although nobody listens');
  media.attach('dialled', 'agent', ben.name);
  await eventually('asked again', () => Atomics.load(asked!, 0) > before);
  await media.end('dialled');
  media.disconnect(ben.name);
  ben.stop();
});

test('Foreign packets at a port, another voice and another payload are not heard', async () => {
  const [ann, bob] = [await openPhone('ann-3', 0x10), await openPhone('bob-3', 0x90)];
  media.begin('pestered');
  media.attach('pestered', 'agent', ann.name);
  media.attach('pestered', 'other', bob.name);
  await hears(bob, 0x10);
  const { port } = ann.caller.socket.remoteAddress();
  const stranger = createSocket('udp4');
  const foreign = Buffer.concat([
    Buffer.from('80000001000000a000000007', 'hex'),
    Buffer.alloc(FRAME_BYTES, 0x55),
    randomBytes(10),
  ]);
  for (let count = 0; count < 500; count++) {
    stranger.send(foreign, port, '127.0.0.1');
    // Whatever it says it is: a check, a handshake, sound, a report, nothing.
    for (const first of [0, 22, 128, 200]) {
      const noise = randomBytes(count % 300);
      if (noise.length > 0) noise[0] = first;
      stranger.send(noise, port, '127.0.0.1');
      ann.caller.send(noise);
    }
    // From the browser itself, and signed by it.
    ann.caller.send(ann.caller.pack(count, count, Buffer.alloc(FRAME_BYTES, 0x56), 111));
    ann.caller.send(ann.caller.pack(count, count, Buffer.alloc(FRAME_BYTES, 0x57), 0, 7));
  }
  await hears(bob, 0x10);
  assert.ok(bob.heard.every((frame) => ![0x55, 0x56, 0x57].includes(frame[80]!)));
  stranger.close();
  await media.end('pestered');
  for (const phone of [ann, bob]) {
    media.disconnect(phone.name);
    phone.stop();
  }
});

test('A browser that is gone is told, and another connection takes its place in the conversation', async () => {
  const [ann, bob] = [await openPhone('ann-4', 0x10), await openPhone('bob-4', 0x90)];
  media.begin('reloaded');
  media.attach('reloaded', 'agent', ann.name);
  media.attach('reloaded', 'other', bob.name);
  await hears(bob, 0x10);
  ann.stop();
  await eventually('it is told', () => told('lost', ann.name) === 1);
  const again = await openPhone(ann.name, 0x11);
  await hears(bob, 0x11);
  await hears(again, 0x90);
  assert.equal(told('lost', bob.name), 0);
  assert.equal(told('connected', ann.name), 2);
  await media.end('reloaded');
  for (const phone of [again, bob]) {
    media.disconnect(phone.name);
    phone.stop();
  }
});

test('A connection that looks for another way keeps its keys and its port', async () => {
  const ann = await openPhone('ann-5', 0x10);
  media.begin('moved');
  media.attach('moved', 'agent', ann.name);
  media.attachParty('moved', party({ kind: 'echoes' }));
  await hears(ann, 0x10);
  const { port } = ann.caller.socket.remoteAddress();
  const answer = await media.connect(ann.name, ann.caller.offer());
  assert.ok(answer.includes(`m=audio ${port} `));
  await ann.caller.take(answer);
  await hears(ann, 0x10);
  assert.equal(told('connected', ann.name), 1);
  await media.end('moved');
  media.disconnect(ann.name);
  ann.stop();
});

/** Between a caller and the engine: `move` gives it another address towards us, as when a telephone changes from one network to the other. */
async function openRelay(to: number) {
  const inside = createSocket('udp4');
  await new Promise<void>((done) => inside.bind(0, '127.0.0.1', done));
  let outside = createSocket('udp4');
  let back: number | undefined;
  const state = { dead: false, loss: 0, jitterMs: 0 };
  let closed = false;
  const later = (send: () => void) => {
    if (state.dead || Math.random() < state.loss) return;
    setTimeout(() => !closed && send(), Math.random() * state.jitterMs);
  };
  const listen = () => outside.on('message', (message) => later(() => inside.send(message, back, '127.0.0.1')));
  listen();
  inside.on('message', (message, { port }) => {
    back = port;
    later(() => outside.send(message, to, '127.0.0.1'));
  });
  return {
    state,
    port: inside.address().port,
    move() {
      const old = outside;
      outside = createSocket('udp4');
      listen();
      old.close();
    },
    close() {
      closed = true;
      inside.close();
      outside.close();
    },
  };
}

test('A call goes on over a bad network, from another address, and after a network that was dead', async () => {
  const caller = await openCaller();
  const answer = await media.connect('mobile', caller.offer());
  const relay = await openRelay(Number(/^m=audio (\d+)/m.exec(answer)![1]));
  const phone = await startPhone('mobile', caller, answer.replace(/^m=audio \d+/m, `m=audio ${relay.port}`), 0x10);
  media.begin('mobile');
  media.attach('mobile', 'agent', 'mobile');
  media.attachParty('mobile', party({ kind: 'echoes' }));
  await hears(phone, 0x10);

  Object.assign(relay.state, { loss: 0.05, jitterMs: 60 });
  await eventually(
    'most of it is heard',
    () => phone.heard.length === 100 && phone.heard.filter((frame) => frame[80] === 0x10).length > 60,
  );
  Object.assign(relay.state, { loss: 0, jitterMs: 0 });

  relay.move();
  caller.check();
  await hears(phone, 0x10);

  relay.state.dead = true;
  await eventually('it is told', () => told('lost', 'mobile') === 1);
  relay.state.dead = false;
  await eventually('it is told again', () => told('connected', 'mobile') === 2);
  await hears(phone, 0x10);
  await media.end('mobile');
  media.disconnect('mobile');
  phone.stop();
  relay.close();
});

test('Who shows a certificate without its key does not get in', async () => {
  const impostor = await openCaller({ impostor: true });
  await impostor.take(await media.connect('impostor', impostor.offer()));
  await eventually('it is told', () => told('lost', 'impostor') === 1);
  assert.equal(told('connected', 'impostor'), 0);
  media.disconnect('impostor');
  impostor.close();
});

test('Whoever says two different things in a handshake is not let in', async () => {
  const caller = await openCaller({ wavers: true });
  // It never comes to an end: it is not answered any more.
  caller.take(await media.connect('wavering', caller.offer())).catch(() => {});
  await eventually('it is told', () => told('lost', 'wavering') === 1);
  assert.equal(told('connected', 'wavering'), 0);
  media.disconnect('wavering');
  caller.close();
});

test('Scraps of a handshake from one browser end nobody else’s', async () => {
  const certificateOf = async (name: string) => {
    const caller = await openCaller();
    const answer = await media.connect(name, caller.offer());
    caller.close();
    media.disconnect(name);
    return /a=fingerprint:.*/.exec(answer)![0];
  };
  const before = await certificateOf('early');
  const ann = await openPhone('ann-9', 0x10);
  for (let count = 0; count < 10; count++) ann.caller.send(Buffer.from([21]));
  const caller = await openCaller();
  await caller.take(await media.connect('scraps', caller.offer()));
  for (let count = 0; count < 300; count++) caller.send(Buffer.from([22]));
  await openPhone('bob-9', 0x90).then((phone) => phone.stop());
  // Another thread would show another one.
  assert.equal(await certificateOf('late'), before);
  for (const name of ['ann-9', 'bob-9', 'scraps']) media.disconnect(name);
  ann.stop();
  caller.close();
});

test('Two other ends are connected with each other, and the agent is free', async () => {
  const [ann, bob] = [await openPhone('ann-6', 0x10), await openPhone('bob-6', 0x90)];
  const file = join(folder, 'first.wav');
  media.begin('first');
  media.begin('second');
  media.attach('first', 'other', bob.name);
  media.attach('first', 'agent', ann.name);
  media.record('first', file);
  await hears(ann, 0x90);
  media.hold('first', 'agent', true);
  media.attach('second', 'agent', ann.name);
  media.attachParty('second', party({ kind: 'echoes' }));
  await hears(ann, 0x10);
  const recorded = await media.join('first', 'second');
  assert.equal(recorded?.file, file);
  await hears(bob, 0x90);
  await hears(ann, SILENT);
  assert.equal(await media.end('first'), undefined);
  await media.end('second');
  for (const phone of [ann, bob]) {
    media.disconnect(phone.name);
    phone.stop();
  }
});

test('Another agent goes on with an other end: it is where it was, and is recorded there', async () => {
  const [ann, bob] = [await openPhone('ann-8', 0x10), await openPhone('bob-8', 0x90)];
  const file = join(folder, 'handed-over.wav');
  media.begin('before');
  media.attach('before', 'agent', ann.name);
  media.attachParty('before', party({ kind: 'echoes' }));
  await hears(ann, 0x10);
  media.hold('before', 'agent', true);
  media.begin('after');
  void media.join('before', 'after', 'other');
  media.record('after', file);
  media.attach('after', 'agent', bob.name);
  await hears(bob, 0x90);
  await hears(ann, SILENT);
  await media.end('after');
  const { left, right } = readRecording(file);
  for (const side of [left, right]) assert.ok(side.includes(SAMPLES[0x90]!) && !side.includes(SAMPLES[0x10]!));
  for (const phone of [ann, bob]) {
    media.disconnect(phone.name);
    phone.stop();
  }
});

test('A program at the other end that throws is silent from then on, and others go on', async () => {
  const ann = await openPhone('ann-7', 0x10);
  media.begin('angry');
  media.attach('angry', 'agent', ann.name);
  media.attachParty('angry', party({ kind: 'throws' }));
  await eventually('a warning', () => warnings.some((each) => each.includes('left in anger')));
  await hears(ann, SILENT);
  media.attachParty('angry', party({ kind: 'echoes' }));
  await hears(ann, 0x10);
  await media.end('angry');
  media.disconnect(ann.name);
  ann.stop();
});

test('Offers that nobody understands are refused with a sentence, and do not disturb a call', async () => {
  const ann = await openPhone('ann-8', 0x10);
  media.begin('steady');
  media.attach('steady', 'agent', ann.name);
  media.attachParty('steady', party({ kind: 'echoes' }));
  await hears(ann, 0x10);
  const caller = await openCaller();
  const whole = caller.offer();
  let refused = 0;
  for (let count = 0; count < 1_000; count++) {
    try {
      await media.connect('fuzzer', spoil(whole, count));
    } catch (error) {
      assert.ok(error instanceof BadOffer && /^[A-Z].*[.…:\d]|media: /.test(error.message), String(error));
      refused += 1;
    }
  }
  assert.ok(refused > 300, `${refused} were refused`);
  await hears(ann, 0x10);
  assert.equal(told('lost', ann.name), 0);
  media.disconnect('fuzzer');
  caller.close();
  await media.end('steady');
  media.disconnect(ann.name);
  ann.stop();
});

/** A line is lost, repeated or cut, bytes are others, or all of it is noise. */
function spoil(sdp: string, count: number): string {
  const lines = sdp.split('\r\n');
  const at = Math.floor(Math.random() * lines.length);
  const way = count % 6;
  if (way === 0) lines.splice(at, 1);
  else if (way === 1) lines[at] = lines[at]!.slice(0, Math.floor(Math.random() * lines[at]!.length));
  else if (way === 2) lines.push(...Array.from({ length: count * 2 }, () => lines[at]!));
  else if (way === 3) lines[at] = `${lines[at]!.slice(0, 2)}${randomBytes(20).toString('latin1')}`;
  else if (way === 4) return randomBytes(count * 30).toString('latin1');
  else lines[at] = lines[at]!.replace(/[0-9]+/g, '99999999999999999999');
  return lines.join('\r\n');
}

for (const [what, kind] of [
  ['ends', 'ends the thread'],
  ['hangs', 'hangs'],
] as const)
  test(`A thread that ${what} takes connections with it, but no call; what is said after is recorded too`, async () => {
    const [call, file] = [`call that ${what}`, join(folder, `${what}-call.wav`)];
    const ann = await eventually('it connects', () => openPhone(`ann-${what}`, 0x10).catch(() => undefined));
    media.begin(call);
    media.attach(call, 'agent', ann.name);
    media.attachParty(call, party({ kind: 'echoes' }));
    media.record(call, file);
    const began = performance.now();
    await hears(ann, 0x10);
    await eventually('some of it is written', () => sizeOf(`${file}.part`) > 44 + 8_000 * 4);
    media.begin(kind);
    media.attachParty(kind, party({ kind }));
    media.record(kind, join(folder, `${kind}.wav`));
    await eventually('it is told', () => told('lost', ann.name) === 1);
    await media.end(kind);
    ann.stop();
    // The engine may rest for a moment before it begins again.
    const again = await eventually('it connects again', () => openPhone(ann.name, 0x11).catch(() => undefined));
    await hears(again, 0x11);
    assert.ok(!heard.some((each) => each.kind === 'recording_failed' && each.conversation === call));
    const asked = (performance.now() - began) / 1_000;
    const recorded = await media.end(call);
    const lasted = (performance.now() - began) / 1_000;
    assert.equal(recorded?.file, file);
    const { seconds } = recorded;
    assert.ok(seconds > asked - 1 && seconds < lasted + 1, `${seconds} of ${asked} to ${lasted} s`);
    const { left } = readRecording(file);
    const [first, gap, last] = [SAMPLES[0x10]!, UNRECORDED, SAMPLES[0x11]!].map((sample) => left.indexOf(sample));
    assert.ok(0 <= first! && first! < gap! && gap! < last!, `${first}, ${gap}, ${last}`);
    media.disconnect(ann.name);
    again.stop();
  });

test('A recording that cannot be written is told with its reason, and the call goes on', async () => {
  const ann = await openPhone('ann-10', 0x10);
  media.begin('full');
  media.attach('full', 'agent', ann.name);
  media.attachParty('full', party({ kind: 'echoes' }));
  media.record('full', join(folder, 'nowhere', 'call.wav'));
  const failed = await eventually('it is told', () =>
    heard.find((each) => each.kind === 'recording_failed' && each.conversation === 'full'),
  );
  assert.equal(((failed as { error: unknown }).error as NodeJS.ErrnoException).code, 'ENOENT');
  await hears(ann, 0x10);
  assert.equal(await media.end('full'), undefined);
  media.disconnect(ann.name);
  ann.stop();
});

const KILLED = `
  const { openEmbedded } = await import(process.env.ENGINE);
  const media = openEmbedded({ publicIps: ['127.0.0.1'], ports: { first: 41_200, last: 41_201 } }, () => {});
  media.begin('call');
  media.attachParty('call', JSON.parse(process.env.PARTY));
  media.record('call', process.env.FILE);`;

test('A service that is killed leaves a recording that can be played as far as it was written', async () => {
  const place = mkdtempSync(join(folder, 'killed-'));
  const file = join(place, 'call.wav');
  const ENGINE = new URL('engine.ts', import.meta.url).href;
  const PARTY = JSON.stringify(party({ kind: 'hums', hertz: 1_000 }));
  const env = { ...process.env, ENGINE, PARTY, FILE: file };
  const service = spawn(process.execPath, ['--input-type=module', '-e', KILLED], { env, stdio: 'inherit' });
  await eventually('two seconds are written', () => sizeOf(`${file}.part`) > 2 * 8_000 * 4);
  const written = await eventually('it is heard', () => {
    const { right } = readRecording(`${file}.part`, { isGrowing: true });
    return right.some((sample) => sample > 5_000) && right;
  });
  service.kill('SIGKILL');
  await once(service, 'exit');
  assert.equal((await repairRecording(file))?.file, file);
  const { right, left, seconds } = readRecording(file);
  assert.deepEqual(right.subarray(0, written.length), written, 'up to its end');
  assert.equal(seconds, right.length / 8_000);
  assert.ok(left.every((sample) => sample === 0));
});
