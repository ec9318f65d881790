import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asIs } from '../../test/database.ts';
import { openHouse, OWNER, type Ask } from '../../test/house.ts';
import { look } from '../live/look.ts';
import { query } from '../platform/db.ts';
import { findActor } from '../people/users/users.ts';
import { takeReport } from '../calls/reports.ts';

const house = await openHouse();
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);

const newList = async () => (await api('POST', '/lists', { list: { name: 'Paused' } })).body.id as number;
const create = async (list: number, lead = {}) =>
  (await api('POST', `/lists/${list}/leads`, { lead })).body.id as number;
let people = 0;
const newAgent = (...lists: number[]) => house.join({ email: `agent${(people += 1)}@example.com`, listing_ids: lists });
const next = async (ask: Ask, list: number) => (await ask('POST', `/lists/${list}/next`)).body;
const set = (list: number, change: string) => query(house.db, asIs(`update lists set ${change} where id = $1`), [list]);
const read = async (id: number) => (await api('GET', `/leads/${id}`)).body;

describe('a list that is paused or archived', () => {
  for (const since of ['paused_at', 'archived_at'])
    test(`gives nobody a lead (${since}); what one has open one may finish, and it goes on as before`, async () => {
      const list = await newList();
      const [agent, other] = [await newAgent(list), await newAgent(list)];
      const [open, waiting] = [await create(list), await create(list)];
      const due = await create(list);
      await api('POST', `/leads/${due}/call_back`, { lead: { call_back_in: 60 } });
      assert.equal((await next(agent.ask, list)).lead.id, open);
      await set(list, `${since} = now()`);
      const nothing = { lead: null, next_due_at: null, paused: true };
      assert.deepEqual(await next(other.ask, list), nothing);
      const again = await next(agent.ask, list);
      assert.deepEqual([again.lead.id, again.paused], [open, true], 'it is still theirs');
      assert.equal((await agent.ask('POST', `/leads/${open}/winner`)).status, 204);
      assert.deepEqual(await next(agent.ask, list), nothing);
      const empty = { next: null, coming: [], later_today: 0, tomorrow: 0 };
      assert.deepEqual((await agent.ask('GET', `/lists/${list}/ahead`)).body, empty);
      assert.equal((await agent.ask('GET', `/lists/${list}/desk`)).body.paused, true);
      const { queues } = await look(
        { db: house.db, secrets: house.secrets },
        await findActor({ db: house.db, secrets: house.secrets }, house.account.id, agent.id, 'app'),
        { unheardMs: 0 },
        [list],
      );
      assert.deepEqual(queues, [{ list_id: list, new: 0, call_backs: 0, due: 0 }], 'nobody is sent there');
      assert.equal((await agent.ask('POST', `/leads/${waiting}/hold`)).status, 200, 'by hand it opens');
      await agent.ask('DELETE', `/leads/${waiting}/hold`);
      await set(list, `${since} = null`);
      const resumed = await next(other.ask, list);
      assert.deepEqual([resumed.lead.id, resumed.paused], [waiting, false]);
      assert.equal((await agent.ask('GET', `/lists/${list}/desk`)).body.paused, false);
      assert.equal((await agent.ask('GET', `/lists/${list}/ahead`)).body.coming[0].id, due);
    });
});

describe('a list’s own claims', () => {
  const winAtDesk = async (list: number) => {
    const id = await create(list);
    const agent = await newAgent(list);
    await agent.ask('POST', `/leads/${id}/hold`);
    await agent.ask('POST', `/leads/${id}/winner`);
    return (await read(id)).claimed_by !== null;
  };

  test('win over the account’s where the list says something, on or off', async () => {
    const list = await newList();
    await owner('PATCH', '/account', { account: { claim_on_win: false } });
    assert.equal(await winAtDesk(list), false);
    await set(list, 'claim_on_win = true');
    assert.equal(await winAtDesk(list), true);
    await owner('PATCH', '/account', { account: { claim_on_win: true } });
    await set(list, 'claim_on_win = false');
    assert.equal(await winAtDesk(list), false);
    await set(list, 'claim_on_win = null');
    assert.equal(await winAtDesk(list), true, 'as the account has it');
  });

  test('are what the desk says of them', async () => {
    const list = await newList();
    await owner('PATCH', '/account', { account: { claim_on_schedule: false, claim_on_put_off: false } });
    await set(list, 'claim_on_schedule = true');
    assert.deepEqual((await owner('GET', `/lists/${list}/desk`)).body.claims, { schedule: true, put_off: false });
  });
});

describe('a list’s own recording', () => {
  const recorded = async (id: number) =>
    (await query<{ recorded: boolean }>(house.db, asIs('select recorded from calls where id = $1'), [id]))[0]!.recorded;

  test('wins over the account’s, for calls out and for calls that come in', async () => {
    const list = await newList();
    const agent = await newAgent(list);
    const lead = await create(list, { mobile_phone: '+45 33 77 88 99' });
    await owner('PATCH', '/account', { account: { record_calls: true } });
    await set(list, 'record_calls = false');
    const { body: call } = await agent.ask('POST', '/calls', { call: { lead_id: lead } });
    assert.equal(await recorded(call.id), false);
    await set(list, 'record_calls = null');
    const { body: other } = await (await newAgent(list)).ask('POST', '/calls', { call: { number: '+4533000000' } });
    assert.equal(await recorded(other.id), true);
    await set(list, 'record_calls = false');
    const means = { db: house.db, transact: house.transact };
    const cameIn = async (from: string) => {
      const report = { accountId: house.account.id, subject: `in ${from}`, key: 'came_in', at: new Date() };
      await takeReport(means, 'simulated', { ...report, kind: 'came_in', from, to: '+4533112233' });
      const rows = await query<{ id: number }>(
        house.db,
        asIs('select id from calls where caller_number = $1 order by id desc'),
        [from],
      );
      return rows[0]!.id;
    };
    assert.equal(await recorded(await cameIn('+4533778899')), false);
    assert.equal(await recorded(await cameIn('+4533990011')), true, 'a stranger is nobody’s list');
  });
});
