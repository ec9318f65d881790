import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openEmbedded } from '../../server/telephony/media/embedded/engine.ts';
import type { Heard, Media } from '../../server/telephony/media/media.ts';
import { eventually } from '../leadline.ts';
import { makeTone, measureTone, readRecording, writeMono } from '../sound.ts';
import { launch, withBrowser } from './browser.ts';

const folder = mkdtempSync(join(tmpdir(), 'leadline-sound-'));
const server = createServer((_, response) =>
  response.setHeader('content-type', 'text/html').end('<title>Phone</title>'),
);
let browser: Browser | undefined;
let page: Page;
let media: Media;
const heard: Heard[] = [];

before(async () => {
  if (withBrowser.skip) return;
  const microphone = join(folder, 'microphone.wav');
  writeFileSync(microphone, writeMono(makeTone(700, 10, 48_000), 48_000));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  media = openEmbedded({ publicIps: ['127.0.0.1'], ports: { first: 41_000, last: 41_099 } }, (each) =>
    heard.push(each),
  );
  browser = await launch([
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    '--allow-loopback-in-peer-connection',
    `--use-file-for-fake-audio-capture=${microphone}`,
    '--autoplay-policy=no-user-gesture-required',
  ]);
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});

after(async () => {
  await browser?.close();
  await media?.stop();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** In the page: a telephone that says what it offers, and how loud it hears a frequency. */
type Phone = {
  offer(restart?: boolean): Promise<string>;
  take(answer: string): Promise<void>;
  loudness(hertz: number): number;
  /** How much of what it says arrives, and how long the way is, as we report it. */
  reported(): Promise<{ lost: number; seconds: number } | undefined>;
};

const openPhone = async (): Promise<void> => {
  await page.evaluate(async () => {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
    });
    const connection = new RTCPeerConnection();
    const transceiver = connection.addTransceiver(stream.getAudioTracks()[0]!, { direction: 'sendrecv' });
    const codecs = RTCRtpReceiver.getCapabilities('audio')!.codecs;
    transceiver.setCodecPreferences(codecs.filter(({ mimeType }) => mimeType === 'audio/PCMU'));
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    analyser.fftSize = 8_192;
    connection.addEventListener('track', ({ track }) => {
      const remote = new MediaStream([track]);
      // Chromium gives a remote stream to the analyser only while an element plays it.
      const element = new Audio();
      element.srcObject = remote;
      element.muted = true;
      void element.play();
      context.createMediaStreamSource(remote).connect(analyser);
    });
    const phone: Phone = {
      async offer(restart = false) {
        await connection.setLocalDescription(await connection.createOffer({ iceRestart: restart }));
        while (connection.iceGatheringState !== 'complete') await new Promise((done) => setTimeout(done, 20));
        return connection.localDescription!.sdp;
      },
      take: (sdp) => connection.setRemoteDescription({ type: 'answer', sdp }),
      loudness(hertz) {
        const bins = new Float32Array(analyser.frequencyBinCount);
        analyser.getFloatFrequencyData(bins);
        const at = Math.round((hertz * analyser.fftSize) / context.sampleRate);
        return Math.max(...bins.subarray(at - 2, at + 3));
      },
      async reported() {
        for (const each of (await connection.getStats()).values())
          if (each.type === 'remote-inbound-rtp' && each.roundTripTimeMeasurements > 0)
            return { lost: each.fractionLost, seconds: each.roundTripTime };
        return undefined;
      },
    };
    Object.assign(window, { phone });
  });
};

const offer = (restart = false) =>
  page.evaluate((again) => (window as never as { phone: Phone }).phone.offer(again), restart);
const take = (sdp: string) => page.evaluate((text) => (window as never as { phone: Phone }).phone.take(text), sdp);
const loudness = (hertz: number) =>
  page.evaluate((each) => (window as never as { phone: Phone }).phone.loudness(each), hertz);

const HUMMING = { module: new URL('../parties.ts', import.meta.url).href, options: { kind: 'hums', hertz: 1_000 } };
const countConnected = () => heard.filter(({ kind }) => kind === 'connected').length;

/** Decibels; a tone that is there stands this far above the frequencies where nothing is. */
const CLEARLY = 25;
const hears = (hertz: number, not: number) =>
  eventually(`the browser hears ${hertz} Hz`, async () => {
    const [there, elsewhere] = [await loudness(hertz), await loudness(not)];
    return there > -60 && there - elsewhere > CLEARLY;
  });

/** In any tenth of a second that lies within one and the same sound. */
function loudest(channel: Int16Array, hertz: number): number {
  const parts = Array.from({ length: Math.floor(channel.length / 800) }, (_, at) =>
    channel.subarray(at * 800, at * 800 + 800),
  );
  const whole = parts.filter((part, at) => isSounding(part) && isSounding(parts[at - 1]) && isSounding(parts[at + 1]));
  return Math.max(0, ...whole.map((part) => measureTone(part, hertz)));
}
const isSounding = (part: Int16Array | undefined) =>
  part?.every((_, at) => at % 8 > 0 || part.subarray(at, at + 8).some(Boolean));

test('A browser hears the other end and is heard, each on its own channel of the recording', withBrowser, async () => {
  await openPhone();
  const file = join(folder, 'call.wav');
  media.begin('call');
  media.attachParty('call', HUMMING);
  media.attach('call', 'agent', 'ann');
  await take(await media.connect('ann', await offer()));
  await eventually('it is connected', () => countConnected() === 1);
  media.record('call', file);
  await eventually('a second is recorded', () => existsSync(`${file}.part`) && statSync(`${file}.part`).size > 32_000);
  await hears(1_000, 700);

  const reported = await eventually('the browser knows how it is heard', () =>
    page.evaluate(() => (window as never as { phone: Phone }).phone.reported()),
  );
  assert.ok(reported.lost < 0.5 && reported.seconds < 5, JSON.stringify(reported));

  // On hold neither hears the other.
  media.hold('call', 'agent', true);
  await eventually('nothing is heard', async () => (await loudness(1_000)) < -70);
  media.hold('call', 'agent', false);
  await hears(1_000, 700);

  // Another way of the same connection; the sound goes on.
  await take(await media.connect('ann', await offer(true)));
  await hears(1_000, 700);

  const recorded = await media.end('call');
  assert.ok(recorded);
  assert.equal(recorded.file, file);
  const { left, right, seconds } = readRecording(file);
  assert.ok(seconds > 1 && Math.abs(seconds - recorded.seconds) < 0.001);
  for (const [channel, own, others] of [
    [left, 700, 1_000],
    [right, 1_000, 700],
  ] as const) {
    const [there, not] = [loudest(channel, own), loudest(channel, others)];
    assert.ok(there > 1_000 && not < there / 10, `${own} Hz: ${there}, ${others} Hz: ${not}`);
  }
  media.disconnect('ann');
});
