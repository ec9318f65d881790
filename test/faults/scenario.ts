/** A fault, what is done and what must hold. */
export type Scenario = {
  name: string;
  about: string;
  /** A sentence where this machine lacks what it takes. */
  lacks?: () => string | undefined;
  run: (finding: Finding, options: Options) => Promise<void>;
};

export type Options = { minutes: number };

/** What a scenario saw: the sentences that must hold, and figures beside them. */
export class Finding {
  readonly held: string[] = [];
  readonly broken: string[] = [];
  readonly counts: Record<string, number | string> = {};
  /** The longest time without an acknowledged write, in seconds. */
  gap: number | undefined;

  must(sentence: string, holds: boolean, seen?: string | number): void {
    if (holds) this.held.push(sentence);
    else this.broken.push(seen === undefined ? sentence : `${sentence} (seen: ${seen})`);
  }

  count(name: string, figure: number | string): void {
    this.counts[name] = figure;
  }
}

export const seconds = (ms: number): number => Math.round(ms / 100) / 10;

const leftovers: (() => void)[] = [];

/** Done when the run ends, however it does, the last first: nothing may outlive it. */
export function atExit(step: () => void): void {
  if (leftovers.length === 0) {
    process.on('exit', () => {
      for (const one of leftovers.toReversed()) one();
    });
  }
  leftovers.push(step);
}

const kept = new Set<number>();

/** A process that must not outlive the run. */
export function keep(pid: number): number {
  kept.add(pid);
  return pid;
}

export const letGo = (pid: number): boolean => kept.delete(pid);

export const killKept = (): void => kept.forEach((pid) => signal(pid, 'SIGKILL'));

/** False when it has gone already. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
