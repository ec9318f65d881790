import type { Demand } from '../../contract/roles.ts';
import type { Actor } from './actor.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the door. */
    actor: Actor | null;
    /** Of those who came by cookie. */
    sessionId: number | undefined;
    /** Why it could not be served just now, for its line in the log. */
    reason?: string | undefined;
    /** The cookie whose session was moved on by this request, as it is to be sent. */
    renewal: string | undefined;
  }
  interface FastifyContextConfig {
    right?: Demand;
    /** False: it counts toward no limit. */
    counted?: false;
    /** An Idempotency-Key is honoured. */
    repeatable?: boolean;
    /** The answer goes on for as long as someone listens. */
    stream?: boolean;
  }
}
