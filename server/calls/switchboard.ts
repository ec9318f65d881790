import { setTimeout as sleep } from 'node:timers/promises';
import { findAccountById } from '../people/accounts/find.ts';
import { serviceActor } from '../platform/actor.ts';
import { databaseNow, lastJump } from '../platform/clock.ts';
import type { Db } from '../platform/db.ts';
import { isDatabaseAway } from '../platform/errors.ts';
import { holdLease, releaseLease } from '../platform/lease.ts';
import type { Log } from '../platform/log.ts';
import type { Node } from '../platform/nodes.ts';
import { createNudge } from '../platform/nudge.ts';
import type { Transact } from '../platform/work.ts';
import { LINE, type Carrier, type OpenCarrier } from '../telephony/carrier.ts';
import { failForgottenTexts, failLostTexts, failText, markSent } from '../texts/sending.ts';
import { findOptOut, nameText } from '../texts/texts.ts';
import type { Heard, Media } from '../telephony/media/media.ts';
import { nameCall, type Ending } from './calls.ts';
import { openConversations, type Conversations } from './conversations.ts';
import { endCall, learnId, takeReport } from './reports.ts';
import {
  carryPause,
  endForgotten,
  findLost,
  findWishes,
  markConnected,
  markDialled,
  markGivenUp,
  takeSimulations,
  type Wish,
} from './wishes.ts';

/**
 * Does what is wanted on the line. Requests only write down what they want, in their own transaction; of all nodes the one that holds the
 * lease looks for it and asks the carrier. So a call is dialled after it is written down, and by one node alone, wherever it was asked for.
 */

const LOOK_MS = 250;
const RENEW_MS = 2_000;
/** While we were silent, the database was away or the clock was set, nobody could say that they are still there; it takes this long until all have. */
const SILENCE_MS = 5_000;
const CALM_MS = 15_000;
/** What the line has sent is written down, also where the database cannot take it at first. */
const MOST_LEARNING = 10;
const LEARN_AGAIN_MS = 1_000;

export type Switchboard = { nudge: () => void; isHolder: () => boolean; stop: () => Promise<void> };

type Means = {
  db: Db;
  transact: Transact;
  log: Log;
  node: Node;
  openCarrier: OpenCarrier;
  openMedia: (hear: (heard: Heard) => void) => Media;
};

/** What there is while one holds the line. */
type Held = { carrier: Carrier; media: Media; conversations: Conversations };

const recordingOf = ({ recorded, announced }: Wish) => recorded && (announced ? 'announced' : 'quietly');

export function startSwitchboard({ db, transact, log, node, openCarrier, openMedia }: Means): Switchboard {
  let held: Held | undefined;
  let stopping = false;
  const { nudge, pause } = createNudge();

  const end = async (accountId: number, id: number, ending: Ending) => {
    const account = (await findAccountById({ db }, accountId))!;
    await transact((work) => endCall(work, serviceActor(account, 'switchboard'), id, ending));
  };

  /** What another node had on its line when it fell silent is over; it was heard of last at that time. */
  const open = async (heardOf: Date): Promise<Held> => {
    for (const { account_id, id, answered } of await findLost(db)) {
      const ending: Ending = { cause: answered ? 'over' : 'failed', at: heardOf, lineLost: true };
      await end(account_id, id, ending).catch((error: unknown) =>
        log.error({ err: error, call: id }, 'A call of a lost line could not be ended'),
      );
    }
    await failLostTexts(db);
    const media: Media = openMedia((heard) => carrier.hear?.(heard));
    const carrier: Carrier = openCarrier((report) => takeReport({ db, transact }, carrier.name, report), media);
    return { carrier, media, conversations: openConversations({ db, node, log, media }) };
  };

  const close = async ({ carrier, media, conversations }: Held) => {
    conversations.stop();
    // What ends has to be in its file before there is nobody left to write it.
    await carrier.stop().finally(() => media.stop());
  };

  let silentSince: Date | undefined;
  const keepLease = async () => {
    const lease = await holdLease(db, LINE, node);
    if (lease) {
      // Ours from the second attempt on, so what it says then is not when the other was heard of.
      silentSince ??= lease.heardOf ?? databaseNow();
      held ??= await open(silentSince);
    } else {
      silentSince = undefined;
      // Silent for too long ourselves: another has taken over, and has ended what was on this line.
      const lost = held;
      held = undefined;
      if (lost) await close(lost);
    }
  };

  const grant = async (holding: Held, wish: Wish): Promise<void> => {
    const { carrier: line, media } = holding;
    const { kind, account_id: accountId, id, subject, number } = wish;
    // What the carrier knows nothing of, nobody will ever report on.
    const lose = () =>
      end(accountId, id, { cause: wish.answered ? 'over' : 'failed', at: databaseNow(), lineLost: true });
    if (kind === 'lose') await lose();
    else if (kind === 'hang up' || kind === 'answer') {
      const known = kind === 'answer' ? await line.answer(subject!, recordingOf(wish)) : await line.hangUp(subject!);
      if (!known) await lose();
    } else if (kind === 'bridge') {
      const paused = await carryPause(db, node.id, wish);
      if (paused === undefined) return;
      media.pauseRecording(subject!, paused);
      // One of the two has hung up meanwhile. Where it is whom the call was about, the other has nobody to talk to.
      if (!(await line.bridge(wish.former!, subject!))) await line.hangUp(subject!);
    } else if (kind === 'hand over') {
      if (await markConnected(db, node.id, wish)) await handOver(line, wish);
    } else if (kind === 'too late') {
      if (await markGivenUp(db, wish)) await lose();
    } else if (kind === 'give up') {
      // Also a call between colleagues, who need no line.
      if (await markGivenUp(db, wish))
        await end(accountId, id, { cause: wish.answered ? 'over' : 'no_answer', at: databaseNow() });
    } else if (kind === 'dial') {
      if (await markDialled(db, node.id, wish)) await dial(holding, wish);
    } else if (await markSent(db, node.id, wish, line.name, await findOptOut({ db }, accountId, number)))
      await sendText(line, wish);
  };

  const sendText = async (line: Carrier, wish: Wish): Promise<void> => {
    const { account_id: accountId, id, number } = wish;
    let textId: string;
    try {
      textId = await line.sendText({ accountId, id, number, from: wish.caller_number, body: wish.body });
    } catch (error) {
      log.error({ err: error, text: id }, 'A text could not be sent');
      await failText(db, wish, 'The line did not take it.');
      return;
    }
    // It is on its way. Were it said to have failed, someone would write it again; what is never learnt is given up as lost.
    for (let attempt = 1; ; attempt += 1) {
      try {
        await learnId(transact, line.name, textId, (work) => nameText(work, accountId, id, textId));
        return;
      } catch (error) {
        if (attempt === MOST_LEARNING || stopping) throw error;
        await sleep(LEARN_AGAIN_MS);
      }
    }
  };

  /** A colleague goes on with a call, of which the line has another name from then on. */
  const handOver = async (line: Carrier, wish: Wish): Promise<void> => {
    const { account_id: accountId, id } = wish;
    const name = await line.handOver(wish.former!, recordingOf(wish));
    // The other end has hung up meanwhile.
    if (name === undefined) return end(accountId, id, { cause: 'over', at: databaseNow() });
    try {
      await learnId(transact, line.name, name, (work) => nameCall(work, accountId, id, line.name, name));
    } catch (error) {
      log.error({ err: error, call: id }, 'A call could not be handed over');
      await line.hangUp(name);
      await end(accountId, id, { cause: 'over', at: databaseNow(), lineLost: true });
    }
  };

  const dial = async ({ carrier: line, media }: Held, wish: Wish): Promise<void> => {
    const { account_id: accountId, id, number } = wish;
    const callerId = { number: wish.caller_number, name: wish.caller_name };
    let callId: string | undefined;
    try {
      callId = await line.dial({ accountId, id, number, callerId, record: recordingOf(wish) });
      const name = callId;
      // Before anybody can have answered: the next look at who hears whom may come after that.
      if (wish.off_record) media.pauseRecording(name, true);
      await learnId(transact, line.name, name, (work) => nameCall(work, accountId, id, line.name, name));
    } catch (error) {
      log.error({ err: error, call: id }, 'A call could not be dialled');
      // One that we could not write down must not ring on.
      if (callId !== undefined) await line.hangUp(callId);
      await end(accountId, id, { cause: 'failed', at: databaseNow() });
    }
  };

  const asked = new Set<string>();
  /** Each wish once, however often it is found before the carrier has reported. */
  const grantAll = async (holding: Held) => {
    const wishes = new Map((await findWishes(db, node.id)).map((wish) => [`${wish.kind} ${wish.id}`, wish]));
    for (const key of asked) if (!wishes.has(key)) asked.delete(key);
    for (const [key, wish] of wishes) {
      if (asked.has(key)) continue;
      asked.add(key);
      void grant(holding, wish).catch((error: unknown) => {
        asked.delete(key);
        log.error({ err: error, wish: wish.kind, id: wish.id }, 'What was wanted of the line could not be done');
      });
    }
    const { carrier: line } = holding;
    if (!line.make) return;
    for (const { account_id, happening } of await takeSimulations(db, node.id)) await line.make(account_id, happening);
  };

  const running = (async () => {
    let [renewAt, lastGood, calmUntil] = [0, -Infinity, 0];
    while (!stopping) {
      const now = performance.now();
      if (now - lastGood > SILENCE_MS) calmUntil = now + CALM_MS;
      try {
        if (now >= renewAt) {
          await keepLease();
          renewAt = now + RENEW_MS;
        }
        if (held) {
          if (now >= Math.max(calmUntil, lastJump() + CALM_MS)) {
            await endForgotten(db);
            await failForgottenTexts(db);
          }
          await grantAll(held);
          await held.conversations.look();
        }
        lastGood = performance.now();
        await pause(LOOK_MS);
      } catch (error) {
        if (isDatabaseAway(error)) calmUntil = performance.now() + CALM_MS;
        else log.error({ err: error }, 'The line could not be looked after');
        await pause(1_000);
      }
    }
  })();

  return {
    nudge,
    isHolder: () => held !== undefined,
    async stop() {
      stopping = true;
      nudge();
      await running;
      if (!held) return;
      await close(held);
      await releaseLease(db, LINE, node);
    },
  };
}
