/** Counters of the lists `$1` that do not count what is there, and what is there uncounted. */
export const MISCOUNTED = `
  with there as (
    select list_id, state, coalesce(category, '') as category, count(*) as leads from leads
     where list_id = any ($1::bigint[]) group by 1, 2, 3
  ), counted as (
    select list_id, state, category, sum(leads)::int8 as leads from lead_counts
     where list_id = any ($1::bigint[]) group by 1, 2, 3 having sum(leads) <> 0
  )
  (table there except table counted) union all (table counted except table there)`;
