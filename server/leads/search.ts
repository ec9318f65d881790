import { boundOf, type Actor } from '../platform/actor.ts';
import { PLAN_ANEW, query } from '../platform/db.ts';
import type { Page } from '../platform/paging.ts';
import { invalid } from '../platform/read.ts';
import type { Reading } from '../platform/work.ts';
import { readLeads, writeLeads } from './lead.ts';
import { readMark, writeMark, type LeadPage, type Mark } from './pages.ts';
import { readQuery, type Query } from './words.ts';

// Up to here the best match comes first, beyond it the newest lead.
const MOST_RANKED = 1_000;

export type Search = { query: string; listIds: number[] | undefined };

/** Leads by what is in them and what was said about them. The total is exact, and a change is seen at once. */
export async function searchLeads(
  reading: Reading,
  actor: Actor,
  { query: typed, listIds }: Search,
  page: Page,
): Promise<LeadPage> {
  const asked = readQuery(typed);
  const { total, hits } = asked ? await findHits(reading, actor, asked, listIds, page) : { total: 0, hits: [] };
  const rows = await readLeads(
    reading,
    actor,
    hits.map(({ id }) => id),
  );
  const last = hits.length === page.size ? hits.at(-1) : undefined;
  return {
    json: `{"total":${total},"leads":${writeLeads(rows, actor.account.baseUrl)}}`,
    total,
    end: last && `${last.rank}:${writeMark(last)}`,
  };
}

type Hit = Mark & { rank: number };
type Hits = { total: number; hits: Hit[] };

async function findHits(
  { db }: Reading,
  actor: Actor,
  { matches, exact }: Query,
  listIds: number[] | undefined,
  page: Page,
): Promise<Hits> {
  const after = page.after === undefined ? undefined : readRankedMark(page.after);
  const values: unknown[] = [
    actor.account.id,
    matches,
    MOST_RANKED,
    page.size,
    after ? 0 : (page.number - 1) * page.size,
    exact,
  ];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const scope = scopeOf(boundOf(actor, 'leads.read'), listIds, parameter);
  const [rank, at, id] = [after?.rank, after?.at, after?.id].map((value) => parameter(value ?? null));
  // Ranking reads whole vectors, so it is done only where there are few.
  const text = `${PLAN_ANEW}
    with hits as materialized (
      select lead_id, created_at from lead_data d where account_id = $1 and (words || said) @@ $2::tsquery ${scope}
    ), counted as materialized (
      select count(*) as total from hits
    ), ranked as (
      select h.lead_id as id, h.created_at as at,
             case when (select total from counted) > $3 then 0
                  else (select ts_rank(d.words || d.said, $2::tsquery) + ts_rank(d.words || d.said, $6::tsquery)
                    from lead_data d where d.account_id = $1 and d.lead_id = h.lead_id)
             end as rank
        from hits h
    )
    select total, (select coalesce(json_agg(page), '[]') from (
        select id, at, rank from ranked
         where ${rank}::real is null or (rank, at, id) < (${rank}::real, ${at}::timestamptz, ${id}::bigint)
         order by rank desc, at desc, id desc limit $4 offset $5) page) as hits
      from counted`;
  const [found] = await query<{ total: number; hits: (Omit<Hit, 'at'> & { at: string })[] }>(db, text, values);
  return { total: found!.total, hits: found!.hits.map((hit) => ({ ...hit, at: new Date(hit.at) })) };
}

function readRankedMark(after: string): Hit {
  const [, rank, mark] = /^([\d.e-]{1,30}):(.+)$/.exec(after) ?? [];
  const known = Number(rank) === 0 || (Number(rank) > 1e-30 && Number(rank) < 1e30);
  if (!mark || !known) throw invalid({ after: ['must be taken from the Link header'] });
  return { rank: Number(rank), ...readMark(mark) };
}

/** Lists that are not seen match nothing; what one holds is found wherever it is. */
function scopeOf(bound: number | null, listIds: number[] | undefined, parameter: (value: unknown) => string): string {
  const asked = listIds ? `and d.list_id = any (${parameter(listIds)}::bigint[])` : '';
  if (bound === null) return asked;
  const user = parameter(bound);
  return `${asked} and (
    d.list_id in (select p.list_id from list_people p where p.account_id = $1 and p.user_id = ${user})
    or d.lead_id in (select l.id from leads l where l.account_id = $1 and l.claimed_by = ${user}))`;
}
