import { readCategory, type CategoryNames } from '../leads/outcomes.ts';
import { refuseMissing, readValues } from '../leads/values.ts';
import { LIST_COLUMN, type ListColumn } from '../lists/columns.ts';
import { query } from '../platform/db.ts';
import { HttpError } from '../platform/errors.ts';
import { invalid } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';

/** Which lists take what is asked for, and what the others say to it: as a lead of theirs would be told. */

const COLUMNS = sql('bulk/refusing.columns')`
  select li.id, (select ${LIST_COLUMN}
                   from list_columns c where c.account_id = $1 and c.list_id = li.id and c.key = $2) as column
    from lists li where li.account_id = $1 and li.deleted_at is null order by li.id desc`;

/** `reason` goes on after “they are”. */
export type Refusing = { reason: string; lists: number[] };

export type Taken = {
  refusals: Map<number, HttpError>;
  refusing: Refusing[];
  /** What is wrong where none takes it. */
  fault: HttpError | undefined;
};

type Asked = { id: number; column: ListColumn | null };

/** `label`: lists may call the field differently; as the newest does. */
export async function findTaken(
  { db }: Reading,
  accountId: number,
  field: string,
  value: string | null,
): Promise<Taken & { label: string }> {
  const lists = await query<Asked>(db, COLUMNS, [accountId, field]);
  const refusals = refuse(lists, ({ column }) => {
    const columns = column ? [column] : [];
    refuseMissing(columns, readValues(columns, { [field]: value }).data, 'given');
  });
  const newest = lists.find(({ column }) => column);
  const isTaken = lists.length > refusals.size;
  return {
    label: newest?.column?.label ?? field,
    refusals,
    refusing: gatherReasons(lists, refusals),
    fault: isTaken ? undefined : newest ? refusals.get(newest.id) : invalid({ field: ['is no field of any list'] }),
  };
}

const CATEGORIES = sql('bulk/refusing.categories')`
  select id, jsonb_build_object('archive', categories -> 'archive') as categories, former_categories from lists
   where account_id = $1 and deleted_at is null order by id desc`;

/** The same of a category that leads are archived with. */
export async function findArchiving({ db }: Reading, accountId: number, category: string): Promise<Taken> {
  const lists = await query<CategoryNames & { id: number }>(db, CATEGORIES, [accountId]);
  const refusals = refuse(lists, (list) => readCategory(list, 'archive', category));
  const isTaken = lists.length > refusals.size;
  return {
    refusals,
    refusing: refusals.size > 0 ? [{ reason: 'in a list without this category', lists: [...refusals.keys()] }] : [],
    fault: isTaken ? undefined : invalid({ category: ['is no category for archived leads in any list'] }),
  };
}

function refuse<List extends { id: number }>(lists: List[], take: (list: List) => unknown): Map<number, HttpError> {
  const refusals = new Map<number, HttpError>();
  for (const list of lists) {
    try {
      take(list);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      refusals.set(list.id, error);
    }
  }
  return refusals;
}

// Each is counted by itself; options are others in every list.
const MOST_REASONS = 4;

function gatherReasons(lists: Asked[], refusals: Map<number, HttpError>): Refusing[] {
  const refused = lists.filter(({ id }) => refusals.has(id));
  const byReason = Map.groupBy(refused, ({ id, column }) => {
    const [faults] = Object.values(refusals.get(id)!.errors ?? {});
    return column ? `in a list where it ${faults?.[0]}` : 'in a list without this field';
  });
  const all = [...byReason].map(([reason, of]) => ({ reason, lists: of.map(({ id }) => id) }));
  if (all.length <= MOST_REASONS) return all;
  const others = all.slice(MOST_REASONS - 1).flatMap(({ lists: ids }) => ids);
  return [...all.slice(0, MOST_REASONS - 1), { reason: 'in other lists that refuse it', lists: others }];
}
