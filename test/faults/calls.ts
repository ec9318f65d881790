import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { Scenario } from './scenario.ts';

const ROOT = join(import.meta.dirname, '../..');
const CALLS = 10_000;

/** The test of the suite, with more calls. */
const shuffled: Scenario = {
  name: 'call-events',
  about: '10,000 calls whose events come three times and shuffled (server/calls/reports.test.ts)',
  run: (finding) =>
    new Promise((resolve) => {
      const args = [join(ROOT, 'test/run.ts'), 'server/calls/reports.test.ts'];
      const env = { ...process.env, CALLS: String(CALLS) };
      execFile(process.execPath, args, { cwd: ROOT, env, maxBuffer: 1e8 }, (error, stdout) => {
        const passed = Number(/ pass (\d+)/.exec(stdout)?.[1] ?? 0);
        finding.count('calls', CALLS);
        finding.count('reports', '90,000 and more');
        finding.must('one row a call, legal order, new_call once', !error && passed > 0, `${passed} tests passed`);
        resolve();
      });
    }),
};

export const scenarios = [shuffled];
