import { useSyncExternalStore } from 'react';
import type { Column } from '../../../contract/lead-table.ts';

/**
 * Which columns are shown, in their order, with their widths where someone chose them: remembered by this browser, for each list and for several.
 * Those of a view are kept apart, so that one's own are there again after it.
 */

type Place = { lists: number[]; view?: number | undefined };

const WITH_ANY = ['lead', 'phone', 'state', 'due', 'claimed_by', 'last_activity', 'calls'];

const nameOf = ({ lists, view }: Place): string => {
  if (view !== undefined) return `leadline-columns-view-${view}`;
  return `leadline-columns-${lists.length === 1 ? lists[0] : 'all'}`;
};

const usual = (lists: number[]): Column[] =>
  (lists.length === 1 ? WITH_ANY : WITH_ANY.toSpliced(2, 0, 'list')).map((name) => ({ name }));

const hearers = new Set<() => void>();
const watch = (hear: () => void) => {
  hearers.add(hear);
  return () => hearers.delete(hear);
};

/** Null: as they always are. */
export function keepColumns(place: Place, columns: Column[] | null): void {
  // Where nothing is kept for a view it has one's own, which need not be the usual ones.
  const kept = columns ?? (place.view === undefined ? null : usual(place.lists));
  if (kept) localStorage.setItem(nameOf(place), JSON.stringify(kept));
  else localStorage.removeItem(nameOf(place));
  for (const hear of hearers) hear();
}

/** What another version, or someone by hand, has left there is not trusted. */
function read(text: string | null): Column[] | undefined {
  try {
    const kept = JSON.parse(text ?? 'null') as Column[] | null;
    if (!Array.isArray(kept) || kept.length === 0 || kept.length > 40) return undefined;
    return kept.every((one) => typeof one?.name === 'string') ? kept : undefined;
  } catch {
    return undefined;
  }
}

const known = new Map<string, { text: string | null; columns: Column[] }>();

function readColumns({ lists, view }: Place): Column[] {
  const name = nameOf({ lists, view });
  const text = localStorage.getItem(name);
  const before = known.get(name);
  if (before && before.text === text) return before.columns;
  const kept = read(text);
  if (!kept && view !== undefined) return readColumns({ lists });
  const columns = kept ?? usual(lists);
  known.set(name, { text, columns });
  return columns;
}

export const useColumns = (place: Place): Column[] => useSyncExternalStore(watch, () => readColumns(place));
