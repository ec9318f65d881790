import { scopeOf } from '../../contract/roles.ts';
import { Refusal } from '../../db/refusal.ts';
import { findLeadList } from '../leads/access.ts';
import type { ListColumn } from '../lists/columns.ts';
import { listLists } from '../lists/lists.ts';
import { findWho, type Meant } from '../people/users/from-shell.ts';
import { findActor } from '../people/users/users.ts';
import type { Account, Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';

/** What whoever has a shell names, instead of choosing it on a page. */

const OWNER = sql('imports/from-shell.owner')`
  select id from users where account_id = $1 and owner and disabled_at is null order by id limit 1`;

/** On whose behalf: the first owner of the account, or whoever is named. */
export async function findImporter(reading: Reading, meant: Meant): Promise<Actor> {
  const who = await findWho(reading, meant);
  const actor = who.user ? who : await findOwner(reading, who.account);
  if (scopeOf(actor.roles, 'leads.import') !== 'account')
    throw new Refusal(`The role of ${actor.name} does not allow imports.`);
  return actor;
}

async function findOwner(reading: Reading, account: Account): Promise<Actor> {
  const [owner] = await query<{ id: number }>(reading.db, OWNER, [account.id]);
  if (owner) return findActor(reading, account.id, owner.id, 'service');
  throw new Refusal(
    `${nameAccount(account)} has no owner yet. The log of \`leadline serve\` shows a link that makes one of the first ` +
      'account; of another, `leadline account add` does.',
  );
}

/** Several may have one name. */
export const nameAccount = ({ name, baseUrl }: Account): string => `${name} at ${baseUrl}`;

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
