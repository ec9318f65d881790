import type { Day, Desk } from '../../contract/queue.ts';
import { seesList } from '../lists/people.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { notFound } from '../platform/errors.ts';
import type { Reading } from '../platform/work.ts';

// Who holds a lead works it without working its list.
const DESK = `
  select li.id, li.name, li.description as script, li.inline_identifiers, li.categories,
         coalesce((select json_agg(json_build_object('key', c.key, 'label', c.label, 'kind', c.kind, 'visible', c.visible, 'required', c.required, 'options', c.options)
                   order by c.position) from list_columns c where c.account_id = li.account_id and c.list_id = li.id), '[]') as columns
    from lists li
   where li.account_id = $1 and li.id = $2
     and (${seesList('li', 'id', '$3::bigint')} or exists (
       select from leads l where l.account_id = li.account_id and l.claimed_by = $3::bigint and l.list_id = li.id))`;

/** What a list needs to be worked on screen: its script, its fields, its categories. */
export async function readDesk({ db }: Reading, actor: Actor, listId: number | undefined): Promise<Desk> {
  const [desk] = await query<Desk>(db, DESK, [actor.account.id, listId ?? 0, boundOf(actor, 'leads.read')]);
  if (!desk) throw notFound();
  return desk;
}

const DAY = `
  select (select count(*) from calls c where c.account_id = $1 and c.user_id = $2 and c.started_at >= d.begins and c.direction <> 'inbound') as calls,
         count(*) filter (where e.kind in ('winner', 'loser', 'archive', 'call_back')) as outcomes,
         count(*) filter (where e.kind = 'winner') as won
    from (select date_trunc('day', now() at time zone a.time_zone) at time zone a.time_zone as begins from accounts a where a.id = $1) d
    left join events e on e.account_id = $1 and e.user_id = $2 and e.created_at >= d.begins
   group by d.begins`;

/** What someone has done since midnight, in the account's time zone. */
export async function readDay({ db }: Reading, actor: Actor): Promise<Day> {
  const [day] = await query<Day>(db, DAY, [actor.account.id, actor.user!.id]);
  return day!;
}
