// The examples of the API description: a real service on a real database, and what it answers. `npm run generate` writes them down.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../server/config.ts';
import { EXAMPLE_ADDRESS, type Examples } from '../../server/docs/examples.ts';
import { serve } from '../../server/main.ts';
import { createLog } from '../../server/platform/log.ts';
import { ACCOUNT_KEY, OWNER } from './clients.ts';
import { openSubscriber } from './subscriber.ts';
import { tour } from './tour.ts';

/** Given a database that was migrated just now and has nothing in it. */
export async function makeExamples(databaseUrl: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'leadline-examples-'));
  const subscriber = await openSubscriber();
  const running = await serve(
    readConfig({
      DATABASE_URL: databaseUrl,
      SECRET_KEY: 'of the examples alone, and of nothing else',
      DATA_DIR: folder,
      BASE_URL: EXAMPLE_ADDRESS,
      PORT: '0',
      OWNER_EMAIL: OWNER.email,
      OWNER_PASSWORD: OWNER.password,
      ACCOUNT_API_KEY: ACCOUNT_KEY,
      WEBHOOK_ALLOW: '127.0.0.0/8',
    }),
    createLog('silent'),
  );
  try {
    const answers: Examples = {};
    await tour(running.address!, subscriber, answers);
    return `${JSON.stringify({ answers, notifications: subscriber.heard() }, null, 2)}\n`;
  } finally {
    await running.stop();
    subscriber.close();
    rmSync(folder, { recursive: true });
  }
}
