import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { request } from 'undici';
import { setUp } from '../../server/people/accounts/accounts.ts';
import { hashPassword } from '../../server/platform/passwords.ts';
import { Secrets } from '../../server/platform/secrets.ts';
import { createTransact } from '../../server/platform/work.ts';
import { consequences } from '../../server/consequences.ts';
import { atEnd, createTestDatabase } from '../database.ts';
import { holdRows } from '../held-rows.ts';
import { makeFolder, startLeadline } from '../leadline.ts';
import { openSubscriber } from '../subscriber.ts';

export const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
export const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
const SECRET_KEY = 'of the service for browser tests, 32 characters';

/** One service for a test file, as a process of its own. Every test has an account in it, which knows nothing of the others. */
export async function openService(settings: Record<string, string> = {}) {
  const { url, db, pool } = await createTestDatabase();
  const [recordings, dataDir] = [makeFolder(), makeFolder()];
  const own = { DATABASE_URL: url, SECRET_KEY, DATA_DIR: dataDir, RECORDINGS: recordings, RATE_LIMITS: 'off' };
  const env = { ...own, ...settings };
  let leadline = await startLeadline({ env });
  atEnd(() => leadline.stop());
  const { address } = leadline;
  /** As a machine does that loses its power, but for what was written. */
  const kill = async () => {
    leadline.child.kill('SIGKILL');
    await leadline.ended;
  };
  const startAgain = async () => {
    leadline = await startLeadline({ env: { ...env, PORT: new URL(address).port } });
  };
  const transact = createTransact({ db, secrets: new Secrets(SECRET_KEY), consequences });
  const owner = { email: OWNER.email, passwordHash: await hashPassword(OWNER.password) };
  let accounts = 0;

  /** Browsers find every name under localhost here; the name tells which account is meant. */
  const addAccount = async () => {
    accounts += 1;
    const { port } = new URL(address);
    const host = `account-${accounts}.localhost:${port}`;
    const apiKey = `a-key-for-the-browser-tests-0123456789-${accounts}`;
    const { account } = await transact((work) =>
      setUp(work, undefined, { name: 'Acme', baseUrl: `http://${host}`, apiKey }, owner),
    );
    const ask = async (method: string, path: string, body: unknown, headers: Record<string, string>) => {
      const answer = await request(address + path, {
        method: method as 'POST',
        headers: { host, 'content-type': 'application/json', ...headers },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answer.body.text();
      return { headers: answer.headers, body: text && JSON.parse(text) };
    };
    /** Nothing of the account in a table gets further than the condition until it is let go: each turn fails, and comes again. */
    const hold = (table: string, condition: string) => async () => {
      const name = `held_of_${account.id}`;
      await pool.query(
        `alter table ${table} add constraint ${name} check (account_id <> ${account.id} or ${condition}) not valid`,
      );
      return async () => void (await pool.query(`alter table ${table} drop constraint ${name}`));
    };
    const holdEnds = hold('carrier_reports', "key <> 'ended'");
    const holds = {
      /** No call is over, nor given up because nobody takes it. */
      holdCalls: async () => {
        const letEnd = await holdEnds();
        const givesUp = `old.account_id = ${account.id} and old.hang_up_at is null and new.ended_by = 'nobody'`;
        const letGiveUp = await holdRows(pool, 'calls', givesUp, 'return null');
        return async () => {
          await letGiveUp();
          await letEnd();
        };
      },
      /** No act on many leads does anything. */
      holdActs: hold('bulk_acts', 'position = 0'),
      /** No row of a file behind the first so many becomes a lead. */
      holdImports: (most = 0) => hold('imports', `done_to <= ${most}`)(),
      /** What follows a change of a list is not through. */
      holdJobs: hold('list_jobs', 'finished_at is null'),
    };
    return { id: account.id, address: `http://${host}`, key: apiKey, ask, holds };
  };
  return {
    address,
    recordings,
    incoming: join(dataDir, 'incoming'),
    pool,
    addAccount,
    pid: leadline.pid,
    kill,
    startAgain,
  };
}

export type Service = Awaited<ReturnType<typeof openService>>;

/** Whoever is not signed in is sent to the door, and from there to where they were going. */
export async function signInAtDoor(page: Page, address: string, path: string): Promise<void> {
  await page.goto(address + path);
  await page.getByLabel('E-mail').fill(OWNER.email);
  await page.getByLabel('Password').fill(OWNER.password);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${address}${path}`);
}

/** An account with a list, its leads and a subscriber, all through its own requests. */
export async function furnish({ addAccount, recordings }: Service) {
  const { id, address, key, ask, holds } = await addAccount();
  const api = async (method: string, path: string, body?: unknown) =>
    (await ask(method, `/api/v2${path}`, body, { authorization: `Token "${key}"` })).body;
  const list = await api('POST', '/lists', {
    list: {
      name: 'Fleet charging',
      description: `# Opening\n\nGood morning {{first_name}}, do you run {{company_name}}? ${HOSTILE}\n\n# Offer\n\nWe charge **vans**. [Click](javascript:window.hacked=1)`,
      winner_categories: 'Order, Meeting',
      call_back_categories: 'Bad time, Positive, No answer',
      loser_categories: HOSTILE.replaceAll(',', ''),
    },
  });
  const subscriber = await openSubscriber();
  await api('POST', `/lists/${list.id}/webhook`, {
    webhook: { event: 'winner', target_url: `${subscriber.url}/winner` },
  });
  const beginSession = async (path: string, body: unknown) => {
    const { headers } = await ask('POST', `/app${path}`, body, { origin: address });
    return [headers['set-cookie']].flat()[0]!.split(';', 1)[0]!;
  };
  const cookie = await beginSession('/session', OWNER);
  // Most tests are not about the door, whose forms take a page and half a second of their own.
  const enter = async (page: Page, session: string, path: string) => {
    const [name, value] = session.split('=') as [string, string];
    await page.context().addCookies([{ name, value, url: address }]);
    await page.goto(address + path);
  };
  const app = async (method: string, path: string, body?: unknown) =>
    (await ask(method, `/app${path}`, body, { cookie, origin: address })).body;
  const addLeads = async (names: string[], ending: string) => {
    for (const name of names)
      await api('POST', `/lists/${list.id}/leads`, {
        lead: { company_name: name, first_name: 'Imogen', work_office_phone: `+44207946${ending}` },
      });
  };
  /** Invited, with the link of the mail. */
  const invite = async (email: string, listing_ids: number[] = [list.id], first_name = 'Ann'): Promise<string> => {
    await api('POST', '/users', {
      accept_charge_upon_invitation_acceptance: '1',
      user: { email, first_name, listing_ids },
    });
    const mails = (await app('GET', '/outbox')) as { recipient: string; text: string }[];
    const link = /https?:\/\/\S+/.exec(mails.find(({ recipient }) => recipient === email)!.text)![0];
    const { pathname, search } = new URL(link);
    return address + pathname + search;
  };
  const accept = async (page: Page, link: string, path = '/work') => {
    const token = new URL(link).searchParams.get('token');
    await enter(page, await beginSession('/invitation', { token, password: OWNER.password }), path);
  };
  return {
    id,
    address,
    key,
    cookie,
    recordings: join(recordings, String(id)),
    api,
    app,
    list,
    subscriber,
    ...holds,
    addLeads,
    /** The owner, signed in. */
    signIn: (page: Page, path: string) => enter(page, cookie, path),
    invite,
    accept,
    /** Invited, and in. */
    join: async (page: Page, email: string, listing_ids?: number[], first_name?: string) =>
      accept(page, await invite(email, listing_ids, first_name)),
  };
}
