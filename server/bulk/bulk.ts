import { UNDONE_FOR_DAYS, type BulkAct, type NewBulkAct } from '../../contract/bulk.ts';
import type { Matching } from '../../contract/lead-table.ts';
import { nameOf } from '../../contract/names.ts';
import { audit } from '../audit/audit.ts';
import { readMatching } from '../filters/matching.ts';
import { seesLead } from '../leads/access.ts';
import { LIST_DELETED } from '../leads/deleted.ts';
import { OPEN_AT_A_DESK } from '../leads/holds.ts';
import { CLAIMANT_LEFT } from '../leads/put-back.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { conflict, notFound } from '../platform/errors.ts';
import { invalid } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import type { Sweep } from '../platform/sweep.ts';
import type { Reading, Work } from '../platform/work.ts';
import { NO_RIGHT, openAct, refuseRole, RIGHTS, type Act } from './acts.ts';

/** Of one person, not finished yet. */
const MOST_WAITING = 20;

const UNFINISHED = sql('bulk/bulk.unfinished')`
  select id from bulk_acts where account_id = $1 and user_id = $2 and finished_at is null`;

const INSERT = sql('bulk/bulk.insert')`
  insert into bulk_acts (account_id, user_id, kind, asked, via, address, says, matching, except_ids, gathered_after,
    undoes)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id`;

type Written = {
  kind: BulkAct['kind'];
  asked: unknown;
  says: string;
  matching?: Matching;
  except_ids?: number[];
  gathered_after: number | null;
  undoes?: number;
};

/** Written down; whoever gives turns does the rest. */
export async function insertAct(work: Work, actor: Actor, act: Written): Promise<number> {
  const own = [actor.account.id, actor.user!.id];
  if ((await query(work.db, UNFINISHED, own)).length >= MOST_WAITING)
    throw conflict(
      'too_many_bulk_acts',
      `${MOST_WAITING} of your bulk acts are not finished yet. Wait for one of them.`,
    );
  const { kind, asked, says, matching, except_ids = [], gathered_after, undoes } = act;
  const { id } = await one<{ id: number }>(work.db, INSERT, [
    ...own,
    kind,
    JSON.stringify(asked),
    actor.via,
    actor.address,
    says,
    matching ? JSON.stringify(matching) : null,
    // As one text: the driver takes ten times as long to write down so many numbers.
    `{${except_ids.join()}}`,
    gathered_after,
    undoes ?? null,
  ]);
  work.nudge('bulk');
  return id;
}

// What names no lead is refused here, in one go, and never has a turn.
const NAME = sql('bulk/bulk.name')`
  with named as materialized (
    select distinct id from unnest($3::bigint[]) id
  ), seen as materialized (
    select l.id from named n join leads l on l.account_id = $1 and l.id = n.id where ${seesLead('l', '$4::bigint')}
  ), put as (
    insert into bulk_leads (account_id, act_id, place, lead_id, refused)
    select $1, $2, row_number() over (order by s.id is null, n.id), n.id, case when s.id is null then $5::text end
      from named n left join seen s on s.id = n.id
  )
  update bulk_acts set total = s.named, unknown = s.named - s.seen, refusals = s.named - s.seen,
         reasons = case when s.named > s.seen then jsonb_build_object($5::text, s.named - s.seen) else '{}' end,
         finished_at = case when s.seen = 0 then now() end
    from (select (select count(*) from named)::int as named, (select count(*) from seen)::int as seen) s
   where account_id = $1 and id = $2`;

export async function startBulkAct(work: Work, actor: Actor, given: NewBulkAct): Promise<BulkAct> {
  const { act, matching } = await readAct(work, actor, given);
  const { kind, lead_ids, except_ids = [] } = given;
  const asked = { kind, asked: act.asked, says: act.says };
  const id = lead_ids
    ? await insertAct(work, actor, { ...asked, gathered_after: null })
    : await insertAct(work, actor, { ...asked, matching: matching!, except_ids, gathered_after: 0 });
  if (lead_ids) {
    const values = [actor.account.id, id, `{${lead_ids.join()}}`, boundOf(actor, act.right), notFound().message];
    await query(work.db, NAME, values);
  }
  const begun = await readBulkAct(work, actor, id);
  if (lead_ids) await auditAct(work, actor, begun);
  return begun;
}

/** What is asked for, or what is wrong with it. */
export async function readAct(
  work: Work,
  actor: Actor,
  { kind, lead, lead_ids, matching, except_ids }: NewBulkAct,
): Promise<{ act: Act; matching: Matching | undefined }> {
  refuseRole(actor, RIGHTS[kind]);
  if (!lead_ids === !matching) throw invalid({ lead_ids: ['or matching must be given, and not both'] });
  if (except_ids && !matching) throw invalid({ except_ids: ['must be left out where leads are named by lead_ids'] });
  const act = await openAct(work, actor, kind, lead);
  if (act.fault) throw act.fault;
  // Only that it can be read: it is read again when they are gathered.
  if (matching) await readMatching(work, actor, matching);
  return { act, matching };
}

/** Once, when it is known of how many leads. */
export async function auditAct(work: Work, actor: Actor, act: Pick<BulkAct, 'kind' | 'says' | 'total'>): Promise<void> {
  const subject = `${act.total} ${act.total === 1 ? 'lead' : 'leads'}`;
  if (act.kind === 'delete') await audit(work, actor, 'lead.deleted', subject);
  else await audit(work, actor, act.kind === 'undo' ? 'bulk.undone' : 'bulk.begun', subject, { says: act.says });
}

/** Why a lead was not put back, where that can be mended. */
export const MENDED = [OPEN_AT_A_DESK, NO_RIGHT, LIST_DELETED, CLAIMANT_LEFT, notFound().message];

/** Whether it was undone, or is being undone. Where that was stopped, or left leads for a reason that can be mended, the rest can be. */
export const UNDONE = `exists (
    select from bulk_acts u where u.account_id = b.account_id and u.id = b.undone_by
       and (u.finished_at is null
         or (u.stopped_at is null and not u.reasons ?| array['${MENDED.join(`', '`)}'])))`;

const UNDO_UNTIL = `
  case when b.finished_at > now() - interval '${UNDONE_FOR_DAYS} days' and b.kind <> 'undo' and not ${UNDONE}
        and b.position > b.refusals - b.unknown
       then b.finished_at + interval '${UNDONE_FOR_DAYS} days' end`;

const COLUMNS = `
  b.id, b.kind, b.says, u.first_name, u.last_name, u.email, b.gathered_after is not null as gathering, b.total,
  b.position + b.unknown as done, b.refusals, b.reasons, b.created_at, b.stopped_at, b.finished_at, b.undoes,
  b.undone_by, ${UNDO_UNTIL} as undo_until,
  case when b.begun_at is null then 0 else ceil(
    b.position / greatest(extract(epoch from coalesce(b.finished_at, clock_timestamp()) - b.begun_at), 0.01))::int8
  end as a_second`;
const FROM = 'from bulk_acts b join users u on u.account_id = b.account_id and u.id = b.user_id';

const READ = sql('bulk/bulk.read')`select ${COLUMNS} ${FROM} where b.account_id = $1 and b.id = $2`;
const NEWEST = sql('bulk/bulk.newest')`
  select ${COLUMNS} ${FROM}
   where b.account_id = $1 and (b.finished_at is null or b.finished_at > now() - interval '${UNDONE_FOR_DAYS} days'
     or b.id in (select n.id from bulk_acts n where n.account_id = $1 order by n.id desc limit 50))
   order by b.id desc limit 500`;

type Name = { first_name: string; last_name: string; email: string };
type Row = Omit<BulkAct, 'by' | 'reasons' | 'created_at' | 'stopped_at' | 'finished_at' | 'undo_until'> &
  Name & {
    reasons: Record<string, number>;
    created_at: Date;
    stopped_at: Date | null;
    finished_at: Date | null;
    undo_until: Date | null;
  };

function toBulkAct({ first_name, last_name, email, ...row }: Row): BulkAct {
  return {
    ...row,
    by: nameOf({ first_name, last_name, email }),
    reasons: Object.entries(row.reasons)
      .map(([reason, number]) => ({ reason, number }))
      .toSorted((a, b) => b.number - a.number),
    created_at: row.created_at.toISOString(),
    stopped_at: row.stopped_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    undo_until: row.undo_until?.toISOString() ?? null,
  };
}

export const readBulkAct = async ({ db }: Reading, actor: Actor, id: number | undefined): Promise<BulkAct> =>
  toBulkAct(await one<Row>(db, READ, [actor.account.id, id ?? 0]));

/** Of the whole account: those that run or can be undone, and the last ones. */
export const listBulkActs = async ({ db }: Reading, actor: Actor): Promise<BulkAct[]> =>
  (await query<Row>(db, NEWEST, [actor.account.id])).map(toBulkAct);

const STOP = sql('bulk/bulk.stop')`
  update bulk_acts set stopped_at = now(), finished_at = clock_timestamp(), gathered_after = null
   where account_id = $1 and id = $2 and finished_at is null returning id`;

/** What was done stays done. One that is finished is told as it ended. */
export async function stopBulkAct(work: Work, actor: Actor, id: number | undefined): Promise<BulkAct> {
  const act = await readBulkAct(work, actor, id);
  const stopped = await query(work.db, STOP, [actor.account.id, act.id]);
  if (stopped.length > 0) await audit(work, actor, 'bulk.stopped', act.says);
  return readBulkAct(work, actor, act.id);
}

// Their leads first: with an act a million rows would go at once.
export const PAST_ACTS: Sweep[] = [
  {
    table: 'bulk_leads',
    past: `(account_id, act_id) in (
      select account_id, id from bulk_acts where finished_at < now() - interval '30 days')`,
  },
  {
    table: 'bulk_acts',
    past: `finished_at < now() - interval '30 days' and not exists (
      select from bulk_leads l where l.account_id = bulk_acts.account_id and l.act_id = bulk_acts.id)`,
  },
];
