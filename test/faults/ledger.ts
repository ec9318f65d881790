import type { Answer } from '../house.ts';
import { seconds, type Finding } from './scenario.ts';

export type Written = {
  marker: string;
  id: number | undefined;
  /** What it may hold now: one value, or two while a change is not acknowledged. */
  values: string[];
};
export type Outcome = { lead: number; kind: string; comment: string; list: number; acknowledged: boolean };
/** Someone had a lead `from` when it was given to them `until` they sent what became of it; `over` when that was known to be its end. */
export type HandOut = { lead: number; agent: number; from: number; until: number; over: number };

/** What clients were told, so that the database can be held to it. */
export class Ledger {
  readonly written: Written[] = [];
  readonly outcomes: Outcome[] = [];
  readonly handOuts: HandOut[] = [];
  empty = 0;
  acknowledgements = 0;
  /** How often each status came; 0 stands for no answer. */
  readonly statuses = new Map<number, number>();
  /** Answers that no fault excuses. */
  readonly wrong = new Map<string, number>();
  slowest = 0;
  readonly #last: number[];
  readonly #gaps: number[];
  #lastOfAll = performance.now();
  #gap = 0;
  #ended = false;

  constructor(nodes: number) {
    this.#last = Array.from({ length: nodes }, () => performance.now());
    this.#gaps = Array.from({ length: nodes }, () => 0);
  }

  creating(marker: string): Written {
    const written = { marker, id: undefined, values: ['made'] };
    this.written.push(written);
    return written;
  }

  giving(outcome: Omit<Outcome, 'acknowledged'>): Outcome {
    const given = { ...outcome, acknowledged: false };
    this.outcomes.push(given);
    return given;
  }

  handedOut(lead: number, agent: number): HandOut {
    const handOut = { lead, agent, from: performance.now(), until: Infinity, over: Infinity };
    this.handOuts.push(handOut);
    return handOut;
  }

  acknowledged(node: number): void {
    this.acknowledgements += 1;
    if (this.#ended) return;
    const now = performance.now();
    this.#gap = Math.max(this.#gap, now - this.#lastOfAll);
    this.#gaps[node] = Math.max(this.#gaps[node]!, now - this.#last[node]!);
    this.#lastOfAll = this.#last[node] = now;
  }

  answered({ status, headers, body }: Answer, method: string, path: string): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    // Asked again while the first question is still being worked on.
    const excused = status < 300 || (status === 409 && body.code === 'in_progress');
    if (excused || (status === 503 && headers.has('retry-after'))) return;
    const what = `${method} ${path.replaceAll(/\d+/g, ':id')} ${status} ${body?.code ?? ''}`;
    this.wrong.set(what, (this.wrong.get(what) ?? 0) + 1);
  }

  noAnswer({ message }: Error): void {
    const status = message === 'late' ? -1 : 0;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  took(ms: number): void {
    this.slowest = Math.max(this.slowest, ms);
  }

  end(): void {
    const now = performance.now();
    this.#ended = true;
    this.#gap = Math.max(this.#gap, now - this.#lastOfAll);
    this.#gaps.forEach((gap, node) => (this.#gaps[node] = Math.max(gap, now - this.#last[node]!)));
  }

  /** Leads that two people had at the same time, or that were given out after their end. */
  twice(): number {
    const doubled = [...Map.groupBy(this.handOuts, ({ lead }) => lead).values()].filter(
      (all) =>
        all.some((one) =>
          all.some((other) => other.agent !== one.agent && other.from > one.from && other.from < one.until),
        ) || all.some((one) => all.some((other) => other.from > one.over)),
    );
    return doubled.length;
  }

  /** The figures of the clients' side. */
  tell(finding: Finding): void {
    const { statuses } = this;
    finding.gap = seconds(this.#gap);
    finding.count('acknowledged writes', this.acknowledgements);
    finding.count('answers 503', statuses.get(503) ?? 0);
    finding.count('connections lost', statuses.get(0) ?? 0);
    finding.count('no answer in 10 s', statuses.get(-1) ?? 0);
    finding.count('slowest answer', `${seconds(this.slowest)} s`);
    finding.count('worst gap by node', this.#gaps.map((gap) => `${seconds(gap)} s`).join(', '));
    const wrong = [...this.wrong].map(([what, times]) => `${times} × ${what}`).join('; ');
    finding.must('every answer is a success or a 503 with Retry-After', this.wrong.size === 0, wrong);
    finding.must('no lead with two people', this.twice() === 0, this.twice());
    finding.count('leads handed out', this.handOuts.length);
  }
}
