import { refuseMissing, readValues } from '../leads/values.ts';
import { LIST_COLUMN, type ListColumn } from '../lists/columns.ts';
import { query } from '../platform/db.ts';
import { HttpError } from '../platform/errors.ts';
import { invalid } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';

/** Which lists take a value in a field, and what the others say to it: as a lead of theirs would be told. */

const COLUMNS = sql('bulk/refusing.columns')`
  select li.id, (select ${LIST_COLUMN}
                   from list_columns c where c.account_id = $1 and c.list_id = li.id and c.key = $2) as column
    from lists li where li.account_id = $1 and li.deleted_at is null order by li.id desc`;

/** `reason` goes on after “they are”. */
export type Refusing = { reason: string; lists: number[] };

export type Taken = {
  /** Lists may call it differently: as the newest does. */
  label: string;
  refusals: Map<number, HttpError>;
  refusing: Refusing[];
  /** What is wrong where none takes it. */
  fault: HttpError | undefined;
};

type Asked = { id: number; column: ListColumn | null };

export async function findTaken(
  { db }: Reading,
  accountId: number,
  field: string,
  value: string | null,
): Promise<Taken> {
  const lists = await query<Asked>(db, COLUMNS, [accountId, field]);
  const refusals = new Map<number, HttpError>();
  for (const { id, column } of lists) {
    const refusal = refusalOf(column ? [column] : [], { [field]: value });
    if (refusal) refusals.set(id, refusal);
  }
  const newest = lists.find(({ column }) => column);
  const isTaken = lists.length > refusals.size;
  return {
    label: newest?.column?.label ?? field,
    refusals,
    refusing: gatherReasons(lists, refusals),
    fault: isTaken ? undefined : newest ? refusals.get(newest.id) : invalid({ field: ['is no field of any list'] }),
  };
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

function refusalOf(columns: ListColumn[], given: Record<string, unknown>): HttpError | undefined {
  try {
    refuseMissing(columns, readValues(columns, given).data, 'given');
    return undefined;
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}
