import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AskedOfCallers, Ran, ToldByCallers } from './callers.ts';
import type { AskedOfLine, ToldByLine } from './line.ts';
import { describeMachine } from './report.ts';

/** How many recorded calls the engine carries at once: more and more of them, until frames are lost or late. */
export type CallsAsked = { kinds: Kind[]; calls: number[]; seconds: number; profile: string | undefined };

/** Who talks: two browsers with each other, whose frames are passed on as they come, or one with a program that says everything again at the next 20 ms. */
const KINDS = { browsers: true, program: false };
type Kind = keyof typeof KINDS;

type Measure = Ran & { kind: Kind; calls: number; lineCpu: number; megabytes: number; recordings: number };

const MOST_LOSS = 0.001;
const MOST_DELAY_MS = 20;

export async function measureCalls(asked: CallsAsked, say: (sentence: string) => void): Promise<string> {
  const measures: Measure[] = [];
  for (const kind of asked.kinds) {
    for (const calls of asked.calls) {
      const measure = await measureOne(kind, calls, asked);
      measures.push(measure);
      say(`${calls} calls (${kind}) are measured`);
      if (!isCarried(measure) && !isGeneratorsFault(measure)) break;
    }
  }
  return write(measures, asked.seconds);
}

async function measureOne(kind: Kind, calls: number, { seconds, profile }: CallsAsked): Promise<Measure> {
  const paired = KINDS[kind];
  const folder = mkdtempSync(join(tmpdir(), 'leadline-calls-'));
  const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
  const line = fork(join(import.meta.dirname, 'line.ts'), { execArgv: flags });
  const callers = fork(join(import.meta.dirname, 'callers.ts'));
  try {
    const { offers } = await ask<{ offers: string[] }>(callers, { ask: 'open', count: paired ? calls * 2 : calls });
    const { answers } = await ask<{ answers: string[] }>(line, {
      ask: 'begin',
      offers,
      paired,
      folder,
      recorded: true,
    });
    await ask(callers, { ask: 'connect', answers });
    await ask(callers, { ask: 'prepare', seconds });
    const before = (await ask<Usage>(line, { ask: 'usage' })).usage;
    const { ran } = await ask<{ ran: Ran }>(callers, { ask: 'run', paired });
    const after = (await ask<Usage>(line, { ask: 'usage' })).usage;
    const { ended } = await ask<{ ended: { seconds: number[] } }>(line, { ask: 'end' });
    const lineCpu = (after.cpu - before.cpu) / (after.at - before.at);
    const recordings = ended.seconds.filter((each) => each >= seconds).length;
    return { ...ran, kind, calls, lineCpu, megabytes: after.megabytes, recordings };
  } finally {
    for (const child of [line, callers]) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Usage = Extract<ToldByLine, { usage: unknown }>;

async function ask<Answer extends ToldByLine | ToldByCallers>(
  child: ChildProcess,
  asked: AskedOfLine | AskedOfCallers,
): Promise<Answer> {
  child.send(asked);
  const ended = new AbortController();
  const exit = once(child, 'exit', { signal: ended.signal }).then(() => {
    throw new Error(`${child.spawnargs.at(-1)} ended before it had answered.`);
  });
  try {
    return (await Promise.race([once(child, 'message'), exit]))[0] as Answer;
  } finally {
    exit.catch(() => {});
    ended.abort();
  }
}

const lossOf = ({ sent, received }: Ran) => (sent - received) / sent;
const isCarried = (measure: Measure) => lossOf(measure) < MOST_LOSS && delayOf(measure) < MOST_DELAY_MS;
/** A frame that a program says again waits for the clock, ten milliseconds on average: that is not what is held against it. */
const delayOf = ({ kind, delays }: Measure) => (kind === 'browsers' ? delays.p99 : delays.p99 - MOST_DELAY_MS);
const isGeneratorsFault = ({ late }: Measure) => late.p99 > MOST_DELAY_MS / 2;

function write(measures: Measure[], seconds: number): string {
  const ms = (value: number) => value.toFixed(1);
  const rows = measures.map((measure) => {
    const { kind, calls, lineCpu, delays, late, cpu, megabytes, recordings } = measure;
    return [
      kind,
      calls,
      `${((lineCpu * 100) / calls).toFixed(2)} %`,
      `${(lineCpu * 100).toFixed(0)} %`,
      `${(lossOf(measure) * 100).toFixed(3)} %`,
      `${ms(delays.p50)} / ${ms(delays.p99)} / ${ms(delays.p999)} / ${ms(delays.most)}`,
      `${ms(late.p50)} / ${ms(late.p99)} / ${ms(late.most)}`,
      `${(cpu * 100).toFixed(0)} %`,
      `${recordings}`,
      `${megabytes} MB`,
      isCarried(measure) ? 'yes' : isGeneratorsFault(measure) ? 'generator too late to tell' : 'no',
    ];
  });
  const heads = [
    'between',
    'calls',
    'of a core a call',
    'of a core',
    'loss',
    'delay p50 / p99 / p99.9 / most, ms',
    'generator late p50 / p99 / most, ms',
    'generator, of a core',
    'whole recordings',
    'memory',
    `< ${MOST_LOSS * 100} % lost, < ${MOST_DELAY_MS} ms at p99`,
  ];
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [
    `Machine: ${describeMachine()}. Engine and generator share it; DTLS-SRTP and PCMU on loopback, every call recorded, ${seconds} s each.`,
    'Delay is from before the generator sends a frame until it has it back, its own lateness included. What a program says again waits for the next 20 ms of the clock, which are not held against it.',
    '',
    line(heads),
    line(heads.map(() => '---')),
    ...rows.map(line),
    '',
  ].join('\n');
}
