import { EVENT_COLUMNS, EVENT_TABLES, toEvent, type EventRow } from '../activity/events.ts';
import type { Right } from '../../contract/roles.ts';
import type { Text } from '../../contract/texts.ts';
import type { Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { sql, type MadeOf, type Sql } from '../platform/sql.ts';
import { beginOf, endOf, fillAnswer, refuseTooLarge, type Filling, type Page } from '../platform/paging.ts';
import type { Reading } from '../platform/work.ts';
import { bySight, sightOf, type Sight } from './access.ts';
import { isSeen, leadColumns, leadTables, writeLead, type LeadRow } from './lead.ts';

const NEWEST_EVENTS = 20;

const visible = (sight: Sight) => `l.account_id = $1 and l.id = $2 and ${isSeen(sight, 'l')}`;

/** With its newest events. */
export const readLeadSql = (sight: Sight, which: string) => `
  select ${leadColumns(sight)},
    (select json_agg(e) from (select ${EVENT_COLUMNS} from ${EVENT_TABLES}
      where e.account_id = l.account_id and e.lead_id = l.id order by e.id desc limit ${NEWEST_EVENTS}) e) as events
    from ${leadTables(which)}`;

export const READ = bySight('leads/read.read', (sight) => readLeadSql(sight, visible(sight)));

export type ReadLead = LeadRow & { events: EventRow[] | null };

export const writeRead = (lead: ReadLead, { account }: Actor): string =>
  writeLead(lead, account.baseUrl, `,"events":${JSON.stringify((lead.events ?? []).map(toEvent))}`);

/** One lead with its newest events, as JSON. */
export async function readLead({ db }: Reading, actor: Actor, id: number | undefined): Promise<string> {
  const { sight, values } = sightOf(actor, 'leads.read', actor.account.id, id ?? 0);
  return writeRead(await one<ReadLead>(db, READ[sight], values), actor);
}

const eventsSql = (more: string, bytes: string) =>
  fillAnswer(
    `select e.*, octet_length(e.comment) + ${bytes} as bytes from (
       select ${EVENT_COLUMNS}${more} from ${EVENT_TABLES}
        where e.account_id = $1 and e.lead_id = $2 and ($3::bigint is null or e.id < $3)
        order by e.id desc limit $4 offset $5) e`,
    'id desc',
  );
const EVENTS = sql('leads/read.events')`${eventsSql('', '200')}`;
/** With how each came about, what was before, and what became of a message. What was before can be long, so it passes through as text. */
const ACTIVITY = sql('leads/read.activity')`${eventsSql(
  `, e.via, e.changes::text as changes, case when e.kind = 'text' then (
         select json_build_object('state', t.state, 'error', t.error) from texts t
          where t.account_id = e.account_id and t.event_id = e.id limit 1) end as text`,
  'octet_length(e.changes) + 200',
)}`;
const COUNT = sql('leads/read.count')`select count(*) as total from events where account_id = $1 and lead_id = $2`;

type ActivityRow = EventRow & { via: string; changes: string; text: Pick<Text, 'state' | 'error'> | null };

/** All that happened to a lead, newest first, as JSON. */
export const listEvents = (reading: Reading, actor: Actor, leadId: number, page: Page) =>
  list<EventRow>(reading, EVENTS, actor, leadId, page, (row) => JSON.stringify(toEvent(row)));

export const listActivity = (reading: Reading, actor: Actor, leadId: number, page: Page) =>
  list<ActivityRow>(reading, ACTIVITY, actor, leadId, page, (row) => {
    const event = JSON.stringify({ ...toEvent(row), via: row.via, text: row.text });
    return `${event.slice(0, -1)},"changes":${row.changes}}`;
  });

async function list<Row extends EventRow>(
  { db }: Reading,
  text: Sql<MadeOf<Row & Filling>>,
  actor: Actor,
  leadId: number,
  page: Page,
  write: (row: Row) => string,
) {
  const account = actor.account.id;
  const { before, offset } = beginOf(page);
  const [rows, [counted]] = await Promise.all([
    query<Row & Filling>(db, text, [account, leadId, before, page.size, offset]),
    query<{ total: number }>(db, COUNT, [account, leadId]),
  ]);
  refuseTooLarge(rows);
  return { json: `[${rows.map(write).join(',')}]`, total: counted!.total, end: endOf(rows, page) };
}

const FIND = bySight('leads/read.find', (sight) => `select l.id from leads l where ${visible(sight)}`);

/** A lead that the actor may see, or 404. */
export async function findLead({ db }: Reading, actor: Actor, id: number | undefined, right: Right): Promise<number> {
  const { sight, values } = sightOf(actor, right, actor.account.id, id ?? 0);
  return (await one<{ id: number }>(db, FIND[sight], values)).id;
}
