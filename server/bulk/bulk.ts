import type { BulkAct, BulkKind, NewBulkAct } from '../../contract/bulk.ts';
import { Delegation, Migration, Outcome } from '../../contract/leads.ts';
import { scopeOf, type Right } from '../../contract/roles.ts';
import { openLead } from '../leads/access.ts';
import { delegateLead } from '../leads/claims.ts';
import { migrateLead } from '../leads/migrate.ts';
import { giveOutcome } from '../leads/outcomes.ts';
import { removeLead } from '../leads/remove.ts';
import { findList } from '../lists/lists.ts';
import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { forbidden, HttpError, notFound } from '../platform/errors.ts';
import type { Job } from '../platform/jobs.ts';
import { compileReader, invalid, named } from '../platform/read.ts';
import type { Reading, Transact, Work } from '../platform/work.ts';
import { findActor } from '../users/users.ts';

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
    do: (work, actor, id, asked) => giveOutcome(work, actor, id, 'archive', () => asked),
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
    do: async (work, actor, id) => removeLead(work, actor, await openLead(work, actor, id, 'leads.manage')),
  },
};

/** Written down and begun; a job does the rest. */
export async function startBulkAct(work: Work, actor: Actor, given: NewBulkAct): Promise<BulkAct> {
  const act = ACTS[given.kind];
  refuseRole(actor, act);
  const asked = act.read(given.lead);
  const ids = await chooseLeads(work, actor, given);
  const [row] = await query<{ id: number }>(
    work.db,
    'insert into bulk_acts (account_id, kind, asked, lead_ids, user_id, via) values ($1, $2, $3, $4, $5, $6) returning id',
    [actor.account.id, given.kind, JSON.stringify(asked), ids, actor.user!.id, actor.via],
  );
  await work.enqueue('bulk-act', { accountId: actor.account.id, id: row!.id });
  return readBulkAct(work, actor, row!.id);
}

function refuseRole({ roles }: Actor, { right }: Act): void {
  if (scopeOf(roles, right) !== 'account') throw forbidden('Your role does not allow this.');
}

async function chooseLeads(work: Work, actor: Actor, { lead_ids, list_id, state }: NewBulkAct): Promise<number[]> {
  if (lead_ids) return [...new Set(lead_ids)];
  if (list_id === undefined) throw invalid({ lead_ids: ['or list_id must be given'] });
  const list = await named('list_id', 'is no list of this account', findList(work, actor, list_id, 'leads.read'));
  const text =
    'select id from leads where account_id = $1 and list_id = $2 and ($3::text is null or state = $3) order by id';
  const rows = await query<{ id: number }>(work.db, text, [actor.account.id, list.id, state ?? null]);
  return rows.map(({ id }) => id);
}

type Row = Omit<BulkAct, 'created_at' | 'finished_at'> & { created_at: Date; finished_at: Date | null };

const READ = `
  select id, kind, cardinality(lead_ids) as total, position as done, refusals, refused, created_at, finished_at
    from bulk_acts where account_id = $1 and id = $2`;

export async function readBulkAct({ db }: Reading, actor: Actor, id: number | undefined): Promise<BulkAct> {
  const [row] = await query<Row>(db, READ, [actor.account.id, id ?? 0]);
  if (!row) throw notFound();
  return { ...row, created_at: row.created_at.toISOString(), finished_at: row.finished_at?.toISOString() ?? null };
}

const AT_ONCE = 100;

/** Goes on where it stopped, however it stopped. */
export const bulkActJob = (transact: Transact): Job<{ accountId: number; id: number }> => ({
  name: 'bulk-act',
  async run({ accountId, id }) {
    if (await goOn(transact, accountId, id)) await transact((work) => work.enqueue('bulk-act', { accountId, id }));
  },
});

/** For those whose job came to an end before they did. */
export const resumeBulkActsJob = ({ db }: Reading, transact: Transact): Job => ({
  name: 'resume-bulk-acts',
  every: '* * * * *',
  async run() {
    const text = `select account_id, id from bulk_acts where finished_at is null and created_at < now() - interval '1 minute' order by id`;
    for (const { account_id, id } of await query<{ account_id: number; id: number }>(db, text, []))
      await goOn(transact, account_id, id);
  },
});

/** For a minute, then others have their turn. Answers whether something is left. */
async function goOn(transact: Transact, accountId: number, id: number): Promise<boolean> {
  const until = Date.now() + 50_000;
  while (Date.now() < until) if (!(await transact((work) => doSome(work, accountId, id)))) return false;
  return true;
}

type Some = { kind: BulkKind; asked: never; ids: number[]; user_id: number; via: Actor['via'] };

const TAKE = `
  select kind, asked, lead_ids[position + 1:position + ${AT_ONCE}] as ids, user_id, via
    from bulk_acts where account_id = $1 and id = $2 and finished_at is null for update skip locked`;

const NOTE = `
  update bulk_acts set position = position + $3, refusals = refusals + $4,
         refused = case when jsonb_array_length(refused) < 100 then refused || $5::jsonb else refused end,
         finished_at = case when position + $3 >= cardinality(lead_ids) then now() end
   where account_id = $1 and id = $2 returning finished_at is null as more`;

/** What is done and how far it has come are one transaction. Answers whether there is more to do. */
async function doSome(work: Work, accountId: number, id: number): Promise<boolean> {
  const [some] = await query<Some>(work.db, TAKE, [accountId, id]);
  if (!some) return false;
  const actor = await findActor(work, accountId, some.user_id, some.via);
  // All at once and in one order: agents who work on some of them wait for a moment and not in a circle.
  await query(
    work.db,
    'select id from leads where account_id = $1 and id = any ($2::bigint[]) order by id for no key update',
    [accountId, some.ids],
  );
  const refused: { lead_id: number; error: string }[] = [];
  const act = ACTS[some.kind];
  for (const lead_id of some.ids) {
    try {
      // Asked again: it may have been taken from them meanwhile.
      refuseRole(actor, act);
      await act.do(work, actor, lead_id, some.asked);
    } catch (error) {
      // A refusal comes before anything was written; whatever else goes wrong, goes wrong for all.
      if (!(error instanceof HttpError) || error.status >= 500) throw error;
      refused.push({ lead_id, error: error.message });
    }
  }
  const values = [accountId, id, some.ids.length, refused.length, JSON.stringify(refused)];
  const [noted] = await query<{ more: boolean }>(work.db, NOTE, values);
  return noted!.more;
}
