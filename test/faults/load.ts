import { setTimeout as sleep } from 'node:timers/promises';
import { send, type Answer } from '../house.ts';
import { Ledger } from './ledger.ts';
import type { World } from './world.ts';

/**
 * Agents who take leads and give outcomes, and a program that makes and changes leads, at all nodes in turn. What is not acknowledged is
 * asked for again until it is, at the next node, under the same Idempotency-Key; what is acknowledged is written down.
 */

export type Load = { ledger: Ledger; stop(): Promise<Ledger> };
type Wanted = { agents?: number; writers?: number; pauseMs?: number };

/** A client that waits longer than this asks elsewhere. */
const PATIENCE_MS = 10_000;
const AGAIN_MS = 100;
/** After the end, what is under way may still come to be acknowledged. */
const LAST_MS = 30_000;

const OUTCOMES = ['winner', 'loser', 'archive', 'winner', 'call_back'] as const;

export function startLoad(world: World, addresses: string[], wanted: Wanted = {}): Load {
  const { agents = world.agents.length, writers = 4, pauseMs = 150 } = wanted;
  const ledger = new Ledger(addresses.length);
  let until = Number.POSITIVE_INFINITY;
  let turn = 0;
  let made = 0;
  const going = () => Date.now() < until;

  const tryOnce = async (node: number, ...[method, path, body, headers]: Request): Promise<Answer | undefined> => {
    const address = addresses[node]!;
    const begun = performance.now();
    try {
      return await within(PATIENCE_MS, send(address + path, method, body, { origin: address, ...headers }));
    } catch (error) {
      ledger.noAnswer(error as Error);
      return undefined;
    } finally {
      ledger.took(performance.now() - begun);
    }
  };
  /** Until it is acknowledged; undefined when the time was over before. */
  const insist = async (...request: Request): Promise<Answer | undefined> => {
    while (Date.now() < until + LAST_MS) {
      const node = (turn += 1) % addresses.length;
      const answer = await tryOnce(node, ...request);
      if (answer) ledger.answered(answer, request[0], request[1]);
      if (answer && answer.status < 300) {
        if (request[0] !== 'GET') ledger.acknowledged(node);
        return answer;
      }
      // Refused for good: the ledger has it as a wrong answer.
      if (answer && answer.status < 500 && answer.body.code !== 'in_progress') return undefined;
      await sleep(AGAIN_MS);
    }
    return undefined;
  };

  const workAsAgent = async ({ id: agent, token }: World['agents'][number]) => {
    const cookie = `leadline_session=${token}`;
    while (going()) {
      const given = await insist('POST', `/app/lists/${world.queue}/next`, undefined, { cookie });
      const lead = given?.body.lead?.id as number | undefined;
      if (lead === undefined) {
        ledger.empty += 1;
        await sleep(500);
        continue;
      }
      const handOut = ledger.handedOut(lead, agent);
      await sleep(pauseMs);
      const comment = `outcome ${(made += 1)}`;
      const kind = OUTCOMES[made % OUTCOMES.length]!;
      const outcome = ledger.giving({ lead, kind, comment, list: world.queue });
      handOut.until = performance.now();
      const body = { lead: { comment, ...(kind === 'call_back' && { call_back_in: 0 }) } };
      const headers = { cookie, 'idempotency-key': comment };
      outcome.acknowledged = (await insist('POST', `/app/leads/${lead}/${kind}`, body, headers)) !== undefined;
      if (outcome.acknowledged && kind !== 'call_back') handOut.over = performance.now();
    }
  };

  const writeAsProgram = async () => {
    const authorization = `Token "${world.key}"`;
    while (going()) {
      const marker = `lead ${(made += 1)}`;
      const written = ledger.creating(marker);
      const body = { lead: { first_name: marker, company_name: 'made' } };
      const headers = { authorization, 'idempotency-key': marker };
      const created = await insist('POST', `/api/v2/lists/${world.desk}/leads`, body, headers);
      if (!created) return;
      written.id = created.body.id as number;
      await sleep(pauseMs);
      written.values.push('changed');
      const change = { lead: { company_name: 'changed' } };
      if (!(await insist('PATCH', `/api/v2/leads/${written.id}`, change, { authorization }))) return;
      written.values = ['changed'];
      const comment = `outcome ${(made += 1)}`;
      const kind = OUTCOMES[made % OUTCOMES.length]!;
      const outcome = ledger.giving({ lead: written.id, kind, comment, list: world.desk });
      const how = { authorization, 'idempotency-key': comment };
      const given = await insist('POST', `/api/v2/leads/${written.id}/${kind}`, { lead: { comment } }, how);
      outcome.acknowledged = given !== undefined;
      await sleep(pauseMs);
    }
  };

  const clients = [
    ...world.agents.slice(0, agents).map(workAsAgent),
    ...Array.from({ length: writers }, writeAsProgram),
  ];
  const stop = async () => {
    until = Date.now();
    ledger.end();
    await Promise.all(clients);
    return ledger;
  };
  return { ledger, stop };
}

type Request = [method: string, path: string, body: unknown, headers: Record<string, string>];

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('late')), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => {});
  }
}
