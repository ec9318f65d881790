import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../bench/processes.ts';

const RULES = join(import.meta.dirname, '../deploy/alerts.yml');

export const hasPrometheus = (): boolean => !spawnSync('prometheus', ['--version']).error;

export type Prometheus = {
  /** Names of the alerts that fire. */
  firing(): Promise<string[]>;
  /** The value of an expression that has one. */
  ask(expression: string): Promise<number>;
  stop(): Promise<void>;
};

/** Watches processes with the rules that are shipped. `hasty`: looks every other second, and an alert does not wait for its time. */
export async function startPrometheus(targets: string[], { hasty }: { hasty: boolean }): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'leadline-prometheus-'));
  const rules = readFileSync(RULES, 'utf8');
  writeFileSync(join(folder, 'alerts.yml'), hasty ? rules.replaceAll(/^( +for:) .*/gm, '$1 4s') : rules);
  const seconds = hasty ? 2 : 5;
  const config = {
    global: { scrape_interval: `${seconds}s`, scrape_timeout: `${seconds}s`, evaluation_interval: `${seconds}s` },
    rule_files: ['alerts.yml'],
    scrape_configs: [
      { job_name: 'leadline', static_configs: [{ targets: targets.map((target) => new URL(target).host) }] },
    ],
  };
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const port = await freePort();
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const exited = once(child, 'exit');
  process.once('exit', () => child.kill('SIGKILL'));
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return ((await response.json()) as { data: T }).data;
  };
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (const deadline = Date.now() + 30_000; !(await isReady()); await sleep(100))
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('Prometheus did not start.');
  return {
    firing: async () => {
      type Alerts = { alerts: { labels: { alertname: string }; state: string }[] };
      const { alerts } = await get<Alerts>('/api/v1/alerts');
      return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
    },
    ask: async (expression) => {
      type Found = { result: { value: [number, string] }[] };
      const { result } = await get<Found>(`/api/v1/query?query=${encodeURIComponent(expression)}`);
      return Number(result[0]?.value[1] ?? NaN);
    },
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
