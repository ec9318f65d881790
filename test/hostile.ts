import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { openHouse, OWNER, send } from './house.ts';

const kinds = ['none', 'phone', 'email', 'url', 'boolean', 'integer', 'date', 'text', 'options', 'address'];

const NASTY = [
  "'; drop table users; --",
  '%',
  '_',
  '\\',
  '\0',
  '"',
  "'",
  '${7*7}',
  '{{constructor}}',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '%00',
  '\ud800',
  '\u202e',
  'a'.repeat(5000),
  '-1',
  '0',
  '1e999',
  'NaN',
  '9007199254740993',
  '99999999999999999999',
  'true',
  'null',
  '',
  ' ',
  '__proto__',
  'constructor',
  'toString',
  '2026-13-45',
  '٣',
  '🦊',
  'a@b.c',
  'ann@example.com\r\nBcc: x@y.z',
  '"a\\"@b.c',
  '1; select pg_sleep(5)',
  '\r\nSet-Cookie: x=y',
];
const NAMES = [
  'user',
  'account',
  'email',
  'password',
  'token',
  'listing_ids',
  'agent',
  'name',
  'base_url',
  'time_zone',
  'country',
  'claim_lapse_days',
  'new_password',
  'accept_charge_upon_invitation_acceptance',
  'first_name',
  'before',
  'keep_old',
  ...kinds,
  'category',
  'comment',
  'scheduled_for',
  'call_back_in',
  'delegate_to',
  'to_list_id',
  'give_back_leads',
  'event',
  'target_url',
  'query',
  'list_ids',
  'page',
  'per_page',
  'after',
  'order',
  'matchall',
  '__proto__',
  'constructor',
  'id',
];

const text = fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary', maxLength: 50 }));
const leaf = fc.oneof(
  text,
  fc.integer(),
  fc.constantFrom(1e19, -1e300, 2 ** 53),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.dictionary(fc.constantFrom(...NAMES), tie('tree'), { maxKeys: 6 }),
    fc.array(tie('tree'), { maxLength: 4 }),
  ),
}));
// Near enough to what is asked for to get past the first checks.
const member = fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }));
const members = fc.dictionary(fc.constantFrom(...NAMES), member, { maxKeys: 6 });
const shaped = fc.record({
  accept_charge_upon_invitation_acceptance: fc.constant('1'),
  user: fc
    .tuple(
      members,
      fc.oneof(
        fc.integer({ min: 0 }).map((number) => `x${number}@example.com`),
        fc.constantFrom(...NASTY),
      ),
    )
    .map(([more, email]) => ({ ...more, email })),
  account: members,
  lead: members,
  list: fc.tuple(members, text).map(([more, name]) => ({ ...more, name })),
  webhook: fc.record({
    event: fc.constantFrom('winner', 'new_call', 'x'),
    target_url: fc.oneof(text, fc.constant('https://example.com/')),
  }),
  email: text,
  password: text,
  new_password: text,
  token: text,
});
// As forms write it, whole or with a bracket too few.
const bracketed = fc
  .tuple(
    fc.constantFrom('lead', 'list', 'user', 'webhook', 'list_ids', '__proto__', ''),
    fc.array(fc.constantFrom(...NAMES, '', '0', 'columns_attributes', 'label'), { maxLength: 4 }),
    fc.constantFrom('', '[', ']', '[]'),
  )
  .map(([first, rest, end]) => `${first}${rest.map((name) => `[${name}]`).join('')}${end}`);
const fields = fc.array(fc.tuple(bracketed, text), { maxLength: 8 });
const part = ([name, value]: [string, string]) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

const body = fc.oneof(
  { weight: 5, arbitrary: shaped.map((value) => JSON.stringify(value)) },
  {
    weight: 2,
    arbitrary: fc
      .dictionary(fc.constantFrom(...NAMES, 'code'), text)
      .map((values) => new URLSearchParams(values).toString()),
  },
  { weight: 2, arbitrary: fields.map((all) => new URLSearchParams(all).toString()) },
  { weight: 2, arbitrary: fields.map((all) => `${all.map(part).join('')}--b--\r\n`) },
  { weight: 6, arbitrary: tree.map((value) => JSON.stringify(value) ?? '') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '{',
      '[[[[',
      '{"user":',
      'null',
      '[]',
      '"x"',
      '{"a":1}x',
      '['.repeat(5000),
      `{"user":{"email":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`,
      '{"user":{"listing_ids":[1e300,-1e19]}}',
    ),
  },
);
const type = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
  'application/json; charset=iso-8859-1',
  'application/vnd.api+json',
  'x',
);
const piece = fc.oneof(
  fc.integer({ min: 1, max: 9 }).map(String),
  text.map((value) => encodeURIComponent(value.isWellFormed() ? value : 'x').slice(0, 500)),
);
const query = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...NAMES), bracketed), piece), { maxLength: 3 })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));

// Others every time, so that many runs try what one cannot. A failure names the seed; `HOSTILE_SEED=… HOSTILE_INPUTS=1000 npm test --
// test/hostile-app.test.ts` sends the same again, or more.
const SEED = Number(process.env.HOSTILE_SEED ?? randomInt(2 ** 31));
const INPUTS = Number(process.env.HOSTILE_INPUTS ?? 40);

/** Inputs at each of the routes that are meant, in a house of its own: they take long, and two files run side by side. */
export async function beHostile(isMeant: (url: string) => boolean): Promise<void> {
  console.log(`Hostile inputs: HOSTILE_SEED=${SEED} HOSTILE_INPUTS=${INPUTS}`);
  const house = await openHouse();
  // None of the ids that the inputs name: they end sessions too.
  await house.pool.query('alter table sessions alter column id restart with 1000');
  const cookie = (await send(`${house.address}/app/session`, 'POST', OWNER, { origin: house.address })).headers
    .get('set-cookie')!
    .split(';', 1)[0]!;

  // Something to aim at: lists and leads with ids that the inputs name, and columns of every kind.
  const ask = house.withKey(house.key);
  const columns_attributes = kinds.map((kind) => ({ label: kind, kind, options: 'a, b' }));
  for (const name of ['One', 'Two']) {
    const { body: list } = await ask('POST', '/lists', {
      list: { name, columns_attributes, winner_categories: 'true' },
    });
    for (const none of ['x', 'y', 'z']) await ask('POST', `/lists/${list.id}/leads`, { lead: { none } });
  }

  // Each route under its own name, so that a failure names it. Sessions are left alone by the two that would end ours.
  for (const { method, url } of house.routes) {
    if (method === 'HEAD' || method === 'OPTIONS' || /^\/(docs|assets|metrics|health)/.test(url)) continue;
    // A stream has no end to wait for.
    if (url === '/app/live' || !isMeant(url)) continue;
    if (url === '/app/session' || url === '/sign-out' || url.endsWith('/password')) continue;
    test(`hostile inputs at ${method} ${url}: no 5xx`, async () => {
      const run = async (segment: string, search: string, payload: string, contentType: string) => {
        const path = url.replaceAll(/:\w+/g, segment);
        const { statusCode, body: answer } = await house.app.inject({
          method: method as 'POST',
          url: search ? `${path}?${search}` : path,
          headers: {
            cookie,
            origin: 'http://acme.example.com',
            host: 'acme.example.com',
            authorization: `Token "${house.key}"`,
            'content-type': contentType,
          },
          ...(method !== 'GET' && { payload }),
        });
        assert.ok(statusCode < 500, `${statusCode} ${answer}`);
      };
      await fc.assert(fc.asyncProperty(piece, query, body, type, run), {
        numRuns: INPUTS,
        seed: SEED,
        endOnFailure: true,
      });
    });
  }

  test('none of it took away the key and the session, so that the inputs came past the door', async () => {
    const status = async (path: string, headers: Record<string, string>) =>
      (await house.app.inject({ url: path, headers: { host: 'acme.example.com', ...headers } })).statusCode;
    const key = { authorization: `Token "${house.key}"` };
    assert.deepEqual([await status('/api/v2/lists', key), await status('/app/account', { cookie })], [200, 200]);
  });
}
