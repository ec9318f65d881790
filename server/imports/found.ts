import type { ImportCounts } from '../../contract/imports.ts';
import { MOST_FAULTY_TOLD, type CheckedRows } from './check.ts';

/** What was found in the rows of a file so far, as imports.counts keeps it: what is told, and what is needed to go on. */
export type Found = ImportCounts & {
  /** When the first row was looked at. */
  since: string;
  /** Rows that can be recognised. */
  marked: number;
  /** Stretches of marks in which rows were looked for that say the same. */
  stretches: number;
  /** Numbers of the first faulty rows. */
  faulty_rows: number[];
  matched_by: string[];
};

export const NOTHING_FOUND: ImportCounts = {
  fresh: 0,
  here: 0,
  elsewhere: 0,
  elsewhere_twice: 0,
  twice: 0,
  faulty: 0,
  reasons: [],
};

export const beginFinding = (since: Date, matched_by: string[]): Found => ({
  ...NOTHING_FOUND,
  since: since.toISOString(),
  marked: 0,
  stretches: 0,
  faulty_rows: [],
  matched_by,
});

/** What was found in the rows that had their turn before the others are looked at anew. `reasons`: however many. */
export type Kept = Pick<Found, 'fresh' | 'here' | 'elsewhere' | 'elsewhere_twice' | 'twice' | 'faulty' | 'marked'> & {
  reasons: [string, number][];
  faulty_rows: number[];
};

export const keepFound = (begun: Found, { reasons, ...kept }: Kept): Found => ({
  ...begun,
  ...kept,
  reasons: addReasons([], reasons),
});

/** What the database knows of some rows: which of them are leads already. */
export type Flagged = { sound: number; here: number; elsewhere: number };

export function addFound(found: Found, rows: Omit<CheckedRows, 'json'>, flagged: Flagged): Found {
  return {
    ...found,
    fresh: found.fresh + flagged.sound - flagged.here - flagged.elsewhere,
    here: found.here + flagged.here,
    elsewhere: found.elsewhere + flagged.elsewhere,
    faulty: found.faulty + rows.faulty,
    reasons: addReasons(found.reasons, rows.reasons),
    marked: found.marked + rows.marked,
    faulty_rows: [...found.faulty_rows, ...rows.faultyRows].slice(0, MOST_FAULTY_TOLD),
  };
}

export const addTwice = (
  found: Found,
  { twice, elsewhere_twice }: Pick<ImportCounts, 'twice' | 'elsewhere_twice'>,
) => ({
  ...found,
  stretches: found.stretches + 1,
  fresh: found.fresh - twice,
  twice: found.twice + twice,
  elsewhere_twice: found.elsewhere_twice + elsewhere_twice,
});

// A file may have as many as rows; what is told stays short.
const MOST_REASONS = 50;

function addReasons(before: ImportCounts['reasons'], added: [string, number][]): ImportCounts['reasons'] {
  const counts = new Map(before.map(({ reason, number }) => [reason, number]));
  for (const [reason, number] of added) {
    const name = counts.has(reason) || counts.size < MOST_REASONS ? reason : 'For other reasons';
    counts.set(name, (counts.get(name) ?? 0) + number);
  }
  return [...counts].map(([reason, number]) => ({ reason, number })).toSorted((a, b) => b.number - a.number);
}

/** How many were looked at. */
export const countOf = ({ fresh, here, elsewhere, twice, faulty }: ImportCounts): number =>
  fresh + here + elsewhere + twice + faulty;
