import type { TakenJob } from '../lists/jobs.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { readListOfJob } from './access.ts';
import { readStored, store, type Stored } from './stored.ts';
import { computeHits, stepOf, stretchSql, stretchValues, type Batch, type Stretch } from './stretch.ts';

/** After a change of fields or matching: leads are written down as if they had been written by what their list has now. */

const AT_ONCE = 250;
/** Most leads have a value in a field that is changed. */
const WALKED = 500;

// As they lie there, packed: to measure them otherwise each would be unpacked for it.
const READ = sql('leads/settle.read')`${stretchSql(
  `
  select w.id, w.created_at, w.place, d.data, d.hidden from walked w
   cross join lateral (
     select data, hidden from lead_data
      where account_id = $1 and lead_id = w.id and ($7::text[] is null or data ?| $7 or hidden ?| $7) offset 0) d`,
  { bytes: 'pg_column_size(data) + pg_column_size(hidden)' },
)}`;

type Hit = { data: Record<string, string>; hidden: Record<string, string> };

// A lead that someone wrote meanwhile was written by the columns of now, and is left alone.
const WRITE = sql('leads/settle.write')`
  with given as materialized (
    select g.lead_id, g.was_data, g.was_hidden, g.data, g.hidden, g.words::tsvector as words,
           array(select jsonb_array_elements_text(g.marks)) as marks
      from unnest($3::bigint[], $4::jsonb[], $5::jsonb[], $6::jsonb[], $7::jsonb[], $8::text[], $9::jsonb[])
           as g (lead_id, was_data, was_hidden, data, hidden, words, marks)
  ), changed as materialized (
    select d.lead_id, d.marks as former, g.data, g.hidden, g.words, g.marks
      from given g join lead_data d on d.account_id = $1 and d.lead_id = g.lead_id
     where d.list_id = $2 and d.data = g.was_data and d.hidden = g.was_hidden
       and (d.data, d.hidden, d.words, d.marks) is distinct from (g.data, g.hidden, g.words, g.marks)
     order by d.lead_id for no key update of d
  ), unmarked as (
    delete from lead_marks k using (
      select c.lead_id, f.mark from changed c cross join unnest(c.former) as f (mark)
       where f.mark <> all (c.marks) offset 0) gone
     where k.account_id = $1 and k.mark = gone.mark and k.lead_id = gone.lead_id
  ), marked as (
    insert into lead_marks (account_id, lead_id, list_id, mark)
    select $1, c.lead_id, $2, m.mark from changed c cross join unnest(c.marks) as m (mark)
     where m.mark <> all (c.former)
  )
  update lead_data d set data = c.data, hidden = c.hidden, words = c.words, marks = c.marks
    from changed c where d.account_id = $1 and d.lead_id = c.lead_id`;

export async function settleLeads(work: Work, job: TakenJob): Promise<Batch> {
  const { account_id, list_id } = job;
  const { keys = null } = job.asked as { keys?: string[] };
  const [list, [read]] = await Promise.all([
    readListOfJob(work, account_id, list_id),
    query<Stretch<Hit>>(work.db, READ, [...stretchValues(job, AT_ONCE, WALKED), keys]),
  ]);
  // Nothing is locked yet: numbers take long to be read.
  const { stretch, made: stored } = await computeHits(read!, (hit): Stored => {
    const { data, hidden } = readStored(list.columns, hit);
    return store(list, data, hidden);
  });
  const { hits } = stretch;
  if (hits.length > 0)
    await query(work.db, WRITE, [
      account_id,
      list_id,
      hits.map(({ id }) => id),
      hits.map(({ data }) => JSON.stringify(data)),
      hits.map(({ hidden }) => JSON.stringify(hidden)),
      stored.map(({ data }) => data),
      stored.map(({ hidden }) => hidden),
      stored.map(({ words }) => words),
      stored.map(({ marks }) => JSON.stringify(marks)),
    ]);
  return stepOf(job, stretch);
}
