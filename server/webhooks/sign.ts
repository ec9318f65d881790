import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks: https://www.standardwebhooks.com */

export const makeSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`;

export function sign(secret: string, id: string, at: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
