import { DELETED_LISTS } from '../lists/people.ts';
import { writeLine } from '../platform/csv.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { InTurn } from '../platform/work.ts';
import type { Told } from './faulty.ts';

/** The leads that the undo of an import left as they are, as a file. */

/** So many are read at a time, and only when those before have been taken. */
const AT_ONCE = 1_000;

const KEPT = sql('imports/kept.kept')`
  select k.lead_id, k.kept, li.name as list,
         array(select coalesce(d.data ->> own.key, d.hidden ->> own.key, '')
                 from unnest(li.identifiers) with ordinality as own (key, place) order by own.place limit 3) as identifiers
    from (select account_id, lead_id, kept from import_leads
           where account_id = $1 and import_id = $2 and lead_id > $3 and kept is not null
           order by lead_id limit ${AT_ONCE}) k
    left join leads l on l.account_id = k.account_id and l.id = k.lead_id and l.list_id not in ${DELETED_LISTS}
    left join lists li on li.account_id = l.account_id and li.id = l.list_id
    left join lead_data d on d.account_id = l.account_id and d.lead_id = l.id
   order by k.lead_id`;

type Kept = { lead_id: number; kept: string | null; list: string | null; identifiers: string[] };

export async function* writeKept(
  inTurn: InTurn,
  { account_id, id }: Pick<Told, 'account_id' | 'id'>,
): AsyncGenerator<string, void> {
  yield writeLine(['lead', 'identifier 1', 'identifier 2', 'identifier 3', 'list', 'why']);
  let rows: Kept[];
  let after = 0;
  do {
    rows = await inTurn(({ db }) => query<Kept>(db, KEPT, [account_id, id, after]));
    after = rows.at(-1)?.lead_id ?? after;
    if (rows.length > 0) yield rows.map(toLine).join('');
  } while (rows.length === AT_ONCE);
}

const toLine = ({ lead_id, identifiers: [first = '', second = '', third = ''], list, kept }: Kept): string =>
  writeLine([String(lead_id), first, second, third, list ?? '', kept ?? '']);
