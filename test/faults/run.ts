// `npm run faults`: real nodes on a real PostgreSQL, broken on purpose. See docs/faults.md.
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseArgs } from 'node:util';
import { atEnd } from '../database.ts';
import { scenarios as calls } from './calls.ts';
import { scenarios as clients } from './clients.ts';
import { scenarios as clock } from './clock.ts';
import { scenarios as disk } from './disk.ts';
import { scenarios as imports } from './imports.ts';
import { scenarios as kill } from './kill.ts';
import { scenarios as limits } from './limits.ts';
import { long } from './long.ts';
import { scenarios as primary } from './primary.ts';
import { scenarios as refusals } from './refusals.ts';
import { scenarios as stop } from './stop.ts';
import { scenarios as subscribers } from './subscribers.ts';
import { atExit, Finding, killKept, seconds, type Scenario } from './scenario.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    minutes: { type: 'string', default: '10' },
    json: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});

// Everything lies in one folder, so that nothing of it stays, whatever is interrupted.
const folder = mkdtempSync(join(tmpdir(), 'leadline-faults-'));
chmodSync(folder, 0o755);
process.env.TMPDIR = folder;
atExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
atExit(killKept);
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => process.exit(1));

const ALERTS = join(import.meta.dirname, 'alerts.ts');

/** These have a file that can be run by itself; first nothing may fire for as long as the long one lasts. */
const alerts: Scenario = {
  name: 'alerts',
  about: 'each alert fires under its fault, and none when all is well',
  lacks() {
    if (!existsSync(ALERTS)) return 'test/faults/alerts.ts is not here';
    const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin'];
    const isThere = folders.some((one) => existsSync(join(one, 'prometheus')));
    return isThere ? undefined : 'Prometheus is not installed';
  },
  async run(finding, { minutes }) {
    const { run } = (await import(ALERTS)) as { run: (options: { quiet: number }) => Promise<void> };
    await run({ quiet: minutes * 60 });
    finding.count('quiet', `${minutes} min`);
    finding.must('every alert fires under its fault, and none in quiet', true);
  },
};

const all: Scenario[] = [
  ...kill,
  ...imports,
  ...primary,
  ...subscribers,
  ...clients,
  ...disk,
  ...calls,
  ...stop,
  ...refusals,
  ...clock,
  ...limits,
  alerts,
  long,
];
const only = values.only?.split(',');
const unknown = only?.filter((name) => !all.some((scenario) => scenario.name === name)) ?? [];
if (unknown.length > 0 || values.list) {
  const names = all.map(({ name, about }) => `  ${name.padEnd(16)} ${about}`).join('\n');
  process.stderr.write(
    `${unknown.length > 0 ? `There is no ${unknown.join(', ')}. ` : ''}The scenarios are:\n${names}\n`,
  );
  process.exit(unknown.length > 0 ? 1 : 0);
}

type Result = Pick<Finding, 'held' | 'broken' | 'counts' | 'gap'> & {
  name: string;
  about: string;
  seconds: number;
  skipped?: string;
};
const results: Result[] = [];

for (const { name, about, lacks, run } of all) {
  if (only && !only.includes(name)) continue;
  const skipped = lacks?.();
  if (skipped) {
    results.push({ name, about, held: [], broken: [], counts: {}, gap: undefined, seconds: 0, skipped });
    continue;
  }
  test(`${name}: ${about}`, { timeout: (Number(values.minutes) + 15) * 60_000 }, async () => {
    // Before anything else is opened: what it undoes comes before the folders go.
    atEnd(async () => {});
    const begun = performance.now();
    const finding = new Finding();
    try {
      await run(finding, { minutes: Number(values.minutes) });
    } catch (error) {
      finding.must((error as Error).message.trim().replaceAll(/\s+/g, ' '), false);
      throw error;
    } finally {
      const { held, broken, counts, gap } = finding;
      results.push({ name, about, held, broken, counts, gap, seconds: seconds(performance.now() - begun) });
    }
    if (finding.broken.length > 0) throw new Error(finding.broken.join('\n'));
  });
}

after(() => {
  if (values.json) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
  process.stdout.write(`\n${table(results)}\n`);
});

function table(rows: Result[]): string {
  const lines = rows.map(({ name, held, broken, counts, gap, seconds: took, skipped }) => {
    const told = skipped
      ? `not run: ${skipped}`
      : [`${held.length} of ${held.length + broken.length} held`, ...broken.map((one) => `NOT ${one}`)].join('; ');
    const figures = Object.entries(counts).map(([what, figure]) => `${what} ${figure}`);
    return `| ${[name, told, figures.join(', '), gap === undefined ? '' : `${gap} s`, String(took)].join(' | ')} |`;
  });
  return ['| Scenario | What held | Counts | Worst gap | Seconds |', '| --- | --- | --- | --- | --- |', ...lines].join(
    '\n',
  );
}
