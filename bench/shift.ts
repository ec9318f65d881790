import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from './agents.ts';
import { KEYS } from './database.ts';
import { openLine, spread, type Line } from './generator.ts';

/** Agents who work a list at the pace of quick people, and go on when the service they work with was killed and is there again. */

const PAUSE_MS = 120;
const AGAIN_MS = 100;
/** After so long a new process is as quick as one that has run all day. */
const WARM_MS = 8_000;

/** What they felt of `next` since they were last asked. `cut`: requests that met the end of a process. */
export type Felt = { nexts: number; p50: number; p99: number; worst: number; cut: number };
/**
 * `except`: what they feel until that is through, and for a while after it, is not counted. `apart`: what they feel until that is through is
 * counted by itself.
 */
export type Shift = {
  feel(): Felt;
  feelApart(): Felt;
  except<T>(act: () => Promise<T>): Promise<T>;
  apart<T>(act: () => Promise<T>): Promise<T>;
  end(): Promise<void>;
};

/** `port` is asked for at each connection: it may be another one by then. */
export function beginShift(agents: Agent[], listId: number, port: () => number): Shift {
  let times: number[] = [];
  let apart: number[] = [];
  let isApart = false;
  let cut = 0;
  let over = false;
  let countsFrom = 0;
  let refused: Error | undefined;
  const ask = async (line: Line, agent: Agent, path: string) => {
    const { status, body } = await line.ask(request(agent, 'POST', path));
    if (status < 300) return body;
    // A process that has just begun, or is about to end, says that it is not ready.
    if (status === 503) throw new Error('not ready');
    refused ??= new Error(`An agent was answered with ${status}: ${body}`);
    throw refused;
  };
  const work = async (agent: Agent) => {
    let line: Line | undefined;
    while (!over && !refused) {
      try {
        line ??= await openLine(port());
        const asked = performance.now();
        const into = isApart ? apart : times;
        const given = await ask(line, agent, `/lists/${listId}/next`);
        if (asked > countsFrom) into.push(performance.now() - asked);
        await sleep(PAUSE_MS * 2 * Math.random());
        const [, id] = /^\{"lead":\{"id":(\d+)/.exec(given) ?? [];
        if (id) await ask(line, agent, `/leads/${id}/winner`);
        await sleep(PAUSE_MS * 2 * Math.random());
      } catch (error) {
        if (error === refused) break;
        cut += 1;
        line?.close();
        line = undefined;
        await sleep(AGAIN_MS);
      }
    }
    line?.close();
  };
  const working = Promise.all(agents.map(work));
  return {
    feel() {
      const felt = summarise(times, cut);
      [times, cut] = [[], 0];
      return felt;
    },
    feelApart() {
      const felt = summarise(apart, 0);
      apart = [];
      return felt;
    },
    async apart(act) {
      isApart = true;
      try {
        return await act();
      } finally {
        isApart = false;
      }
    },
    async except(act) {
      countsFrom = Infinity;
      try {
        return await act();
      } finally {
        countsFrom = performance.now() + WARM_MS;
      }
    },
    async end() {
      over = true;
      await working;
      if (refused) throw refused;
    },
  };
}

export const summarise = (times: number[], cut: number): Felt => ({
  nexts: times.length,
  ...spread(times),
  worst: times.reduce((most, time) => Math.max(most, time), 0),
  cut,
});

/** Of someone who is signed in. */
export const request = ({ token }: Agent, method: string, path: string, body = '') =>
  `${method} /app${path} HTTP/1.1\r\nhost: localhost:3000\r\norigin: ${KEYS.baseUrl}\r\ncookie: leadline_session=${token}\r\n` +
  `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
