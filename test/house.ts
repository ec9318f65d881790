import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createAccount, setUp } from '../server/people/accounts/accounts.ts';
import { buildApp } from '../server/app.ts';
import { readConfig, type Environment } from '../server/config.ts';
import { readKey } from '../server/people/keys/keys.ts';
import { listMails } from '../server/mails/mails.ts';
import { serviceActor, type Account } from '../server/platform/actor.ts';
import { startJobs } from '../server/platform/jobs.ts';
import { createLog } from '../server/platform/log.ts';
import { hashPassword } from '../server/platform/passwords.ts';
import { Secrets } from '../server/platform/secrets.ts';
import { createPools, endPools } from '../server/platform/pool.ts';
import { openWays, type Nudged } from '../server/platform/work.ts';
import { atEnd, createTestDatabase } from './database.ts';
import { describedBy, type DescribedRoute } from './described.ts';
import { consequences } from '../server/consequences.ts';
import type { Switchboard } from '../server/calls/switchboard.ts';
import { joinNodes } from '../server/platform/nodes.ts';
import { openIncoming } from '../server/recordings/incoming.ts';
import { openStore } from '../server/recordings/open.ts';
import { giveTurns, listJobs, startDeliveries, startLine } from '../server/worker.ts';
import { DATABASE_PATIENCE, eventually, makeFolder } from './leadline.ts';

export const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };

export type Answer = { status: number; headers: Headers; body: any };
export type Ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** The whole service on a database of its own, over real HTTP, with one account, its owner and its key. */
export async function openHouse(environment: Environment = { RATE_LIMITS: 'off' }) {
  const { url, pool, db } = await createTestDatabase();
  const log = createLog('silent');
  const config = readConfig({ BASE_URL: 'http://localhost', ...environment });
  const secrets = new Secrets('for tests alone');
  const pools = createPools(url, { log, patience: DATABASE_PATIENCE });
  atEnd(() => endPools(pools));
  const jobs = await startJobs(pools.background, log);
  atEnd(() => jobs.stop());
  let line: Switchboard | undefined;
  const nudge = (what: Nudged) => (what === 'line' ? line?.nudge() : turns.nudge(what));
  const ways = openWays(pools, { secrets, consequences, boss: jobs.boss, nudge });
  const { transact } = ways.background;
  const recordings = { folder: makeFolder() };
  const store = openStore(recordings);
  const turns = giveTurns({ db, secrets, transact, config, log });
  atEnd(() => turns.stop());
  const incoming = openIncoming(resolve(recordings.folder, 'incoming'));
  const node = await joinNodes(db, 'serve', log, incoming.id);
  atEnd(() => node.leave());
  await jobs.work(listJobs({ db, secrets, transact, config, store, incoming: incoming.path, log }));
  atEnd(startDeliveries({ db, secrets, config, log, node }));
  const routes: (DescribedRoute & { right: string | undefined; repeatable: boolean | undefined })[] = [];

  const open = async (): Promise<{ app: FastifyInstance; address: string }> => {
    const app = buildApp({ config, pools, ways, pulse: { fault: () => undefined }, store, node, log });
    app.addHook('onRoute', ({ method, url: path, config: own, schema }) => {
      const responses = (schema?.response ?? {}) as DescribedRoute['responses'];
      for (const one of [method].flat())
        routes.push({ method: one, url: path, right: own?.right, repeatable: own?.repeatable, responses });
    });
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    atEnd(() => app.close());
    return { app, address };
  };
  const { app, address } = await open();
  const expectDescribed = describedBy(async () => (await send(`${address}/api/v2/openapi.json`, 'GET')).body, routes);
  const reading = { db, secrets };
  const owner = { email: OWNER.email, passwordHash: await hashPassword(OWNER.password) };
  const { account } = await transact((work) =>
    setUp(work, undefined, { name: 'Acme', baseUrl: 'http://acme.example.com' }, owner),
  );
  const key = (await readKey(reading, { accountId: account.id, userId: null }))!;

  /** The line, for those tests that need it: what is written down as a call is then dialled. `elsewhere`: by another node than the one that is asked. */
  const openLine = async ({ elsewhere = false } = {}): Promise<Switchboard> => {
    // Another node is told of nothing; it looks.
    const holder = elsewhere ? await joinNodes(db, 'serve', log, incoming.id) : node;
    const opened = startLine({
      role: 'serve',
      db,
      transact,
      store,
      log,
      node: holder,
      carrier: config.carrier,
      media: config.media,
      incoming,
    });
    atEnd(async () => {
      await opened.stop();
      if (elsewhere) await holder.leave();
    });
    if (!elsewhere) line = opened;
    return opened;
  };

  /** A client with a key. Every answer is held against the service's own description. */
  const withKey =
    (own: string, at = address): Ask =>
    async (method, path, body, headers = {}) => {
      const answer = await send(`${at}/api/v2${path}`, method, body, { authorization: `Token "${own}"`, ...headers });
      await expectDescribed(method, `/api/v2${path}`, answer);
      return answer;
    };

  /** A browser that is signed in. */
  const signIn = async (email: string, password: string): Promise<Ask> => {
    const answer = await send(`${address}/app/session`, 'POST', { email, password }, { origin: address });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return withCookie(answer);
  };
  const withCookie = ({ headers: given }: Answer): Ask => {
    const cookie = cookieIn({ headers: given });
    return async (method, path, body, headers = {}) => {
      const answer = await send(`${address}/app${path}`, method, body, { cookie, origin: address, ...headers });
      await expectDescribed(method, `/app${path}`, answer);
      return answer;
    };
  };

  /** The token in the newest mail to someone. */
  const tokenIn = async (recipient: string, path: string): Promise<string | undefined> => {
    const mails = await listMails(reading, serviceActor(account, 'test'));
    const mail = mails.find(({ recipient: to, text }) => to === recipient && text.includes(path));
    return mail && /token=([\w-]+)/.exec(mail.text)![1]!;
  };
  const tokenFor = async (recipient: string): Promise<string> =>
    (await resetTokenFor(recipient)) ?? (await tokenIn(recipient, '/accept?'))!;
  /** Mailed by a job, so it may take a moment. */
  const resetTokenFor = (recipient: string) => tokenIn(recipient, '/reset?');

  const invite = (user: Record<string, unknown>) =>
    withKey(key)('POST', '/users', { accept_charge_upon_invitation_acceptance: '1', user });

  /** Invited, accepted, signed in, with their personal key. */
  const join = async (user: { email: string } & Record<string, unknown>) => {
    const { body } = await invite(user);
    const accepted = await send(
      `${address}/app/invitation`,
      'POST',
      { token: await tokenFor(user.email), password: OWNER.password },
      { origin: address },
    );
    assert.equal(accepted.status, 201, JSON.stringify(accepted.body));
    const bearer = { accountId: account.id, userId: body.id as number };
    const cookie = cookieIn(accepted);
    return { id: body.id as number, cookie, ask: withCookie(accepted), key: (await readKey(reading, bearer))! };
  };

  const addAccount = async (name: string, baseUrl: string): Promise<{ account: Account; key: string }> => {
    const other = await transact((work) => createAccount(work, { name, baseUrl }));
    return { account: other, key: (await readKey(reading, { accountId: other.id, userId: null }))! };
  };

  /** Until so many statements wait for a lock that somebody has. */
  const areWaiting = (least = 1) =>
    eventually(`${least} or more wait for a lock`, async () => {
      const { rows } = await pool.query<{ waiting: number }>(
        `select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows[0]!.waiting >= least;
    });

  return {
    url,
    pool,
    db,
    secrets,
    transact,
    app,
    address,
    open,
    account,
    key,
    routes,
    withKey,
    signIn,
    tokenFor,
    resetTokenFor,
    invite,
    join,
    addAccount,
    areWaiting,
    openLine,
    store,
    recordings,
    incoming: incoming.path,
    node,
  };
}

const cookieIn = ({ headers }: Pick<Answer, 'headers'>): string => headers.get('set-cookie')!.split(';', 1)[0]!;

export type House = Awaited<ReturnType<typeof openHouse>>;

/** One request as it is given: `body` is sent as JSON unless it is text or bytes already. */
export async function send(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && {
      body: typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
    }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, body: isJson && text !== '' ? JSON.parse(text) : text };
}
