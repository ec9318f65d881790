import { useSyncExternalStore } from 'react';
import type { Column } from '../../../contract/lead-table.ts';

/** Which columns are shown, in their order, with their widths where someone chose them: remembered by this browser, for each list and for several. */

const WITH_ANY = ['lead', 'phone', 'state', 'due', 'claimed_by', 'last_activity', 'calls'];

const nameOf = (lists: number[]) => `leadline-columns-${lists.length === 1 ? lists[0] : 'all'}`;

const usual = (lists: number[]): Column[] =>
  (lists.length === 1 ? WITH_ANY : WITH_ANY.toSpliced(2, 0, 'list')).map((name) => ({ name }));

const hearers = new Set<() => void>();
const watch = (hear: () => void) => {
  hearers.add(hear);
  return () => hearers.delete(hear);
};

/** Null: as they always are. */
export function keepColumns(lists: number[], columns: Column[] | null): void {
  if (columns) localStorage.setItem(nameOf(lists), JSON.stringify(columns));
  else localStorage.removeItem(nameOf(lists));
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

export function readColumns(lists: number[]): Column[] {
  const name = nameOf(lists);
  const text = localStorage.getItem(name);
  const before = known.get(name);
  if (before && before.text === text) return before.columns;
  const columns = read(text) ?? usual(lists);
  known.set(name, { text, columns });
  return columns;
}

export const useColumns = (lists: number[]): Column[] => useSyncExternalStore(watch, () => readColumns(lists));
