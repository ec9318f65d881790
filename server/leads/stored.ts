import { markLead, type Value } from './marks.ts';
import { readPhone } from '../platform/phones.ts';
import type { LeadList } from './access.ts';
import { dataVector } from './words.ts';

/** What lead_data keeps of a lead's values: only those that say something, and what find, search and duplicates look by. */
export type Stored = { data: string; hidden: string; words: string; marks: string[] };

// What stands behind is no part of a number.
const LONGEST_NUMBER = 250;

export function store(list: LeadList, data: Map<string, string>, hidden: Map<string, string>): Stored {
  const values = list.columns.flatMap(({ key, label, kind }): Value[] => {
    const text = data.get(key) ?? '';
    if (text === '') return [];
    // Read once: it takes longer than everything else that is done with a value.
    return [
      {
        key,
        label,
        kind,
        text,
        phone: kind === 'phone' ? readPhone(text.slice(0, LONGEST_NUMBER), list.country) : undefined,
      },
    ];
  });
  return {
    data: writeValues(data),
    hidden: writeValues(hidden),
    words: dataVector(values, list.country),
    marks: markLead(list, values),
  };
}

const writeValues = (values: Map<string, string>): string =>
  JSON.stringify(Object.fromEntries([...values].filter(([, text]) => text !== '')));

export const readStored = (values: Record<string, string>): Map<string, string> => new Map(Object.entries(values));
