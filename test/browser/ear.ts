import type { Page } from 'playwright-core';
import { eventually } from '../leadline.ts';
import { measureTone } from '../sound.ts';

/** What is heard in a page: the sound that it plays of a call, measured in the browser, 10 ms at a time. */

/** The notes of these tests: what the microphone hums, what the other end hums. */
export const [OWN, OTHER] = [700, 1_000];

const MOMENT_MS = 10;
/** Half of how loud the quieter of the two is. */
const LOUD = 0.1;
const FAINT = 0.01;

/** How loud the two notes were, and everything together. */
type Moment = [own: number, other: number, all: number];
type Kept = { moments: Moment[]; concealed: number[]; connections: RTCPeerConnection[] };

export type Ear = Awaited<ReturnType<typeof openEar>>;

/** Before the page opens anything. */
export async function openEar(page: Page) {
  await page.addInitScript(`window.measureTone = ${String(measureTone)}`);
  await page.addInitScript(listen, [OWN, OTHER]);
  const ask = <T>(look: (kept: Kept, from: number) => T | Promise<T>, from = 0): Promise<T> =>
    page.evaluate(`(${String(look)})(window.ear, ${from})`);
  const momentsSince = (from: number) => ask((kept, at) => kept.moments.slice(at), from);
  const last = () => ask(({ moments }) => moments.slice(-30));
  const isAlone = (moments: Moment[], note: number) => {
    const isRight = ([own, other]: Moment) =>
      note === OWN ? own > LOUD && other < LOUD / 5 : other > LOUD && own < LOUD / 5;
    return moments.length === 30 && moments.every(isRight);
  };
  return {
    /** A place in what is heard, to be named later. */
    mark: () => ask(({ moments }) => moments.length),
    /** That note and not the other, for a third of a second. */
    hears: (note: number) => eventually(`${note} Hz are heard`, async () => isAlone(await last(), note)),
    hearsNothing: () =>
      eventually('nothing is heard', async () => {
        const moments = await last();
        return moments.length === 30 && moments.every(([, , all]) => all < FAINT);
      }),
    /** How long a note was away at most, in milliseconds, since then. */
    async longestGap(note: number, from: number): Promise<number> {
      const moments = await momentsSince(from);
      let [longest, away] = [0, 0];
      for (const moment of moments) {
        away = moment[note === OWN ? 0 : 1] > LOUD / 2 ? 0 : away + MOMENT_MS;
        longest = Math.max(longest, away);
      }
      return longest;
    },
    /** Milliseconds that the browser had to make up, as nothing had come: the longest stretch, and all of them. */
    async concealed(): Promise<{ longest: number; all: number }> {
      const counted = await ask(({ concealed }) => concealed);
      let [longest, stretch] = [0, 0];
      for (let at = 1; at < counted.length; at++) {
        const more = counted[at]! - counted[at - 1]!;
        stretch = more > 0 ? stretch + more : 0;
        longest = Math.max(longest, stretch);
      }
      return { longest: Math.round(longest), all: Math.round((counted.at(-1) ?? 0) - (counted[0] ?? 0)) };
    },
    forgetConcealed: () => ask((kept) => void kept.concealed.splice(0)),
    /** Which way the sound goes: the kind of this browser's end, and what it is relayed by. */
    way: () =>
      ask(async ({ connections }) => {
        const stats = (await connections.at(-1)!.getStats()) as unknown as Map<string, Record<string, string>>;
        const transport = [...stats.values()].find(({ type }) => type === 'transport');
        const pair = stats.get(transport?.selectedCandidatePairId ?? '');
        const { candidateType, relayProtocol } = stats.get(pair?.localCandidateId ?? '') ?? {};
        return `${candidateType} ${relayProtocol ?? ''}`.trim();
      }),
    /** How many connections the page has made so far. */
    countConnections: () => ask(({ connections }) => connections.length),
  };
}

/** In the page. */
function listen([own, other]: number[]): void {
  const kept: Kept = { moments: [], concealed: [], connections: [] };
  Object.assign(window, { ear: kept });

  // A browser takes a note that goes on for noise, and removes it.
  const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = (wanted) => {
    const plain = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
    return open({ ...wanted, audio: { ...(wanted!.audio as MediaTrackConstraints), ...plain } });
  };

  const { measureTone: heightOf } = window as unknown as { measureTone: typeof measureTone };

  type Sound = {
    numberOfFrames: number;
    sampleRate: number;
    copyTo(to: Float32Array, how: object): void;
    close(): void;
  };
  type Processor = new (of: { track: MediaStreamTrack; maxBufferSize: number }) => { readable: ReadableStream<Sound> };
  const { MediaStreamTrackProcessor } = window as unknown as { MediaStreamTrackProcessor: Processor };

  const measure = async (track: MediaStreamTrack) => {
    const sounds = new MediaStreamTrackProcessor({ track, maxBufferSize: 1_000 }).readable.getReader();
    for (;;) {
      const { value: sound } = await sounds.read();
      if (!sound) return;
      const samples = new Float32Array(sound.numberOfFrames);
      sound.copyTo(samples, { planeIndex: 0, format: 'f32-planar' });
      const rate = sound.sampleRate;
      sound.close();
      const all = Math.max(...samples.map(Math.abs));
      kept.moments.push([heightOf(samples, own!, rate), heightOf(samples, other!, rate), all]);
    }
  };

  const countConcealed = async (connection: RTCPeerConnection) => {
    const stats = (await connection.getStats()) as unknown as Map<string, Record<string, number | string>>;
    for (const one of stats.values())
      if (one.type === 'inbound-rtp') kept.concealed.push((Number(one.concealedSamples) / 48_000) * 1_000);
  };

  const Native = RTCPeerConnection;
  window.RTCPeerConnection = class extends Native {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      kept.connections.push(this);
      this.addEventListener('track', ({ track }) => void measure(track).catch(() => undefined));
      const counting = setInterval(() => {
        if (this.connectionState === 'closed') clearInterval(counting);
        else if (this.connectionState === 'connected') void countConcealed(this);
      }, 100);
    }
  };
}
