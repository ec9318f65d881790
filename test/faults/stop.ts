import { Agent, request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../bench/processes.ts';
import { atEnd } from '../database.ts';
import { eventually, makeFolder, spawnLeadline } from '../leadline.ts';
import { openSubscriber } from '../subscriber.ts';
import { HALF_A_HEAD, openSocket, openUnread } from './clients.ts';
import { startServer } from './cluster.ts';
import { settingsOf, startNode } from './nodes.ts';
import { seconds, type Scenario } from './scenario.ts';
import { furnish, LONG_LEAD, type World } from './world.ts';

/** SIGTERM at the worst moment. */

const HANGING = 30;
const AT_ONCE = 20;
const STREAMS = 10;

const underLoad: Scenario = {
  name: 'stop',
  about: 'SIGTERM under load, with half-sent requests, slow readers, live streams and deliveries under way',
  async run(finding) {
    const server = await startServer();
    const subscriber = await openSubscriber(() => undefined);
    const subscribers = Array.from({ length: HANGING }, (_, index) => `${subscriber.url}/${index}`);
    const world = await furnish(server.url(), { leads: 2_000, lead: LONG_LEAD, subscribers });
    const node = await startNode('node', settingsOf({ DATABASE_URL: server.url() }));
    await server.query(
      `insert into deliveries (account_id, webhook_id, resource)
       select $1, w.id, '/api/v2/leads/' || n from generate_series(1, 10) n, unnest($2::bigint[]) as w (id)`,
      [world.account.id, world.webhooks],
    );
    await eventually('deliveries are under way', () => subscriber.received.length >= HANGING);
    const streams = await Promise.all(Array.from({ length: STREAMS }, () => listen(node.address, world)));
    for (let index = 0; index < 10; index += 1) {
      openSocket(node.address, HALF_A_HEAD);
      openUnread(node.address, world.queue, world.key);
    }
    const writers = startWriters(node.address, world);
    await sleep(2_000);
    const stopped = await Promise.race([node.stop(), sleep(90_000).then(() => undefined)]);
    const answers = await writers.ended;
    const left = async (text: string) => Number((await server.query<{ left: string }>(text))[0]!.left);
    const burned = await left(
      `select count(*) as left from deliveries d where state = 'waiting'
          and attempts > (select count(*) from delivery_attempts a where a.account_id = d.account_id and a.delivery_id = d.id)`,
    );
    const late = await left(
      `select count(*) as left from deliveries d where state = 'waiting' and next_at > now() + interval '1 second'
          and not exists (select from delivery_attempts a where a.account_id = d.account_id and a.delivery_id = d.id)`,
    );
    const nodes = await left('select count(*) as left from nodes');
    const leases = await left('select count(*) as left from leases');
    const rows = await left(`select count(*) as left from lead_data where list_id = ${world.desk}`);
    finding.count('acknowledged writes', answers.acknowledged);
    finding.count('deliveries under way', subscriber.received.length);
    finding.count('streams', STREAMS);
    finding.must('exit 0', stopped?.code === 0, String(stopped?.code));
    finding.must('within 10 s', (stopped?.seconds ?? 90) <= 10, `${stopped?.seconds ?? 90} s`);
    finding.count('stopped in', `${stopped?.seconds ?? 'more than 90'} s`);
    finding.must('no broken answer', answers.broken === 0, answers.broken);
    finding.must('nothing acknowledged is lost', rows >= answers.acknowledged, rows);
    const cut = streams.filter(({ complete }) => !complete).length;
    finding.must('live streams end whole', cut === 0, cut);
    finding.must('no attempt of a delivery is burned', burned === 0, burned);
    finding.must('deliveries that were not tried are due at once', late === 0, late);
    finding.must('it is no node any more', nodes === 0, nodes);
    finding.must('it has no lease any more', leases === 0, leases);
  },
};

/** On kept connections, until the door is closed. */
function startWriters(address: string, world: World) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  atEnd(async () => agent.destroy());
  const answers = { acknowledged: 0, broken: 0 };
  const headers = { authorization: `Token "${world.key}"`, 'content-type': 'application/json' };
  const write = () =>
    new Promise<boolean>((resolve) => {
      const asked = request(
        `${address}/api/v2/lists/${world.desk}/leads`,
        { agent, method: 'POST', headers },
        (response) => {
          response.resume().once('close', () => {
            if (!response.complete) answers.broken += 1;
            else if (response.statusCode === 201) answers.acknowledged += 1;
            resolve(true);
          });
        },
      );
      asked.once('error', ({ code }: NodeJS.ErrnoException) => {
        if (code !== 'ECONNREFUSED') answers.broken += 1;
        resolve(code !== 'ECONNREFUSED');
      });
      asked.end('{"lead":{}}');
    });
  const ended = Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (await write());
    }),
  ).then(() => answers);
  return { ended };
}

function listen(address: string, { agents: [agent] }: World): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { cookie: `leadline_session=${agent!.token}` };
    const asked = request(`${address}/app/live`, { headers, agent: false }, (response) => {
      response.resume().on('error', () => {});
      resolve(response);
    });
    asked.once('error', reject).end();
  });
}

const withoutDatabase: Scenario = {
  name: 'stop-away',
  about: 'SIGTERM while the database is frozen, and while a start waits for it',
  async run(finding) {
    const server = await startServer();
    await furnish(server.url(), {});
    const node = await startNode('node', settingsOf({ DATABASE_URL: server.url() }));
    server.freeze();
    await sleep(1_000);
    const frozen = await Promise.race([node.stop(), sleep(90_000).then(() => undefined)]);
    server.thaw();
    const nowhere = `postgresql://a:b@127.0.0.1:${await freePort()}/leadline`;
    const env = { ...settingsOf({ DATABASE_URL: nowhere }), DATA_DIR: makeFolder() };
    const starting = spawnLeadline(['serve'], { env });
    await eventually('it waits', () => starting.output().includes('does not answer yet'));
    const begun = performance.now();
    starting.child.kill('SIGTERM');
    const { code } = await starting.ended;
    const waited = seconds(performance.now() - begun);
    finding.count('frozen: stopped in', `${frozen?.seconds ?? 'more than 90'} s`);
    finding.count('starting: stopped in', `${waited} s`);
    finding.must('database frozen: within 10 s', (frozen?.seconds ?? 90) <= 10, `${frozen?.seconds ?? 90} s`);
    finding.must('database frozen: exit 0', frozen?.code === 0, String(frozen?.code));
    finding.must('waiting for the database: within 10 s', waited <= 10, `${waited} s`);
    finding.must('waiting for the database: exit 0', code === 0, String(code));
  },
};

export const scenarios = [underLoad, withoutDatabase];
