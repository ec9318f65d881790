import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Refusal } from '../../db/refusal.ts';
import { changeAccount, hasOwner, lockAccount, lockFirstRun, setUp, UNNAMED } from '../people/accounts/accounts.ts';
import { findAccount, findAccountById } from '../people/accounts/find.ts';
import type { Config } from '../config.ts';
import { readKey } from '../people/keys/keys.ts';
import { lockLeadList } from '../leads/access.ts';
import { loadLeads } from '../leads/load.ts';
import { createList } from '../lists/lists.ts';
import { serviceActor, type Account, type Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { conflict } from '../platform/errors.ts';
import type { Job } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import { hashPassword } from '../platform/passwords.ts';
import type { Reading, Transact, Work } from '../platform/work.ts';
import { openIncoming } from '../recordings/incoming.ts';
import { noteRecording } from '../recordings/recordings.ts';
import { writeRecording } from '../telephony/simulated/speech.ts';
import { admitUser } from '../people/users/mailed-tokens.ts';
import { createUser, listPeople } from '../people/users/users.ts';
import { liveThroughMonth } from './month.ts';
import { CALLER_NUMBER, CATEGORIES, COMPANY, inventLeads, LISTS, scriptOf, STAFF } from './people.ts';
import { createDice } from './dice.ts';

export type Demo = {
  account: string;
  baseUrl: string;
  key: string;
  email: string;
  password: string;
  list: number;
  lead: number;
  answered: number;
  unanswered: number;
};

/** Fills an installation without lists: people, lists, leads, and a month in which they were called. */
export async function fillDemo(
  { transact, db, secrets, incoming }: Reading & { transact: Transact; incoming: string },
  config: Config,
  say: (sentence: string) => void,
  given?: Account,
): Promise<Demo> {
  const password = randomBytes(9).toString('base64url');
  const hash = await hashPassword(password);
  // Whole or not at all: a half made one would be in the way of the next.
  const { account, agents, lists, examples } = await transact(async (work) => {
    const dice = createDice(4711);
    await (given ? lockAccount(work, given) : lockFirstRun(work));
    const opened = await openAccount(work, config, hash, given);
    const by = serviceActor(opened, 'command line');
    await employ(work, by, hash);
    await changeAccount(work, by, { caller_number: CALLER_NUMBER, caller_name: opened.name });
    const made: number[] = [];
    for (const list of LISTS) made.push(await makeList(work, by, list));
    say('People and lists are there; now the leads.');
    for (const [index, { country, leads }] of LISTS.entries())
      await loadLeads(
        work,
        by,
        await lockLeadList(work, by, made[index], 'leads.write'),
        inventLeads(country, leads, dice),
      );
    say('Now a month of calls.');
    const staff = await agentsOf(work, by);
    return { account: opened, agents: staff, lists: made, examples: await liveThroughMonth(work, by, staff, dice) };
  });
  const actor = serviceActor(account, 'command line');
  await recordSome(transact, actor, openIncoming(incoming).path, examples.answered);
  // So much at once: nobody waits for the database to notice by itself how much there is now.
  await query(db, ANALYZE, []);
  const isOwned = (await listPeople({ db, secrets }, actor)).some(({ email }) => email === STAFF[0].email);
  const key = (await readKey({ db, secrets }, { accountId: account.id, userId: null })) ?? '';
  return {
    account: account.name,
    baseUrl: account.baseUrl,
    key,
    email: isOwned ? STAFF[0].email : agents[0]!.user!.email,
    password,
    list: lists[0]!,
    ...examples,
  };
}

const ANALYZE = sql('demo/demo.analyze')`analyze`;

const ANY_LIST = sql('demo/demo.any_list')`select id from lists where account_id = $1 limit 1`;

async function hasLists({ db }: Work, { id }: Account): Promise<boolean> {
  return (await query(db, ANY_LIST, [id])).length > 0;
}

const JOB = 'fill-demo';

/** For an owner who would rather look around first. It takes a while, so it is done in the background. */
export async function wantDemo(work: Work, { account }: Actor): Promise<void> {
  if (await hasLists(work, account))
    throw conflict('not_empty', 'There are lists here already. A demo needs an empty account.');
  await work.enqueue(JOB, { accountId: account.id });
}

export const fillDemoJob = (
  household: Parameters<typeof fillDemo>[0],
  config: Config,
  log: Log,
): Job<{ accountId: number }> => ({
  name: JOB,
  async run({ accountId }) {
    try {
      await fillDemo(household, config, () => {}, await findAccountById(household, accountId));
    } catch (error) {
      // Asked for twice: what is there stays.
      if (!(error instanceof Refusal)) throw error;
      log.info(error.message);
    }
  },
});

const RECORDED = 12;

type Talk = { id: number; answered_at: Date | null; seconds: number; voicemail: boolean };

const TALKS = sql('demo/demo.talks')`
  select id, answered_at, extract(epoch from ended_at - answered_at)::float8 as seconds,
         disposition = 'voicemail' as voicemail
    from calls where account_id = $1 and answered_at is not null
   order by id <> $2, ended_at - answered_at limit ${RECORDED}`;

/** A few short calls can be listened to. Whoever looks after the line stores what is written here. */
async function recordSome(transact: Transact, actor: Actor, folder: string, example: number): Promise<void> {
  const calls = await transact((work) => query<Talk>(work.db, TALKS, [actor.account.id, example]));
  for (const { id, answered_at: at, seconds, voicemail } of calls) {
    const file = join(folder, `demo-${id}.wav`);
    await writeRecording(file, { seconds, voicemail, seed: id });
    await transact((work) => noteRecording(work, actor.account.id, id, { part: '1', at: at!, file }));
  }
}

async function openAccount(
  work: Work,
  { baseUrl, accountApiKey }: Config,
  passwordHash: string,
  given: Account | undefined,
): Promise<Account> {
  const existing = given ?? (await findAccount(work, ''));
  if (existing) {
    if (await hasLists(work, existing))
      throw new Refusal('There are lists here already. Set DATA_DIR to a new folder for a demo.');
    if (await hasOwner(work.db, existing)) return nameAccount(work, existing);
  }
  const { email, first_name: firstName, last_name: lastName } = STAFF[0];
  const named = { name: COMPANY, baseUrl, ...(accountApiKey && { apiKey: accountApiKey }) };
  return (await setUp(work, existing, named, { email, passwordHash, firstName, lastName })).account;
}

/** One that its owner has named keeps its name. */
async function nameAccount(work: Work, account: Account): Promise<Account> {
  if (account.name !== UNNAMED) return account;
  await changeAccount(work, serviceActor(account, 'command line'), { name: COMPANY });
  return { ...account, name: COMPANY };
}

async function employ(work: Work, actor: Actor, hash: string): Promise<void> {
  const taken = new Set((await listPeople(work, actor)).map(({ email }) => email));
  for (const { role, ...person } of STAFF) {
    // The account has an owner by now.
    if (role === 'owner' || taken.has(person.email)) continue;
    const roles = { agent: role === 'agent', lists_admin: role === 'lists_admin', supervisor: role === 'supervisor' };
    await admitUser(work, await createUser(work, actor, { ...person, ...roles }), hash);
  }
}

async function makeList(work: Work, actor: Actor, { name, purpose, extra }: (typeof LISTS)[number]): Promise<number> {
  const agents = (await agentsOf(work, actor)).map(({ user }) => user!.id);
  const columns_attributes = extra as never;
  const list = {
    name,
    purpose,
    ...CATEGORIES,
    description: scriptOf(actor.account.name),
    lock_on_defaults: true,
    columns_attributes,
    user_ids: agents,
  };
  return (await createList(work, actor, list)).id;
}

/** As they act from the web application. */
async function agentsOf(reading: Reading, actor: Actor): Promise<Actor[]> {
  const people = await listPeople(reading, actor);
  return people
    .filter(({ agent, owner }) => agent && !owner)
    .map(({ id, email, ...roles }) => ({
      account: actor.account,
      user: { id, email },
      roles,
      via: 'app',
      address: '',
      name: email,
    }));
}
