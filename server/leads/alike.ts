import type { Alike } from '../../contract/list-pages.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';
import type { LeadList } from './access.ts';
import { leadTables, lowestSql, seenSql } from './lead.ts';
import { markLead } from './marks.ts';
import { readColumns } from './stored.ts';
import { toldSql } from './told.ts';
import { readLeniently } from './values.ts';

/** While someone types a lead: who it might be already. */

const MOST = 10;

const FIND = sql('leads/alike.find')`
  select lowest.mark, array(${seenSql('$1', '0')}) as ids
    from (select own.mark, ${lowestSql('$1', 'own.mark', '0')} as ids
            from unnest($2::text[]) as own (mark) offset 0) lowest`;

const READ = sql('leads/alike.read')`
  select l.id as lead_id, coalesce(${toldSql('li.identifiers[1]')}, '') as primary_identifier,
         coalesce(${toldSql('li.identifiers[2]')}, '') as secondary_identifier, li.name as list_name, l.state
    from ${leadTables('l.account_id = $1 and l.id = any ($2::bigint[])')} order by l.id`;

/** Leads that a new one with these values would share a mark with, of those the actor sees; the lowest ids. */
export async function findAlike(
  { db }: Reading,
  actor: Actor,
  list: LeadList,
  given: Record<string, unknown>,
): Promise<Alike[]> {
  const keys = new Map<string, string[]>();
  for (const value of readColumns(list, readLeniently(list.columns, given)))
    for (const mark of markLead(list, [value])) keys.set(mark, [...(keys.get(mark) ?? []), value.key]);
  if (keys.size === 0) return [];
  const account = actor.account.id;
  const values = [account, [...keys.keys()], boundOf(actor, 'leads.read')];
  const found = await query<{ mark: string; ids: number[] }>(db, FIND, values);
  const by = new Map<number, string[]>();
  for (const { mark, ids } of found) for (const id of ids) by.set(id, [...(by.get(id) ?? []), ...keys.get(mark)!]);
  const lowest = [...by.keys()].toSorted((a, b) => a - b).slice(0, MOST);
  const leads = await query<Omit<Alike, 'by'>>(db, READ, [account, lowest]);
  return leads.map((lead) => {
    const shared = by.get(lead.lead_id)!;
    return { ...lead, by: list.columns.map(({ key }) => key).filter((key) => shared.includes(key)) };
  });
}
