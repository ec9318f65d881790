import type { JobStep, TakenJob } from '../lists/jobs.ts';
import { openBreaths } from '../platform/breaths.ts';
import { someOf } from '../platform/handful.ts';

/**
 * Jobs walk over the leads of a list in the order of their creation, a stretch at a time: up to so many leads, or up to the last of so many
 * hits. Leads that are made meanwhile come at the end.
 */

/** So many leads are looked at, where few of them are hits. */
export const WALKED = 2_000;

/**
 * `hits` selects `w.id`, `w.created_at` and `w.place` from `walked w`, and what else it needs; `also` is what `walked` has besides. The first
 * parameters are `stretchValues`; those of the hits begin at `$7`. `bytes` of a hit, where it has many: then a stretch ends with fewer.
 */
export const stretchSql = (hits: string, { also = '', bytes = '0' } = {}) => `
  with walked as materialized (
    select l.id, l.created_at, row_number() over (order by l.created_at, l.id) as place ${also} from leads l
     where l.account_id = $1 and l.list_id = $2
       and (l.created_at, l.id) > (coalesce($3::timestamptz, '-infinity'), coalesce($4::bigint, 0))
     order by l.created_at, l.id limit $5
  ), found as materialized (
    ${hits} order by w.place limit $6
  ), hits as materialized (${someOf(`select *, ${bytes} as bytes from found`, 'place')}
  ), ended as (
    select (select count(*) from found) = $6 or (select count(*) from hits) < (select count(*) from found) as early
  ), reached as (
    select created_at, id, place from (
      (select created_at, id, place from walked order by place desc limit 1)
      union all
      (select created_at, id, place from hits where (select early from ended) order by place desc limit 1)) ends
     order by place limit 1
  )
  select r.created_at as at, r.id, coalesce(r.place, 0) as walked,
         (select count(*) from walked) < $5 and not (select early from ended) as ends,
         coalesce((select json_agg(h order by h.place) from hits h), '[]') as hits
    from (select) once left join reached r on true`;

export const stretchValues = (job: TakenJob, hits: number, walked = WALKED) => [
  job.account_id,
  job.list_id,
  job.after_at,
  job.after_id,
  walked,
  hits,
];

type Placed = { id: number; created_at: string; place: number };

export type Stretch<Hit> = {
  at: Date | null;
  id: number | null;
  walked: number;
  ends: boolean;
  hits: (Hit & Placed)[];
};

/** A batch computes for so long, then it writes what it has: a busy machine does less at once, and holds nothing up for longer. */
const COMPUTES_MS = 100;

/** What `compute` makes of each hit, and the stretch as far as it came in the time it had. Everyone else has the event loop now and then. */
export async function computeHits<Hit, Made>(
  stretch: Stretch<Hit>,
  compute: (hit: Hit & Placed) => Made,
): Promise<{ stretch: Stretch<Hit>; made: Made[] }> {
  const breathe = openBreaths();
  const until = performance.now() + COMPUTES_MS;
  const made: Made[] = [];
  for (const hit of stretch.hits) {
    made.push(compute(hit));
    if (performance.now() > until) break;
    await breathe();
  }
  const last = stretch.hits[made.length - 1];
  if (!last || made.length === stretch.hits.length) return { stretch, made };
  const { id, created_at, place } = last;
  const hits = stretch.hits.slice(0, made.length);
  return { stretch: { at: new Date(created_at), id, walked: place, ends: false, hits }, made };
}

/** What a batch of a job came to. `through`: there is nothing left to do; `waits`: there may be, in a moment. */
export type Batch = JobStep & { through: boolean; waits?: boolean };

/** Where the job stands after a stretch; at its end there was nothing left to walk over. */
export const stepOf = (job: TakenJob, { at, id, walked, ends }: Stretch<unknown>, result?: object): Batch => ({
  after: { at: at ?? job.after_at, id: id ?? job.after_id },
  done: walked,
  through: ends,
  result,
});
