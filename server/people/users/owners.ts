import { paths } from '../../../contract/paths.ts';
import { Refusal } from '../../../db/refusal.ts';
import { audit } from '../../audit/audit.ts';
import { serviceActor, type Account } from '../../platform/actor.ts';
import { query } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';
import type { Transact } from '../../platform/work.ts';
import { endSessions } from '../sessions/sessions.ts';
import { chooseMeant, type Meant } from './from-shell.ts';
import { issueToken, withdrawTokens, type Recipient } from './mailed-tokens.ts';

type Owner = Recipient & { name: string; base_url: string };

const OWNERS = sql('people/users/owners.owners')`
  select u.account_id, u.id, u.email, u.email_folded, a.name, a.base_url
    from users u join accounts a on a.id = u.account_id
   where u.owner and u.disabled_at is null order by u.account_id, u.id
     for update of u`;

/**
 * For whoever has a shell on the server, when no owner can get in and no mail can be sent: a link to a new password. Whoever is signed in
 * as that owner is not any more, and earlier links end.
 */
export const resetOwner = (transact: Transact, meant: Meant) =>
  transact(async (work) => {
    const owner = chooseOwner(await query<Owner>(work.db, OWNERS, []), meant);
    const { account_id: id, name, base_url: baseUrl, email } = owner;
    const account: Account = { id, name, baseUrl };
    await withdrawTokens(work, owner);
    const token = await issueToken(work, owner, 'reset');
    await endSessions(work, account.id, owner.id);
    await audit(work, serviceActor(account, 'command line'), 'owner.reset', email);
    return { email, account, link: `${baseUrl}${paths.reset}?token=${token}` };
  });

function chooseOwner(owners: Owner[], meant: Meant): Owner {
  if (owners.length === 0)
    throw new Refusal('There is no owner yet. The log of `leadline serve` shows a link that makes one.');
  const how = 'Name one by e-mail: leadline owner reset <e-mail>, with --base-url if there are several of that.';
  return chooseMeant(owners, meant, {
    several: `There are several owners. ${how}`,
    none: `No owner is like that. ${how}`,
  });
}
