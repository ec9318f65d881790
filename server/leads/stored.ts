import { markLead } from '../duplicates/marks.ts';
import type { LeadList } from './access.ts';
import { dataVector } from './words.ts';

/** What lead_data keeps of a lead's values: only those that say something, and what find, search and duplicates look by. */
export type Stored = { data: string; hidden: string; words: string; marks: string[] };

export function store(list: LeadList, data: Map<string, string>, hidden: Map<string, string>): Stored {
  const said = list.columns.flatMap(({ key, kind }) => {
    const text = data.get(key) ?? '';
    return text === '' ? [] : [{ kind, text }];
  });
  return {
    data: writeValues(data),
    hidden: writeValues(hidden),
    words: dataVector(said, list.country),
    marks: markLead(list, list.columns, data),
  };
}

const writeValues = (values: Map<string, string>): string =>
  JSON.stringify(Object.fromEntries([...values].filter(([, text]) => text !== '')));

export const readStored = (values: Record<string, string>): Map<string, string> => new Map(Object.entries(values));
