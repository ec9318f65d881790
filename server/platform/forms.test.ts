import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse, OWNER } from '../../test/house.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
const { body: list } = await ask('POST', '/lists', { list: { name: 'Forms', winner_categories: 'Sale' } });
const leads = `/lists/${list.id}/leads`;
const addLead = async (lead: Record<string, unknown> = {}) => (await ask('POST', leads, { lead })).body.id as number;

const post = (path: string, body: string | Buffer, headers: Record<string, string>, by = ask) =>
  by('POST', path, body, headers);

const { body: other } = await ask('POST', '/lists', { list: { name: 'Other' } });
const readLead = async (id: number) => (await ask('GET', `/leads/${id}`)).body;

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('forms', () => {
  const file = (name: string) => `${name}"; filename="x.txt`;
  const multipart = (parts: [name: string, value: string][], end = '--b--\r\n') =>
    `${parts.map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}${end}`;
  const MULTIPART = { 'content-type': 'multipart/form-data; boundary=b' };
  const SHOUTED = { 'content-type': 'Multipart/Form-Data; Boundary="b"' };

  test('lead[comment]=x is read like JSON, urlencoded or multipart', async () => {
    for (const [body, type] of [
      ['lead[comment]=Wants+the+b%C3%AFg+one&lead%5Bcategory%5D=Sale', FORM],
      [
        multipart([
          ['lead[comment]', 'Wants the bïg one'],
          ['lead[category]', 'Sale'],
        ]),
        SHOUTED,
      ],
    ] as const) {
      const id = await addLead();
      assert.equal((await post(`/leads/${id}/winner`, body, type)).status, 204);
      const { state, category, events } = await readLead(id);
      assert.deepEqual([state, category, events[0].comment], ['won', 'Sale', 'Wants the bïg one']);
    }
  });

  test('lists, users and columns of every spelling', async () => {
    const created = await post(
      '/lists',
      'list[name]=By+form&list[columns_attributes][0][label]=Name&list[columns_attributes][1][label]=Born' +
        '&list[columns_attributes][1][kind]=date&list[show_avatars]=0&list[show_avatars]=1&list[call_back_categories]=',
      FORM,
    );
    assert.deepEqual([created.status, created.body.categories], [201, {}]);
    const labels = async ({ id }: { id: number }) =>
      (await ask('GET', `/lists/${id}/columns`)).body.map(({ label, input_type }: Record<string, string>) => [
        label,
        input_type,
      ]);
    assert.deepEqual(await labels(created.body), [
      ['Name', 'string'],
      ['Born', 'date'],
    ]);
    const rows = await post(
      '/lists',
      'list[name]=Rows&list[columns_attributes][][label]=A&list[columns_attributes][][kind]=date&list[columns_attributes][][label]=B',
      FORM,
    );
    assert.deepEqual(await labels(rows.body), [
      ['A', 'date'],
      ['B', 'string'],
    ]);
    const { status, body } = await post(
      '/users',
      multipart([
        ['accept_charge_upon_invitation_acceptance', '1'],
        ['user[email]', 'form@example.com'],
        ['user[listing_ids][]', String(list.id)],
        ['user[listing_ids][]', String(other.id)],
      ]),
      MULTIPART,
    );
    assert.equal(status, 201);
    const { listing_ids } = (await owner('GET', `/users/${body.id}`)).body;
    assert.deepEqual(new Set(listing_ids), new Set([list.id, other.id]));
  });

  test('a file is 422, what is no form 400, and what has a value and members too', async () => {
    for (const bytes of ['x', 'x'.repeat(100_000), '\u0080'.repeat(50_000)]) {
      for (const end of ['--b--\r\n', '']) {
        const sent = Buffer.from(multipart([[file('lead[company_name]'), bytes]], end), 'latin1');
        const { status, body } = await post(leads, sent, MULTIPART);
        assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['lead[company_name]']]);
      }
    }
    const within = multipart([['lead[company_name]', 'a --b c']]);
    assert.equal(
      (await post(leads, `Preamble\r\n${within}Epilogue`, MULTIPART)).body.lead_data.company_name,
      'a --b c',
    );
    for (const [body, type] of [
      [multipart([['lead[company_name]', 'x']], ''), MULTIPART],
      ['lead', MULTIPART],
      [`--b\r\nContent-Disposition: form-data; name="lead[company_name]"\r\n--b--\r\n`, MULTIPART],
      [multipart([['lead[company_name]', 'x']]), { 'content-type': 'multipart/form-data' }],
      [multipart([['lead[company_name]', 'x']]), { 'content-type': 'multipart/form-data; a="; boundary=b"' }],
      [`--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n${multipart([['lead[company_name]', 'x']])}`, MULTIPART],
      [`--b\r\nX: y\r\n\r\nx\r\n${multipart([['lead[company_name]', 'x']])}`, MULTIPART],
      ['lead[company_name]=x&lead=y', FORM],
      ['lead=y&lead[company_name]=x', FORM],
      ['lead[a]=y&lead[]=x', FORM],
    ] as const) {
      const answer = await post(leads, body, type);
      assert.deepEqual([answer.status, answer.body.code], [400, 'malformed_form'], body);
    }
    const latin = await post(leads, Buffer.from(multipart([['lead[company_name]', 'Café']]), 'latin1'), MULTIPART);
    assert.deepEqual([latin.status, latin.body.code], [400, 'not_utf8']);
    const named = multipart([['lead[company_name]', 'Café']]).replace(
      '\r\n\r\n',
      '\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\n',
    );
    const read = await post(leads, Buffer.from(named, 'latin1'), MULTIPART);
    assert.deepEqual([read.status, read.body.lead_data?.company_name], [201, 'Café']);
  });

  test('the wrapper is asked for as in JSON, and an empty form is no body', async () => {
    for (const [body, type] of [
      ['company_name=x', FORM],
      [multipart([['company_name', 'x']]), MULTIPART],
    ] as const) {
      const { status, body: answer } = await post(leads, body, type);
      assert.deepEqual([status, answer.errors], [422, { lead: ['is missing'] }]);
      assert.equal((await post(`/leads/${await addLead()}/winner`, '', type)).status, 204);
    }
  });

  test('__proto__ assigns nothing, in forms and queries', async () => {
    const names = [
      '__proto__[polluted]',
      'lead[__proto__][polluted]',
      'lead[__proto__]',
      'lead[constructor][prototype][polluted]',
    ];
    for (const name of names.slice(0, 3)) {
      for (const [body, type] of [
        [`${encodeURIComponent(name)}=1&lead[company_name]=x`, FORM],
        [
          multipart([
            [name, '1'],
            ['lead[company_name]', 'x'],
          ]),
          MULTIPART,
        ],
      ] as const) {
        const { status, headers } = await post(leads, body, type);
        assert.deepEqual([status, headers.get('x-unknown-fields')], [201, null], name);
      }
      const { status } = await ask('POST', `${leads}?${encodeURIComponent(name)}=1&lead[company_name]=x`);
      assert.equal(status, 201, name);
    }
    assert.equal((await post(leads, `${names[3]}=1&lead[company_name]=x`, FORM)).status, 422);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });

  test('5,000 keys, 32 levels and 1 MiB hold for them too', async () => {
    const pairs = (count: number) =>
      Array.from({ length: count }, (_, index): [string, string] => [`lead[k${index}]`, '1']);
    const deep = (levels: number) => `lead${'[x]'.repeat(levels - 1)}`;
    const urlencoded = (all: [string, string][]) => all.map(([name, value]) => `${name}=${value}`).join('&');
    for (const [write, type] of [
      [urlencoded, FORM],
      [multipart, MULTIPART],
    ] as const) {
      for (const [given, fault] of [
        [pairs(5_001), 'must have at most 5,000 keys'],
        [pairs(17_000), 'must have at most 5,000 keys'],
        [
          Array.from({ length: 400 }, (_, index): [string, string] => [`a${index}${'[x]'.repeat(20)}`, '']),
          'must have at most 5,000 keys',
        ],
        [[[deep(33), 'x']], 'must have at most 32 levels'],
        [[[deep(type === FORM ? 300_000 : 200), 'x']], 'must have at most 32 levels'],
      ] as [[string, string][], string][]) {
        const { status, body } = await post('/lists/999/leads', write(given).slice(0, 1024 * 1024), type);
        assert.deepEqual([status, body.errors], [422, { body: [fault] }], `${type['content-type']} ${given.length}`);
      }
      for (const given of [pairs(4_990), [[deep(32), 'x']] as [string, string][]])
        assert.equal((await post('/lists/999/leads', write(given), type)).status, 404);
      const large = await post(leads, write([['lead[company_name]', 'x'.repeat(1024 * 1024)]]), type);
      assert.deepEqual([large.status, large.body.code], [413, 'body_too_large']);
    }
  });

  test('others are served while a form of 5,000 parts is read', async () => {
    const body = multipart(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 'v'.repeat(100)]));
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    assert.equal((await post('/lists/999/leads', body, MULTIPART)).status, 404);
    clearInterval(timer);
    assert.ok(turns > 20, String(turns));
  });

  test('at /app a form is 415: another site can send one', async () => {
    for (const [body, type] of [
      ['lead[company_name]=x', FORM],
      [multipart([['lead[company_name]', 'x']]), MULTIPART],
    ] as const)
      assert.equal((await post(leads, body, type, owner)).status, 415);
    assert.equal((await owner('POST', `${leads}?lead[company_name]=x`)).status, 422);
  });
});

describe('brackets in the query', () => {
  test('members of the wrapper are taken, and the body goes before, member by member', async () => {
    const id = await addLead();
    assert.equal(
      (await ask('POST', `/leads/${id}/winner?lead[comment]=From+the+query&lead%5Bcategory%5D=Sale`)).status,
      204,
    );
    assert.equal((await readLead(id)).events[0].comment, 'From the query');
    const { body } = await ask('POST', `${leads}?lead[company_name]=Query&lead[first_name]=Ann&company_name=Bare`, {
      lead: { company_name: 'Body' },
    });
    assert.deepEqual([body.lead_data.company_name, body.lead_data.first_name], ['Body', 'Ann']);
    const wrong = await ask('POST', `/leads/${id}/winner?lead[category]=Nonsense`);
    assert.deepEqual([wrong.status, Object.keys(wrong.body.errors)], [422, ['category']]);
    for (const lead of [5, null, ['x']]) {
      const answer = await ask('POST', `${leads}?lead[company_name]=x`, { lead });
      assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, ['lead']]);
    }
  });

  test('what is not in the wrapper is not taken from the query', async () => {
    const charge = 'accept_charge_upon_invitation_acceptance';
    const { status, body } = await ask('POST', `/users?${charge}=1&user[email]=query@example.com`);
    assert.deepEqual([status, Object.keys(body.errors)], [422, [charge]]);
    assert.equal((await ask('POST', '/users?user[email]=query@example.com', { [charge]: '1' })).status, 201);
  });

  test('list_ids[]=1, list_ids=1&list_ids=2 and list_ids=1,2 are the same; other brackets stay 422', async () => {
    const mine = await addLead({ company_name: 'Quokka' });
    const { body: theirs } = await ask('POST', `/lists/${other.id}/leads`, { lead: { company_name: 'Quokka' } });
    const find = async (query: string) => {
      const { status, body } = await ask('GET', `/leads/search?query=quokka${query}`);
      return [status, body.leads?.map(({ id }: { id: number }) => id).toSorted((a: number, b: number) => a - b)];
    };
    for (const query of [
      `&list_ids[]=${list.id}&list_ids[]=${other.id}`,
      `&list_ids%5B%5D=${list.id}&list_ids=${other.id}`,
      `&list_ids=${list.id}&list_ids=${other.id}`,
      `&list_ids=${list.id},${other.id}`,
      '&list_ids[]=',
      '&list_ids=',
    ])
      assert.deepEqual(await find(query), [200, [mine, theirs.id]], query);
    assert.deepEqual(await find(`&list_ids[]=${list.id}`), [200, [mine]]);
    assert.deepEqual(await find('&list_ids[]=x'), [200, []]);
    const { status, body } = await ask('GET', `${leads}/find?company_name[]=Quokka`);
    assert.deepEqual([status, Object.keys(body.errors)], [422, ['company_name[]']]);
  });

  test('a query has at most 5,000 keys', async () => {
    const answer = await ask('GET', `/leads/search?query=x${'&a'.repeat(5_000)}`);
    assert.deepEqual([answer.status, answer.body.errors], [422, { body: ['must have at most 5,000 keys'] }]);
  });
});
