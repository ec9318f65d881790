import type { Static } from 'typebox';
import type { NewView, View, ViewChange } from '../../contract/lead-table.ts';
import { nameOf } from '../../contract/names.ts';
import { scopeOf } from '../../contract/roles.ts';
import type { Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { conflict, forbidden } from '../platform/errors.ts';
import { invalid } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import type { Reading, Work } from '../platform/work.ts';

/** Views of the table of leads: one's own, and those that others share. What a view shows is read like what an address asks for, when it is opened. */

/** Of one person. */
const MOST_VIEWS = 100;
/** As JSON: twenty tokens of a hundred long values would be a megabyte. */
const LARGEST = 20_000;

const COLUMNS = `
  v.id, v.name, v.shared, v.user_id = $2 as own, u.disabled_at is not null as left, v.shows,
  u.first_name, u.last_name, u.email`;

type Row = Omit<View, 'by'> & { first_name: string; last_name: string; email: string };
const toView = ({ first_name, last_name, email, ...view }: Row): View => ({
  ...view,
  by: nameOf({ first_name, last_name, email }),
});

const LISTED = sql('filters/views.list')`
  select ${COLUMNS}
    from lead_views v join users u on u.account_id = v.account_id and u.id = v.user_id
   where v.account_id = $1 and (v.user_id = $2 or v.shared)
   order by v.user_id <> $2, lower(v.name), v.id limit 500`;

export const listViews = async ({ db }: Reading, actor: Actor): Promise<View[]> =>
  (await query<Row>(db, LISTED, own(actor))).map(toView);

const own = (actor: Actor) => [actor.account.id, actor.user?.id ?? 0];

// Two that are saved at once wait for each other here, or both would be the last.
const COUNT = sql('filters/views.count')`
  select count(v.id) as views from (select id from users where account_id = $1 and id = $2 for no key update) u
    left join lead_views v on v.account_id = $1 and v.user_id = u.id`;

const ADD = sql('filters/views.add')`
  with v as (
    insert into lead_views (account_id, user_id, name, shared, shows) values ($1, $2, $3, $4, $5) returning *
  )
  select ${COLUMNS} from v join users u on u.account_id = v.account_id and u.id = v.user_id`;

export async function addView(
  work: Work,
  actor: Actor,
  { name, shared = false, shows }: Static<typeof NewView>['view'],
): Promise<View> {
  refuseSharing(actor, shared);
  const { views } = await one<{ views: number }>(work.db, COUNT, own(actor));
  if (views >= MOST_VIEWS)
    throw conflict('too_many_views', `You have ${MOST_VIEWS} views already. Delete one that you do not need any more.`);
  return toView(await one<Row>(work.db, ADD, [...own(actor), nameFrom(name), shared, textOf(shows)]));
}

// Of those who left, what they shared would stay for good: whoever may share looks after it.
const TENDED = `
  account_id = $1 and id = $3 and (user_id = $2 or $4::boolean and shared and exists (
    select from users u where u.account_id = $1 and u.id = lead_views.user_id and u.disabled_at is not null))`;

const tending = (actor: Actor, id: number | undefined) => [...own(actor), id ?? 0, mayShare(actor)];

const CHANGE = sql('filters/views.change')`
  with v as (
    update lead_views set name = coalesce($5, name), shared = coalesce($6, shared), shows = coalesce($7, shows),
           changed_at = now()
     where ${TENDED} returning *
  )
  select ${COLUMNS} from v join users u on u.account_id = v.account_id and u.id = v.user_id`;

/** Those of others are there to be looked at. */
export async function changeView(
  work: Work,
  actor: Actor,
  id: number | undefined,
  read: () => Static<typeof ViewChange>['view'],
): Promise<View> {
  await one(work.db, HOLD, tending(actor, id));
  const { name, shared, shows } = read();
  refuseSharing(actor, shared ?? false);
  const changed = await one<Row>(work.db, CHANGE, [
    ...tending(actor, id),
    name === undefined ? null : nameFrom(name),
    shared ?? null,
    shows ? textOf(shows) : null,
  ]);
  return toView(changed);
}

const HOLD = sql('filters/views.hold')`select id from lead_views where ${TENDED} for no key update`;
const REMOVE = sql('filters/views.remove')`delete from lead_views where ${TENDED} returning id`;

export async function removeView(work: Work, actor: Actor, id: number | undefined): Promise<void> {
  await one(work.db, REMOVE, tending(actor, id));
}

const mayShare = ({ roles }: Actor): boolean => scopeOf(roles, 'leads.bulk') === 'account';

function refuseSharing(actor: Actor, shared: boolean): void {
  if (shared && !mayShare(actor)) throw forbidden('Only data managers and supervisors share views.');
}

function nameFrom(given: string): string {
  const name = given.trim();
  if (name === '') throw invalid({ name: ['must not be empty'] });
  return name;
}

function textOf(shows: View['shows']): string {
  const text = JSON.stringify(shows);
  if (text.length > LARGEST) throw invalid({ shows: ['is too long: name fewer values in its filter'] });
  return text;
}
