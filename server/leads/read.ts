import { EVENT_COLUMNS, EVENT_TABLES, toEvent, type EventRow } from '../activity/events.ts';
import type { Right } from '../../contract/roles.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { sql, type MadeOf, type Sql } from '../platform/sql.ts';
import { beginOf, endOf, fillAnswer, refuseTooLarge, type Filling, type Page } from '../platform/paging.ts';
import type { Reading } from '../platform/work.ts';
import { seesLead } from './access.ts';
import { LEAD_COLUMNS, leadTables, WHOM, writeLead, type LeadRow } from './lead.ts';

const NEWEST_EVENTS = 20;

const VISIBLE = `l.account_id = $1 and l.id = $2 and ${seesLead('l', WHOM)}`;

/** With its newest events. */
export const readLeadSql = (which: string) => `
  select ${LEAD_COLUMNS},
    (select json_agg(e) from (select ${EVENT_COLUMNS} from ${EVENT_TABLES}
      where e.account_id = l.account_id and e.lead_id = l.id order by e.id desc limit ${NEWEST_EVENTS}) e) as events
    from ${leadTables(which)}`;

export const READ = sql('leads/read.read')`${readLeadSql(VISIBLE)}`;

export type ReadLead = LeadRow & { events: EventRow[] | null };

export const writeRead = (lead: ReadLead, { account }: Actor): string =>
  writeLead(lead, account.baseUrl, `,"events":${JSON.stringify((lead.events ?? []).map(toEvent))}`);

/** One lead with its newest events, as JSON. */
export async function readLead({ db }: Reading, actor: Actor, id: number | undefined): Promise<string> {
  return writeRead(await one<ReadLead>(db, READ, visible(actor, id, 'leads.read')), actor);
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
/** With how each came about, and what was before. Both can be long, so they pass through as text. */
const ACTIVITY = sql('leads/read.activity')`${eventsSql(
  ', e.via, e.changes::text as changes',
  'octet_length(e.changes) + 200',
)}`;
const COUNT = sql('leads/read.count')`select count(*) as total from events where account_id = $1 and lead_id = $2`;

type ActivityRow = EventRow & { via: string; changes: string };

/** All that happened to a lead, newest first, as JSON. */
export const listEvents = (reading: Reading, actor: Actor, leadId: number, page: Page) =>
  list<EventRow>(reading, EVENTS, actor, leadId, page, (row) => JSON.stringify(toEvent(row)));

export const listActivity = (reading: Reading, actor: Actor, leadId: number, page: Page) =>
  list<ActivityRow>(reading, ACTIVITY, actor, leadId, page, (row) => {
    const event = JSON.stringify({ ...toEvent(row), via: row.via });
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

const FIND = sql('leads/read.find')`select l.id from leads l where ${VISIBLE}`;

/** A lead that the actor may see, or 404. */
export async function findLead({ db }: Reading, actor: Actor, id: number | undefined, right: Right): Promise<number> {
  return (await one<{ id: number }>(db, FIND, visible(actor, id, right))).id;
}

const visible = (actor: Actor, id: number | undefined, right: Right) => [
  actor.account.id,
  id ?? 0,
  boundOf(actor, right),
];
