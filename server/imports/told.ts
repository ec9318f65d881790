import {
  IMPORT_UNDONE_FOR_DAYS,
  type HowRead,
  type Import,
  type ImportCounts,
  type ImportState,
  type Plan,
} from '../../contract/imports.ts';
import { nameOf } from '../../contract/names.ts';
import type { Imports } from '../../db/schema.ts';
import { countOf, NOTHING_FOUND, type Found } from './found.ts';

/** An import as it is told to people. */

type Name = { first_name: string; last_name: string; email: string };

/** A row of imports with what is told of it besides. */
export type ToldRow = Pick<
  Imports,
  | 'id'
  | 'state'
  | 'refusal'
  | 'file_name'
  | 'bytes'
  | 'received'
  | 'how_read'
  | 'sheets'
  | 'columns'
  | 'plan'
  | 'version'
  | 'rows'
  | 'counts'
  | 'done'
  | 'made'
  | 'updated'
  | 'left_out'
  | 'removed'
  | 'put_back'
  | 'kept'
  | 'staged'
  | 'created_at'
  | 'received_at'
  | 'begun_at'
  | 'stopped_at'
  | 'finished_at'
  | 'undo_begun_at'
  | 'undone_at'
> &
  Name & {
    list: { id: number; name: string } | null;
    same_file: (Name & { at: string; file_name: string }) | null;
    now: Date;
  };

/** The plan of an import knows besides whether another file was matched so. */
export type KeptPlan = Plan & { same_headings?: boolean };

export function toImport(row: ToldRow): Import {
  const { id, refusal, file_name, bytes, received, sheets, version, rows, done, made, updated, left_out } = row;
  const state = row.state as ImportState;
  const { same_headings = false, ...plan } = (row.plan ?? {}) as Partial<KeptPlan>;
  const found = { ...NOTHING_FOUND, ...(row.counts as Partial<Found>) };
  const counts = Object.fromEntries(
    Object.keys(NOTHING_FOUND).map((name) => [name, found[name as keyof ImportCounts]]),
  ) as ImportCounts;
  const { since, matched_by = [] } = row.counts as Partial<Found>;
  const iso = (time: Date | null) => time?.toISOString() ?? null;
  return {
    id,
    state,
    refusal,
    by: nameOf(row),
    file_name,
    bytes,
    received,
    list: row.list,
    how_read: row.how_read as HowRead | null,
    sheets,
    columns: row.columns as Import['columns'],
    plan: row.plan ? (plan as Plan) : null,
    version,
    rows,
    checked: countOf(counts),
    exact: EXACT.has(state),
    counts,
    matched_by,
    done,
    made,
    updated,
    left_out,
    ...paceOf(row, since),
    same_file: row.same_file && {
      at: row.same_file.at,
      by: nameOf(row.same_file),
      file_name: row.same_file.file_name,
    },
    same_headings,
    created_at: row.created_at.toISOString(),
    begun_at: iso(row.begun_at),
    stopped_at: iso(row.stopped_at),
    finished_at: iso(row.finished_at),
    undo_until: undoUntil(row),
    undone: row.undo_begun_at && {
      removed: row.removed,
      put_back: row.put_back,
      kept: row.kept,
      at: iso(row.undone_at),
    },
    has_faulty: row.staged && counts.faulty > 0,
  };
}

const EXACT = new Set<ImportState>(['checked', 'running', 'finished', 'undoing', 'undone']);

/** Rows a second since it began with what it does now, and how long the rest takes at that. */
function paceOf(row: ToldRow, since: string | undefined): Pick<Import, 'a_second' | 'seconds_left'> {
  const { state, rows, made, updated } = row;
  const undone = row.removed + row.put_back + row.kept;
  const stages: Record<string, { from: Date | null; done: number; all: number | null }> = {
    // How many there are is not known before the end.
    reading: { from: row.received_at, done: rows, all: null },
    checking: { from: since ? new Date(since) : null, done: countOf(row.counts as Found), all: rows },
    running: { from: row.begun_at, done: row.done, all: rows },
    undoing: { from: row.undo_begun_at, done: undone, all: made + updated },
  };
  const { from = null, done = 0, all = null } = stages[state] ?? {};
  if (!from || !done) return { a_second: 0, seconds_left: null };
  const rate = done / Math.max((row.now.getTime() - from.getTime()) / 1_000, 0.01);
  return {
    a_second: Math.ceil(rate),
    seconds_left: all === null ? null : Math.ceil(Math.max(all - done, 0) / rate),
  };
}

function undoUntil({ state, finished_at, made, updated, now }: ToldRow): string | null {
  if (state !== 'finished' || !finished_at || made + updated === 0) return null;
  const until = new Date(finished_at.getTime() + IMPORT_UNDONE_FOR_DAYS * 86_400_000);
  return until > now ? until.toISOString() : null;
}
