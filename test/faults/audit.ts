import { eventually } from '../leadline.ts';
import type { Notification } from '../subscriber.ts';
import type { Server } from './cluster.ts';
import type { Ledger } from './ledger.ts';
import type { Finding } from './scenario.ts';
import type { World } from './world.ts';
import { MISCOUNTED } from '../counters.ts';

/** Holds the database to what clients were told, and subscribers to what is in the database. */
export async function audit(finding: Finding, server: Server, world: World, ledger: Ledger, heard?: Notification[]) {
  ledger.tell(finding);
  await settle(server);
  await auditLeads(finding, server, world, ledger);
  await auditEvents(finding, server, ledger);
  await auditStates(finding, server, world);
  if (heard) await auditDeliveries(finding, server, world, heard);
}

/** What a killed process had asked for is done or undone by the database in its own time. */
const settle = (server: Server) =>
  eventually('nothing is under way', async () => {
    const [row] = await server.query<{ left: string }>(
      `select count(*) as left from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
          and state like 'idle in transaction%'`,
    );
    return Number(row!.left) === 0;
  });

async function auditLeads(finding: Finding, server: Server, world: World, ledger: Ledger): Promise<void> {
  const rows = await server.query<{ id: string; marker: string; value: string }>(
    `select lead_id as id, data ->> 'first_name' as marker, data ->> 'company_name' as value
       from lead_data where list_id = $1`,
    [world.desk],
  );
  const found = Map.groupBy(rows, ({ marker }) => marker);
  const lost = ledger.written.filter(({ marker, id }) => id !== undefined && !found.has(marker));
  const doubled = [...found.values()].filter(({ length }) => length > 1);
  const other = ledger.written.filter(({ marker, id, values }) => {
    const row = found.get(marker)?.[0];
    return id !== undefined && row !== undefined && (Number(row.id) !== id || !values.includes(row.value));
  });
  finding.count('leads made', ledger.written.length);
  finding.must('no acknowledged lead lost', lost.length === 0, lost.length);
  finding.must('no lead made twice', doubled.length === 0, doubled.length);
  finding.must('every lead holds what was acknowledged', other.length === 0, other.length);
}

async function auditEvents(finding: Finding, server: Server, ledger: Ledger): Promise<void> {
  const rows = await server.query<{ comment: string; lead: string; kind: string }>(
    `select comment, lead_id as lead, kind from events where comment like 'outcome %'`,
  );
  const found = Map.groupBy(rows, ({ comment }) => comment);
  const lost = ledger.outcomes.filter(({ acknowledged, comment, lead, kind }) => {
    const row = found.get(comment)?.[0];
    return acknowledged && (Number(row?.lead) !== lead || row?.kind !== kind);
  });
  const doubled = [...found.values()].filter(({ length }) => length > 1);
  finding.count('outcomes', ledger.outcomes.length);
  finding.must('no acknowledged outcome lost', lost.length === 0, lost.length);
  finding.must('no outcome recorded twice', doubled.length === 0, doubled.length);
}

/** Every lead is where its last event says, every event begins where the one before ended, and the counters count what is there. */
async function auditStates(finding: Finding, server: Server, world: World): Promise<void> {
  const lists = [[world.queue, world.desk]];
  const torn = await server.query(
    `select l.id from leads l left join lateral (
       select changes -> 'state' ->> 1 as state from events e
        where e.account_id = l.account_id and e.lead_id = l.id and changes ? 'state' order by id desc limit 1) e on true
      where l.list_id = any ($1::bigint[]) and l.state <> coalesce(e.state, 'new')`,
    lists,
  );
  finding.must('no state without its event, no event without its state', torn.length === 0, torn.length);
  const loose = await server.query(
    `select id from (
       select id, changes -> 'state' ->> 0 as before,
              lag(changes -> 'state' ->> 1, 1, 'new') over (partition by lead_id order by id) as former
         from events where list_id = any ($1::bigint[]) and changes ? 'state') e where before <> former`,
    lists,
  );
  finding.must('every event begins where the one before ended', loose.length === 0, loose.length);
  const drift = await server.query(MISCOUNTED, lists);
  finding.must('the counters are right', drift.length === 0, drift.length);
}

async function auditDeliveries(finding: Finding, server: Server, world: World, heard: Notification[]): Promise<void> {
  const ended = await eventually(
    'every delivery is noted',
    async () => {
      const [row] = await server.query<{ left: string }>(
        `select count(*) as left from deliveries where state = 'waiting' and webhook_id = any ($1::bigint[])`,
        [world.webhooks],
      );
      return Number(row!.left) === 0;
    },
    60_000,
  ).catch(() => false);
  finding.must('every delivery came to its end within a minute', ended);
  const unmatched = await server.query(
    `select e.id from events e cross join unnest($2::bigint[]) as w (id)
      where e.list_id = $1 and e.kind = 'winner' and e.via = 'app'
        and 1 <> (select count(*) from deliveries d
                   where d.account_id = e.account_id and d.event_id = e.id and d.webhook_id = w.id)`,
    [world.queue, world.webhooks],
  );
  finding.must('one delivery for each winner', unmatched.length === 0, unmatched.length);
  const rows = await server.query<{ id: string; resource: string; state: string }>(
    `select id, resource, state from deliveries where webhook_id = any ($1::bigint[])`,
    [world.webhooks],
  );
  const arrived = Map.groupBy(heard, ({ headers }) => String(headers['webhook-id']));
  const known = new Map(rows.map((row) => [`msg_${row.id}`, row]));
  const missing = [...known.keys()].filter((id) => !arrived.has(id));
  const foreign = [...arrived].filter(([id, all]) => {
    const resource = known.get(id)?.resource;
    return resource === undefined || all.some(({ body }) => !body.endsWith(`${resource}"}`));
  });
  finding.count('deliveries', rows.length);
  finding.count('repeats', heard.length - arrived.size);
  finding.must('no delivery lost', missing.length === 0, missing.length);
  finding.must('repeats only under their own webhook-id', foreign.length === 0, foreign.length);
}
