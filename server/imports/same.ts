import type { Plan } from '../../contract/imports.ts';
import { DELETED_LISTS } from '../lists/people.ts';

/** By what a row is found to be a lead that is there already. */
export type SameBy = { within: Plan['within']; byId: boolean };

export const SAME_BY: SameBy[] = (['list', 'account'] as const).flatMap((within) =>
  [false, true].map((byId) => ({ within, byId })),
);

export const sameBy = ({ within, matches }: Plan): SameBy => ({
  within,
  byId: matches.some(({ part }) => part === 'id'),
});

// Value by value, each by the index: where nothing is known of the tables yet, a join might walk over all marks there are.
const lowest = (row: string, which: string): string => `
  (select min(k.lead_id) from unnest(${row}.marks) as own (mark)
    cross join lateral (
      select k.lead_id from lead_marks k where k.account_id = $1 and k.mark = own.mark and ${which}
       order by k.lead_id limit 1) k)`;

const named = (row: string, within: SameBy['within']): string => `
  (select l.id from leads l where l.account_id = $1 and l.id = (${row}.besides ->> 'id')::bigint
      and ${within === 'list' ? 'l.list_id = $2' : `l.list_id not in ${DELETED_LISTS}`})`;

/** The lead that `row` of import_checked is the same as, in the account `$1`: the one it names, else one of the list `$2`, else the lowest of another. */
export const sameSql = (row: string, { within, byId }: SameBy): string =>
  `coalesce(${[
    ...(byId ? [named(row, within)] : []),
    lowest(row, 'k.list_id = $2'),
    ...(within === 'account' ? [lowest(row, `k.list_id not in ${DELETED_LISTS}`)] : []),
    'null',
  ].join(', ')})`;
