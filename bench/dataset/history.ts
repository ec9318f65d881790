import type { Client } from 'pg';

/** What two hundred days of work make of freshly loaded leads: times, states, events, counters. */

const STEPS: [what: string, sql: string][] = [
  [
    'times and states of leads',
    `with placed as (select min(id) as least, max(id) - min(id) as span from leads)
     update leads l set
       created_at = date_trunc('second', now()) - interval '200 days' + (id - least)::float8 / span * interval '199 days',
       last_updated = date_trunc('second', now()) - interval '200 days' + (id - least)::float8 / span * interval '199 days'
         + case when id * 7919 % 100 < 60 then interval '0' else (id * 31 % 1000) * interval '1 minute' end,
       state = case when id * 7919 % 100 < 60 then 'new' when id * 7919 % 100 < 75 then 'call_back' when id * 7919 % 100 < 80 then 'won'
                    when id * 7919 % 100 < 95 then 'lost' else 'archived' end,
       category = case when id * 7919 % 100 between 75 and 77 then 'Meeting' when id * 7919 % 100 = 78 then 'Sale'
                       when id * 7919 % 100 between 80 and 88 then 'Not interested' when id * 7919 % 100 between 89 and 92 then 'Wrong number' end,
       scheduled_for = case when id * 7919 % 100 between 60 and 74 then now() + (id % 20000 - 5000) * interval '1 minute' end
      from placed`,
  ],
  [
    'when it is their turn',
    `update leads set turn_at = case when state = 'new' then created_at else coalesce(scheduled_for, last_updated) end`,
  ],
  [
    'the same in their data, and what was said',
    `update lead_data d set created_at = l.created_at,
            said = case when l.state = 'call_back' and l.id % 2 = 0 then 'asked for a brochure and another call'::tsvector else '' end
       from leads l where l.account_id = d.account_id and l.id = d.lead_id`,
  ],
  [
    'events',
    `insert into events (account_id, lead_id, list_id, kind, category, comment, via, created_at)
     select account_id, id, list_id,
            case state when 'won' then 'winner' when 'lost' then 'loser' when 'archived' then 'archive' else state end, category,
            case when state = 'call_back' and id % 2 = 0 then 'asked for a brochure and another call' else '' end, 'api', last_updated
       from leads where state <> 'new' order by last_updated`,
  ],
  ['leads without gaps', 'vacuum full leads'],
  ['their data without gaps', 'vacuum full lead_data'],
];

const COUNT = `
  delete from lead_counts;
  insert into lead_counts (account_id, list_id, state, category, shard, leads)
  select account_id, list_id, state, coalesce(category, ''), id % 16, count(*) from leads group by 1, 2, 3, 4, 5`;

const MISCOUNTED = `
  select count(*)::int as lists
    from (select list_id, count(*) as leads from leads group by 1) counted
    full join (select list_id, sum(leads) as leads from lead_counts group by 1) told using (list_id)
   where counted.leads is distinct from told.leads`;

export async function age(client: Client, indexes: string[], say: (sentence: string) => void): Promise<void> {
  await client.query("set maintenance_work_mem = '1GB'; set work_mem = '256MB'; set synchronous_commit = off");
  const run = async (what: string, sql: string) => {
    const begun = Date.now();
    await client.query(sql);
    say(`${what}: ${Math.round((Date.now() - begun) / 1_000)} s`);
  };
  await refuseMiscounted(client, 'after loading');
  for (const [what, sql] of STEPS) await run(what, sql);
  for (const sql of indexes) await run(/index (\w+)/i.exec(sql)![1]!, sql);
  await run('counters', COUNT);
  await refuseMiscounted(client, 'after the states were set');
  await run('vacuum analyze', 'vacuum analyze');
  await client.query('checkpoint');
}

async function refuseMiscounted(client: Client, when: string): Promise<void> {
  const { rows } = await client.query<{ lists: number }>(MISCOUNTED);
  if (rows[0]!.lists > 0) throw new Error(`The counters of ${rows[0]!.lists} lists are wrong ${when}.`);
}
