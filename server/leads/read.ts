import { EVENT_COLUMNS, EVENT_TABLES, toEvent, type EventRow } from '../activity/events.ts';
import type { Right } from '../../contract/roles.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { notFound } from '../platform/errors.ts';
import { beginOf, endOf, type Page } from '../platform/paging.ts';
import type { Reading } from '../platform/work.ts';
import { seesLead } from './access.ts';
import { LEAD_COLUMNS, LEAD_TABLES, writeLead, type LeadRow } from './lead.ts';

const NEWEST_EVENTS = 20;

const VISIBLE = `l.account_id = $1 and l.id = $2 and ${seesLead('l', '$3::bigint')}`;

export const READ = `
  select ${LEAD_COLUMNS},
    (select json_agg(e) from (select ${EVENT_COLUMNS} from ${EVENT_TABLES}
      where e.account_id = l.account_id and e.lead_id = l.id order by e.id desc limit ${NEWEST_EVENTS}) e) as events
    from ${LEAD_TABLES} where ${VISIBLE}`;

/** One lead with its newest events, as JSON. */
export async function readLead({ db }: Reading, actor: Actor, id: number | undefined): Promise<string> {
  const [lead] = await query<LeadRow & { events: EventRow[] | null }>(db, READ, visible(actor, id, 'leads.read'));
  if (!lead) throw notFound();
  const events = (lead.events ?? []).map(toEvent);
  return writeLead(lead, actor.account.baseUrl, `,"events":${JSON.stringify(events)}`);
}

const EVENTS = `
  select ${EVENT_COLUMNS}, e.via, e.changes from ${EVENT_TABLES}
   where e.account_id = $1 and e.lead_id = $2 and ($3::bigint is null or e.id < $3)
   order by e.id desc limit $4 offset $5`;
const COUNT = 'select count(*) as total from events where account_id = $1 and lead_id = $2';

/** An event with how it came about, and what was before. */
type ActivityRow = EventRow & { via: string; changes: Record<string, [unknown, unknown]> };

/** All that happened to a lead, newest first. */
export async function listActivity({ db }: Reading, actor: Actor, leadId: number, page: Page) {
  const account = actor.account.id;
  const { before, offset } = beginOf(page);
  const [rows, [counted]] = await Promise.all([
    query<ActivityRow>(db, EVENTS, [account, leadId, before, page.size, offset]),
    query<{ total: number }>(db, COUNT, [account, leadId]),
  ]);
  return {
    activity: rows.map((row) => ({ ...toEvent(row), via: row.via, changes: row.changes })),
    total: counted!.total,
    end: endOf(rows, page),
  };
}

/** A lead that the actor may see, or 404. */
export async function findLead({ db }: Reading, actor: Actor, id: number | undefined, right: Right): Promise<number> {
  const [lead] = await query<{ id: number }>(
    db,
    `select l.id from leads l where ${VISIBLE}`,
    visible(actor, id, right),
  );
  if (!lead) throw notFound();
  return lead.id;
}

const visible = (actor: Actor, id: number | undefined, right: Right) => [
  actor.account.id,
  id ?? 0,
  boundOf(actor, right),
];
