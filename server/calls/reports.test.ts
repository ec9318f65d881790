import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CALL_STATES, type Disposition } from '../../contract/calls.ts';
import { openHouse } from '../../test/house.ts';
import { query } from '../platform/db.ts';
import type { Cause, Report } from '../telephony/carrier.ts';
import { nameCall } from './calls.ts';
import { learnId, takeReport } from './reports.ts';
import { asIs } from '../../test/database.ts';

// `npm run faults` asks for ten thousand.
const CALLS = Number(process.env.CALLS ?? 1_000);
const AT_ONCE = 16;
const CARRIER = 'shuffled';

const house = await openHouse();
const api = house.withKey(house.key);
const list = (await api('POST', '/lists', { list: { name: 'Shuffled' } })).body.id as number;
const leads: number[] = [];
for (let number = 10; number < 60; number += 1) {
  const lead = { work_office_phone: `+45331122${number}` };
  leads.push((await api('POST', `/lists/${list}/leads`, { lead })).body.id as number);
}
const target_url = 'http://127.0.0.1:9/never';
const hook = async (path: string, event: string) =>
  (await api('POST', path, { webhook: { event, target_url } })).body.id as number;
const hooks = {
  list: await hook(`/lists/${list}/webhook`, 'new_call'),
  account: await hook('/webhooks', 'new_call'),
  callBack: await hook(`/lists/${list}/webhook`, 'call_back'),
};

/** A small generator of its own: what fails can be run again. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function shuffle<T>(all: T[], below: (most: number) => number): T[] {
  for (let index = all.length - 1; index > 0; index -= 1) {
    const other = below(index + 1);
    [all[index], all[other]] = [all[other]!, all[index]!];
  }
  return all;
}

type Plan = { subject: string; inbound: boolean; cause: Cause; seconds: number; lead: number };
const CAUSES: Cause[] = ['over', 'over', 'over', 'busy', 'no_answer', 'invalid_number', 'temp_unavail', 'failed'];

const begun = Date.parse('2026-11-15T10:00:00.000Z');

/** All that a carrier says of one call, in the order in which it happened. */
function reportsOf({ subject, inbound, cause, seconds, lead }: Plan, index: number): Report[] {
  const start = begun + index * 1_000;
  const common = (key: string, ms: number) => ({
    accountId: house.account.id,
    subject,
    key,
    at: new Date(start + ms),
  });
  return [
    ...(inbound
      ? [{ ...common('in', 0), kind: 'came_in' as const, from: `+45331122${10 + lead}`, to: null }]
      : [{ ...common('calling', 300), kind: 'calling' as const }]),
    ...(cause === 'over' ? [{ ...common('answered', 4_000), kind: 'answered' as const }] : []),
    { ...common('ended', 4_000 + seconds * 1_000), kind: 'ended' as const, cause },
  ];
}

test(`${CALLS} calls whose reports come three times and shuffled: one legal history each, exact durations, told once`, async () => {
  const below = seeded(20_261_115);
  const plans: Plan[] = Array.from({ length: CALLS }, (_, index) => ({
    subject: `call-${index}`,
    inbound: below(5) === 0,
    cause: CAUSES[below(CAUSES.length)]!,
    seconds: below(600),
    lead: below(leads.length),
  }));
  await house.pool.query(`
    -- Counted here, brought elsewhere.
    alter table deliveries alter column next_at set default now() + interval '1 day';
    create table history (id bigint, former text, state text);
    create function keep_history() returns trigger language plpgsql as $$
    begin
      if old.state <> new.state then insert into history values (new.id, old.state, new.state); end if;
      return new;
    end $$;
    create trigger keep_history after update on calls for each row execute function keep_history()`);
  const dialled = plans.flatMap((plan, index) => (plan.inbound ? [] : [{ ...plan, index }]));
  const rows = await query<{ id: number }>(
    house.db,
    asIs(`insert into calls (account_id, direction, lead_id, destination_number, started_at, dialled_at)
     select $1, 'outbound', c.lead_id, '+4533', c.at, c.at from unnest($2::bigint[], $3::timestamptz[]) as c (lead_id, at) returning id`),
    [
      house.account.id,
      dialled.map(({ lead }) => leads[lead]),
      dialled.map(({ index }) => new Date(begun + index * 1_000)),
    ],
  );
  // The carrier's own id of a call becomes known at any time between its reports.
  const acts: (() => Promise<unknown>)[] = dialled.map(({ subject }, index) => () => {
    const { id } = rows[index]!;
    return learnId(house.transact, CARRIER, subject, (work) => nameCall(work, house.account.id, id, CARRIER, subject));
  });
  for (const [index, plan] of plans.entries()) {
    for (const report of reportsOf(plan, index)) {
      for (let time = 0; time < 3; time += 1) acts.push(() => takeReport(house, CARRIER, report));
    }
  }
  shuffle(acts, below);
  let next = 0;
  const keepReporting = async () => {
    while (next < acts.length) await acts[next++]!();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, keepReporting));

  type Row = {
    subject: string;
    direction: string;
    state: string;
    disposition: Disposition;
    ms: number | null;
    lead_id: number;
  };
  const calls = await query<Row>(
    house.db,
    asIs(`select carrier_call_id as subject, direction, state, disposition, lead_id,
            (extract(epoch from ended_at - answered_at) * 1000)::int as ms from calls where carrier = $1`),
    [CARRIER],
  );
  const found = new Map(calls.map((call) => [call.subject, call]));
  assert.deepEqual([calls.length, found.size], [CALLS, CALLS], 'one row a call');
  for (const { subject, inbound, cause, seconds, lead } of plans) {
    assert.deepEqual(found.get(subject), {
      subject,
      direction: inbound ? 'inbound' : 'outbound',
      state: 'completed',
      disposition: cause === 'over' ? 'normal' : cause,
      ms: cause === 'over' ? seconds * 1_000 : null,
      lead_id: leads[lead],
    });
  }
  const steps = await query<{ id: number; former: string; state: string }>(house.db, asIs('select * from history'), []);
  const backwards = steps.filter(
    ({ former, state }) => CALL_STATES.indexOf(former as never) >= CALL_STATES.indexOf(state as never),
  );
  assert.deepEqual(backwards, []);
  assert.equal(steps.filter(({ state }) => state === 'completed').length, CALLS, 'each ended once');

  const told = await query<{ webhook_id: number; resource: string; times: number }>(
    house.db,
    asIs('select webhook_id, resource, count(*)::int as times from deliveries group by 1, 2'),
    [],
  );
  const ofCalls = told.filter(({ webhook_id }) => webhook_id !== hooks.callBack);
  assert.ok(ofCalls.every(({ times }) => times === 1));
  assert.equal(ofCalls.length, 2 * dialled.length, 'at both scopes, and never for those that came in');
  const missed = plans.filter(({ inbound, cause }) => inbound && cause !== 'over').length;
  const callBacks = await query<{ missed: number }>(
    house.db,
    asIs(`select count(*) as missed from events where kind = 'call_back'`),
    [],
  );
  assert.equal(callBacks[0]!.missed, missed);
});
