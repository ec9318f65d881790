import type { FastifyInstance } from 'fastify';
import { paths } from '../../contract/paths.ts';

/** For whoever has no subscriber of their own yet: it takes everything and keeps nothing. What it was sent stands in the delivery log. */
export function addReceiver(app: FastifyInstance): void {
  app.post(paths.receiver, { bodyLimit: 64 * 1024 }, () => ({ received: true }));
}
