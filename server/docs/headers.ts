import { answers } from './examples.ts';
import { mapValues, type Published } from './schemas.ts';

type Header = { description: string; schema: Published };
const text = (description: string, more: Published = {}): Header => ({
  description,
  schema: { type: 'string', ...more },
});
const whole = (description: string): Header => ({ description, schema: { type: 'integer' } });

/** What answers say beside their body. */
export const HEADERS = {
  'X-Request-Id': text('Names the request; errors repeat it in `request_id`.', { format: 'uuid' }),
  'Ratelimit-Limit': whole('Requests that the window allows which is nearest to its end.'),
  'Ratelimit-Remaining': whole('How many of them are left.'),
  'Ratelimit-Reset': whole(
    'Unix time in seconds: on a 429 when the next request may be made, otherwise the end of the minute.',
  ),
  'Retry-After': whole('Seconds to wait before asking again.'),
  'WWW-Authenticate': text('Names the scheme: `Token realm="api"`.'),
  Location: text('Path of what was created, or of where it is now.'),
  Link: text(
    'Addresses of other pages: `first`, `prev`, `next`, `last` (RFC 8288). Follow `next` until there is none: each row comes exactly once, whatever is added meanwhile.',
  ),
  'X-Total-Count': whole(
    'How many there are, on all pages. Left out, as `last` of `Link` is, where they are not counted to their end: beyond 10,000 calls, or leads that changed.',
  ),
  'X-Next-Updated-Since': text(
    'Only with `updated_since`: what to ask with the next time, once all pages are read. Then no change is missed.',
    { format: 'date-time' },
  ),
  'X-Unknown-Fields': text(
    'Keys that are no columns of the list, percent-encoded, separated by commas: of a lead that was written, their values were kept and appear when such a column is made; `find` passed them over. Names that would make it longer than 4,000 characters are left out.',
  ),
  'Idempotent-Replayed': text('`true`: this is the answer to an earlier request with the same `Idempotency-Key`.', {
    enum: ['true'],
  }),
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;

export const EVERY_ANSWER: HeaderName[] = ['X-Request-Id', 'Ratelimit-Limit', 'Ratelimit-Remaining', 'Ratelimit-Reset'];

export const refsTo = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Each with the first that an answer really had. */
export function describeHeaders(): Record<string, Published> {
  const all = Object.values(answers).flatMap((one) => Object.values(one));
  return mapValues(HEADERS as Record<string, Header>, (header, name) => {
    const example = all.find(({ headers }) => headers?.[name])?.headers?.[name];
    return { ...header, ...(example && { example: header.schema.type === 'integer' ? Number(example) : example }) };
  });
}
