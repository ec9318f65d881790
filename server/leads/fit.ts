import { misfit } from '../../contract/fits.ts';
import type { Fit } from '../../contract/list-pages.ts';
import type { ColumnKind } from '../../contract/lists.ts';
import type { TakenJob } from '../lists/jobs.ts';
import { query } from '../platform/db.ts';
import { isPhone, whyNoPhone } from '../platform/phones.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { readListOfJob } from './access.ts';
import { computeHits, stepOf, stretchSql, stretchValues, WALKED, type Batch, type Stretch } from './stretch.ts';

/** Before a field gets another kind: how many of its values would not fit, and which. Nothing is written but the count. */

const MOST_EXAMPLES = 1_000;
const LONGEST_SHOWN = 100;

// What is longer fits no kind that has a shape, and is shown cut anyway.
const READ = sql('leads/fit.read')`${stretchSql(`
  select w.id, w.created_at, w.place, d.value, d.lead from walked w
   cross join lateral (
     select left(coalesce(data ->> $7, hidden ->> $7), 1000) as value,
            left(coalesce(data ->> $8, hidden ->> $8, ''), ${LONGEST_SHOWN}) as lead
       from lead_data where account_id = $1 and lead_id = w.id offset 0) d
   where d.value <> ''`)}`;

type Hit = { value: string; lead: string };

export async function countMisfits(work: Work, job: TakenJob): Promise<Batch> {
  const { key, to, options } = job.asked as { key: string; to: ColumnKind; options: string[] };
  const { identifiers, country } = await readListOfJob(work, job.account_id, job.list_id);
  const values = [...stretchValues(job, WALKED + 1), key, identifiers[0] ?? ''];
  const [read] = await query<Stretch<Hit>>(work.db, READ, values);
  const fit: Fit = { values: 0, misfits: 0, examples: [], ...job.result };
  const examples = fit.examples.length;
  const { stretch } = await computeHits(read!, ({ id, value, lead }) => {
    fit.values += 1;
    const shape = misfit(to, options, value);
    if (!shape && (to !== 'phone' || isPhone(value, country))) return;
    fit.misfits += 1;
    if (fit.examples.length >= MOST_EXAMPLES) return;
    const reason = shape ?? whyNoPhone(value, country);
    fit.examples.push({ lead_id: id, lead, value: value.slice(0, LONGEST_SHOWN), reason });
  });
  // They are many, and most batches find no more of them.
  const isNew = job.after_id === null || fit.examples.length > examples;
  return stepOf(job, stretch, isNew ? fit : { values: fit.values, misfits: fit.misfits });
}
