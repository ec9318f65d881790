import { ErrorBody } from '../../contract/errors.ts';
import { isRepeatable, type Route } from '../platform/route.ts';
import { answers, type Example } from './examples.ts';
import { EVERY_ANSWER, refsTo, type HeaderName } from './headers.ts';
import { inPascalCase, type Publish, type Published } from './schemas.ts';

/** Every way in which /api/v2 says no: what each status means, and each code. */
export const REFUSALS = {
  301: {
    name: 'Merged',
    description: 'The lead was merged into another. `Location` is the path of the one that is left.',
    codes: { merged: 'It was merged; follow `Location`.' },
  },
  400: {
    name: 'Malformed',
    description: 'Address or body cannot be read.',
    codes: {
      bad_address: 'The path is not percent-encoded UTF-8.',
      not_utf8: 'Query or body is not UTF-8, and names no other charset.',
      malformed_json: 'The body is no JSON.',
      malformed_form: 'The body is no form, although `Content-Type` says so.',
      malformed_gzip: 'The body is not gzip, although `Content-Encoding` says so.',
      bad_length: 'The body is not as long as `Content-Length` says.',
    },
  },
  401: {
    name: 'Unauthorized',
    description: 'There is no key, or none that is valid here. `WWW-Authenticate` names the scheme.',
    codes: { unauthorized: 'Send `Authorization: Token "<key>"` with a key of this account.' },
  },
  403: {
    name: 'Forbidden',
    description: 'The key belongs to a user whose roles do not allow this.',
    codes: { forbidden: 'Use the key of the account, or of someone who may.' },
  },
  404: {
    name: 'NotFound',
    description: 'There is nothing at this path, or nothing that this key may see.',
    codes: { not_found: 'An id that is unknown, of another account, or invisible to this key.' },
  },
  409: {
    name: 'Conflict',
    description:
      'It cannot be done as things are. `Location` is there with `merged`, `Retry-After` with `in_progress`.',
    codes: {
      in_progress: 'A request with this `Idempotency-Key` is being worked on. `Retry-After` says when to ask again.',
      lead_claimed: 'Someone else holds the lead; the sentence names them.',
      merged: 'The lead was merged into another; the sentence names it.',
      outbox_full: 'So many mails of the account wait to be sent that no invitation is taken. Ask again later.',
    },
  },
  413: {
    name: 'TooLarge',
    description: 'The body has more than 1 MiB.',
    codes: { body_too_large: 'Send less.' },
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is of a type that is not read here.',
    codes: { unsupported_media_type: 'Send JSON: `Content-Type: application/json`.' },
  },
  422: {
    name: 'Invalid',
    description: 'Parameters are wrong. `errors` names each with what is wrong; nothing was done.',
    codes: { validation_failed: 'Mend what `errors` names.' },
  },
  429: {
    name: 'TooManyRequests',
    description: 'More requests than the limits allow; refused ones count too. Wait until `Ratelimit-Reset`.',
    codes: { too_many_requests: 'Wait `Retry-After` seconds, and longer each time it happens again.' },
  },
  500: {
    name: 'Internal',
    description: 'A fault of the service. It was written to its log under the `request_id`.',
    codes: { internal: 'Try again; if it stays, tell whoever runs the service the `request_id`.' },
  },
  503: {
    name: 'Unavailable',
    description: 'The service or its database is busy or away for a moment. Ask again after `Retry-After` seconds.',
    codes: {
      busy: 'Too much is asked of the service just now.',
      unavailable: 'The database does not answer just now.',
      too_much_unread: 'Too many answers are still waiting to be read.',
    },
  },
} as const satisfies Record<number, { name: string; description: string; codes: Record<string, string> }>;

export type RefusalStatus = keyof typeof REFUSALS;

/** Codes beyond those that follow from the route. */
export type MoreRefusals = { [Status in RefusalStatus]?: (keyof (typeof REFUSALS)[Status]['codes'])[] };

/** Status → codes, as they follow from what a route is, and what is said of it beyond that. */
export function refusalsOf(route: Route, more: MoreRefusals = {}) {
  const { method, path, right } = route;
  const found = new Map<RefusalStatus, string[]>();
  const add = (status: RefusalStatus, codes: string[] = Object.keys(REFUSALS[status].codes)) =>
    found.set(status, [...(found.get(status) ?? []), ...codes]);
  const takesBody = method !== 'GET';
  add(400, takesBody ? undefined : ['bad_address', 'not_utf8']);
  add(401);
  if (takesBody) for (const status of [413, 415] as const) add(status);
  if (right !== 'anyone') add(403);
  if (path.includes(':')) add(404);
  if (isRepeatable(route)) add(409, ['in_progress']);
  for (const status of [422, 429, 500, 503] as const) add(status);
  for (const [status, codes] of Object.entries(more)) add(Number(status) as RefusalStatus, codes);
  return [...found].toSorted(([one], [other]) => one - other);
}

const TELLS: { [Status in RefusalStatus]?: HeaderName[] } = {
  301: ['Location'],
  401: ['WWW-Authenticate'],
  409: ['Retry-After', 'Location'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

export type Refuse = (status: RefusalStatus, codes: string[], example: Example | undefined) => Published;

/** Writes refusals. Those that several operations share stand once among the components, with the first example that anyone has. */
export function createRefuser(publish: Publish) {
  const responses: Record<string, Published> = {};

  const write = (status: RefusalStatus, codes: string[], example: Example | undefined): Published => {
    const { description, codes: meanings } = REFUSALS[status];
    const lines = codes.map((code) => `- \`${code}\`: ${(meanings as Record<string, string>)[code]}`);
    const schema = {
      allOf: [publish(ErrorBody), { type: 'object', properties: { code: { type: 'string', enum: codes } } }],
    };
    return {
      description: `${description}\n\n${lines.join('\n')}`,
      headers: refsTo([...EVERY_ANSWER, ...(TELLS[status] ?? [])]),
      content: { 'application/json': { schema, ...(example && { example: example.answer }) } },
    };
  };

  const refuse: Refuse = (status, codes, example) => {
    if (example) return write(status, codes, example);
    const all = Object.keys(REFUSALS[status].codes);
    const name = REFUSALS[status].name + (codes.length < all.length ? codes.map(inPascalCase).join('') : '');
    const others = Object.values(answers).flatMap((one) => one[status] ?? []);
    responses[name] ??= write(
      status,
      codes,
      others.find(({ answer }) => codes.includes((answer as ErrorBody).code)),
    );
    return { $ref: `#/components/responses/${name}` };
  };
  return { refuse, responses };
}
