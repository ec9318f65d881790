import { Notification, type WebhookEvent } from '../../contract/webhooks.ts';
import { notifications } from './examples.ts';
import { inPascalCase, mapValues, type Published } from './schemas.ts';

/** When each event fires. */
const FIRES: Record<WebhookEvent, string> = {
  winner: 'The Winner action was used on a lead',
  loser: 'The Loser action was used on a lead',
  archive: 'The Archive action was used on a lead, or the service archived it after its last try',
  call_back: 'The Call back action was used on a lead, or a call from it was missed',
  text: 'A text message to a lead was handed over to be sent; whether it arrives is not known yet',
  inbound_text: 'A text message was received from a lead',
  new_event:
    'Anything happened to a lead, except unclaim and migration; not for what an import or an undoing does, nor for leads that are deleted or brought back',
  new_comment: 'A comment was added to a lead, by itself, with an outcome or with a skip',
  lead_created: 'An agent created a lead',
  lead_updated: 'An agent changed the data of a lead, or made it new again',
  new_call:
    'A call was completed and linked to a lead, and what was recorded can be fetched or has not come within 30 seconds; never one that came in',
  new_recording: 'A recorded call was completed and can be heard',
};

const SENT = `The service posts this to the \`target_url\` of each subscription, at least once and in any order; \`webhook-id\` is the same when it comes again.

It goes out only for what happens inside the service, never for what comes through the API. The body says where something happened: ask there for what is so now.

Verify the signature with the subscription’s \`secret\` and any library of [Standard Webhooks](https://www.standardwebhooks.com) before you believe it.`;

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const NOTIFICATION_HEADERS = [
  header('webhook-id', 'Names the notification. The same again is the same notification: act on it once.'),
  header('webhook-timestamp', 'When it was sent, in Unix time. Refuse what is older than five minutes.'),
  header('webhook-signature', '`v1,` and the Base64 of HMAC-SHA256 over `<id>.<timestamp>.<body>`.'),
  header('User-Agent', '`Leadline`.'),
];

const RESPONSES = {
  '2XX': { description: 'It arrived. The body is ignored.' },
  '410': { description: 'Something is permanently wrong: the subscription is removed.' },
  '429': { description: 'Tried again after 1 min, 5 min, 30 min, 2 h, 5 h and 10 h, then given up.' },
  '4XX': { description: 'Given up. The subscription stays.' },
  '5XX': { description: 'Tried again as after 429, and so where no answer comes within 15 seconds.' },
};

const withExample = (one: { name: string }, headers: Record<string, string> = {}) => {
  const example = headers[one.name.toLowerCase()];
  return { ...one, ...(example && { example }) };
};

/** What is sent to subscribers, as OpenAPI 3.1 tells of webhooks. */
export const describeNotifications = (publish: (schema: typeof Notification) => Published) =>
  mapValues(FIRES, (summary, event) => ({
    post: {
      operationId: `on${inPascalCase(event)}`,
      tags: ['Webhooks'],
      summary,
      description: SENT,
      parameters: NOTIFICATION_HEADERS.map((one) => withExample(one, notifications[event]?.headers)),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: publish(Notification),
            ...(notifications[event] && { example: notifications[event].body }),
          },
        },
      },
      responses: RESPONSES,
    },
  }));
