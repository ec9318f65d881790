import { generate, type Run } from './generator.ts';
import { cpuSeconds, type Measured } from './processes.ts';
import type { Row, Sample } from './rows.ts';

/** One row: all targets in turn, several times over, so that whatever else the machine does meets them alike. */

export type Target = { name: 'product' | 'bare' | 'fair' | 'small'; process: Measured; sample: Sample };

export type Figures = {
  /** Requests a second, and milliseconds, at fifty connections; medians of the rounds. */
  rate: number;
  p50: number;
  p99: number;
  /** Share of requests that were refused. */
  refused: number;
  /** Milliseconds when nobody else asks. */
  alone: number;
  /** Microseconds of processor a request: in Node, and in PostgreSQL. */
  node: number;
  postgres: number;
  /** Share of one processor that the generator took. */
  generator: number;
};

export type Result = { row: string; figures: Record<Target['name'], Figures> };

type Measures = { seconds: number; rounds: number; postmaster: number };
type Round = Run & { node: number; postgres: number };

const CONNECTIONS = 50;

export async function measureRow(row: Row, targets: Target[], measures: Measures): Promise<Result> {
  const { seconds, rounds, postmaster } = measures;
  const run = ({ process: { port }, sample }: Target, connections: number, time: number) =>
    generate({ port, connections, seconds: time, next: () => row.ask(sample) });
  const alone = new Map<Target, number>();
  const all = new Map<Target, Round[]>(targets.map((target) => [target, []]));

  // Statements are prepared and plans settled before anything counts.
  for (const target of targets) await run(target, CONNECTIONS, Math.min(1, seconds));
  for (const target of targets) alone.set(target, (await run(target, 1, Math.min(1, seconds))).p50);
  for (let round = 0; round < rounds; round += 1) {
    for (const target of targets) {
      const { pid } = target.process;
      const before = [cpuSeconds(pid), cpuSeconds(postmaster, true)] as const;
      const done = await run(target, CONNECTIONS, seconds);
      const spent = (after: number, from: number) => ((after - from) / done.requests) * 1e6;
      const node = spent(cpuSeconds(pid), before[0]);
      all.get(target)!.push({ ...done, node, postgres: spent(cpuSeconds(postmaster, true), before[1]) });
    }
  }
  const figures = targets.map((target) => {
    const middle = (of: (round: Round) => number) => median(all.get(target)!.map(of));
    return [
      target.name,
      {
        rate: middle(({ rate }) => rate),
        p50: middle(({ p50 }) => p50),
        p99: middle(({ p99 }) => p99),
        refused: middle(({ refused, requests }) => refused / (refused + requests)),
        alone: alone.get(target)!,
        node: middle(({ node }) => node),
        postgres: middle(({ postgres }) => postgres),
        generator: middle(({ cpu }) => cpu),
      },
    ];
  });
  return { row: row.name, figures: Object.fromEntries(figures) };
}

export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
