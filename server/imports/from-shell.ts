import { scopeOf } from '../../contract/roles.ts';
import { Refusal } from '../../db/refusal.ts';
import { findLeadList } from '../leads/access.ts';
import type { ListColumn } from '../lists/columns.ts';
import { listLists } from '../lists/lists.ts';
import { findActor } from '../people/users/users.ts';
import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';

/** What whoever has a shell names, instead of choosing it on a page. */

const IMPORTERS = sql('imports/from-shell.importers')`
  select u.account_id, u.id from users u
   where u.disabled_at is null and case when $1::text is null then u.owner else u.email_folded = $1 end
   order by u.account_id, u.id limit 1`;

/** On whose behalf: the first owner, or whoever is named. */
export async function findImporter(reading: Reading, email: string | undefined): Promise<Actor> {
  const typed = email?.trim().toLowerCase() ?? null;
  const [found] = await query<{ account_id: number; id: number }>(reading.db, IMPORTERS, [typed]);
  if (!found)
    throw new Refusal(
      email === undefined
        ? 'There is no owner yet. The log of `leadline serve` shows a link that makes one.'
        : `Nobody here has the address ${email}.`,
    );
  const actor = await findActor(reading, found.account_id, found.id, 'service');
  if (scopeOf(actor.roles, 'leads.import') !== 'account')
    throw new Refusal(`The role of ${actor.name} does not allow imports.`);
  return actor;
}

export type NamedList = { id: number; name: string; fields: ListColumn[] };

/** By its name, or by its id where none is called so. */
export async function findListNamed(reading: Reading, actor: Actor, given: string): Promise<NamedList> {
  const lists = await listLists(reading, actor, false);
  const folded = given.trim().toLowerCase();
  const called = lists.filter(({ name }) => name.trim().toLowerCase() === folded);
  const meant = called.length > 0 ? called : lists.filter(({ id }) => String(id) === given.trim());
  const [first, ...others] = meant;
  if (first && others.length === 0) {
    const { id, name, columns } = await findLeadList(reading, actor, first.id, 'leads.import');
    return { id, name, fields: columns };
  }
  const told = (first ? meant : lists.slice(0, 20)).map(({ id, name }) => `  ${id}  ${name}`);
  throw new Refusal(
    [
      first ? `Several lists are called ${given}. Name one by its id:` : `No list is called ${given}. There are:`,
      ...told,
    ].join('\n'),
  );
}
