import { one } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';
import { askOnce, Remembered } from './remembered.ts';

/** What the database found out of its own tables when it last looked: how a page is found depends on it, never which leads are on it. */
export type Statistics = {
  /** Of all accounts; none where it has not looked yet. */
  leads: number;
  /** Those that many leads have. */
  words: Set<string>;
};

const KNOWN = sql('filters/statistics.known')`
  select (select greatest(reltuples, 0)::float8 from pg_class where oid = 'lead_data'::regclass) as leads,
         array(select unnest(most_common_elems::text::text[]) from pg_stats
                where schemaname = current_schema and tablename = 'lead_data_search') as words`;

const KEPT = new Remembered<Promise<Statistics>>(60_000, 1);

export const statisticsOf = ({ db }: Reading): Promise<Statistics> =>
  askOnce(KEPT, '', async () => {
    const { leads, words } = await one<{ leads: number; words: string[] }>(db, KNOWN, []);
    return { leads, words: new Set(words) };
  });
