import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WEBHOOK_EVENTS } from '../../contract/webhooks.ts';
import type { Notifications } from '../../server/docs/examples.ts';
import { steadyHeader } from './steady.ts';

export type Subscriber = Awaited<ReturnType<typeof openSubscriber>>;

/** Keeps the first notification of each event, by the path it came to. */
export async function openSubscriber() {
  const kept = new Map<string, Notifications[string]>();
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const event = request.url!.slice(1);
      const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'user-agent'];
      const headers = names.map((name) => [name, steadyHeader(name, String(request.headers[name]))]);
      if (!kept.has(event)) kept.set(event, { headers: Object.fromEntries(headers), body: JSON.parse(text) });
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard: (): Notifications => Object.fromEntries(WEBHOOK_EVENTS.map((event) => [event, kept.get(event)!])),
    close: () => server.close(),
    async wait(event: string): Promise<void> {
      for (let looks = 0; !kept.has(event); looks += 1) {
        if (looks > 2_400) throw new Error(`Nobody was told of ${event}.`);
        await sleep(25);
      }
    },
  };
}
