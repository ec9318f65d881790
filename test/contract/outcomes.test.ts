import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse } from '../house.ts';
import { blame, stepsOf } from './steps.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList, addLead, readLead } = stepsOf(ask);

const states = { winner: 'won', call_back: 'call_back', loser: 'lost', archive: 'archived' };
const kinds = Object.keys(states) as (keyof typeof states)[];
const list = await addList({
  winner_categories: 'Sale, Upsell',
  call_back_categories: 'Bad time, Positive',
  loser_categories: 'Price',
  archive_categories: 'Bounced',
  skip_categories: 'Later',
});
const give = (lead: { id: number }, kind: string, values?: Record<string, unknown>) =>
  ask('POST', `/leads/${lead.id}/${kind}`, values && { lead: values });

for (const kind of kinds) {
  describe(`POST /api/v2/leads/:id/${kind}`, () => {
    test(`answers 204 and makes the lead ${states[kind]}, from any state`, async () => {
      for (const before of [undefined, ...kinds]) {
        const lead = await addLead(list);
        if (before) await give(lead, before);
        const { status, body } = await give(lead, kind);
        assert.deepEqual([status, body], [204, '']);
        const { events, last_updated, ...told } = await readLead(lead);
        const { events: _, last_updated: __, ...fresh } = lead;
        assert.deepEqual(told, { ...fresh, state: states[kind] });
        assert.ok(last_updated > lead.last_updated);
        assert.equal(events[0].kind, kind);
        assert.equal(events.length, before ? 3 : 2);
      }
    });

    test('an absent or empty body is fine; one that is not empty but lacks `lead` is 422', async () => {
      const lead = await addLead(list);
      for (const body of [undefined, '', {}, { lead: {} }])
        assert.equal((await ask('POST', `/leads/${lead.id}/${kind}`, body)).status, 204, JSON.stringify(body));
      const before = await readLead(lead);
      const answer = await ask('POST', `/leads/${lead.id}/${kind}`, { comment: 'Unwrapped' });
      assert.deepEqual(blame(answer), [422, ['lead']]);
      assert.deepEqual(await readLead(lead), before);
    });

    test('comment is inserted on the event of that operation', async () => {
      const lead = await addLead(list);
      await give(lead, kind, { comment: 'Said “hello”\nand hung up' });
      const { events } = await readLead(lead);
      assert.deepEqual(
        events.map((event: { kind: string; comment: string }) => [event.kind, event.comment]),
        [
          [kind, 'Said “hello”\nand hung up'],
          ['lead_created', ''],
        ],
      );
    });

    test('a given schedule is kept; an outcome without one clears it', async () => {
      const lead = await addLead(list);
      await give(lead, kind, { scheduled_for: '2031-05-06 07:08:09 UTC' });
      assert.equal((await readLead(lead)).scheduled_for, '2031-05-06T07:08:09.000Z');
      await give(lead, kind, {});
      assert.equal((await readLead(lead)).scheduled_for, null);
    });
  });
}

describe('category', () => {
  test('becomes the lead’s and the event’s; an outcome without one makes it null', async () => {
    const lead = await addLead(list);
    for (const [kind, category] of [
      ['winner', 'Upsell'],
      ['call_back', 'Bad time'],
      ['loser', 'Price'],
      ['archive', 'Bounced'],
    ] as const) {
      assert.equal((await give(lead, kind, { category })).status, 204);
      const told = await readLead(lead);
      assert.deepEqual([told.state, told.category, told.events[0].category], [states[kind], category, category]);
    }
    await give(lead, 'archive', {});
    const { category, events } = await readLead(lead);
    assert.deepEqual([category, events[0].category], [null, null]);
  });

  test('"" is none', async () => {
    const lead = await addLead(list);
    await give(lead, 'winner', { category: 'Sale' });
    assert.equal((await give(lead, 'winner', { category: '' })).status, 204);
    assert.equal((await readLead(lead)).category, null);
  });

  test('must match an existing category of that kind exactly, including case; otherwise 422 and nothing is recorded', async () => {
    const lead = await addLead(list);
    await give(lead, 'call_back', { category: 'Positive', scheduled_for: '2031-01-01 00:00:00 UTC' });
    const before = await readLead(lead);
    for (const [kind, category] of [
      ['winner', 'sale'],
      ['winner', ' Sale'],
      ['winner', 'Sale, Upsell'],
      ['winner', 'Price'],
      ['loser', 'Sale'],
      ['call_back', 'Later'],
      ['archive', 'nonsense'],
      ['archive', 5],
      ['archive', ['Bounced']],
    ] as const) {
      const answer = await give(lead, kind, { category, comment: 'lost' });
      assert.deepEqual(blame(answer), [422, ['category']], `${kind} ${String(category)}`);
    }
    assert.deepEqual(await readLead(lead), before);
  });

  test('on a list without categories every category is 422', async () => {
    const lead = await addLead(await addList());
    assert.deepEqual(blame(await give(lead, 'winner', { category: 'Sale' })), [422, ['category']]);
  });
});

describe('schedule', () => {
  const scheduled = async (kind: string, values: Record<string, unknown>) => {
    const lead = await addLead(list);
    assert.equal((await give(lead, kind, values)).status, 204, JSON.stringify(values));
    return (await readLead(lead)).scheduled_for;
  };

  test('call_back_in is minutes until the call back', async () => {
    // The service goes by the database’s clock as it last heard of it, so it may be behind ours by as long as that answer took: well
    // below the minute that it would be off by if it counted wrongly.
    const behind = 30_000;
    for (const minutes of [0, 15, '90', 5_256_000]) {
      const before = Date.now();
      const due = Date.parse(await scheduled('call_back', { call_back_in: minutes })) - Number(minutes) * 60_000;
      assert.ok(before - behind <= due && due <= Date.now() + behind, `${minutes}: off by ${due - before} ms`);
    }
  });

  test('scheduled_for takes precedence over call_back_in when both are present', async () => {
    assert.equal(
      await scheduled('call_back', { call_back_in: 15, scheduled_for: '2031-05-06 07:08:09 UTC' }),
      '2031-05-06T07:08:09.000Z',
    );
  });

  test('ISO 8601 and a time without zone (UTC) are accepted too', async () => {
    const cases = {
      '2031-05-06T07:08:09Z': '2031-05-06T07:08:09.000Z',
      '2031-05-06T07:08:09.123Z': '2031-05-06T07:08:09.123Z',
      '2031-05-06T07:08:09+02:00': '2031-05-06T05:08:09.000Z',
      '2031-05-06 07:08:09': '2031-05-06T07:08:09.000Z',
    };
    for (const [given, told] of Object.entries(cases))
      assert.equal(await scheduled('call_back', { scheduled_for: given }), told, given);
  });

  test('the past is accepted', async () => {
    assert.equal(
      await scheduled('call_back', { scheduled_for: '2020-01-01 00:00:00 UTC' }),
      '2020-01-01T00:00:00.000Z',
    );
  });

  test('unreadable or out of range: 422 naming the parameter, and nothing is recorded', async () => {
    const lead = await addLead(list);
    const cases: [string, unknown][] = [
      ['scheduled_for', 'tomorrow'],
      ['scheduled_for', '2031-02-30 00:00:00 UTC'],
      ['scheduled_for', '06/05/2031'],
      ['scheduled_for', 1_900_000_000],
      ['call_back_in', -1],
      ['call_back_in', 5_256_001],
      ['call_back_in', 1.5],
      ['call_back_in', 'soon'],
    ];
    for (const kind of ['call_back', 'winner'])
      for (const [name, value] of cases)
        assert.deepEqual(blame(await give(lead, kind, { [name]: value })), [422, [name]], `${name} ${String(value)}`);
    assert.deepEqual(await readLead(lead), lead);
  });

  test('a call back without a schedule has none', async () => {
    assert.equal(await scheduled('call_back', {}), null);
  });
});

describe('claim', () => {
  test('outcomes leave it', async () => {
    const lead = await addLead(list);
    await ask('PATCH', `/leads/${lead.id}/delegate`, { lead: { delegate_to: 'owner@example.com' } });
    const { claimed_at } = await readLead(lead);
    for (const kind of kinds) {
      await give(lead, kind, { call_back_in: 5 });
      const told = await readLead(lead);
      assert.deepEqual([told.claimed_by, told.claimed_at], ['owner@example.com', claimed_at]);
    }
  });
});

test('a comment longer than 10,000 characters is 422 naming it', async () => {
  const lead = await addLead(list);
  assert.deepEqual(blame(await give(lead, 'winner', { comment: 'x'.repeat(10_001) })), [422, ['comment']]);
  assert.deepEqual(blame(await give(lead, 'winner', { comment: 'a\0b' })), [422, ['comment']]);
  assert.deepEqual(await readLead(lead), lead);
});

test('an operation that is none of the four is 404', async () => {
  const lead = await addLead(list);
  for (const kind of ['skip', 'won', 'comment']) assert.equal((await give(lead, kind)).status, 404, kind);
});
