import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse, OWNER } from '../../test/house.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
const { body: list } = await ask('POST', '/lists', { list: { name: 'Nothing' } });
const { body: other } = await ask('POST', '/lists', { list: { name: 'Other' } });
const leads = `/lists/${list.id}/leads`;
const addLead = async (lead: Record<string, unknown> = {}) => (await ask('POST', leads, { lead })).body.id as number;
const readLead = async (id: number) => (await ask('GET', `/leads/${id}`)).body;

describe('nothing given', () => {
  test('null and "" of an optional parameter are as if it were left out, whatever its type', async () => {
    const outcome = ['call_back_in', 'scheduled_for', 'exactly', 'comment', 'category'];
    const settings = [
      'columns_attributes',
      'description',
      'user_ids',
      'call_back_categories',
      'prepend_phone',
      'inline_identifiers',
      'lock_on_defaults',
      'duplicates_match_on_phone',
      'duplicates_match_on',
    ];
    const user = ['first_name', 'agent', 'users_admin', 'listing_ids'];
    for (const nothing of [null, '']) {
      for (const name of outcome) {
        const { status, body } = await ask('POST', `/leads/${await addLead()}/call_back`, {
          lead: { [name]: nothing },
        });
        assert.equal(status, 204, `${name} ${JSON.stringify(body)}`);
      }
      for (const name of settings) {
        const { status, body } = await ask('POST', '/lists', { list: { name: 'x', [name]: nothing } });
        assert.equal(status, 201, `${name} ${JSON.stringify(body)}`);
      }
      for (const name of user) {
        const email = `${name}${String(nothing)}@example.com`;
        const { status, body } = await house.invite({ email, [name]: nothing });
        assert.equal(status, 201, `${name} ${JSON.stringify(body)}`);
      }
      const attributes = { label: 'A', kind: nothing, visible: nothing, required: nothing, options: nothing };
      assert.equal(
        (await ask('POST', '/lists', { list: { name: 'x', columns_attributes: [attributes] } })).status,
        201,
      );
      const move = { to_list_id: other.id, give_back_leads: nothing };
      assert.equal((await ask('PATCH', `/leads/${await addLead()}/migrate`, { lead: move })).status, 204);
    }
    for (const path of [
      `${leads}?page=&per_page=&after=&order=`,
      `${leads}/find?company_name=x&matchall=&page=`,
      '/leads/search?query=x&list_ids=&per_page=',
      '/lists?locked_on_defaults=',
    ])
      assert.equal((await ask('GET', path)).status, 200, path);
  });

  test('what is required stays so; a find condition is refused; a lead value is cleared', async () => {
    for (const nothing of [null, '']) {
      for (const [path, body, name] of [
        ['/lists', { list: { name: nothing } }, 'name'],
        ['/lists', { list: nothing }, 'list'],
        ['/webhooks', { webhook: { event: 'new_call', target_url: nothing } }, 'target_url'],
      ] as const) {
        const answer = await ask('POST', path, body);
        assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, [name]]);
      }
      const id = await addLead({ company_name: 'Acme' });
      assert.equal((await ask('PATCH', `/leads/${id}`, { lead: { company_name: nothing } })).status, 204);
      assert.equal((await readLead(id)).lead_data.company_name, '');
    }
    const { status, body } = await ask('GET', `${leads}/find?company_name=&first_name=x`);
    assert.deepEqual([status, body.errors], [422, { company_name: ['must not be empty'] }]);
  });

  test('at /app null clears where the schema allows it, and is refused elsewhere', async () => {
    assert.equal((await owner('PATCH', '/account', { account: { claim_lapse_days: null } })).status, 200);
    assert.equal((await owner('PATCH', '/account', { account: { claim_on_win: null } })).status, 422);
    assert.equal((await owner('GET', `${leads}?page=`)).status, 422);
  });
});
