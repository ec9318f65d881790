import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { randomBytes, randomUUID } from 'node:crypto';
import { utimesSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Asking } from '../askers.ts';
import { openCaller } from '../caller.ts';
import { eventually } from '../leadline.ts';
import { findSound, longestSilence, loudestTone, measureTone, type Recording } from '../sound.ts';
import { openSocket } from '../telephone.ts';
import { SAMPLES } from '../../server/telephony/media/g711.ts';
import { digitSaid } from '../../server/telephony/simulated/sounds.ts';
import { withBrowser } from './browser.ts';
import { openDesk, openHummingBrowser, partOf, type Agent } from './calling.ts';
import { OTHER, OWN } from './ear.ts';
import { openService } from './service.ts';

/** Calls from the desk, in a browser whose microphone hums 700 Hz, to people who hum 1,000 Hz. */
const SECONDS = Number(process.env.SOUND_SECONDS ?? 60);
const MOST_GAP_MS = 60;
const FIRST = -10;
const tell = (what: string, figures: object) => console.log(`# ${what}: ${JSON.stringify(figures)}`);

const HUMS = '0180';
const ECHO = '+442079460190';
const RATE = 8_000;

const service = await openService({ PUBLIC_IP: '127.0.0.1' });
// A browser is a machine of its own, which has its processors to itself: it comes before all others here.
if (!withBrowser.skip) await openHummingBrowser([], FIRST);

const HEARD = { left: OWN, right: OTHER } as const;

/** Each end on its own side, and not a trace of the other. */
function expectApart(recording: Recording): void {
  for (const side of ['left', 'right'] as const) {
    const [there, not] = [HEARD[side], HEARD[side === 'left' ? 'right' : 'left']];
    const [own, others] = [loudestTone(recording[side], there), loudestTone(recording[side], not)];
    // A note that breaks off has a little of every other.
    assert.ok(
      own > 5_000 && others < own / 20,
      `${side}: ${there} Hz ${Math.round(own)}, ${not} Hz ${Math.round(others)}`,
    );
  }
}

const between = (samples: Int16Array, from: number, to: number) => samples.subarray(from * RATE, to * RATE);

/** Both ends are on the recording by now. */
const isRecorded = ({ recordedSoFar }: Agent, id: number) =>
  eventually('both are recorded', async () => {
    const { left, right } = await recordedSoFar(id);
    return measureTone(left.subarray(-4_000), OWN) > 5_000 && measureTone(right.subarray(-4_000), OTHER) > 5_000;
  });

/** Where both are heard for the first time, and where the agent has gone. */
function spanOf({ left, right }: Recording): [from: number, to: number] {
  const isLoud = (samples: Int16Array, at: number) => measureTone(samples.subarray(at, at + 800), OWN) > 5_000;
  let from = 0;
  while (from < left.length && !(isLoud(left, from) && measureTone(right.subarray(from, from + 800), OTHER) > 5_000))
    from += 80;
  let to = left.length - 800;
  while (to > from && !isLoud(left, to)) to -= 80;
  return [from + 800, to];
}

/** While both were there. */
function gapsOf(recording: Recording) {
  const [from, to] = spanOf(recording);
  const gapOf = (side: Int16Array) => longestSilence(side.subarray(from, to));
  return { from, to, leftGapMs: gapOf(recording.left), rightGapMs: gapOf(recording.right) };
}

describe('sound of a call', withBrowser, () => {
  test('goes both ways without a gap while others ask the service, and each end is alone on its side of the recording', async () => {
    const agent = await openDesk(service, HUMS);
    const id = await agent.dial();
    await agent.ear.hears(OTHER);
    await isRecorded(agent, id);
    const asking: Asking = {
      address: service.address,
      connections: 50,
      path: `/api/v2/lists/${agent.list.id}/leads`,
      headers: { host: new URL(agent.address).host, authorization: `Token "${agent.key}"` },
    };
    const askers = new Worker(new URL('../askers.ts', import.meta.url), { workerData: asking });
    const mark = await agent.ear.mark();
    await agent.ear.forgetConcealed();
    await sleep(SECONDS * 1_000);
    const heardGapMs = await agent.ear.longestGap(OTHER, mark);
    const concealedMs = await agent.ear.concealed();
    const answered = new Promise<{ answered: number; refused: number }>((resolve) => askers.once('message', resolve));
    askers.postMessage('stop', []);
    const asked = await answered;
    await askers.terminate();
    await agent.page.keyboard.press('h');
    await agent.over(id);

    const recording = await agent.recordingOf(id);
    expectApart(recording);
    const { leftGapMs, rightGapMs, from, to } = gapsOf(recording);
    tell('a call under load', {
      seconds: (to - from) / RATE,
      requests_a_second: Math.round(asked.answered / SECONDS),
      leftGapMs,
      rightGapMs,
      heardGapMs,
      concealedMs,
    });
    assert.ok(to - from >= (SECONDS - 1) * RATE, `${(to - from) / RATE} s are recorded`);
    assert.deepEqual([asked.answered > 50, asked.refused], [true, 0]);
    for (const gap of [leftGapMs, rightGapMs, heardGapMs, concealedMs.longest])
      assert.ok(gap <= MOST_GAP_MS, `a gap of ${gap} ms`);
    assert.deepEqual(agent.complaints, []);
  });
});

describe('a call with sound', withBrowser, () => {
  test('is silenced by hold and comes back; the digits that are pressed arrive', async () => {
    const agent = await openDesk(service, HUMS);
    const { page, ear } = agent;
    const id = await agent.dial();
    await ear.hears(OTHER);
    await isRecorded(agent, id);

    await page.keyboard.press('p');
    await page.getByText('On hold').waitFor();
    await ear.hearsNothing();
    // What is written lags behind what is heard by less than a second.
    const held = (await agent.recordedSoFar(id)).seconds + 1;
    await eventually('a second of it is recorded', async () => (await agent.recordedSoFar(id)).seconds > held + 1);
    const { left, right } = await agent.recordedSoFar(id);
    for (const side of [left, right]) assert.ok(longestSilence(between(side, held, held + 1)) > 990, 'on hold');
    await page.keyboard.press('p');
    await ear.hears(OTHER);

    await page.keyboard.press('k');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    for (const digit of '47#') await page.keyboard.press(digit);
    await page.getByText('47#').waitFor();
    await page.keyboard.press('k');
    // Whoever is there says each of them back, and then hums on.
    const said = '47#'.split('').map((digit) => Int16Array.from(digitSaid(digit)!, (byte) => SAMPLES[byte]!));
    await eventually('they are said back', async () =>
      findAll(await agent.recordedSoFar(id), said).every((at) => at >= 0),
    );
    await ear.hears(OTHER);
    await page.keyboard.press('h');
    await agent.over(id);
    const recording = await agent.recordingOf(id);
    const places = findAll(recording, said);
    assert.ok(
      places.every((at, which) => at > (places[which - 1] ?? 0)),
      `in this order: ${places.join()}`,
    );
    // They may be those of a card: nobody finds them in what was recorded.
    for (const tones of [
      [770, 1_209],
      [852, 1_209],
      [941, 1_477],
    ])
      for (const side of [recording.left, recording.right])
        assert.ok(!findTogether(side, tones), `${tones.join(' and ')} Hz`);
    assert.deepEqual(agent.complaints, []);
  });

  test('is passed on at once, or after someone was asked: the other ends talk on without the agent', async () => {
    const agent = await openDesk(service, HUMS);
    const { page, ear } = agent;
    const passOn = async (how: 'Pass on' | 'Ask first') => {
      await page.getByRole('button', { name: 'More of the telephone' }).click();
      await page.getByRole('menuitem', { name: 'Pass the call on' }).click();
      await page.getByLabel('Number').fill(ECHO);
      await page.getByRole('button', { name: how, exact: true }).click();
    };
    const talksOn = async () => {
      const { id } = await eventually('it goes on', async () =>
        (await agent.calls()).find(({ direction, state }) => direction === 'transfer' && state === 'active'),
      );
      // Who was called first is on the left now, and hears themselves from the one they were passed on to.
      await eventually('the two hear each other', async () => {
        const sides = await agent.recordedSoFar(id);
        return [sides.left, sides.right].every((side) => measureTone(side.subarray(-8_000), OTHER) > 5_000);
      });
      return id;
    };
    const end = async (id: number) => {
      await page.evaluate((call) => fetch(`/app/calls/${call}/hang_up`, { method: 'POST' }), id);
      await agent.over(id);
    };

    const first = await agent.dial();
    await ear.hears(OTHER);
    await passOn('Pass on');
    await agent.over(first);
    const passedOn = await talksOn();
    await end(passedOn);
    const recording = await agent.recordingOf(passedOn);
    assert.ok(loudestTone(recording.left, OTHER) > 5_000 && loudestTone(recording.right, OTHER) > 5_000);
    expectApart(await agent.recordingOf(first));

    const second = await agent.dial();
    await ear.hears(OTHER);
    await passOn('Ask first');
    // They talk to each other first: the echo gives the agent's own note back.
    await ear.hears(OWN);
    await page.getByRole('button', { name: 'Connect them' }).click();
    await agent.over(second);
    await end(await talksOn());
  });

  test('ends ten seconds after its page is closed, and its recording is whole', async () => {
    const agent = await openDesk(service, HUMS);
    const id = await agent.dial();
    await agent.ear.hears(OTHER);
    await isRecorded(agent, id);
    const closed = Date.now();
    await agent.page.close({ runBeforeUnload: false });
    const call = await agent.over(id);
    tell('a closed tab', { ended_after_seconds: (Date.now() - closed) / 1_000 });
    const recording = await agent.recordingOf(id);
    expectApart(recording);
    assert.equal(call.disposition, 'normal');
    // The other end was there until the end, and nobody left before it.
    const last = recording.right.subarray(-RATE);
    assert.ok(measureTone(last, OTHER) > 5_000, 'the last second');
    const talked = (Date.parse(call.ended_at) - Date.parse(call.answered_at)) / 1_000;
    if (Number.isFinite(talked))
      assert.ok(Math.abs(recording.seconds - talked) < 1, `${recording.seconds} of ${talked} s`);
    const [from, to] = spanOf(recording);
    assert.ok(to > from && longestSilence(recording.left.subarray(to + RATE)) > 5_000, 'the agent was gone');
  });

  test('is unharmed by strangers at its port, by offers that are none, and by ten thousand messages at once', async () => {
    const ports: number[] = [];
    const agent = await openDesk(service, HUMS, async (page) => {
      page.on('websocket', (socket) =>
        socket.on('framereceived', ({ payload }) => {
          const port = /m=audio (\d+)/.exec(String(payload))?.[1];
          if (port) ports.push(Number(port));
        }),
      );
    });
    const id = await agent.dial();
    await agent.ear.hears(OTHER);
    await isRecorded(agent, id);
    const mark = await agent.ear.mark();
    await agent.ear.forgetConcealed();

    const sent = await throwAt(ports.at(-1)!);
    const own = { host: new URL(agent.address).host, origin: agent.address, cookie: agent.cookie };
    const refusals = await fuzz(own, agent);
    const { code, reason } = await flood(own);
    assert.deepEqual([code, reason], [1008, 'Too many messages at once.']);
    assert.ok(
      refusals.length > 0 && refusals.every((sentence) => /^[A-Z][^\n]{10,200}$/.test(sentence)),
      JSON.stringify(refusals),
    );
    await agent.ear.hears(OTHER);

    const heardGapMs = await agent.ear.longestGap(OTHER, mark);
    const concealedMs = await agent.ear.concealed();
    await agent.page.keyboard.press('h');
    await agent.over(id);
    const recording = await agent.recordingOf(id);
    expectApart(recording);
    const { leftGapMs, rightGapMs } = gapsOf(recording);
    tell('a call among enemies', { sent, offers: refusals.length, leftGapMs, rightGapMs, heardGapMs, concealedMs });
    for (const gap of [leftGapMs, rightGapMs, heardGapMs]) assert.ok(gap <= MOST_GAP_MS, `a gap of ${gap} ms`);
    assert.deepEqual(agent.complaints, []);
  });
});

/** Where each of these is said, one after the other; -1 where it is not. */
function findAll({ right }: Recording, sounds: Int16Array[]): number[] {
  let from = 0;
  return sounds.map((sound) => {
    const at = findSound(right, sound, from);
    if (at >= 0) from = at + sound.length;
    return at;
  });
}

/** Both notes in the same 20 ms. */
function findTogether(samples: Int16Array, notes: number[]): boolean {
  for (let at = 0; at + 160 <= samples.length; at += 40)
    if (notes.every((note) => measureTone(samples.subarray(at, at + 160), note) > 2_000)) return true;
  return false;
}

/** What anyone can send to a port: noise, sound of nobody, checks and handshakes of strangers. */
async function throwAt(port: number): Promise<number> {
  const sockets = Array.from({ length: 4 }, () => createSocket('udp4'));
  let sent = 0;
  const send = (packet: Buffer) => {
    sockets[sent % sockets.length]!.send(packet, port, '127.0.0.1', () => {});
    sent += 1;
  };
  for (let round = 0; round < 100; round++) {
    for (let each = 0; each < 20; each++) {
      const sound = randomBytes(172);
      [sound[0], sound[1]] = [0x80, 0];
      send(sound);
      const check = randomBytes(60);
      check.set([0, 1, 0, 40, 0x21, 0x12, 0xa4, 0x42]);
      send(check);
      const handshake = randomBytes(200);
      handshake.set([22, 0xfe, 0xfd]);
      send(handshake);
      const report = randomBytes(80);
      [report[0], report[1]] = [0x80, 200];
      send(report);
      send(randomBytes(1 + Math.floor(Math.random() * 1_400)));
    }
    await sleep(10);
  }
  for (const socket of sockets) socket.close();
  return sent;
}

type Headers = { host: string; origin: string; cookie: string };

/** Offers as nobody makes them, in a call of their own. What they were told. */
async function fuzz(headers: Headers, { app }: Agent): Promise<string[]> {
  const { id } = await app('POST', '/calls', { call: { number: '+442079460180' } });
  const caller = await openCaller();
  const whole = caller.offer();
  caller.close();
  const told: string[] = [];
  let no = 0;
  const phone = randomUUID();
  while (no < 60) {
    const { socket, said, say, closed } = await openSocket(service.address, headers);
    say({ kind: 'here', phone, take: true });
    for (let each = 0; each < 12 && !closed.code; each++) {
      no += 1;
      const asked = no;
      say({ kind: 'offer', call_id: id, no: asked, sdp: spoil(whole) });
      const answer = await eventually(
        'it is answered',
        () => said.find((one) => one.kind !== 'phone' && one.no === asked) ?? closed.reason,
      );
      // One that is too long is not even read.
      if (typeof answer === 'string') told.push(answer);
      else if (answer.kind === 'refused') told.push(answer.reason);
    }
    socket.close();
    // Not more than people say in a second.
    await sleep(1_000);
  }
  await app('POST', `/calls/${id}/hang_up`);
  return told;
}

const any = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)]!;

/** As a fuzzer does: lines gone, twice, elsewhere, characters changed, numbers enormous. */
function spoil(sdp: string): string {
  const lines = sdp.split('\r\n');
  const at = Math.floor(Math.random() * lines.length);
  const line = lines[at]!;
  const others: (() => void)[] = [
    () => lines.splice(at, 1),
    () => lines.splice(at, 0, ...Array.from({ length: 200 }, () => line)),
    () => lines.splice(0, lines.length, ...lines.toReversed()),
    () => (lines[at] = line.replaceAll(/\d/g, '9999999999')),
    () => (lines[at] = `${line}${'A'.repeat(5_000)}`),
    () => (lines[at] = line.slice(0, Math.floor(line.length / 2))),
    () => (lines[at] = line.split('').toReversed().join('')),
    () => (lines[at] = `${line}\u0007\u{1f4a9}`),
    () => lines.splice(1),
    () => (lines[at] = ''),
  ];
  any(others)();
  return lines.join(any(['\r\n', '\n']));
}

/** Ten thousand in a second; the socket is closed, with a reason. */
async function flood(headers: Headers): Promise<{ code?: number; reason?: string }> {
  const { socket, closed } = await openSocket(service.address, headers);
  const message = JSON.stringify({ kind: 'here', phone: randomUUID(), take: false });
  const began = performance.now();
  for (let sent = 0; sent < 10_000; sent++) {
    socket.send(message, () => {});
    if (sent % 1_000 === 999) await sleep(Math.max(0, (sent + 1) / 10 - (performance.now() - began)));
  }
  await eventually('it is closed', () => closed.code);
  return closed;
}

describe('when the service is killed', withBrowser, () => {
  test('what was said until the last second is kept, stored after the restart, and can be played', async () => {
    const agent = await openDesk(service, HUMS);
    const id = await agent.dial();
    await agent.ear.hears(OTHER);
    await isRecorded(agent, id);
    const part = await partOf(service, agent.id, id);
    const began = Date.now() - (await agent.recordedSoFar(id)).seconds * 1_000;
    await sleep(2_000);
    await service.kill();
    const killedAfter = (Date.now() - began) / 1_000;
    // What a killed process left is taken up when nobody has written to it for a minute; here a minute goes by at once.
    const minutesAgo = new Date(Date.now() - 120_000);
    utimesSync(part, minutesAgo, minutesAgo);
    await service.startAgain();
    const recording = await agent.recordingOf(id);
    expectApart(recording);
    const missing = killedAfter - recording.seconds;
    tell('a killed service', { seconds: recording.seconds, missing });
    assert.ok(missing < 1, `${missing} s are missing`);
    const [from, to] = spanOf(recording);
    assert.ok(recording.left.length - to < RATE, 'the agent is heard to its end');
    assert.ok(longestSilence(recording.right.subarray(from, to)) < 1_000);
    // A browser plays it, from where people get it.
    const { recordings } = await agent.api('GET', `/calls/${id}`);
    const seconds = await agent.page.evaluate(async (url) => {
      const sound = await (await fetch(url)).arrayBuffer();
      const { duration, numberOfChannels } = await new OfflineAudioContext(2, 1, 8_000).decodeAudioData(sound);
      return numberOfChannels === 2 ? duration : 0;
    }, recordings[0].url as string);
    assert.ok(Math.abs(seconds - recording.seconds) < 0.01, `${seconds} of ${recording.seconds} s`);
    const call = await agent.over(id);
    assert.equal(call.disposition, 'normal');
  });
});
