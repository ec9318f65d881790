import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder, spawnLeadline } from '../leadline.ts';
import { startServer } from './cluster.ts';
import { settingsOf, startNode } from './nodes.ts';
import { signal, type Finding, type Scenario } from './scenario.ts';
import { furnish } from './world.ts';

/** Nodes that must not start, beside one that runs. */

const PATIENCE_MS = 15_000;

async function expectRefusal(finding: Finding, what: string, env: Record<string, string>, names: RegExp) {
  const node = spawnLeadline(['serve'], { env: { ...env, DATA_DIR: makeFolder(), PORT: '0' } });
  const ended = await Promise.race([node.ended, sleep(PATIENCE_MS).then(() => undefined)]);
  if (!ended) signal(node.child.pid!, 'SIGKILL');
  const sentence = ended?.output.trim() ?? '';
  finding.must(`${what}: refused`, ended !== undefined && ended.code !== 0, ended ? `exit ${ended.code}` : 'it runs');
  finding.must(`${what}: with a sentence that names it`, names.test(sentence) && !/\n\s+at /.test(sentence), sentence);
}

const refused: Scenario = {
  name: 'refusals',
  about: 'an older program on a newer database, and a node with another secret key',
  async run(finding) {
    const server = await startServer();
    const world = await furnish(server.url(), { subscribers: ['http://127.0.0.1:1/x'] });
    const env = settingsOf({ DATABASE_URL: server.url() });
    const node = await startNode('node', env);
    const other = { ...env, SECRET_KEY: 'another one than on every other node' };
    await expectRefusal(finding, 'another secret key', other, /SECRET_KEY/);
    await server.query(`insert into migrations (name, checksum) values ('9999_of_a_later_version.sql', 'x')`);
    await expectRefusal(finding, 'a newer database', env, /newer|later/i);
    const headers = { authorization: `Token "${world.key}"` };
    const { status } = await fetch(`${node.address}/api/v2/lists`, { headers });
    finding.must('the node that runs goes on', status === 200, status);
  },
};

export const scenarios = [refused];
