import { DIRECTIONS, DISPOSITIONS, type Direction, type Disposition } from '../../contract/calls.ts';
import { findLead } from '../leads/read.ts';
import { findList } from '../lists/lists.ts';
import { DELETED_LISTS } from '../lists/people.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one, query, type Statement } from '../platform/db.ts';
import { MOST_COUNTED, reachOf, readMark, readTotal, writeMark, type Page } from '../platform/paging.ts';
import { invalid, named, readMoment } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';
import { readCalls, seesCall } from './calls.ts';

/*
 * The calls that someone asks for, newest first. Whatever is asked, an index has it in that order, in one stretch or in a few: of the account
 * or a list one for each direction and disposition, of a person one, of those who see only some calls one for each reason why. A page is
 * the newest of their newest.
 */

export type Asked = {
  since?: string;
  until?: string;
  /** Id or e-mail. */
  user?: string;
  list?: number;
  lead_id?: number;
  direction?: Direction;
  disposition?: Disposition;
};

/** Which part of a stretch: `$1` account, `$2` directions, `$3` dispositions, `$4` since; what `scopes` need comes after `$9`. */
type Part = { upTo: string; limit: string };
const ON_PAGE: Part = { upTo: '(c.started_at, c.id) < ($5, $6)', limit: '$8::bigint + $9::bigint' };
const COUNTED: Part = { upTo: 'c.started_at < $7', limit: String(MOST_COUNTED + 1) };

const newest = ({ upTo, limit }: Part, which: string) => `
  select c.id, c.started_at from calls c
   where c.account_id = $1 and ${which} and c.started_at >= $4 and ${upTo}
   order by c.started_at desc, c.id desc limit ${limit}`;

/** Of an index that goes on by direction and disposition. Calls that have none are under way, and so are few. */
const newestOfKinds = (part: Part, which: string) => `
  select each.* from unnest($2::text[]) as d (direction)
   cross join lateral (
     (select ended.* from unnest($3::text[]) as s (disposition)
       cross join lateral (${newest(
         part,
         `${which} and c.direction = d.direction and c.disposition = s.disposition`,
       )}) ended)
     union all
     (${newest(
       part,
       `${which} and c.direction = d.direction and c.disposition is null
        and array_position($3::text[], null) is not null`,
     )})) each`;

// Not by `= any`, for which another index might be taken.
const IS_OF_KIND = `array_position($2::text[], c.direction) is not null
  and array_position($3::text[], c.disposition) is not null`;

/** Of all leads that someone holds. */
const newestOfHeld = ({ upTo, limit }: Part, holder: string, which: string) => `
  select c.id, c.started_at
    from (select l.id from leads l
           where l.account_id = $1 and l.claimed_by = ${holder} and l.list_id not in ${DELETED_LISTS} offset 0) held
   cross join lateral (select * from calls c where c.account_id = $1 and c.lead_id = held.id offset 0) c
   where c.started_at >= $4 and ${upTo} and ${IS_OF_KIND} and ${which}
   order by c.started_at desc, c.id desc limit ${limit}`;

type Scope = (part: Part) => string[];

const WHOLE: Scope = (part) => [newestOfKinds(part, 'true')];
const OF_LIST: Scope = (part) => [newestOfKinds(part, 'c.list_id = $10')];
const OF_LEAD: Scope = (part) => [
  newest(
    part,
    `c.lead_id = $10 and ${IS_OF_KIND} and ${seesCall('c', '$11::bigint')}
       and ($12::bigint is null or c.list_id = $12) and ($13::bigint is null or ${isOf('$13')})`,
  ),
];
const OF_USER: Scope = (part) => {
  const seen = `${seesCall('c', '$11::bigint')} and ($12::bigint is null or c.list_id = $12)`;
  return [
    newest(part, `c.user_id = $10 and ${IS_OF_KIND} and ${seen}`),
    newestOfHeld(part, '$10', `c.user_id is null and ${seen}`),
  ];
};
/** What is seen by those who see only some: their own calls, those that were for them, and those of the lists they work and the leads they hold. */
const OF_BOUND: Scope = (part) => [
  newest(part, `c.user_id = $10 and ${IS_OF_KIND}`),
  newest(part, `c.offered_to = $10 and ${IS_OF_KIND}`),
  `select each.* from (select p.list_id from list_people p
     where p.account_id = $1 and p.user_id = $10 and p.list_id not in ${DELETED_LISTS} offset 0) p
    cross join lateral (${newestOfKinds(part, 'c.list_id = p.list_id')}) each`,
  newestOfHeld(part, '$10', 'true'),
];

/** As a call tells it: whoever made or answered it, else whoever holds its lead. */
const isOf = (user: string) => `(c.user_id = ${user} or (c.user_id is null and (
  select l.claimed_by = ${user} from leads l
   where l.account_id = c.account_id and l.id = c.lead_id and l.list_id not in ${DELETED_LISTS})))`;

const findSql = (scope: Scope) => `
  select coalesce(array_agg(p.id order by p.started_at desc, p.id desc), '{}') as ids, min(p.started_at) as at,
         (${countSql(scope(COUNTED))}) as counted
    from (select id, started_at from (${stretches(scope(ON_PAGE), 'union')}) found
           order by started_at desc, id desc limit $8 offset $9) p`;

// A call can be in each stretch once, so among so many rows there are more different ones than are counted.
const countSql = (texts: string[]) => `
  select count(distinct id) from (
    select id from (${stretches(texts, 'union all')}) each limit ${texts.length * MOST_COUNTED + 1}) counted`;

const stretches = (texts: string[], by: string) => texts.map((text) => `(${text})`).join(` ${by} `);

const FIND_WHOLE = sql('calls/log.find_whole')`${findSql(WHOLE)}`;
const FIND_OF_LIST = sql('calls/log.find_of_list')`${findSql(OF_LIST)}`;
const FIND_OF_LEAD = sql('calls/log.find_of_lead')`${findSql(OF_LEAD)}`;
const FIND_OF_USER = sql('calls/log.find_of_user')`${findSql(OF_USER)}`;
const FIND_OF_BOUND = sql('calls/log.find_of_bound')`${findSql(OF_BOUND)}`;

type Found = { ids: number[]; at: Date | null; counted: number };

export async function listCalls(reading: Reading, actor: Actor, asked: Asked, page: Page) {
  const [from, to] = readSpan(asked);
  const scope = await findScope(reading, actor, asked);
  const mark = page.after === undefined ? undefined : readMark(page.after);
  // One bound alone: with two the index may be entered at the later one. No call has the id 0, so those of that moment are not before it.
  const before = mark && (to === undefined || mark.at < to) ? mark : { at: to ?? 'infinity', id: 0 };
  const { size, offset } = reachOf(page);
  const { ids, at, counted } = await one<Found>(reading.db, scope.text, [
    actor.account.id,
    asked.direction ? [asked.direction] : DIRECTIONS,
    asked.disposition ? [asked.disposition] : [...DISPOSITIONS, null],
    from ?? '-infinity',
    before.at,
    before.id,
    to ?? 'infinity',
    size,
    offset,
    ...scope.values,
  ]);
  const total = readTotal(page, counted);
  const byId = new Map((await readCalls(reading, actor, ids)).map((call) => [call.id, call]));
  const isFull = ids.length > 0 && ids.length === page.size;
  return {
    calls: ids.flatMap((id) => byId.get(id) ?? []),
    total,
    end: isFull ? writeMark({ at: at!, id: ids.at(-1)! }) : undefined,
  };
}

function readSpan({ since, until }: Asked): [since: Date | undefined, until: Date | undefined] {
  const [from, to] = [since && readMoment('since', since), until && readMoment('until', until)];
  if (from && to && from > to) throw invalid({ since: ['must not be after until'] });
  return [from || undefined, to || undefined];
}

/** Where to look, by what narrows it down most. */
async function findScope(reading: Reading, actor: Actor, { user, list, lead_id }: Asked): Promise<Statement<Found>> {
  const bound = boundOf(actor, 'calls.read');
  const [userId, listId, leadId] = await Promise.all([
    user === undefined ? null : findUserId(reading, actor, user),
    list === undefined ? null : findListId(reading, actor, list),
    lead_id === undefined
      ? null
      : named('lead_id', 'names no lead that you may see', findLead(reading, actor, lead_id, 'calls.read')),
  ]);
  if (leadId !== null) return { text: FIND_OF_LEAD, values: [leadId, bound, listId, userId] };
  if (userId !== null) return { text: FIND_OF_USER, values: [userId, bound, listId] };
  // Whoever may name a list sees all of it.
  if (listId !== null) return { text: FIND_OF_LIST, values: [listId] };
  return bound === null ? { text: FIND_WHOLE, values: [] } : { text: FIND_OF_BOUND, values: [bound] };
}

const findListId = async (reading: Reading, actor: Actor, id: number): Promise<number> =>
  (await named('list', 'names no list that you may see', findList(reading, actor, id, 'calls.read'))).id;

const USER = sql('calls/log.user')`
  select id from users where account_id = $1 and (id = $2 or ($2::bigint is null and email_folded = $3))`;

/** Disabled ones too: their calls are still there. */
async function findUserId({ db }: Reading, actor: Actor, given: string): Promise<number> {
  const text = given.trim();
  const id = /^\d{1,15}$/.test(text) ? Number(text) : null;
  const [found] = await query<{ id: number }>(db, USER, [actor.account.id, id, text.toLowerCase()]);
  if (!found) throw invalid({ user: ['must be the id or e-mail of a user'] });
  return found.id;
}
