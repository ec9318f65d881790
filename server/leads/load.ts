import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import type { LeadList } from './access.ts';
import { countLeads } from './counters.ts';
import { store } from './stored.ts';
import { readValues, refuseMissing, refuseTooMuch } from './values.ts';

/**
 * Puts down leads that are rows `given (id, state, category, scheduled_for, turn_at, claimed_by, data, hidden, words, said, marks)` of the
 * same statement, in the account `$1` and the list `$2`. Their ids are drawn before, in the order in which they are to stand.
 */
export const PUT_GIVEN = `
  made as (
    insert into leads (account_id, id, list_id, state, category, scheduled_for, turn_at, claimed_by, claimed_at)
    overriding system value
    select $1, id, $2, state, category, scheduled_for, turn_at, claimed_by,
           case when claimed_by is not null then now() end
      from given
  ), marked as (
    insert into lead_marks (account_id, mark, lead_id, list_id)
    select $1, m.mark, id, $2 from given, unnest(marks) as m (mark)
  ), data as (
    insert into lead_data (account_id, lead_id, list_id, created_at, data, hidden, words, said, marks)
    select $1, id, $2, now(), data, hidden, words, said, marks from given
  )`;

/** So that each row keeps its place. */
export const DRAW = `nextval(pg_get_serial_sequence('leads', 'id')) as id`;

const INSERT = sql('leads/load.insert')`
  with given as materialized (
    select ${DRAW}, 'new' as state, null::text as category, null::timestamptz as scheduled_for, now() as turn_at,
           null::bigint as claimed_by, data, hidden, words::tsvector as words, ''::tsvector as said,
           array(select jsonb_array_elements_text(marks)) as marks
      from unnest($3::jsonb[], $4::jsonb[], $5::text[], $6::jsonb[]) with ordinality as g (data, hidden, words, marks,
        place)
     order by place
  ), ${PUT_GIVEN}
  select id from given order by id`;

/** Many leads at once, in one statement. Not events: an uploaded file is nobody's act on a lead. Answers their ids, in the order given. */
export async function loadLeads(
  work: Work,
  actor: Actor,
  list: LeadList,
  rows: Record<string, unknown>[],
): Promise<number[]> {
  const account = actor.account.id;
  const stored = rows.map((row) => {
    const { data, hidden } = readValues(list.columns, row);
    refuseMissing(list.columns, data, 'all');
    refuseTooMuch({ data, hidden });
    return store(list, data, hidden);
  });
  const counting = countLeads(account, [
    { list_id: list.id, state: 'new', category: null, leads: rows.length, moves: 1 },
  ]);
  const [leads] = await Promise.all([
    query<{ id: number }>(work.db, INSERT, [
      account,
      list.id,
      stored.map(({ data }) => data),
      stored.map(({ hidden }) => hidden),
      stored.map(({ words }) => words),
      stored.map(({ marks }) => JSON.stringify(marks)),
    ]),
    query(work.db, counting.text, counting.values),
  ]);
  return leads.map(({ id }) => id);
}
