import { existsSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../house.ts';
import { eventually, makeFolder } from '../leadline.ts';
import { openSubscriber } from '../subscriber.ts';
import { startServer } from './cluster.ts';
import { settingsOf, startNode, type Node } from './nodes.ts';
import { seconds, type Scenario } from './scenario.ts';
import { furnish, type World } from './world.ts';

/** Clocks that are wrong, and clocks that jump, by libfaketime. */

const LIBRARY = globSync('/usr/lib/{,*/}faketime/libfaketimeMT.so.1')[0];
const MANNER = { FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1', FAKETIME_NO_CACHE: '1' };
const lacks = () =>
  LIBRARY && existsSync(LIBRARY) ? undefined : 'clocks are shifted by libfaketime, which is not installed';

const wrongBy = (shift: string) => ({ LD_PRELOAD: LIBRARY!, FAKETIME: shift, ...MANNER });

/** A PostgreSQL whose clock can be set. */
async function startShifted() {
  const file = join(makeFolder(), 'clock');
  const set = (shift: string) => writeFileSync(file, `${shift}\n`, { mode: 0o644 });
  set('+0');
  const server = await startServer({ LD_PRELOAD: LIBRARY!, FAKETIME_TIMESTAMP_FILE: file, ...MANNER });
  return { server, set };
}

const asAgent = (node: Node, world: World, agent: number) => (method: string, path: string, body?: unknown) => {
  const cookie = `leadline_session=${world.agents[agent]!.token}`;
  return send(`${node.address}/app${path}`, method, body, { cookie, origin: node.address });
};

const callBacks: Scenario = {
  name: 'clock-call-backs',
  about: 'nodes two hours ahead and behind; the clock of the database jumps over call backs, and back',
  lacks,
  async run(finding) {
    const { server, set } = await startShifted();
    const world = await furnish(server.url(), { leads: 30, agents: 3 });
    const env = settingsOf({ DATABASE_URL: server.url() });
    const nodes = [await startNode('right', env)];
    nodes.push(await startNode('two hours ahead', { ...env, ...wrongBy('+2h') }));
    nodes.push(await startNode('two hours behind', { ...env, ...wrongBy('-2h') }));
    const asks = nodes.map((node, index) => asAgent(node, world, index));
    const next = async (index: number) =>
      (await asks[index]!('POST', `/lists/${world.queue}/next`)).body.lead?.id as number | undefined;
    let put = 0;
    for (let round = 0; round < 30; round += 1) {
      const lead = await next(round % 3);
      const body = { lead: { call_back_in: 60 } };
      if (lead && (await asks[round % 3]!('POST', `/leads/${lead}/call_back`, body)).status === 204) put += 1;
    }
    const rows = await server.query<{ off: number }>(
      `select abs(extract(epoch from scheduled_for - now() - interval '60 minutes'))::float8 as off
         from leads where list_id = $1 and state = 'call_back'`,
      [world.queue],
    );
    const wrong = rows.filter(({ off }) => off > 120).length;
    finding.count('call backs', put);
    finding.must('a call back in an hour is in an hour, whatever clock the node has', wrong === 0, `${wrong} are not`);
    const early = (await Promise.all([0, 1, 2].map(next))).filter((lead) => lead !== undefined).length;
    finding.must('none comes early', early === 0, early);
    // Put right, whatever came before: what follows is about jumps.
    await server.query(`update leads set scheduled_for = now() + interval '1 hour', turn_at = now() + interval '1 hour',
                               held_by = null, held_until = null where list_id = ${world.queue} and state = 'call_back'`);
    set('+61m');
    const given: number[] = [];
    const workThrough = async (index: number) => {
      for (let lead = await next(index); lead !== undefined; lead = await next(index)) {
        given.push(lead);
        await asks[index]!('POST', `/leads/${lead}/winner`);
        if (given.length === 15) set('+0');
        if (given.length > 60) return;
      }
    };
    await Promise.all([0, 1, 2].map(workThrough));
    const before = given.length;
    // Forward again: the rest is due, and nothing that was done comes back.
    set('+61m');
    await Promise.all([0, 1, 2].map(workThrough));
    finding.count('given before and after the jumps', `${before}, ${given.length - before}`);
    finding.must('all come when they are due', new Set(given).size === put, new Set(given).size);
    finding.must('none comes twice', given.length === new Set(given).size, given.length);
  },
};

const backAndCrash: Scenario = {
  name: 'clock-back',
  about: 'the clock of the database goes back an hour and the node is killed: another goes on',
  lacks,
  async run(finding) {
    const { server, set } = await startShifted();
    let hang = true;
    const subscriber = await openSubscriber(() => (hang ? undefined : 200));
    const world = await furnish(server.url(), { agents: 1, subscribers: [`${subscriber.url}/x`] });
    const env = settingsOf({ DATABASE_URL: server.url() });
    const first = await startNode('node 1', env);
    await eventually('it holds the line', async () => (await server.query('select from leases')).length > 0);
    await server.query(
      `insert into deliveries (account_id, webhook_id, resource)
       select $1, $2, '/api/v2/leads/' || n from generate_series(1, 20) n`,
      [world.account.id, world.webhooks[0]],
    );
    await eventually('deliveries are under way', () => subscriber.received.length > 0);
    const taken = await server.query<{ id: string }>(`select id from deliveries where attempts > 0`);
    set('-1h');
    await first.kill();
    hang = false;
    const heardBefore = subscriber.received.length;
    const second = await startNode('node 2', env);
    const begun = performance.now();
    const since = () => performance.now() - begun;
    const ask = asAgent(second, world, 0);
    const dialled = await ask('POST', '/calls', { call: { number: '+4533112230' } });
    const within = async (look: () => Promise<boolean> | boolean) => {
      for (; since() < 40_000; await sleep(100)) if (await look()) return since();
      return undefined;
    };
    const [call, deliveries] = await Promise.all([
      within(async () => (await ask('GET', `/calls/${dialled.body.id}`)).body.state === 'completed'),
      within(() => {
        const heard = new Set(subscriber.received.slice(heardBefore).map(({ headers }) => headers['webhook-id']));
        return taken.every(({ id }) => heard.has(`msg_${id}`));
      }),
    ]);
    const told = (ms: number | undefined) => (ms === undefined ? 'not in 40 s' : `${seconds(ms)} s`);
    finding.count('deliveries under way', taken.length);
    finding.count('telephone works again', told(call));
    finding.count('deliveries arrive', told(deliveries));
    finding.must('the telephone works again within 15 s', (call ?? Infinity) <= 15_000, told(call));
    finding.must('what was under way is brought within 15 s', (deliveries ?? Infinity) <= 15_000, told(deliveries));
  },
};

export const scenarios = [callBacks, backAndCrash];
