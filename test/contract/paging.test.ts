import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse } from '../house.ts';
import { blame, idsOf, stepsOf } from './steps.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList, addLead } = stepsOf(ask);

/** Links by their names, as a client reads them. */
const linksOf = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers.get('link')!.matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, url, rel]) => [rel, url]));
const sorted = (url: URL) => [...url.searchParams].map((pair) => pair.join('=')).toSorted();
const BASE = 'http://acme.example.com/api/v2';
const rowsOf = (body: any): { id: number }[] => (Array.isArray(body) ? body : body.leads);

/** A list with seven leads, oldest first, all with the same word. */
async function addSeven() {
  const list = await addList();
  const ids: number[] = [];
  for (let turn = 1; turn <= 7; turn += 1)
    ids.push((await addLead(list, { company_name: 'Seven', first_name: `${turn}` })).id);
  return { list, ids, newest: ids.toReversed() };
}

const { list, newest } = await addSeven();
const pages = {
  leads: `/lists/${list.id}/leads?`,
  find: `/lists/${list.id}/leads/find?company_name=Seven&`,
  search: `/leads/search?query=seven&list_ids=${list.id}&`,
};

for (const [name, path] of Object.entries(pages)) {
  describe(`paging of ${name}`, () => {
    test('newest first by created_at, then id; the default is page 1 of 50', async () => {
      const { status, headers, body } = await ask('GET', path);
      assert.equal(status, 200);
      assert.deepEqual(idsOf(rowsOf(body)), newest);
      assert.equal(headers.get('x-total-count'), '7');
      assert.deepEqual(Object.keys(linksOf(headers)), ['first', 'last']);
    });

    test('page and per_page choose the page; past the end it is empty', async () => {
      assert.deepEqual(idsOf(rowsOf((await ask('GET', `${path}per_page=3&page=2`)).body)), newest.slice(3, 6));
      assert.deepEqual(idsOf(rowsOf((await ask('GET', `${path}per_page=3&page=3`)).body)), newest.slice(6));
      for (const page of [4, 1_000_000]) {
        const { status, headers, body } = await ask('GET', `${path}per_page=3&page=${page}`);
        assert.deepEqual([status, rowsOf(body), headers.get('x-total-count')], [200, [], '7']);
        assert.equal(linksOf(headers).next, undefined);
      }
    });

    test('Link names first, prev, next with `after`, and last', async () => {
      const { headers } = await ask('GET', `${path}per_page=3&page=2`);
      const { first, prev, next, last, ...others } = linksOf(headers);
      const at = (page: number) => {
        const url = new URL(`${BASE}${path}per_page=3`);
        url.searchParams.set('page', String(page));
        return sorted(url);
      };
      const paramsOf = (url: string | undefined) => sorted(new URL(url!));
      assert.deepEqual([paramsOf(first), paramsOf(prev), paramsOf(last)], [at(1), at(1), at(3)]);
      const following = new URL(next!);
      assert.ok(following.searchParams.get('after'));
      following.searchParams.delete('after');
      assert.deepEqual(sorted(following), at(3));
      assert.deepEqual(others, {});
      for (const url of [first, prev, next, last]) assert.ok(url!.startsWith(`${BASE}${path.split('?')[0]}?`), url);
    });

    test('per_page is 1 to 1000 and page at least 1, otherwise 422 naming it', async () => {
      assert.equal((await ask('GET', `${path}per_page=1000`)).status, 200);
      assert.equal(rowsOf((await ask('GET', `${path}per_page=1`)).body).length, 1);
      for (const wrong of ['page=0', 'page=-1', 'page=x', 'page=1.5', 'per_page=0', 'per_page=1001', 'per_page=all'])
        assert.deepEqual(blame(await ask('GET', `${path}${wrong}`)), [422, [wrong.split('=')[0]]], wrong);
    });

    test('an `after` that was not taken from Link is 422 naming it', async () => {
      for (const after of ['x', '1', 'x.1', '1.x', '-1.-1'])
        assert.deepEqual(blame(await ask('GET', `${path}after=${after}`)), [422, ['after']], after);
    });
  });
}

test('following next visits each lead exactly once while others are inserted', async () => {
  for (const kind of ['leads', 'find', 'search'] as const) {
    const own = await addSeven();
    const start = pages[kind].replaceAll(String(list.id), String(own.list.id));
    const seen: number[] = [];
    for (let path: string | undefined = `${start}per_page=2`; path;) {
      const { body, headers } = await ask('GET', path);
      seen.push(...idsOf(rowsOf(body)));
      await addLead(own.list, { company_name: 'Seven' });
      path = linksOf(headers).next?.slice(BASE.length);
    }
    assert.deepEqual(seen, own.newest, kind);
  }
});

test('order=last_updated_first sorts by last_updated descending; an unknown order has no effect', async () => {
  const own = await addSeven();
  const [first, second] = own.ids;
  await ask('PATCH', `/leads/${second}`, { lead: { title: 'CEO' } });
  await ask('POST', `/leads/${first}/winner`);
  const of = async (order: string) => idsOf((await ask('GET', `/lists/${own.list.id}/leads?order=${order}`)).body);
  assert.deepEqual(await of('last_updated_first'), [first, second, ...own.newest.slice(0, 5)]);
  for (const order of ['created_at', 'LAST_UPDATED_FIRST', '', 'x']) assert.deepEqual(await of(order), own.newest);
});

test('last_updated_first can be followed through next', async () => {
  const own = await addSeven();
  await ask('POST', `/leads/${own.ids[3]}/loser`);
  const seen: number[] = [];
  const start = `/lists/${own.list.id}/leads?order=last_updated_first&per_page=3`;
  for (let path: string | undefined = start; path;) {
    const { body, headers } = await ask('GET', path);
    seen.push(...idsOf(body));
    path = linksOf(headers).next?.slice(BASE.length);
  }
  assert.deepEqual(seen, [own.ids[3], ...own.newest.filter((id) => id !== own.ids[3])]);
});

test('a long question is followed to its end; one too long for any Link is 422 instead of an end that is none', async () => {
  const own = await addSeven();
  const ids = (count: number) =>
    [own.list.id, ...Array.from({ length: count }, (_, index) => 1_000_000 + index)].join(',');
  const seen: number[] = [];
  for (let path: string | undefined = `/leads/search?query=seven&per_page=3&list_ids=${ids(900)}`; path;) {
    const { status, body, headers } = await ask('GET', path);
    assert.equal(status, 200);
    seen.push(...idsOf(body.leads));
    path = headers.has('link') ? linksOf(headers).next?.slice(BASE.length) : undefined;
  }
  assert.deepEqual(seen, own.newest);
  const long = `/lists/${own.list.id}/leads/find?company_name=Seven&matchall=false&per_page=3&title=`;
  const tooLong = await ask('GET', `${long}${','.repeat(5_000)}`);
  assert.deepEqual([tooLong.status, tooLong.body.code], [422, 'validation_failed']);
});

test('past the end it is empty, however far', async () => {
  const { status, body } = await ask('GET', `${pages.leads}page=20000000`);
  assert.deepEqual([status, body], [200, []]);
});

test('an empty list is one empty page', async () => {
  const { body, headers } = await ask('GET', `/lists/${(await addList()).id}/leads`);
  assert.deepEqual([body, headers.get('x-total-count')], [[], '0']);
  assert.deepEqual(Object.keys(linksOf(headers)), ['first', 'last']);
});

test('the default page size is 50', async () => {
  const many = await addList();
  for (let turn = 0; turn < 51; turn += 1) await addLead(many);
  const { body, headers } = await ask('GET', `/lists/${many.id}/leads`);
  assert.deepEqual([body.length, headers.get('x-total-count')], [50, '51']);
  assert.equal((await ask('GET', `/lists/${many.id}/leads?page=2`)).body.length, 1);
});

test('a lead counts in X-Total-Count where it is now', async () => {
  const [from, to] = [await addSeven(), await addList()];
  await ask('PATCH', `/leads/${from.ids[0]}/migrate`, { lead: { to_list_id: to.id } });
  const totalOf = async (id: number) => (await ask('GET', `/lists/${id}/leads`)).headers.get('x-total-count');
  assert.deepEqual([await totalOf(from.list.id), await totalOf(to.id)], ['6', '1']);
});
