/** What differs each time the examples are made, and what stands in its place. Nothing else of an answer is touched. */

const ID = '3f0c1f5e-6b0a-4a57-9d35-0c8f3d1c7a11';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const FIRST = Date.UTC(2026, 10, 16, 9, 0, 0, 24);

/** Times that were given are what they are; the others follow the id of what they belong to, so that what came later is later. */
const MOMENTS: Record<string, number> = {
  created_at: 0,
  started_at: 0,
  claimed_at: 40,
  updated_at: 60,
  last_updated: 60,
};

export function steady(value: unknown, name = '', id = 1): unknown {
  if (Array.isArray(value)) return value.map((one) => steady(one, name, id));
  if (typeof value === 'object' && value !== null) {
    const own = 'id' in value ? Number(value.id) : id;
    return Object.fromEntries(Object.entries(value).map(([member, one]) => [member, steady(one, member, own)]));
  }
  if (typeof value !== 'string') return value;
  if (name === 'request_id') return ID;
  if (name === 'secret') return 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  if (TIME.test(value) && name in MOMENTS) return new Date(FIRST + (id * 300 + MOMENTS[name]!) * 1_000).toISOString();
  return value.replace(/(?<=\?)expires=\d+&signature=[\w-]+$/, 'expires=1795521600&signature=q7vXo3cJm0d2');
}

const HEADERS: Record<string, string> = {
  'X-Request-Id': ID,
  'Ratelimit-Reset': '1794819660',
  'webhook-id': 'msg_4711',
  'webhook-timestamp': '1794819604',
  'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
};

export function steadyHeader(name: string, value: string): string {
  if (name === 'Ratelimit-Remaining' && value !== '0') return '42';
  if (name === 'Retry-After') return '32';
  if (name === 'Link') return value.replaceAll(/(?<=after=)[^&>]+/g, '1794819624024.2');
  return HEADERS[name] ?? value;
}
