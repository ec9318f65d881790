import type { BulkAct } from '../../contract/bulk.ts';
import type { Actor } from '../platform/actor.ts';
import { writeLine } from '../platform/csv.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { InTurn } from '../platform/work.ts';

/** The leads of an act to which nothing was done, and why, as a file. */

/** So many are read at a time, and only when those before have been taken. */
const AT_ONCE = 1_000;

const REFUSED = sql('bulk/file.refused')`
  select r.place, r.lead_id, r.refused, li.name as list,
         array(select coalesce(d.data ->> own.key, d.hidden ->> own.key, '')
                 from unnest(li.identifiers) with ordinality as own (key, place) order by own.place limit 3) as identifiers
    from bulk_leads r
    left join leads l on l.account_id = r.account_id and l.id = r.lead_id
     and l.list_id not in (select gone.id from lists gone where gone.account_id = $1 and gone.deleted_at is not null)
    left join lists li on li.account_id = l.account_id and li.id = l.list_id
    left join lead_data d on d.account_id = l.account_id and d.lead_id = l.id
   where r.account_id = $1 and r.act_id = $2 and r.refused is not null and r.place > $3
   order by r.place limit ${AT_ONCE}`;

type Row = { place: number; lead_id: number; refused: string | null; list: string | null; identifiers: string[] };

export async function* writeRefused(inTurn: InTurn, actor: Actor, act: BulkAct): AsyncGenerator<string, void> {
  yield writeLine(['lead', 'identifier 1', 'identifier 2', 'identifier 3', 'list', 'why']);
  let rows: Row[];
  let after = 0;
  do {
    rows = await inTurn(({ db }) => query<Row>(db, REFUSED, [actor.account.id, act.id, after]));
    after = rows.at(-1)?.place ?? after;
    if (rows.length > 0) yield rows.map(toLine).join('');
  } while (rows.length === AT_ONCE);
}

const toLine = ({ lead_id, identifiers: [first = '', second = '', third = ''], list, refused }: Row): string =>
  writeLine([String(lead_id), first, second, third, list ?? '', refused ?? '']);
