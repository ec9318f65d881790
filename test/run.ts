// `npm test`: one PostgreSQL for all test files, then node's test runner. `npm test -- server/config.test.ts` runs one file.
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../db/embedded/server.ts';
import { prepareTemplate } from './database.ts';

const files = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'leadline-test-'));
const server = await startEmbedded({
  dataDir: { path: folder, explicit: true },
  // It is thrown away afterwards, so it need not survive anything.
  settings: {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    shared_buffers: '128MB',
    max_connections: '200',
  },
});
await prepareTemplate(server.url);

const runner = spawn(
  process.execPath,
  [
    '--test',
    '--test-reporter=spec',
    '--test-concurrency=2',
    '--test-timeout=180000',
    ...(files.length > 0 ? files : globSync('{bin,contract,db,server,test,web}/**/*.test.ts')),
  ],
  { stdio: 'inherit', env: { ...process.env, LEADLINE_TEST_SERVER: server.url } },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal));
runner.on('exit', (code) => {
  void server.stop().then(() => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(code ?? 1);
  });
});
