import { freePort } from '../../bench/processes.ts';
import { atEnd } from '../database.ts';
import { makeFolder, startLeadline, type Finished, type Leadline } from '../leadline.ts';
import { keep, letGo, seconds } from './scenario.ts';
import { SECRET_KEY } from './world.ts';

/** One `leadline serve` that keeps its port when it is started again, as behind a load balancer. */
export type Node = {
  name: string;
  address: string;
  pid(): number;
  output(): string;
  start(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<Finished & { seconds: number }>;
};

export type Databases = { DATABASE_URL: string; DATABASE_DIRECT_URL?: string };

export const settingsOf = (databases: Databases): Record<string, string> => ({
  ...databases,
  SECRET_KEY,
  RATE_LIMITS: 'off',
  WEBHOOK_ALLOW: '127.0.0.1/32',
  // Nothing is kept there; a folder would be refused to several machines, and several nodes stand for those.
  RECORDINGS: 's3://a:b@127.0.0.1:1/x',
});

export async function startNode(name: string, env: Record<string, string>): Promise<Node> {
  const port = await freePort();
  const own = { DATA_DIR: makeFolder(), PORT: String(port), ...env };
  let running: Leadline;
  const start = async () => {
    running = await startLeadline({ env: own, patience: 120_000 });
    keep(running.pid);
  };
  const kill = async () => {
    running.child.kill('SIGKILL');
    await running.ended;
    letGo(running.pid);
  };
  const stop = async () => {
    const begun = performance.now();
    const finished = await running.stop();
    letGo(running.pid);
    return { ...finished, seconds: seconds(performance.now() - begun) };
  };
  await start();
  atEnd(kill);
  const address = `http://127.0.0.1:${port}`;
  return { name, address, pid: () => running.pid, output: () => running.output(), start, kill, stop };
}

/** The first alone, since it migrates. */
export async function startNodes(count: number, env: Record<string, string>): Promise<Node[]> {
  const first = await startNode('node 1', env);
  const others = Array.from({ length: count - 1 }, (_, index) => startNode(`node ${index + 2}`, env));
  return [first, ...(await Promise.all(others))];
}
