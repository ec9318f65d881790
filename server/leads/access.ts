import type { Right } from '../../contract/roles.ts';
import type { Rows } from '../../db/rows.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one } from '../platform/db.ts';
import { sql, sqlFor, type Sql } from '../platform/sql.ts';
import { conflict } from '../platform/errors.ts';
import type { Reading, Work } from '../platform/work.ts';
import type { Categories, CategoryKind } from '../../contract/lists.ts';
import { LIST_COLUMN } from '../lists/columns.ts';
import { DELETED_LISTS, seesList, worksList } from '../lists/people.ts';
import { shareShape } from '../lists/shape-lock.ts';
import { readStored, type Shape } from './stored.ts';
import type { Values } from './values.ts';

/** The lists one works, and whatever lead one holds; never what is deleted. */
export const seesLead = (lead: string, bound: string): string =>
  `(${isThere(lead)}
    and (${bound} is null or ${worksList(lead, 'list_id', bound)} or ${lead}.claimed_by = ${bound}))`;

/** The same, and the lead that one has open: whoever is taken off its list in mid-work finishes it. */
export const mayFinish = (lead: string, bound: string): string =>
  `(${seesLead(lead, bound)}
    or (${isThere(lead)} and ${lead}.held_by = ${bound} and ${lead}.held_until > now()))`;

/**
 * Whether the whole account is seen, or some of it by a parameter of the statement. What tells which leads someone sees is half of a plan, and
 * costs by being there, also where it is never looked at: whoever sees all has statements without it.
 */
export type Sight = 'whole' | 'part';

/** A statement for each, named as others are. */
export function bySight<Name extends keyof Rows>(
  name: Name,
  write: (sight: Sight) => string,
): Record<Sight, Sql<Rows[Name]>> {
  const text = sqlFor(name, write, [['whole'], ['part']]);
  return { whole: text('whole'), part: text('part') };
}

/** What `actor` sees, and the values of a statement about it: whom it is about comes last, where not all is seen. */
export function sightOf(actor: Actor, right: Right, ...values: unknown[]): { sight: Sight; values: unknown[] } {
  const bound = boundOf(actor, right);
  return bound === null ? { sight: 'whole', values } : { sight: 'part', values: [...values, bound] };
}

export const isThere = (lead: string): string => `${lead}.list_id not in ${DELETED_LISTS}`;

/** A list as those who write leads need it: `LIST` from `lists li` and `accounts a`. */
export type LeadList = Shape & {
  id: number;
  name: string;
  categories: Categories;
  former_categories: FormerCategory[];
  identifiers: string[];
};

export const LIST = `
  li.id, li.name, li.categories, li.former_categories, li.identifiers,
  li.duplicates_match_on_phone, li.duplicates_match_on_email, li.duplicates_match_on, a.country,
  coalesce((select json_agg(${LIST_COLUMN}
            order by c.position) from list_columns c where c.account_id = li.account_id and c.list_id = li.id),
              '[]') as columns`;

const findListSql = (more = '') => `
  select ${LIST} ${more} from lists li join accounts a on a.id = li.account_id
   where li.account_id = $1 and li.id = $2 and ${seesList('li', 'id', '$3::bigint')}`;

const FIND_LIST = sql('leads/access.find_list')`${findListSql()}`;

export async function findLeadList(
  { db }: Reading,
  actor: Actor,
  id: number | undefined,
  right: Right,
): Promise<LeadList> {
  return one<LeadList>(db, FIND_LIST, [actor.account.id, id ?? 0, boundOf(actor, right)]);
}

/** The same for those who fill it: its columns stay as they are until the transaction ends. */
export async function lockLeadList(
  { db }: Work,
  actor: Actor,
  id: number | undefined,
  right: Right,
): Promise<LeadList> {
  const values = [actor.account.id, id ?? 0, boundOf(actor, right)];
  const [, list] = await Promise.all([shareShape(db, actor.account.id), one<LeadList>(db, FIND_LIST, values)]);
  return list;
}

const OF_JOB = sql('leads/access.of_job')`
  select ${LIST} from lists li join accounts a on a.id = li.account_id where li.account_id = $1 and li.id = $2`;

/** The same for what the service does to all its leads, whoever sees it. */
export const readListOfJob = ({ db }: Pick<Reading, 'db'>, accountId: number, id: number): Promise<LeadList> =>
  one<LeadList>(db, OF_JOB, [accountId, id]);

/** The same for a new lead, with its id, so that all that is written with the lead is sent at once. */
const FIND_LIST_AND_DRAW = sql('leads/access.find_list_and_draw')`
  ${findListSql(`, nextval(pg_get_serial_sequence('leads', 'id')) as lead_id`)}`;

export async function drawLead(
  { db }: Work,
  actor: Actor,
  listId: number | undefined,
  right: Right,
): Promise<LeadList & { lead_id: number }> {
  const values = [actor.account.id, listId ?? 0, boundOf(actor, right)];
  const [, list] = await Promise.all([
    shareShape(db, actor.account.id),
    one<LeadList & { lead_id: number }>(db, FIND_LIST_AND_DRAW, values),
  ]);
  return list;
}

/** A name that a category of the list had, and that is still taken for a while. */
export type FormerCategory = { kind: CategoryKind; from: string; to: string; until: string };

/** A lead as those who change it find it. */
export type LockedLead = {
  id: number;
  list_id: number;
  state: string;
  category: string | null;
  scheduled_for: Date | null;
  exactly: boolean;
  turn_at: Date;
  skipped: boolean;
  claimed_by: number | null;
  claimed_by_email: string | null;
  /** Who has it open just now. */
  held_by: number | null;
  /** Who had it open last, and has it still where nobody else took it: a page that could not say for minutes that it is there. */
  opened_by: number | null;
  held_by_email: string | null;
  categories: Categories;
  former_categories: FormerCategory[];
  country: string;
  claim_on_win: boolean;
  claim_on_schedule: boolean;
  claim_on_put_off: boolean;
};

// Rows are locked before anything is joined to them: whoever waited for the lock would join what belonged to the lead before.
export const lockSql = (alsoLocked = '', columns = '', joins = '') => `
  with l as materialized (
    select * from leads where account_id = $1 and id = $2 for no key update
  )${alsoLocked}
  select l.id, l.list_id, l.state, l.category, l.scheduled_for, l.exactly, l.turn_at, l.skipped,
    l.claimed_by, u.email as claimed_by_email, h.id as held_by, h.email as held_by_email, l.held_by as opened_by,
    li.categories, li.former_categories, a.country,
         coalesce(li.claim_on_win, a.claim_on_win) as claim_on_win,
         coalesce(li.claim_on_schedule, a.claim_on_schedule) as claim_on_schedule,
         coalesce(li.claim_on_put_off, a.claim_on_put_off) as claim_on_put_off ${columns}
    from l
    join lists li on li.account_id = l.account_id and li.id = l.list_id
    join accounts a on a.id = l.account_id
    left join users u on u.account_id = l.account_id and u.id = l.claimed_by
    left join users h on h.account_id = l.account_id and h.id = l.held_by and l.held_until > now() ${joins}
   where ${mayFinish('l', '$3::bigint')}`;

const LOCK = sql('leads/access.lock')`${lockSql()}`;

/** Locked until the transaction ends, so that changes of one lead follow each other. */
export async function lockLead({ db }: Work, actor: Actor, id: number | undefined, right: Right): Promise<LockedLead> {
  return one<LockedLead>(db, LOCK, [actor.account.id, id ?? 0, boundOf(actor, right)]);
}

/** The same with what it says: in its columns, and besides. */
export type WholeLead = LockedLead & Values & { list: LeadList; marks: string[] };

type Row = Omit<WholeLead, keyof Values> & { [part in keyof Values]: Record<string, string> };

const OPEN = sql('leads/access.open')`${lockSql(
  `, d as materialized (
    select data, hidden, marks from lead_data where account_id = $1 and lead_id = $2 for no key update
  )`,
  `, d.data, d.hidden, d.marks, (select to_json(x) from (select ${LIST}) x) as list`,
  'cross join d',
)}`;

/** Who holds a lead works it without working its list, so the list comes along with the lead, and its columns stay until the transaction ends. */
export async function lockWholeLead(
  { db }: Work,
  actor: Actor,
  id: number | undefined,
  right: Right,
): Promise<WholeLead> {
  const values = [actor.account.id, id ?? 0, boundOf(actor, right)];
  const [, lead] = await Promise.all([shareShape(db, actor.account.id), one<Row>(db, OPEN, values)]);
  return { ...lead, ...readStored(lead.list.columns, lead) };
}

/** Whoever is bound to their own lists may not act on what a colleague holds. */
export function refuseForeignClaim(actor: Actor, { claimed_by, claimed_by_email }: LockedLead, right: Right): void {
  const bound = boundOf(actor, right);
  if (bound === null || claimed_by === null || claimed_by === bound) return;
  throw conflict('lead_claimed', `${claimed_by_email} holds this lead.`);
}
