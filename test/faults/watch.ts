import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../house.ts';
import { seconds, type Finding } from './scenario.ts';
import type { World } from './world.ts';

/** Asks a node four times a second to write something, and whether it is ready, however long the answers take. */

type Probe = { sentAt: number; doneAt: number; status: number; retryAfter: boolean };
export type Watch = {
  /** Until the node has written and said it is ready again, both asked after `healedAt`. */
  healthy(healedAt: number): Promise<void>;
  /** What was seen of a database that was away from one moment to the other. */
  tell(finding: Finding, what: string, brokenAt: number, healedAt: number): void;
  stop(): Promise<void>;
};

const EVERY_MS = 250;
const MOST_WAITING = 60;
/** "Within two seconds", on a machine that is busy with three nodes and their clients. */
const QUICK_MS = 2_500;

export function startWatch(address: string, world: World): Watch {
  const writes: Probe[] = [];
  const readiness: Probe[] = [];
  let watching = true;
  let made = 0;
  let waiting = 0;

  const probe = async (into: Probe[], asked: () => ReturnType<typeof send>) => {
    const sentAt = performance.now();
    waiting += 1;
    const answer = await asked().catch(() => undefined);
    waiting -= 1;
    const retryAfter = answer?.headers.has('retry-after') ?? false;
    into.push({ sentAt, doneAt: performance.now(), status: answer?.status ?? 0, retryAfter });
  };
  const write = () =>
    send(
      `${address}/api/v2/lists/${world.desk}/leads`,
      'POST',
      { lead: { first_name: `probe ${(made += 1)}` } },
      { authorization: `Token "${world.key}"` },
    );
  const running = (async () => {
    for (; watching; await sleep(EVERY_MS)) {
      if (waiting > MOST_WAITING) continue;
      void probe(writes, write);
      void probe(readiness, () => send(`${address}/health/ready`, 'GET'));
    }
  })();

  const healthy = async (healedAt: number) => {
    const since = (probes: Probe[], status: number) =>
      probes.some((one) => one.sentAt >= healedAt && one.status === status);
    for (const deadline = Date.now() + 90_000; Date.now() < deadline; await sleep(50)) {
      if (since(writes, 201) && since(readiness, 200)) return;
    }
  };

  const tell = (finding: Finding, what: string, brokenAt: number, healedAt: number) => {
    const during = (probes: Probe[]) => probes.filter(({ sentAt }) => sentAt >= brokenAt && sentAt < healedAt);
    const first = (probes: Probe[], from: number, wanted: (status: number) => boolean) =>
      Math.min(...probes.filter(({ sentAt, status }) => sentAt >= from && wanted(status)).map(({ doneAt }) => doneAt));
    const refused = first(during(writes), brokenAt, (status) => status === 503) - brokenAt;
    const unready = first(during(readiness), brokenAt, (status) => status === 503) - brokenAt;
    const later = during(writes).filter(({ sentAt }) => sentAt >= brokenAt + refused);
    const slowest = Math.max(0, ...later.map(({ sentAt, doneAt }) => doneAt - sentAt));
    const back = first(writes, healedAt, (status) => status === 201) - healedAt;
    const ready = first(readiness, healedAt, (status) => status === 200) - healedAt;
    const s = (ms: number) => (Number.isFinite(ms) ? `${seconds(ms)} s` : 'never');
    finding.count(`${what}: first 503`, s(refused));
    finding.count(`${what}: ready says so`, s(unready));
    finding.count(`${what}: slowest answer then`, s(slowest));
    finding.count(`${what}: writes again`, s(back));
    finding.count(`${what}: ready again`, s(ready));
    const bare = during(writes).filter(({ status, retryAfter }) => status === 503 && !retryAfter).length;
    const odd = during(writes).filter(({ status }) => status !== 503 && status !== 201);
    finding.must(`${what}: 503 within 2 s`, refused <= QUICK_MS, s(refused));
    finding.must(`${what}: ready says so within 2 s`, unready <= QUICK_MS + EVERY_MS, s(unready));
    finding.must(`${what}: from then on every answer within 2 s`, slowest <= QUICK_MS, s(slowest));
    finding.must(`${what}: every 503 has Retry-After`, bare === 0, bare);
    const seen = [...new Set(odd.map(({ status }) => status))].join(', ');
    finding.must(`${what}: nothing but 503`, odd.length === 0, `${odd.length} × ${seen}`);
    finding.must(`${what}: healthy by itself in 15 s`, Math.max(back, ready) <= 15_000, `${s(back)}, ${s(ready)}`);
  };

  const stop = async () => {
    watching = false;
    await running;
  };
  return { healthy, tell, stop };
}
