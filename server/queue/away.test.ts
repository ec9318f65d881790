import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse, OWNER } from '../../test/house.ts';
import { ENDS, holdCalls } from '../../test/held-rows.ts';
import { eventually } from '../../test/leadline.ts';
import { endSilentPresences, notePresence } from '../people/users/presence.ts';
import { serviceActor } from '../platform/actor.ts';

const house = await openHouse({ RATE_LIMITS: 'off' });
await house.openLine();
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);

let made = 0;
async function furnish() {
  made += 1;
  const ann = await house.join({ email: `ann${made}@example.com`, first_name: 'Ann' });
  const list = (await api('POST', '/lists', { list: { name: `List ${made}`, user_ids: [ann.id] } })).body.id as number;
  const number = `+4420794${String(6000 + made)}12`;
  const lead = (await api('POST', `/lists/${list}/leads`, { lead: { work_office_phone: number } })).body.id as number;
  const line = async () => (await ann.ask('GET', '/line')).body;
  return { ann, list, lead, number, line };
}

describe('away', () => {
  test('is for a reason of the account’s, gives no lead, lets the open one go, and lasts until one is back', async () => {
    const { ann, list, lead, line } = await furnish();
    assert.equal((await ann.ask('POST', `/lists/${list}/next`)).body.lead.id, lead);
    const refused = await ann.ask('PUT', '/away', { reason: 'Golf' });
    assert.equal(refused.status, 422);
    assert.match(refused.body.errors.reason[0], /^must be one of Break, Lunch, Meeting, Training$/);
    assert.equal((await ann.ask('PUT', '/away', { reason: 'Lunch' })).status, 204);
    assert.equal((await line()).away.reason, 'Lunch');
    assert.equal((await ann.ask('POST', `/lists/${list}/next`)).body.lead, null);
    // Nobody holds it any more.
    const bo = await house.join({ email: `bo${made}@example.com`, listing_ids: [list] });
    assert.equal((await bo.ask('POST', `/leads/${lead}/hold`)).status, 200);
    await bo.ask('DELETE', '/holds');
    const { since } = (await line()).away;
    await ann.ask('PUT', '/away', { reason: 'Lunch' });
    assert.equal((await line()).away.since, since, 'since they went');
    assert.equal((await ann.ask('DELETE', '/away')).status, 204);
    assert.equal((await line()).away, null);
    assert.equal((await ann.ask('POST', `/lists/${list}/next`)).body.lead.id, lead);
  });

  test('whoever is away is not rung, neither by callers nor by colleagues', async () => {
    const { ann, lead, number, line } = await furnish();
    await ann.ask('PUT', '/away', { reason: 'Break' });
    await owner('POST', '/simulate', { kind: 'inbound_call', from: number });
    const calls = async () => (await api('GET', `/calls?lead_id=${lead}`)).body as { state: string }[];
    await eventually('it came in', async () => (await calls()).length === 1);
    assert.deepEqual((await line()).ringing, []);
    const refused = await owner('POST', '/calls', { call: { user_id: ann.id } });
    assert.deepEqual([refused.status, refused.body.error], [409, `ann${made}@example.com is away: Break.`]);
    await ann.ask('DELETE', '/away');
    assert.equal((await line()).ringing.length, 1);
  });

  test('in a call one keeps its lead until it has its outcome, and gets none after it', async () => {
    const { ann, list, lead, number, line } = await furnish();
    await api('POST', `/lists/${list}/leads`, { lead: {} });
    await ann.ask('POST', `/leads/${lead}/hold`);
    const letGo = await holdCalls(house.pool, ENDS);
    await ann.ask('POST', '/calls', { call: { lead_id: lead } });
    await eventually('connected', async () => (await line()).call?.state === 'active');
    assert.equal((await line()).call.number.replaceAll(' ', ''), number);
    await ann.ask('PUT', '/away', { reason: 'Lunch' });
    // Its number ends in 12: they hang up after two seconds.
    await letGo();
    const { wrapping_up } = await eventually('it is over', async () => {
      const now = await line();
      return now.wrapping_up ? now : undefined;
    });
    assert.deepEqual([wrapping_up.lead_id, wrapping_up.ended_by], [lead, 'other']);
    assert.equal((await ann.ask('POST', `/leads/${lead}/winner`)).status, 204);
    assert.equal((await line()).wrapping_up, null);
    assert.equal((await ann.ask('POST', `/lists/${list}/next`)).body.lead, null);
  });

  test('the account sets the reasons', async () => {
    const { ann, line } = await furnish();
    const set = (away_reasons: string[]) => owner('PATCH', '/account', { account: { away_reasons } });
    assert.equal((await set([])).status, 422);
    assert.equal((await set(['Lunch', 'Lunch'])).status, 422);
    assert.equal((await set([' '])).status, 422);
    const changed = await set(['Lunch', 'School run']);
    assert.deepEqual(changed.body.away_reasons, ['Lunch', 'School run']);
    assert.deepEqual((await line()).away_reasons, ['Lunch', 'School run']);
    assert.equal((await ann.ask('PUT', '/away', { reason: 'School run' })).status, 204);
    await set(['Break', 'Lunch', 'Meeting', 'Training']);
    assert.equal((await line()).away.reason, 'School run', 'who is away stays so');
  });
});

describe('who ended a call', () => {
  test('is the agent, the other end or the line, and is told where the call is heard', async () => {
    const { ann, list, line } = await furnish();
    const endOf = async (number: string, hangUp: boolean) => {
      const lead = (await api('POST', `/lists/${list}/leads`, { lead: { work_office_phone: number } })).body
        .id as number;
      const { id } = (await ann.ask('POST', '/calls', { call: { lead_id: lead } })).body;
      if (hangUp) {
        await eventually('connected', async () => (await line()).call?.state === 'active');
        await ann.ask('POST', `/calls/${id}/hang_up`);
      }
      await eventually('it is over', async () => (await api('GET', `/calls/${id}`)).body.state === 'completed');
      const { ended_by } = (await ann.ask('GET', `/calls/${id}/sound`)).body;
      assert.equal((await line()).wrapping_up.ended_by, ended_by);
      await ann.ask('POST', `/leads/${lead}/archive`);
      return ended_by;
    };
    assert.equal(await endOf('+442079460300', true), 'agent');
    assert.equal(await endOf('+442079460311', false), 'other');
    assert.equal(await endOf('+442079460370', false), 'line');
  });
});

describe('what agents do', () => {
  test('is kept as intervals, each closed when the next begins, or by the last sign of life', async () => {
    const { ann } = await furnish();
    const actor = { ...serviceActor(house.account, 'test'), user: { id: ann.id, email: '' } };
    const note = (doing: 'ready' | 'away', reason: string | null = null) =>
      notePresence({ db: house.db }, actor, { doing, reason });
    const kept = async () =>
      (
        await house.pool.query(
          `select doing, reason, ended_at is null as open, ended_at = seen_at as by_sign from presences
            where user_id = $1 order by id`,
          [ann.id],
        )
      ).rows;
    await note('ready');
    await note('ready');
    await Promise.all([note('away', 'Lunch'), note('away', 'Lunch')]);
    assert.deepEqual(
      (await kept()).map(({ doing, reason, open }) => [doing, reason, open]),
      [
        ['ready', null, false],
        ['away', 'Lunch', true],
      ],
    );
    await house.pool.query(
      `update presences set began_at = now() - interval '1 hour', seen_at = now() - interval '10 minutes'
        where user_id = $1 and ended_at is null`,
      [ann.id],
    );
    await endSilentPresences(house.db);
    assert.deepEqual((await kept()).at(-1), { doing: 'away', reason: 'Lunch', open: false, by_sign: true });
    await note('ready');
    assert.equal((await kept()).length, 3);
  });
});
