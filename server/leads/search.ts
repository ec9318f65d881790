import { boundOf, type Actor } from '../platform/actor.ts';
import { PLAN_ANEW, query } from '../platform/db.ts';
import { sqlFor } from '../platform/sql.ts';
import { notFromLink, readMark, writeMark, type Mark, type Page } from '../platform/paging.ts';
import type { Reading } from '../platform/work.ts';
import { DELETED_LISTS } from '../lists/people.ts';
import { readLeads, writeLeads } from './lead.ts';
import type { LeadPage } from './pages.ts';
import { readQuery, type Query } from './words.ts';

// Up to here the best match comes first, beyond it the newest lead. Whoever follows the pages goes on as they began, however many there are by then.
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
  const bound = boundOf(actor, 'leads.read');
  const offset = after ? 0 : (page.number - 1) * page.size;
  const values = [
    actor.account.id,
    matches,
    MOST_RANKED,
    page.size,
    offset,
    exact,
    after?.rank ?? null,
    after?.at ?? null,
    after?.id ?? null,
    listIds ?? null,
    bound,
  ];
  const text = SEARCH(listIds !== undefined, bound !== null);
  const [found] = await query<{ total: number; hits: (Omit<Hit, 'at'> & { at: string })[] }>(db, text, values);
  return { total: found!.total, hits: found!.hits.map((hit) => ({ ...hit, at: new Date(hit.at) })) };
}

/** Lists that are not seen match nothing; what one holds is found wherever it is. */
function scopeSql(someLists: boolean, someSeen: boolean): string {
  // Looked at in any case, so that the parameters are always the same.
  const asked = `and d.list_id not in ${DELETED_LISTS}
    and ${someLists ? 'd.list_id = any ($10::bigint[])' : '$10::bigint[] is null'}`;
  if (!someSeen) return `${asked} and $11::bigint is null`;
  return `${asked} and (
    d.list_id in (select p.list_id from list_people p where p.account_id = $1 and p.user_id = $11)
    or d.lead_id in (select l.id from leads l where l.account_id = $1 and l.claimed_by = $11))`;
}

// Ranking reads whole vectors, so it is done only where there are few.
const SEARCH = sqlFor(
  'leads/search.search',
  (someLists: boolean, someSeen: boolean) => `${PLAN_ANEW}
    with hits as materialized (
      select lead_id, created_at from lead_data d
       where account_id = $1 and (words || said) @@ $2::tsquery ${scopeSql(someLists, someSeen)}
    ), counted as materialized (
      select count(*) as total from hits
    ), ranked as (
      select h.lead_id as id, h.created_at as at,
             case when coalesce($7::real = 0, (select total from counted) > $3) then 0
                  else (select ts_rank(d.words || d.said, $2::tsquery) + ts_rank(d.words || d.said, $6::tsquery)
                    from lead_data d where d.account_id = $1 and d.lead_id = h.lead_id)
             end as rank
        from hits h
    )
    select total, (select coalesce(json_agg(page), '[]') from (
        select id, at, rank from ranked
         where $7::real is null or (rank, at, id) < ($7::real, $8::timestamptz, $9::bigint)
         order by rank desc, at desc, id desc limit $4 offset $5) page) as hits
      from counted`,
  [
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ],
);

function readRankedMark(after: string): Hit {
  const [, rank, mark] = /^([\d.e-]{1,30}):(.+)$/.exec(after) ?? [];
  const known = Number(rank) === 0 || (Number(rank) > 1e-30 && Number(rank) < 1e30);
  if (!mark || !known) throw notFromLink();
  return { rank: Number(rank), ...readMark(mark) };
}
