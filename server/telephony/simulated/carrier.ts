import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { databaseNow, startClock } from '../../platform/clock.ts';
import type { Carrier, Cause, Report, TakeReport, ToRecord } from '../carrier.ts';
import { anyBehaviour, behaviourOf, type Behaviour } from './behaviour.ts';
import type { Media, Recorded, Side } from '../media/media.ts';
import { repairRecording } from '../media/repair.ts';
import type { PartyKind, PartyOptions } from './party.ts';

type Manner = { random: boolean; folder: string; fail: (error: unknown) => string; media: Media };

export const SIMULATED = 'simulated';

const PARTY = new URL('party.ts', import.meta.url).href;

/** How long who calls in lets it ring, and how soon they give up where the call is to be missed. */
const PATIENCE_MS = 25_000;
const MISSED_MS = 1_500;

type Going = {
  accountId: number;
  record: ToRecord;
  machine: boolean;
  /** Who is heard when it is answered. */
  party: PartyKind;
  /** Its times are those of one clock, whatever the database's does meanwhile. */
  now: () => Date;
  answeredAt?: Date;
  hangsUpMs?: number | undefined;
  /** Why it is not recorded although it should be. */
  unrecorded?: unknown;
  timers: NodeJS.Timeout[];
};

/** A carrier that needs nothing: whom it calls behaves by the last digits of the number, or, for demos, as people do. */
export function openSimulatedCarrier(report: TakeReport, { random, folder, fail, media }: Manner): Carrier {
  const going = new Map<string, Going>();
  const reporting = new Set<Promise<void>>();
  const ending = new Set<string>();
  let stopped = false;

  /** Until it is stored, as a real carrier repeats what nobody confirmed. */
  const tell = (accountId: number, subject: string, at: Date, what: Kind): void => {
    const one = { accountId, subject, key: what.kind, at, ...what } as Report;
    const told = (async () => {
      for (let wait = 200; !stopped; wait = Math.min(wait * 2, 5_000)) {
        try {
          return await report(one);
        } catch {
          await new Promise((resolve) => setTimeout(resolve, wait));
        }
      }
    })();
    reporting.add(told);
    if (what.kind === 'ended') ending.add(subject);
    void told.finally(() => {
      reporting.delete(told);
      ending.delete(subject);
    });
  };

  const later = (call: Going, ms: number, what: () => void) => void call.timers.push(setTimeout(what, ms));

  const begin = (accountId: number, record: ToRecord): [string, Going] => {
    const id = `sim-${randomUUID()}`;
    const call: Going = { accountId, record, machine: false, party: 'person', now: startClock(), timers: [] };
    going.set(id, call);
    media.begin(id);
    return [id, call];
  };

  const connect = (id: string, call: Going) => {
    if (!going.has(id) || call.answeredAt) return;
    call.answeredAt = call.now();
    for (const timer of call.timers.splice(0)) clearTimeout(timer);
    tell(call.accountId, id, call.answeredAt, { kind: 'answered' });
    const options: PartyOptions = { kind: call.party, seed: seedOf(id) };
    media.attachParty(id, { module: PARTY, options });
    if (call.record) startRecording(id, call);
    // To the millisecond, whenever the timer comes to it.
    const ends = new Date(call.answeredAt.getTime() + (call.hangsUpMs ?? 0));
    if (call.hangsUpMs !== undefined) later(call, call.hangsUpMs, () => end(id, 'over', { given: ends }));
  };

  const startRecording = (id: string, call: Going) => {
    try {
      // At once, so that the first word is on it.
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      media.record(id, join(folder, `${id}.wav`), call.record === 'announced');
    } catch (error) {
      call.unrecorded = error;
    }
  };

  /** `given`: when it ended, if that is known. `into`: where its other end goes on, and at which side. */
  type Ending = { given?: Date; into?: [id: string, at: Side]; lineLost?: boolean };
  const end = (id: string, cause: Cause, { given, into, lineLost = false }: Ending = {}) => {
    const call = going.get(id);
    if (!call) return;
    const at = given ?? call.now();
    going.delete(id);
    for (const timer of call.timers) clearTimeout(timer);
    const { accountId, answeredAt, machine } = call;
    const passedOn = into !== undefined;
    tell(accountId, id, at, { kind: 'ended', cause, ...(answeredAt && { answeredAt }), machine, passedOn, lineLost });
    const ended = into ? media.join(id, ...into) : media.end(id);
    const finished = keepRecording(id, call, at, ended).catch((error: unknown) => {
      const reason = fail(error);
      if (answeredAt && call.record) tell(accountId, id, answeredAt, { kind: 'recording_lost', part: '1', reason });
    });
    reporting.add(finished);
    void finished.finally(() => reporting.delete(finished));
  };

  const keepRecording = async (id: string, call: Going, endedAt: Date, finished: Promise<Recorded | undefined>) => {
    const recorded = await finished;
    const { accountId, answeredAt, record } = call;
    if (!answeredAt || !record) return;
    // Whoever hung up before the announcement was over was not recorded, and nothing is lost.
    if (!recorded && record === 'announced' && call.unrecorded === undefined)
      return tell(accountId, id, endedAt, { kind: 'not_recorded' });
    const kept = call.unrecorded === undefined ? recorded : await rescue(recorded);
    if (!kept || (call.unrecorded !== undefined && kept.seconds === 0))
      throw call.unrecorded ?? new Error('nothing was recorded');
    // Cut short: what there is can be heard, and whoever runs this hears why it ends.
    if (call.unrecorded !== undefined) fail(call.unrecorded);
    const { file, seconds } = kept;
    const began = new Date(Math.max(answeredAt.getTime(), endedAt.getTime() - seconds * 1_000));
    const at = record === 'announced' ? began : answeredAt;
    tell(accountId, id, at, { kind: 'recorded', part: '1', file });
  };

  /** Whoever was called hangs up when they would have, whomever they talk to by then. */
  const leaveAsBefore = ({ answeredAt, hangsUpMs }: Going, id: string, call: Going) => {
    if (!answeredAt || hangsUpMs === undefined) return;
    const at = answeredAt.getTime() + hangsUpMs;
    later(call, at - call.now().getTime(), () => end(id, 'over', { given: new Date(at) }));
  };

  const ring = (id: string, call: Going, { ringsMs, answers, cause }: Behaviour) => {
    call.machine = answers?.machine ?? false;
    call.party = answers?.party ?? 'person';
    call.hangsUpMs = answers?.hangsUpMs;
    later(call, 50, () => tell(call.accountId, id, call.now(), { kind: 'calling' }));
    later(call, 50 + ringsMs, () => (answers ? connect(id, call) : end(id, cause)));
  };

  return {
    name: SIMULATED,
    async dial({ accountId, number, record }) {
      const [id, call] = begin(accountId, record);
      ring(id, call, random ? anyBehaviour() : behaviourOf(number));
      return id;
    },
    async answer(id, record) {
      const call = going.get(id);
      if (!call) return false;
      call.record = record;
      connect(id, call);
      return true;
    },
    async hangUp(id) {
      const call = going.get(id);
      if (call) end(id, call.answeredAt ? 'over' : 'no_answer');
      // What ended a moment ago may still have to be told.
      return call !== undefined || ending.has(id);
    },
    async bridge(id, otherId) {
      const [call, other] = [going.get(id), going.get(otherId)];
      if (!call?.answeredAt || !other?.answeredAt) return false;
      end(id, 'over', { into: [otherId, 'agent'] });
      leaveAsBefore(call, otherId, other);
      return true;
    },
    async handOver(id, record) {
      const call = going.get(id);
      if (!call?.answeredAt) return undefined;
      const [nextId, next] = begin(call.accountId, record);
      next.answeredAt = next.now();
      tell(next.accountId, nextId, next.answeredAt, { kind: 'answered' });
      end(id, 'over', { into: [nextId, 'other'] });
      if (record) startRecording(nextId, next);
      leaveAsBefore(call, nextId, next);
      return nextId;
    },
    async sendText({ accountId, number }) {
      const id = `sim-${randomUUID()}`;
      const { cause } = behaviourOf(number);
      setTimeout(() => tell(accountId, id, databaseNow(), { kind: 'text_sent' }), 50);
      setTimeout(() => {
        const fails = cause === 'invalid_number' || cause === 'failed';
        tell(accountId, id, databaseNow(), fails ? { kind: 'text_failed', reason: cause } : { kind: 'text_delivered' });
      }, 500);
      return id;
    },
    async make(accountId, happening) {
      const { kind, from, to } = happening;
      const at = databaseNow();
      if (kind === 'inbound_text') {
        tell(accountId, `sim-${randomUUID()}`, at, { kind: 'text_came_in', from, to, body: happening.body });
        return;
      }
      const [id, call] = begin(accountId, false);
      call.hangsUpMs = happening.seconds === undefined ? undefined : happening.seconds * 1_000;
      tell(accountId, id, at, { kind: 'came_in', from, to });
      later(call, kind === 'missed_call' ? MISSED_MS : PATIENCE_MS, () => end(id, 'no_answer'));
    },
    hear(heard) {
      if (heard.kind !== 'recording_failed') return;
      const call = going.get(heard.conversation);
      if (call) call.unrecorded = heard.error;
    },
    async stop() {
      for (const [id, { answeredAt }] of going) end(id, answeredAt ? 'over' : 'failed', { lineLost: true });
      // What ends brings its recording, which is told in turn.
      const patience = performance.now() + 5_000;
      while (reporting.size > 0 && performance.now() < patience)
        await Promise.race([Promise.all(reporting), new Promise((resolve) => setTimeout(resolve, 100))]);
      stopped = true;
    },
  };
}

/** What there is of a recording that could not be written to its end. */
async function rescue(recorded: Recorded | undefined): Promise<Recorded | undefined> {
  if (!recorded || existsSync(recorded.file)) return recorded;
  return repairRecording(recorded.file).catch(() => undefined);
}

type Kind = Report extends infer One
  ? One extends Report
    ? Omit<One, 'accountId' | 'subject' | 'key' | 'at'>
    : never
  : never;

const seedOf = (id: string): number => Number.parseInt(id.slice(-8), 16);
