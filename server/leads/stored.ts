import { markLead, type MatchingRules, type Value } from './marks.ts';
import { readPhone } from '../platform/phones.ts';
import type { ListColumn } from '../lists/columns.ts';
import type { Values } from './values.ts';
import { dataVector } from './words.ts';

/** What lead_data keeps of a lead's values: only those that say something, and what find, search and duplicates look by. */
export type Stored = { data: string; hidden: string; words: string; marks: string[] };

// What stands behind is no part of a number.
const LONGEST_NUMBER = 250;

/** What values are written down by. */
export type Shape = MatchingRules & { columns: ListColumn[]; country: string };

export function store(list: Shape, data: Map<string, string>, hidden: Map<string, string>): Stored {
  const values = readColumns(list, data);
  return {
    data: writeValues(data),
    hidden: writeValues(hidden),
    words: dataVector(values, list.country),
    marks: markLead(list, values),
  };
}

/** What stands in columns. */
export const readColumns = ({ columns, country }: Shape, data: Map<string, string>): Value[] =>
  columns.flatMap(({ key, label, kind }): Value[] => {
    const text = data.get(key) ?? '';
    if (text === '') return [];
    // Read once: it takes longer than everything else that is done with a value.
    const phone = kind === 'phone' ? readPhone(text.slice(0, LONGEST_NUMBER), country) : undefined;
    return [{ key, label, kind, text, phone }];
  });

const writeValues = (values: Map<string, string>): string =>
  JSON.stringify(Object.fromEntries([...values].filter(([, text]) => text !== '')));

type Kept = { data: Record<string, string>; hidden: Record<string, string> };

/** What a lead says, by the columns its list has now: it may have been written down by others. */
export const readStored = (columns: Pick<ListColumn, 'key'>[], { data, hidden }: Kept): Values =>
  sortValues(columns, { data: new Map(Object.entries(data)), hidden: new Map(Object.entries(hidden)) });

/** Values of a column are data, all others are hidden. */
export function sortValues(columns: Pick<ListColumn, 'key'>[], { data, hidden }: Values): Values {
  const keys = new Set(columns.map(({ key }) => key));
  const sorted: Values = { data: new Map(), hidden: new Map() };
  for (const [key, text] of [...hidden, ...data]) (keys.has(key) ? sorted.data : sorted.hidden).set(key, text);
  return sorted;
}
