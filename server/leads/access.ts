import type { Right } from '../../contract/roles.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import type { Reading, Work } from '../platform/work.ts';
import type { Categories } from '../../contract/lists.ts';
import type { ListColumn } from '../lists/columns.ts';
import { seesList } from '../lists/people.ts';
import type { MatchingRules } from './marks.ts';

/** The lists one works, and whatever lead one holds. */
export const seesLead = (lead: string, bound: string): string =>
  `(${seesList(lead, 'list_id', bound)} or ${lead}.claimed_by = ${bound})`;

/** A list as those who write leads need it. */
export type LeadList = MatchingRules & {
  id: number;
  name: string;
  categories: Categories;
  identifiers: string[];
  columns: ListColumn[];
  country: string;
};

const LIST = `
  li.id, li.name, li.categories, li.identifiers, li.duplicates_match_on_phone, li.duplicates_match_on_email,
  li.duplicates_match_on, a.country,
  coalesce((select json_agg(json_build_object('key', c.key, 'label', c.label, 'kind', c.kind, 'required', c.required,
    'options', c.options)
            order by c.position) from list_columns c where c.account_id = li.account_id and c.list_id = li.id),
              '[]') as columns`;

const findListSql = (more = '') => `
  select ${LIST} ${more} from lists li join accounts a on a.id = li.account_id
   where li.account_id = $1 and li.id = $2 and ${seesList('li', 'id', '$3::bigint')}`;

const FIND_LIST = findListSql();

export async function findLeadList(
  { db }: Reading,
  actor: Actor,
  id: number | undefined,
  right: Right,
): Promise<LeadList> {
  return one<LeadList>(db, FIND_LIST, [actor.account.id, id ?? 0, boundOf(actor, right)]);
}

/** The same for a new lead, with its id, so that all that is written with the lead is sent at once. */
const FIND_LIST_AND_DRAW = findListSql(`, nextval(pg_get_serial_sequence('leads', 'id')) as lead_id`);

export async function drawLead(
  { db }: Reading,
  actor: Actor,
  listId: number | undefined,
  right: Right,
): Promise<LeadList & { lead_id: number }> {
  const values = [actor.account.id, listId ?? 0, boundOf(actor, right)];
  return one<LeadList & { lead_id: number }>(db, FIND_LIST_AND_DRAW, values);
}

/** A lead as those who change it find it. */
export type LockedLead = {
  id: number;
  list_id: number;
  state: string;
  category: string | null;
  scheduled_for: Date | null;
  exactly: boolean;
  turn_at: Date;
  claimed_by: number | null;
  claimed_by_email: string | null;
  /** Who has it open just now. */
  held_by: number | null;
  held_by_email: string | null;
  categories: Categories;
  country: string;
  claim_on_win: boolean;
  claim_on_schedule: boolean;
  claim_on_put_off: boolean;
};

// Rows are locked before anything is joined to them: whoever waited for the lock would join what belonged to the lead before.
const lockSql = (alsoLocked = '', columns = '', joins = '') => `
  with l as materialized (
    select * from leads where account_id = $1 and id = $2 for no key update
  )${alsoLocked}
  select l.id, l.list_id, l.state, l.category, l.scheduled_for, l.exactly, l.turn_at, l.claimed_by,
    u.email as claimed_by_email, h.id as held_by, h.email as held_by_email, li.categories, a.country,
         a.claim_on_win, a.claim_on_schedule, a.claim_on_put_off ${columns}
    from l
    join lists li on li.account_id = l.account_id and li.id = l.list_id
    join accounts a on a.id = l.account_id
    left join users u on u.account_id = l.account_id and u.id = l.claimed_by
    left join users h on h.account_id = l.account_id and h.id = l.held_by and l.held_until > now() ${joins}
   where ${seesLead('l', '$3::bigint')}`;

const LOCK = lockSql();

/** Locked until the transaction ends, so that changes of one lead follow each other. */
export async function lockLead({ db }: Work, actor: Actor, id: number | undefined, right: Right): Promise<LockedLead> {
  return one<LockedLead>(db, LOCK, [actor.account.id, id ?? 0, boundOf(actor, right)]);
}

/** The same with what it says. */
export type WholeLead = LockedLead & {
  list: LeadList;
  data: Record<string, string>;
  hidden: Record<string, string>;
  marks: string[];
};

const OPEN = lockSql(
  `, d as materialized (
    select data, hidden, marks from lead_data where account_id = $1 and lead_id = $2 for no key update
  )`,
  `, d.data, d.hidden, d.marks, (select to_json(x) from (select ${LIST}) x) as list`,
  'cross join d',
);

/** Who holds a lead works it without working its list, so the list comes along with the lead. */
export async function lockWholeLead(
  { db }: Work,
  actor: Actor,
  id: number | undefined,
  right: Right,
): Promise<WholeLead> {
  return one<WholeLead>(db, OPEN, [actor.account.id, id ?? 0, boundOf(actor, right)]);
}

/** Whoever is bound to their own lists may not act on what a colleague holds. */
export function refuseForeignClaim(actor: Actor, { claimed_by, claimed_by_email }: LockedLead, right: Right): void {
  const bound = boundOf(actor, right);
  if (bound === null || claimed_by === null || claimed_by === bound) return;
  throw conflict('lead_claimed', `${claimed_by_email} holds this lead.`);
}
