import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { BadOffer, type Media, type OpenMedia, type Recorded, type Side, type Tone } from '../media.ts';
import { countWritten, repairRecording } from '../repair.ts';
import type { Exchange } from './exchange.ts';
import type { ALIVE, Told, Verb } from './thread.ts';

/** The engine that comes along. It runs on a thread that begins with the first conversation; here is what the rest of the service has in hand. */

/** As it is to be, so that a thread that is started again can be told. */
type Wanted = {
  party?: { module: string; options: unknown };
  legs: Partial<Record<Side, string>>;
  tone: Tone | null;
  /** The sides that let the other wait. */
  holding: Set<Side>;
  recording?: { file: string; announced: boolean; since: number };
  paused: boolean;
};

type Waiting = { verb: Verb; give: (result: unknown) => void; fail: (error: Error) => void };

/** A thread that ends as soon as it begins is given a rest. */
const SOON_MS = 10_000;
const REST_MS = 5_000;

/** A thread that has not answered so often hangs in something, and all calls with it. */
const LOOK_EVERY_MS = 2_000;
const MOST_UNANSWERED = 5;
/** On a machine that does much else it may take long to load. */
const MOST_UNANSWERED_AT_FIRST = 30;
const STOP_MS = 10_000;

const STOPPED = 'The sound of calls was interrupted. Connect again.';

export const openEmbedded: OpenMedia = (settings, hear) => {
  const wanted = new Map<string, Wanted>();
  const legs = new Set<string>();
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let ids = 0;
  let stopping = false;
  let resting: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = new Worker(new URL('thread.ts', import.meta.url), { workerData: settings, execArgv: profiled() });
    const at = Date.now();
    let [unanswered, most] = [0, MOST_UNANSWERED_AT_FIRST];
    const looking = setInterval(() => {
      unanswered += 1;
      if (unanswered > most) void started.terminate();
      else started.postMessage('alive' satisfies typeof ALIVE, []);
    }, LOOK_EVERY_MS).unref();
    started.on('message', (told: Told) => {
      [unanswered, most] = [0, MOST_UNANSWERED];
      take(told);
    });
    started.on('error', (error) => warn(`The thread of the sound ended: ${error.message}`));
    started.on('exit', () => {
      clearInterval(looking);
      if (worker === started) worker = undefined;
      for (const [id, { fail }] of waiting) {
        waiting.delete(id);
        fail(new Error(STOPPED));
      }
      if (!stopping) recover(Date.now() - at < SOON_MS);
    });
    return started;
  }

  function take(told: Told) {
    if ('alive' in told) return;
    if ('heard' in told) return hear(told.heard);
    if ('failed' in told) {
      const error = Object.assign(new Error(told.message), { code: told.code });
      return hear({ kind: 'recording_failed', conversation: told.failed, error });
    }
    if ('warning' in told) return warn(told.warning);
    const asked = waiting.get(told.id);
    waiting.delete(told.id);
    if ('result' in told) return asked?.give(told.result);
    const { message, isBadOffer } = told.error;
    asked?.fail(isBadOffer ? new BadOffer(message) : new Error(message));
  }

  /** Another thread goes on with the conversations and their recordings; browsers have to connect again. */
  function recover(soon: boolean) {
    const lost = [...legs];
    legs.clear();
    if (!soon) tellAll();
    else {
      resting ??= setTimeout(() => {
        resting = undefined;
        tellAll();
      }, REST_MS).unref();
    }
    for (const leg of lost) hear({ kind: 'lost', leg });
  }

  function tellAll() {
    for (const [name, state] of wanted) tellAgain(name, state);
  }

  function tellAgain(name: string, state: Wanted) {
    const { party, legs: seats, tone, holding, paused } = state;
    send('begin', name);
    if (party) send('attachParty', name, party);
    for (const [side, leg] of Object.entries(seats)) send('attach', name, side as Side, leg);
    send('play', name, tone);
    for (const side of holding) send('hold', name, side, true);
    send('pauseRecording', name, paused);
    void recordOn(name, state);
  }

  /** From where the thread before ended. */
  async function recordOn(name: string, { recording }: Wanted) {
    if (!recording) return;
    const { file, announced, since } = recording;
    const written = await countWritten(file);
    if (wanted.get(name)?.recording === recording) send('record', name, file, announced, since, written);
  }

  type Given<V extends Verb> = Parameters<Exchange[V]>;

  function ask<V extends Verb>(verb: V, ...given: Given<V>): Promise<unknown> {
    if (resting || (stopping && verb !== 'stop')) return Promise.reject(new Error(STOPPED));
    ids += 1;
    const id = ids;
    return new Promise((give, fail) => {
      waiting.set(id, { verb, give, fail });
      worker ??= start();
      worker.postMessage({ id, verb, given }, []);
    });
  }

  /** What goes wrong is told as a warning: no call fails because of its sound. */
  function send<V extends Verb>(verb: V, ...given: Given<V>): void {
    ask(verb, ...given).catch((error: Error) => {
      if (!stopping && !resting) warn(`${verb}: ${error.message}`);
    });
  }

  const change = (name: string, act: (state: Wanted) => void) => {
    const state = wanted.get(name);
    if (state) act(state);
  };

  /** A thread that ends meanwhile leaves what it had written. */
  async function finish(name: string, ending: Promise<unknown>): Promise<Recorded | undefined> {
    const state = wanted.get(name);
    try {
      const recorded = (await ending) as Recorded | undefined;
      return recorded ?? (await saveRecording(state));
    } catch {
      return await saveRecording(state);
    } finally {
      wanted.delete(name);
    }
  }

  const saveRecording = async (state: Wanted | undefined): Promise<Recorded | undefined> =>
    state?.recording && repairRecording(state.recording.file).catch(() => undefined);

  const forgetLeg = (leg: string) => {
    for (const { legs: seats } of wanted.values())
      for (const side of ['agent', 'other'] as const) if (seats[side] === leg) delete seats[side];
  };

  const media: Media = {
    begin(name) {
      if (wanted.has(name)) return;
      wanted.set(name, { legs: {}, tone: null, holding: new Set(), paused: false });
      send('begin', name);
    },
    async connect(leg, offer) {
      const answer = (await ask('connect', leg, offer)) as string;
      legs.add(leg);
      return answer;
    },
    disconnect(leg) {
      legs.delete(leg);
      forgetLeg(leg);
      if (worker) send('disconnect', leg);
    },
    attach(name, side, leg) {
      forgetLeg(leg);
      change(name, (state) => {
        state.legs[side] = leg;
        if (side === 'other') delete state.party;
      });
      send('attach', name, side, leg);
    },
    attachParty(name, party) {
      change(name, (state) => {
        state.party = party;
        delete state.legs.other;
      });
      send('attachParty', name, party);
    },
    play(name, tone) {
      change(name, (state) => (state.tone = tone));
      send('play', name, tone);
    },
    hold(name, by, on) {
      change(name, ({ holding }) => (on ? holding.add(by) : holding.delete(by)));
      send('hold', name, by, on);
    },
    sendDigits: (name, digits) => send('sendDigits', name, digits),
    record(name, file, announced = false) {
      // The thread may only be starting.
      const since = performance.timeOrigin + performance.now();
      change(name, (state) => (state.recording ??= { file, announced, since }));
      send('record', name, file, announced, since);
    },
    pauseRecording(name, on) {
      change(name, (state) => (state.paused = on));
      send('pauseRecording', name, on);
    },
    join(name, into, at = 'agent') {
      const [from, to] = [wanted.get(name), wanted.get(into)];
      if (from && to) {
        const { other } = from.legs;
        if (other === undefined) delete to.legs[at];
        else to.legs[at] = other;
        if (at === 'other' && from.party) to.party = from.party;
        to.tone = null;
        to.holding.clear();
      }
      return finish(name, ask('join', name, into, at));
    },
    end: (name) => (wanted.has(name) ? finish(name, ask('end', name)) : Promise.resolve(undefined)),
    async stop() {
      stopping = true;
      clearTimeout(resting);
      if (!worker) return;
      const patience = new AbortController();
      const asked = ask('stop').catch(() => {});
      await Promise.race([asked, sleep(STOP_MS, undefined, { signal: patience.signal }).catch(() => {})]);
      patience.abort();
      await worker?.terminate();
    },
  };
  return media;
};

/** Of the switches of the process, a thread takes those that measure it: others are about how the process began. */
const profiled = () => process.execArgv.filter((flag) => flag.startsWith('--cpu-prof'));

const warn = (sentence: string) => process.emitWarning(sentence, 'MediaWarning');
