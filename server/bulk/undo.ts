import { UNDONE_FOR_DAYS, type BulkAct, type BulkKind } from '../../contract/bulk.ts';
import { changedSince, findChangers } from '../leads/changers.ts';
import { bringBack } from '../leads/deleted.ts';
import { putBack, type Before } from '../leads/put-back.ts';
import type { Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { refuseRole, RIGHTS, type ActRow, type Deleted, type Doing } from './acts.ts';
import { insertAct, readBulkAct, UNDONE } from './bulk.ts';
import type { Standing } from './standing.ts';

// Whoever is at work on it is waited for.
const LOCK = sql('bulk/undo.lock')`
  select b.id, b.kind, b.says, b.finished_at is null as runs,
         b.position > b.refusals - b.unknown as changed,
         b.finished_at <= now() - interval '${UNDONE_FOR_DAYS} days' as past
    from bulk_acts b where b.account_id = $1 and b.id = $2 for update of b`;

type Locked = {
  id: number;
  kind: BulkAct['kind'];
  says: string;
  runs: boolean;
  changed: boolean;
  past: boolean | null;
};

// Looked at once the act is locked: what the lock was waited for shows no sooner.
const IS_UNDONE = sql('bulk/undo.is_undone')`
  select ${UNDONE} as undone from bulk_acts b where b.account_id = $1 and b.id = $2`;

const UNDONE_BY = sql('bulk/undo.undone_by')`
  update bulk_acts set undone_by = $3 where account_id = $1 and id = $2`;

/** An act of its own: what still is as the other left it goes back, the rest is named. */
export async function undoBulkAct(work: Work, actor: Actor, id: number | undefined): Promise<BulkAct> {
  const account = actor.account.id;
  const act = await one<Locked>(work.db, LOCK, [account, id ?? 0]);
  const refuse = (sentence: string) => conflict('cannot_be_undone', sentence);
  if (act.kind === 'undo') throw refuse('An undo cannot be undone. Do it again instead.');
  refuseRole(actor, RIGHTS[act.kind]);
  if (act.runs) throw refuse('It is still running. Stop it first, or wait until it is through.');
  const { undone } = await one<{ undone: boolean }>(work.db, IS_UNDONE, [account, act.id]);
  if (undone) throw refuse('It was undone already.');
  if (act.past) throw refuse(`It ended more than ${UNDONE_FOR_DAYS} days ago, and cannot be undone any more.`);
  if (!act.changed) throw refuse('It changed nothing, so there is nothing to undo.');
  const undo = { kind: 'undo' as const, asked: {}, says: `Undone: ${act.says}`, gathered_after: 0, undoes: act.id };
  const undoId = await insertAct(work, actor, undo);
  await query(work.db, UNDONE_BY, [account, act.id, undoId]);
  return readBulkAct(work, actor, undoId);
}

const ORIGINAL = sql('bulk/undo.original')`select kind, says from bulk_acts where account_id = $1 and id = $2`;

/** For leads that have their turn now, and are locked. */
export async function openUndo(
  work: Work,
  actor: Actor,
  undoes: number,
  rows: ActRow[],
  leads: Map<number, Standing>,
): Promise<Doing> {
  const { kind, says } = await one<{ kind: BulkKind; says: string }>(work.db, ORIGINAL, [actor.account.id, undoes]);
  const right = RIGHTS[kind];
  const changed = rows.filter(({ lead_id, left_at }) => {
    const lead = leads.get(lead_id);
    return lead && lead.last_updated.getTime() !== new Date(left_at!).getTime();
  });
  const names = await findChangers(work, actor.account.id, changed);
  const isChanged = new Set(changed.map(({ lead_id }) => lead_id));
  if (kind !== 'delete')
    return {
      right,
      leaves: ({ id }) => (isChanged.has(id) ? changedSince(names.get(id)) : undefined),
      do: (doing, by, { id }, row) => putBack(doing, by, id, row.before as Before, says),
    };
  const deleted = await findDeleted(work, actor, rows);
  return {
    right,
    leaves: ({ id }, row) => {
      const at = deleted.get(id);
      if (!at) return 'brought back since';
      // What is deleted comes back whole: that a claim ended meanwhile, as its claimant left, is no reason to leave the lead.
      const isSame = at.getTime() === new Date((row.before as Deleted).deleted_at).getTime();
      return isSame ? undefined : changedSince(names.get(id));
    },
    do: (doing, by, { id }) => bringBack(doing, by, id),
  };
}

const DELETED = sql('bulk/undo.deleted')`
  select lead_id, deleted_at from deleted_leads where account_id = $1 and lead_id = any ($2::bigint[])`;

async function findDeleted({ db }: Work, { account }: Actor, rows: ActRow[]): Promise<Map<number, Date>> {
  const values = [account.id, rows.map(({ lead_id }) => lead_id)];
  const found = await query<{ lead_id: number; deleted_at: Date }>(db, DELETED, values);
  return new Map(found.map(({ lead_id, deleted_at }) => [lead_id, deleted_at]));
}
