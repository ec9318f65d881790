import { Refusal } from '../../../db/refusal.ts';
import { serviceActor, type Account, type Actor } from '../../platform/actor.ts';
import { query } from '../../platform/db.ts';
import { readOrigin } from '../../platform/origin.ts';
import { sql } from '../../platform/sql.ts';
import type { Reading } from '../../platform/work.ts';
import { findAccount } from '../accounts/find.ts';
import { findActor } from './users.ts';

/** Whom and which account somebody with a shell means: found in the same way by every command. */
export type Meant = { email?: string | undefined; baseUrl?: string | undefined };

/** A person with the name and the address of their account. */
type Candidate = { email: string; email_folded: string; name: string; base_url: string };

const PEOPLE = sql('people/users/from-shell.people')`
  select u.account_id, u.id, u.email, u.email_folded, a.name, a.base_url
    from users u join accounts a on a.id = u.account_id
   where u.email_folded = $1 and u.disabled_at is null order by u.account_id, u.id`;

/**
 * The command line itself, in the account at that address or else in the first; in someone's name, them. Their account need not be named
 * where they are in no other.
 */
export async function findWho(reading: Reading, meant: Meant): Promise<Actor> {
  const account = await findMeantAccount(reading, meant.baseUrl);
  if (meant.email === undefined) return serviceActor(account, 'command line');
  const people = await query<Candidate & { account_id: number; id: number }>(reading.db, PEOPLE, [fold(meant.email)]);
  const { account_id, id } = chooseMeant(people, meant, {
    several: `${meant.email} is in several accounts. Say which, with --base-url:`,
    none: `Nobody ${people.length > 0 ? 'there' : 'here'} is ${meant.email}.`,
  });
  return findActor(reading, account_id, id, 'service');
}

async function findMeantAccount(reading: Reading, baseUrl: string | undefined): Promise<Account> {
  const origin = readBaseUrl(baseUrl);
  const account = await findAccount(reading, origin ? new URL(origin).host : '');
  if (account && (!origin || account.baseUrl === origin)) return account;
  throw new Refusal(origin ? `No account answers at ${origin}.` : 'There is no account yet.');
}

/** The one who is meant. Of several nobody is taken: they are told, with their accounts. */
export function chooseMeant<Person extends Candidate>(
  people: Person[],
  { email, baseUrl }: Meant,
  fault: { several: string; none: string },
): Person {
  const origin = readBaseUrl(baseUrl);
  const found = people.filter(
    (one) =>
      (email === undefined || one.email_folded === fold(email)) && (origin === undefined || one.base_url === origin),
  );
  const [first, ...others] = found;
  if (first && others.length === 0) return first;
  const listed = (first ? found : people).map((one) => `  ${one.email}  ${one.base_url}  ${one.name}`);
  throw new Refusal([first ? fault.several : fault.none, ...listed].join('\n'));
}

const fold = (email: string): string => email.trim().toLowerCase();

function readBaseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const origin = readOrigin(text);
  if (!origin) throw new Refusal('--base-url is no address such as https://acme.example.com');
  return origin;
}
