import type { BulkAct, BulkKind, NewBulkAct } from '../../contract/bulk.ts';
import { Delegation, Migration, Outcome } from '../../contract/leads.ts';
import { scopeOf, type Right } from '../../contract/roles.ts';
import { lockWholeLead, seesLead } from '../leads/access.ts';
import { delegateLead } from '../leads/claims.ts';
import { migrateLead } from '../leads/migrate.ts';
import { giveOutcome } from '../leads/outcomes.ts';
import { removeLead } from '../leads/remove.ts';
import { findList } from '../lists/lists.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one, query, settle, type Db } from '../platform/db.ts';
import {
  conflict,
  forbidden,
  HttpError,
  isDatabaseAway,
  isSerializationConflict,
  notFound,
} from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { compileReader, invalid, named } from '../platform/read.ts';
import { startTurns, type Turns, type Waiting } from '../platform/turns.ts';
import type { Reading, Transact, Work } from '../platform/work.ts';
import { findActor } from '../people/users/users.ts';
import type { Sweep } from '../platform/sweep.ts';

type Act = {
  right: Right;
  read: (asked: unknown) => unknown;
  do: (work: Work, actor: Actor, id: number, asked: never) => Promise<unknown>;
};

const reader = (schema: Parameters<typeof compileReader>[0]) => {
  const read = compileReader(schema);
  return (lead: unknown) => {
    const result = read({ lead: lead ?? {} });
    if ('error' in result) throw result.error;
    return (result.value as { lead: unknown }).lead;
  };
};

/** The verbs for one lead, once for each of many. */
const ACTS: Record<BulkKind, Act> = {
  archive: {
    right: 'leads.outcome',
    read: reader(Outcome),
    do: async (work, actor, id, asked) => settle(work.db, await giveOutcome(work, actor, id, 'archive', () => asked)),
  },
  delegate: {
    right: 'leads.delegate',
    read: reader(Delegation),
    do: (work, actor, id, asked: { delegate_to: number | string }) =>
      delegateLead(work, actor, id, () => asked.delegate_to),
  },
  migrate: {
    right: 'leads.migrate',
    read: reader(Migration),
    do: (work, actor, id, asked) => migrateLead(work, actor, id, () => asked),
  },
  delete: {
    right: 'leads.manage',
    read: () => ({}),
    do: async (work, actor, id) => removeLead(work, actor, await lockWholeLead(work, actor, id, 'leads.manage')),
  },
};

/** Of one person, not finished yet. */
const MOST_WAITING = 20;

/** Written down; whoever gives turns does the rest. */
export async function startBulkAct(work: Work, actor: Actor, given: NewBulkAct): Promise<BulkAct> {
  const act = ACTS[given.kind];
  refuseRole(actor, act);
  const asked = act.read(given.lead);
  const own = [actor.account.id, actor.user!.id];
  const waiting = 'select id from bulk_acts where account_id = $1 and user_id = $2 and finished_at is null';
  if ((await query(work.db, waiting, own)).length >= MOST_WAITING)
    throw conflict(
      'too_many_bulk_acts',
      `${MOST_WAITING} of your bulk acts are not finished yet. Wait for one of them.`,
    );
  const values = [...own, given.kind, JSON.stringify(asked), actor.via, notFound().message];
  const [row] = await insertAct(work, actor, act, given, values);
  work.nudge('bulk');
  return readBulkAct(work, actor, row!.id);
}

function refuseRole({ roles }: Actor, { right }: Act): void {
  if (scopeOf(roles, right) !== 'account') throw forbidden('Your role does not allow this.');
}

// What names no lead is found here, in one go, and never has a turn.
const insertSql = (ids: string, chosen: string) => `
  with named as materialized (${ids}),
  chosen as materialized (${chosen}),
  strange as materialized (select id from named except select id from chosen)
  insert into bulk_acts (account_id, user_id, kind, asked, via, lead_ids, unknown, refusals, refused, finished_at)
  select $1, $2, $3, $4, $5, coalesce((select array_agg(id order by id) from chosen), '{}'), s.number, s.number,
         coalesce((select jsonb_agg(jsonb_build_object('lead_id', id, 'error', $6::text) order by id)
                     from (select id from strange order by id limit 100) first), '[]'),
         case when not exists (select from chosen) then now() end
    from (select count(*) as number from strange) s
  returning id`;

const INSERT_THESE = insertSql(
  'select distinct id from unnest($7::bigint[]) id',
  `select l.id from named n join leads l on l.account_id = $1 and l.id = n.id where ${seesLead('l', '$8::bigint')}`,
);
const INSERT_LIST = insertSql(
  'select null::bigint as id where false',
  'select id from leads where account_id = $1 and list_id = $7 and ($8::text is null or state = $8)',
);

async function insertAct(work: Work, actor: Actor, { right }: Act, given: NewBulkAct, values: unknown[]) {
  const insert = (text: string, more: unknown[]) => query<{ id: number }>(work.db, text, [...values, ...more]);
  const { lead_ids, list_id, state = null } = given;
  // As one text: the driver takes ten times as long to write down so many numbers.
  if (lead_ids) return insert(INSERT_THESE, [`{${lead_ids.join()}}`, boundOf(actor, right)]);
  if (list_id === undefined) throw invalid({ lead_ids: ['or list_id must be given'] });
  const list = await named('list_id', 'is no list of this account', findList(work, actor, list_id, 'leads.read'));
  return insert(INSERT_LIST, [list.id, state]);
}

type Row = Omit<BulkAct, 'created_at' | 'finished_at'> & { created_at: Date; finished_at: Date | null };

const READ = `
  select id, kind, cardinality(lead_ids) + unknown as total, position + unknown as done, refusals, refused, created_at,
         finished_at
    from bulk_acts where account_id = $1 and id = $2`;

export async function readBulkAct({ db }: Reading, actor: Actor, id: number | undefined): Promise<BulkAct> {
  const row = await one<Row>(db, READ, [actor.account.id, id ?? 0]);
  return { ...row, created_at: row.created_at.toISOString(), finished_at: row.finished_at?.toISOString() ?? null };
}

const AT_ONCE = 100;
/** A turn ends after so long, and others have theirs. */
const TURN_MS = 250;

const NEXT = `
  select next.* from (select distinct account_id from bulk_acts where finished_at is null) a
   cross join lateral (
     select account_id, user_id as person, min(id) as id from bulk_acts b
      where b.account_id = a.account_id and finished_at is null group by 1, 2 order by 3 limit 50) next`;

type Next = Waiting & { id: number };
type TurnMeans = { db: Db; transact: Transact; log: Log; restMs?: number };

/** A lead with which something went wrong that nobody foresaw, and how often, as far as this node knows. Then it is refused, and the act goes on. */
type Stumble = { lead: number; times: number };
const MOST_TIMES = 3;

/** An account has one turn at a time on a node, its people one after the other; each person's acts in the order they were given. */
export function giveBulkTurns({ db, transact, log, restMs }: TurnMeans): Turns {
  const stumbles = new Map<number, Stumble>();
  const look = async () => {
    const next = await query<Next>(db, NEXT, []);
    const there = new Set(next.map(({ id }) => id));
    for (const id of stumbles.keys()) if (!there.has(id)) stumbles.delete(id);
    return next;
  };
  const take = async ({ account_id, id }: Next): Promise<boolean> => {
    const before = stumbles.get(id);
    const at: { lead?: number } = {};
    try {
      return await transact((work) => doSome(work, account_id, id, at, before));
    } catch (error) {
      if (at.lead === undefined || isDatabaseAway(error) || isSerializationConflict(error)) throw error;
      const times = at.lead === before?.lead ? before.times + 1 : 1;
      stumbles.set(id, { lead: at.lead, times });
      if (times === MOST_TIMES)
        log.error({ account: account_id, act: id, lead: at.lead }, 'A lead of a bulk act is given up');
      throw error;
    }
  };
  return startTurns<Next>({ what: 'Bulk acts', width: 3, ofAccount: 1, look, take, log, ...(restMs && { restMs }) });
}

type Some = { kind: BulkKind; asked: never; ids: number[]; user_id: number; via: Actor['via'] };

const TAKE = `
  select kind, asked, lead_ids[position + 1:position + ${AT_ONCE}] as ids, user_id, via
    from bulk_acts where account_id = $1 and id = $2 and finished_at is null for update skip locked`;

// The lock on the act says who works on it, and goes with whoever is gone: at once when a process dies, so late when a machine falls silent.
const LET_GO = `select set_config('idle_in_transaction_session_timeout', '10s', true)`;

const NOTE = `
  update bulk_acts set position = position + $3, refusals = refusals + $4,
         refused = case when jsonb_array_length(refused) < 100 then refused || $5::jsonb else refused end,
         finished_at = case when position + $3 >= cardinality(lead_ids) then now() end
   where account_id = $1 and id = $2`;

/** What is done and how far it has come are one transaction. False: it is finished, or another node has it. */
async function doSome(
  work: Work,
  accountId: number,
  id: number,
  at: { lead?: number },
  before: Stumble | undefined,
): Promise<boolean> {
  const until = performance.now() + TURN_MS;
  const [[some]] = await Promise.all([query<Some>(work.db, TAKE, [accountId, id]), query(work.db, LET_GO, [])]);
  if (!some) return false;
  // One by one up to the lead that went wrong, so that it takes none of the others with it.
  const ids = before && some.ids.includes(before.lead) ? some.ids.slice(0, 1) : some.ids;
  const actor = await findActor(work, accountId, some.user_id, some.via);
  // All at once and in one order: agents who work on some of them wait for a moment and not in a circle.
  const locked = await query<{ id: number }>(
    work.db,
    'select id from leads where account_id = $1 and id = any ($2::bigint[]) order by id for no key update',
    [accountId, ids],
  );
  const there = new Set(locked.map((lead) => lead.id));
  const refused: { lead_id: number; error: string }[] = [];
  const act = ACTS[some.kind];
  let done = 0;
  for (const lead_id of ids) {
    if (performance.now() > until && done > 0) break;
    done += 1;
    at.lead = lead_id;
    if (before?.lead === lead_id && before.times >= MOST_TIMES) {
      refused.push({ lead_id, error: 'Something went wrong on our side.' });
      continue;
    }
    try {
      // Asked again: it may have been taken from them meanwhile.
      refuseRole(actor, act);
      if (!there.has(lead_id)) throw notFound();
      await act.do(work, actor, lead_id, some.asked);
    } catch (error) {
      // A refusal comes before anything was written; whatever else goes wrong, goes wrong for all.
      if (!(error instanceof HttpError) || error.status >= 500) throw error;
      refused.push({ lead_id, error: error.message });
    }
  }
  await query(work.db, NOTE, [accountId, id, done, refused.length, JSON.stringify(refused)]);
  return true;
}

export const PAST_ACTS: Sweep = { table: 'bulk_acts', past: `finished_at < now() - interval '30 days'` };
