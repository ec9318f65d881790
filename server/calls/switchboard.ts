import { serviceActor, type Account } from '../platform/actor.ts';
import { query, type Db } from '../platform/db.ts';
import { isDatabaseAway } from '../platform/errors.ts';
import { holdLease, releaseLease } from '../platform/lease.ts';
import type { Log } from '../platform/log.ts';
import { createNudge } from '../platform/nudge.ts';
import type { Transact } from '../platform/work.ts';
import { storeRecordings } from '../recordings/recordings.ts';
import type { Store } from '../recordings/store.ts';
import type { Carrier, OpenCarrier } from '../telephony/carrier.ts';
import { nameText } from '../texts/texts.ts';
import { nameCall, type Ending } from './calls.ts';
import { endCall, learnId, takeReport } from './reports.ts';
import { tellOfCall } from './tell.ts';
import {
  endForgotten,
  failLostTexts,
  findLost,
  findWishes,
  markDialled,
  markSent,
  takeSimulations,
  type Wish,
} from './wishes.ts';

/**
 * Does what is wanted on the line. Requests only write down what they want, in their own transaction; of all nodes the one that holds the
 * lease looks for it and asks the carrier. So a call is dialled after it is written down, and by one node alone, wherever it was asked for.
 */

const LEASE = 'line';
const LOOK_MS = 250;
const RENEW_MS = 3_000;
const STORE_MS = 1_000;

export type Switchboard = { nudge(): void; stop(): Promise<void> };

type Means = { db: Db; transact: Transact; store: Store; log: Log; nodeId: number; openCarrier: OpenCarrier };

export function startSwitchboard({ db, transact, store, log, nodeId, openCarrier }: Means): Switchboard {
  let carrier: Carrier | undefined;
  let stopping = false;
  const { nudge, pause } = createNudge();

  const end = async (accountId: number, id: number, ending: Ending) => {
    const [account] = await query<Account>(db, 'select id, name, base_url as "baseUrl" from accounts where id = $1', [
      accountId,
    ]);
    await transact((work) => endCall(work, serviceActor(account!, 'switchboard'), id, ending));
  };

  /** What another node had on its line when it fell silent is over; it was heard of last at that time. */
  const open = async (heardOf: Date): Promise<Carrier> => {
    for (const { account_id, id, answered } of await findLost(db))
      await end(account_id, id, { cause: answered ? 'over' : 'failed', at: heardOf });
    await failLostTexts(db);
    const opened: Carrier = openCarrier((report) => takeReport(transact, opened.name, report));
    return opened;
  };

  const keepLease = async () => {
    const lease = await holdLease(db, LEASE, nodeId);
    if (lease) carrier ??= await open(lease.heardOf ?? new Date());
    else if (carrier) {
      // Silent for too long: another has taken over, and has ended what was on this line.
      const lost = carrier;
      carrier = undefined;
      await lost.stop();
    }
  };

  const grant = async (line: Carrier, wish: Wish): Promise<void> => {
    const { kind, account_id: accountId, id, subject, number, recorded: record } = wish;
    if (kind === 'hang up') await line.hangUp(subject!);
    else if (kind === 'answer') await line.answer(subject!, record);
    else if (kind === 'give up') await end(accountId, id, { cause: 'no_answer', at: new Date() });
    else if (kind === 'dial' && (await markDialled(db, wish))) {
      const callerId = { number: wish.caller_number, name: wish.caller_name };
      try {
        const callId = await line.dial({ accountId, id, number, callerId, record });
        await learnId(transact, line.name, callId, (work) => nameCall(work, accountId, id, line.name, callId));
      } catch (error) {
        log.error({ err: error, call: id }, 'A call could not be dialled');
        await end(accountId, id, { cause: 'failed', at: new Date() });
      }
    } else if (kind === 'text' && (await markSent(db, wish, line.name))) {
      const textId = await line.sendText({ accountId, id, number, from: wish.caller_number, body: wish.body });
      await learnId(transact, line.name, textId, (work) => nameText(work, accountId, id, textId));
    }
  };

  const asked = new Set<string>();
  /** Each wish once, however often it is found before the carrier has reported. */
  const grantAll = async (line: Carrier) => {
    const wishes = new Map((await findWishes(db)).map((wish) => [`${wish.kind} ${wish.id}`, wish]));
    for (const key of asked) if (!wishes.has(key)) asked.delete(key);
    for (const [key, wish] of wishes) {
      if (asked.has(key)) continue;
      asked.add(key);
      void grant(line, wish).catch((error: unknown) => {
        asked.delete(key);
        log.error({ err: error, [wish.kind]: wish.id }, 'The carrier did not do what it was asked for');
      });
    }
    for (const { account_id, happening } of (line.make && (await takeSimulations(db))) ?? [])
      await line.make!(account_id, happening);
  };

  const running = (async () => {
    let [renewAt, storeAt] = [0, 0];
    while (!stopping) {
      const now = performance.now();
      try {
        if (now >= renewAt) {
          await keepLease();
          renewAt = now + RENEW_MS;
        }
        if (carrier) {
          await endForgotten(db);
          await grantAll(carrier);
          if (now >= storeAt) {
            await storeRecordings({ db, transact, store, log }, tellOfCall);
            storeAt = now + STORE_MS;
          }
        }
        await pause(LOOK_MS);
      } catch (error) {
        if (!isDatabaseAway(error)) log.error({ err: error }, 'The line could not be looked after');
        await pause(1_000);
      }
    }
  })();

  return {
    nudge,
    async stop() {
      stopping = true;
      nudge();
      await running;
      if (!carrier) return;
      await carrier.stop();
      await storeRecordings({ db, transact, store, log }, tellOfCall);
      await releaseLease(db, LEASE, nodeId);
    },
  };
}
