import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../house.ts';
import { startServer } from './cluster.ts';
import { settingsOf, startNodes } from './nodes.ts';
import type { Scenario } from './scenario.ts';
import { furnish } from './world.ts';

/** One key at three nodes, which share its limits. */

const MINUTE = 60_000;
const REQUESTS = 400;
const OVER_MS = 45_000;

const threeNodes: Scenario = {
  name: 'limits',
  about: `three nodes, one key, ${REQUESTS} requests in a minute, then one every two seconds until the five minutes are over`,
  async run(finding) {
    const server = await startServer();
    const { key } = await furnish(server.url(), {});
    const nodes = await startNodes(3, { ...settingsOf({ DATABASE_URL: server.url() }), RATE_LIMITS: '60/60,300/300' });
    let turn = 0;
    const ask = async () => {
      const { address } = nodes[(turn += 1) % nodes.length]!;
      return send(`${address}/api/v2/lists`, 'GET', undefined, { authorization: `Token "${key}"` });
    };
    // Windows begin with the minute; in the last one of five there would be nothing left to wait for.
    const minuteOf = () => Math.floor(Date.now() / MINUTE);
    do await sleep(MINUTE - (Date.now() % MINUTE) + 200);
    while (minuteOf() % 5 === 4);
    const begun = Date.now();
    const over = (Math.floor(begun / (5 * MINUTE)) + 1) * 5 * MINUTE;
    const answers = await Promise.all(
      Array.from({ length: REQUESTS }, async (_, index) => {
        await sleep((index * OVER_MS) / REQUESTS);
        return ask();
      }),
    );
    const passed = answers.filter(({ status }) => status === 200).length;
    const refused = answers.filter(({ status, headers }) => status === 429 && headers.has('retry-after')).length;
    const reset = Math.max(...answers.map(({ headers }) => Number(headers.get('ratelimit-reset'))));
    let early = 0;
    let later = 0;
    while (Date.now() < over - 1_500) {
      later += 1;
      if ((await ask()).status !== 429) early += 1;
      await sleep(2_000);
    }
    await sleep(Math.max(0, over + 500 - Date.now()));
    const { status } = await ask();
    finding.count('requests', REQUESTS + later + 1);
    finding.count('passed', passed);
    finding.count('asked afterwards', later);
    finding.must('exactly 60 pass', passed === 60, passed);
    finding.must('the others get 429 with Retry-After', refused === REQUESTS - 60, refused);
    finding.must('Ratelimit-Reset names the end of the five minutes', reset * 1_000 === over, reset);
    finding.must('none more before they are over', early === 0, early);
    finding.must('one more when they are', status === 200, status);
  },
};

export const scenarios = [threeNodes];
