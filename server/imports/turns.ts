import { randomUUID } from 'node:crypto';
import { shareShape } from '../lists/shape-lock.ts';
import { openGiveWay } from '../leads/give-way.ts';
import { query, type Db } from '../platform/db.ts';
import { isDatabaseAway, isSerializationConflict, isTooSlow } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { sql } from '../platform/sql.ts';
import { startTurns, type Turns, type Waiting } from '../platform/turns.ts';
import type { Transact, Work } from '../platform/work.ts';
import { findTwice, openChecks } from './checking.ts';
import { Unreadable } from './files/source.ts';
import { holdImport, IS_FREE, releaseAll, releaseImport } from './held.ts';
import { openReaders } from './reading.ts';
import { runSome } from './run.ts';
import { takeImport } from './taken.ts';
import { Closed, openCheckers } from './threads.ts';
import { undoSome } from './undo.ts';

/** A turn ends after so long, and others have theirs. */
const TURN_MS = 100;
/** While someone is at a desk: a burst on all processors is waited out by whoever asks for something in it, however long the rest is. */
const SHORT_TURN_MS = 30;
/** Rows that are read before some of them are checked. */
const READ_AHEAD = 1_000;

// Of each person one file is read or checked at a time; of each account one import runs, or is undone, at a time.
const NEXT = sql('imports/turns.next')`
  select i.account_id, i.id, i.state, i.person from (
    select distinct on (account_id, person) n.account_id, n.id, n.state, n.person
      from (select account_id, id, state,
                   case when state in ('running', 'undoing') then 'account' else user_id::text end as person
              from imports
             where state in ('reading', 'checking', 'running', 'undoing')
               and (state in ('running', 'undoing') or ${IS_FREE})) n
     order by n.account_id, n.person, n.id) i
   order by i.id limit 1000`;

type Next = Waiting & { id: number; state: string };
type TurnMeans = { db: Db; transact: Transact; log: Log; restMs?: number };

/** Where something went wrong that nobody foresaw, and how often, as far as this node knows. Others may have tried meanwhile. */
type Stumble = { at: string; times: number };
/** Where a turn was. */
type At = { place: string; version: number };
const MOST_TIMES = 3;
const MOST_STUMBLES = 1_000;

/** What became of an import in which something went wrong again and again, so that nobody waits for it for ever. */
const GIVE_UP = sql('imports/turns.give_up')`
  update imports set refusal = $3, taken_by = null, goes_on = false,
         state = case when begun_at is null then 'refused' else 'finished' end,
         stopped_at = case when begun_at is not null then now() end,
         finished_at = case when begun_at is not null then clock_timestamp() end
   where account_id = $1 and id = $2 and version = $4 and state in ('reading', 'checking', 'running')`;

export function giveImportTurns({ db, transact, log, restMs }: TurnMeans): Turns {
  const me = randomUUID();
  const giveWay = openGiveWay(db);
  const checkers = openCheckers();
  const readers = openReaders({ db, transact, me });
  const checks = openChecks({ db, transact, me, checkers });
  const stumbles = new Map<number, Stumble>();

  const endOfTurn = () => performance.now() + (giveWay.isAsked() ? SHORT_TURN_MS : TURN_MS);

  const look = async () => {
    const next = await query<Next>(db, NEXT, [me]);
    const there = new Set(next.map(({ id }) => id));
    readers.keepOnly(there);
    checks.keepOnly(there);
    return next;
  };

  const prepare = async ({ account_id, id, state }: Next, at: At): Promise<boolean> => {
    if (state === 'reading' && !readers.hasRoom({ account_id, id })) return false;
    const held = await holdImport(db, me, account_id, id);
    if (!held) return false;
    at.version = held.version;
    at.place = `${held.state} ${held.version} ${held.last_row} ${held.checked_to}`;
    checkers.getReady();
    const gently = giveWay.isAsked();
    const until = endOfTurn();
    const unchecked = held.last_row - held.checked_to;
    // Rows are checked while others are still being read, so that something can be told soon.
    if (held.plan && unchecked > (held.state === 'reading' ? READ_AHEAD : 0))
      await checks.checkSome(held, until, gently);
    else if (held.state === 'reading') return readers.readSome(held, until, gently);
    else await transact((work) => findTwice(work, me, held));
    return true;
  };

  const take = async (next: Next): Promise<boolean> => {
    const { account_id, id, state } = next;
    const at: At = { place: '', version: 0 };
    try {
      const begun = performance.now();
      const isRun = state === 'running' || state === 'undoing';
      const isMore = await (isRun ? transact((work) => runOn(work, next, at, endOfTurn())) : prepare(next, at));
      if (isMore) await giveWay.rest(performance.now() - begun);
      return isMore;
    } catch (error) {
      // What takes too long would do so again; all else that passes is tried for as long as it takes.
      if ((isDatabaseAway(error) && !isTooSlow(error)) || isSerializationConflict(error)) throw error;
      // It was discarded, or is read otherwise now.
      if (error instanceof Closed) return true;
      const giveUp = (why: string) => query(db, GIVE_UP, [account_id, id, why, at.version]);
      if (error instanceof Unreadable) {
        await giveUp(error.message);
        return true;
      }
      const before = stumbles.get(id);
      const times = before?.at === at.place ? before.times + 1 : 1;
      if (stumbles.size > MOST_STUMBLES) stumbles.clear();
      stumbles.set(id, { at: at.place, times });
      if (times < MOST_TIMES || state === 'undoing') {
        await releaseImport(db, me, account_id, id);
        throw error;
      }
      log.error({ err: error, account: account_id, import: id }, 'An import is given up');
      await giveUp('Something went wrong on our side. Try it again, or with another file.');
      return true;
    }
  };

  const turns = startTurns<Next>({
    what: 'Imports',
    width: 2,
    ofAccount: 2,
    look,
    take,
    log,
    ...(restMs && { restMs }),
  });
  return {
    nudge: turns.nudge,
    async stop() {
      await turns.stop();
      readers.keepOnly(new Set());
      checkers.close();
      // It may be away, and then whoever goes on waits a few seconds longer.
      await releaseAll(db, me).catch(() => {});
    },
  };
}

/** What is done and how far it has come are one transaction. */
async function runOn(work: Work, { account_id, id }: Next, at: At, until: number): Promise<boolean> {
  const [, taken] = await Promise.all([shareShape(work.db, account_id), takeImport(work, account_id, id)]);
  if (!taken) return false;
  at.version = taken.version;
  at.place = `${taken.state} ${taken.done_to} ${taken.undone_to}`;
  return taken.state === 'undoing' ? undoSome(work, taken, until) : runSome(work, taken, until);
}
