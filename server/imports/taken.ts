import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import type { Found } from './found.ts';
import type { KeptPlan } from './told.ts';

/** An import whose turn it is, locked until the turn ends. */
export type TakenImport = {
  account_id: number;
  id: number;
  user_id: number;
  via: Actor['via'];
  address: string;
  file_name: string;
  state: 'reading' | 'checking' | 'running' | 'undoing';
  list_id: number | null;
  plan: KeptPlan;
  version: number;
  goes_on: boolean;
  shape: string | null;
  counts: Found;
  rows: number;
  last_row: number;
  checked_to: number;
  done_to: number;
  done: number;
  made: number;
  updated: number;
  left_out: number;
  undone_to: number;
  finished_at: Date | null;
};

// Two of an account run, and are undone, one after the other: the second looks for duplicates among what the first has made.
const TAKE = sql('imports/taken.take')`
  select i.account_id, i.id, i.user_id, i.via, i.address, i.file_name, i.state, i.list_id, i.plan, i.version, i.goes_on,
         i.shape, i.counts, i.rows, i.last_row, i.checked_to, i.done_to, i.done, i.made, i.updated, i.left_out,
         i.undone_to, i.finished_at
    from imports i
   where i.account_id = $1 and i.id = $2 and i.state in ('reading', 'checking', 'running', 'undoing')
     and not (i.state in ('running', 'undoing') and exists (
       select from imports o where o.account_id = i.account_id and o.id < i.id and o.state in ('running', 'undoing')))
     for update of i skip locked`;

/** Nothing where it waits for someone, for another import of its account, or where another node has it: the lock on the import says who. */
export async function takeImport({ db }: Work, accountId: number, id: number): Promise<TakenImport | undefined> {
  const [taken] = await query<TakenImport>(db, TAKE, [accountId, id]);
  return taken;
}
