import type { Desk } from '../../contract/queue.ts';
import { DELETED_LISTS, worksList } from '../lists/people.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { writePhone } from '../platform/phones.ts';
import type { Reading } from '../platform/work.ts';

// Who holds a lead works it without working its list.
const DESK = sql('queue/desk.desk')`
  select li.id, li.name, li.description as script, li.inline_identifiers, li.categories, a.country,
    coalesce(li.caller_number, a.caller_number) as caller_number,
         json_build_object('schedule', coalesce(li.claim_on_schedule, a.claim_on_schedule),
                           'put_off', coalesce(li.claim_on_put_off, a.claim_on_put_off)) as claims,
         li.paused_at is not null or li.archived_at is not null as paused,
         coalesce((select json_agg(json_build_object('key', c.key, 'label', c.label, 'kind', c.kind, 'visible',
           c.visible, 'required', c.required, 'options', c.options)
                   order by c.position) from list_columns c where c.account_id = li.account_id and c.list_id = li.id),
                     '[]') as columns
    from lists li join accounts a on a.id = li.account_id
   where li.account_id = $1 and li.id = $2 and li.id not in ${DELETED_LISTS}
     and ($3::bigint is null or ${worksList('li', 'id', '$3::bigint')} or exists (
       select from leads l where l.account_id = li.account_id and l.claimed_by = $3::bigint and l.list_id = li.id))`;

/** What a list needs to be worked on screen: its script, its fields, its categories. */
export async function readDesk({ db }: Reading, actor: Actor, listId: number | undefined): Promise<Desk> {
  const desk = await one<Desk>(db, DESK, [actor.account.id, listId ?? 0, boundOf(actor, 'leads.read')]);
  const caller = desk.caller_number && writePhone(desk.caller_number);
  return caller ? { ...desk, caller_number: caller.number } : desk;
}
