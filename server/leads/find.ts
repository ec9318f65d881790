import type { ListColumn } from '../lists/columns.ts';
import type { Actor } from '../platform/actor.ts';
import { PLAN_ANEW, query } from '../platform/db.ts';
import { sqlFor } from '../platform/sql.ts';
import { readMark, writeMark, type Page } from '../platform/paging.ts';
import { invalid, noFaults } from '../platform/read.ts';
import type { Reading } from '../platform/work.ts';
import type { LeadList } from './access.ts';
import { readLeads, writeLeads } from './lead.ts';
import type { LeadPage } from './pages.ts';
import { readOfKind } from './values.ts';

const MOST_CONDITIONS = 50;

/** Of one column, any of its values. */
export type Condition = { key: string; values: string[] };

/**
 * What `find` was asked for: exact values, read like stored ones of their kind. Where any condition will do, keys that are no columns are passed
 * over as long as one is: clients ask for several spellings. Where all have to hold, they would widen what is found.
 */
export function readConditions(
  columns: ListColumn[],
  given: Record<string, string | string[]>,
  matchAll: boolean,
): { conditions: Condition[]; unknown: string[] } {
  if (Object.values(given).flat().length > MOST_CONDITIONS)
    throw invalid({ conditions: [`must be at most ${MOST_CONDITIONS}, each value of a key counted`] });
  const byKey = new Map(columns.map((column) => [column.key, column]));
  const faults = noFaults();
  const unknown = Object.keys(given).filter((key) => !byKey.has(key));
  const passedOver = matchAll || unknown.length === Object.keys(given).length ? [] : unknown;
  const conditions = Object.entries(given).map(([key, asked]) => {
    const column = byKey.get(key);
    if (!column && !passedOver.includes(key)) faults[key] = ['is no column of this list'];
    const values = [asked].flat().map((text) => {
      const read =
        text === '' ? { fault: 'must not be empty' } : column ? readOfKind({ ...column, options: [] }, text) : { text };
      if ('text' in read) return read.text;
      faults[key] ??= [read.fault];
      return '';
    });
    return { key, values };
  });
  if (Object.keys(faults).length > 0) throw invalid(faults);
  if (conditions.length === 0)
    throw invalid({ conditions: ['must name at least one column, such as ?e_mail=ann@example.com'] });
  return { conditions: conditions.filter(({ key }) => byKey.has(key)), unknown };
}

/** How many values each condition has. Pages begin at `$4`, by number, or after `$4` and `$5`. */
const FIND = sqlFor(
  'leads/find.find',
  (conditions: number[], matchAll: boolean, after: boolean) => {
    let number = after ? 5 : 4;
    const where = conditions
      .map((values) => Array.from({ length: values }, () => `data @> $${(number += 1)}::jsonb`).join(' or '))
      .map((condition) => `(${condition})`)
      .join(matchAll ? ' and ' : ' or ');
    const [before, behind] = after ? ['where (created_at, lead_id) < ($4, $5)', ''] : ['', 'offset $4'];
    return `${PLAN_ANEW}
      with hits as materialized (
        select lead_id, created_at from lead_data where account_id = $1 and list_id = $2 and (${where})
      )
      select (select count(*) from hits) as total,
             array(select lead_id from hits ${before}
                    order by created_at desc, lead_id desc limit $3 ${behind}) as ids`;
  },
  [
    [[1], true, false],
    [[2, 1], true, true],
    [[1, 3], false, false],
    [[1], false, true],
  ],
);

/** Leads of a list that match all conditions, or any of them; newest first. */
export async function findLeads(
  reading: Reading,
  actor: Actor,
  list: LeadList,
  conditions: Condition[],
  matchAll: boolean,
  page: Page,
): Promise<LeadPage> {
  const mark = page.after === undefined ? undefined : readMark(page.after);
  const asked = conditions.map(({ key, values }) => values.map((value) => JSON.stringify({ [key]: value })));
  const text = FIND(
    asked.map(({ length }) => length),
    matchAll,
    mark !== undefined,
  );
  const begin = mark ? [mark.at, mark.id] : [(page.number - 1) * page.size];
  const values = [actor.account.id, list.id, page.size, ...begin, ...asked.flat()];
  const [found] = await query<{ total: number; ids: number[] }>(reading.db, text, values);
  const rows = await readLeads(reading, actor, found!.ids);
  const last = found!.ids.length === page.size ? rows.at(-1) : undefined;
  return {
    json: writeLeads(rows, actor.account.baseUrl),
    total: found!.total,
    end: last && writeMark({ at: last.created_at, id: last.id }),
  };
}
