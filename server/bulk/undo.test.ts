import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse, OWNER, type Answer } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { openSubscriber } from '../../test/subscriber.ts';
import { startCall } from '../calls/calls.ts';
import { deleteOneLead, LIST_DELETED } from '../leads/deleted.ts';
import { removePastLeads } from '../leads/remove.ts';
import { lockShape } from '../lists/shape-lock.ts';
import { serviceActor } from '../platform/actor.ts';
import { findActor } from '../people/users/users.ts';
import { startBulkAct } from './bulk.ts';
import { undoBulkAct } from './undo.ts';

const house = await openHouse({ RATE_LIMITS: 'off', WEBHOOK_ALLOW: '127.0.0.0/8' });
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
const service = serviceActor(house.account, 'test');
await house.pool.query(`update accounts set country = 'DK'`);
const ann = await house.join({ email: 'ann@example.com', first_name: 'Ann', last_name: 'Berg' });
const bob = await house.join({ email: 'bob@example.com' });

const id = ({ status, body }: Answer): number => {
  assert.ok(status < 300, JSON.stringify(body));
  return body.id;
};

let numbers = 33_112_200;

/** A list that was worked, and another that matches otherwise. */
async function furnish() {
  const phone = `+45${(numbers += 1)}`;
  const categories = { archive_categories: 'Old', loser_categories: 'No', skip_categories: 'Later' };
  const list = id(await api('POST', '/lists', { list: { name: 'Worked', user_ids: [ann.id], ...categories } }));
  const other = id(await api('POST', '/lists', { list: { name: 'Other', duplicates_match_on_phone: false } }));
  const leads: number[] = [];
  for (const given of ['Zelda', 'Zora', 'Zita', 'Zeno', 'Zoe', 'Zack']) {
    const lead = { first_name: given, mobile_phone: phone, last_name: 'Berg' };
    leads.push(id(await api('POST', `/lists/${list}/leads`, { lead })));
  }
  const [fresh, called, lost, archived, claimed, skipped] = leads as [number, number, number, number, number, number];
  const say = async (path: string, body: object) => id(await ann.ask('POST', `/leads/${path}`, body));
  await say(`${called}/call_back`, { lead: { call_back_in: 600, comment: 'Quixotic' } });
  await say(`${lost}/loser`, { lead: { category: 'No' } });
  await say(`${archived}/archive`, { lead: { category: 'Old' } });
  await say(`${skipped}/skip`, { lead: { category: 'Later' } });
  await say(`${fresh}/texts`, { text: { body: 'Hello' } });
  await owner('POST', `/leads/${fresh}/ignore`, { duplicate_id: lost });
  await api('PATCH', `/leads/${claimed}/delegate`, { lead: { delegate_to: ann.id } });
  const call = await house.transact((work) =>
    startCall(work, service, { direction: 'outbound', destination: phone, leadId: called }),
  );
  await house.pool.query(
    `insert into recordings (account_id, call_id, part, file, ready_at, started_at, seconds)
     values ($1, $2, 'a', 'none', now(), now(), 3)`,
    [house.account.id, call],
  );
  return { list, other, leads };
}

/** All that is written of leads. When they were last updated moves on, so that whoever asks what changed is told. */
async function picture(leads: number[]) {
  const rows = async (text: string) => (await house.pool.query(text, [leads])).rows.map(({ row }) => row);
  return {
    leads: await rows(`select to_jsonb(l) - 'last_updated' as row from leads l where id = any ($1) order by id`),
    data: await rows('select to_jsonb(d) as row from lead_data d where lead_id = any ($1) order by lead_id'),
    marks: await rows('select to_jsonb(m) as row from lead_marks m where lead_id = any ($1) order by lead_id, mark'),
    calls: await rows('select to_jsonb(c) as row from calls c where lead_id = any ($1) order by id'),
    recordings: await rows(`select to_jsonb(r) as row from recordings r
      where call_id in (select id from calls where lead_id = any ($1)) order by call_id`),
    texts: await rows('select to_jsonb(t) as row from texts t where lead_id = any ($1) order by id'),
    ignored: await rows('select to_jsonb(i) as row from ignored_duplicates i where lead_id = any ($1) order by 1'),
    deleted: await rows('select to_jsonb(g) as row from deleted_leads g where lead_id = any ($1)'),
    counts: await rows(`select jsonb_build_array(list_id, state, category, sum(leads)) as row from lead_counts
      where $1::bigint[] is not null group by list_id, state, category having sum(leads) <> 0 order by 1`),
  };
}

const eventsOf = async (leads: number[]): Promise<string[]> => {
  const { rows } = await house.pool.query(
    'select to_jsonb(e)::text as row from events e where lead_id = any ($1) order by id',
    [leads],
  );
  return rows.map(({ row }) => row);
};

const ended = (act: number) =>
  eventually('it is finished', async () => {
    const { body } = await owner('GET', `/bulk/${act}`);
    return body.finished_at && body;
  });
const finish = async (bulk: object) => ended(id(await owner('POST', '/bulk', { bulk })));
const undo = async (act: number) => ended(id(await owner('POST', `/bulk/${act}/undo`)));
const reasonsOf = ({ reasons }: { reasons: { reason: string; number: number }[] }) =>
  reasons.map(({ reason, number }) => [reason, number]);

const KINDS: [kind: string, lead: (other: number) => object, changed: number][] = [
  ['delegate', () => ({ delegate_to: ['bob@example.com'] }), 6],
  ['release', () => ({}), 1],
  ['migrate', (other) => ({ to_list_id: other, give_back_leads: true }), 6],
  ['archive', () => ({ category: 'Old' }), 5],
  ['renew', () => ({}), 3],
  ['change', () => ({ field: 'last_name', value: 'Dahl' }), 6],
  ['delete', () => ({}), 6],
];
for (const [kind, lead, changed] of KINDS) {
  test(`${kind}: undone, everything is as it was, and the history says so`, async () => {
    const { other, leads } = await furnish();
    const [before, events] = [await picture(leads), await eventsOf(leads)];
    const act = await finish({ kind, lead_ids: leads, lead: lead(other) });
    assert.deepEqual([act.total, act.done, act.refusals], [6, 6, 6 - changed], JSON.stringify(act.reasons));
    assert.notDeepEqual(await picture(leads), before);
    assert.ok(act.undo_until);
    const undone = await undo(act.id);
    assert.deepEqual([undone.total, undone.refusals, undone.says], [changed, 0, `Undone: ${act.says}`]);
    assert.deepEqual(await picture(leads), before);
    const since = (await eventsOf(leads)).slice(events.length).map((row) => JSON.parse(row));
    assert.deepEqual((await eventsOf(leads)).slice(0, events.length), events);
    const saying = since.filter(({ changes }) => changes.undone);
    assert.deepEqual(
      saying.map(({ changes }) => changes.undone),
      kind === 'delete' ? [] : Array.from({ length: changed }, () => [act.says, null]),
    );
    const told = (await owner('GET', `/bulk/${act.id}`)).body;
    assert.deepEqual([told.undone_by, told.undo_until, undone.undoes], [undone.id, null, act.id]);
  });
}

test('what was changed since is left and named with who did it; what is as the act left it goes back', async () => {
  const { leads } = await furnish();
  const [first, second, third] = leads as [number, number, number];
  const act = await finish({ kind: 'change', lead_ids: leads, lead: { field: 'last_name', value: 'Dahl' } });
  id(await ann.ask('PATCH', `/leads/${first}`, { lead: { last_name: 'Lund' } }));
  id(await api('PATCH', `/leads/${second}`, { lead: { first_name: 'Zo' } }));
  const undone = await undo(act.id);
  assert.deepEqual(new Set(reasonsOf(undone).map(String)), new Set(['changed since,1', 'changed since by Ann Berg,1']));
  const nameOf = async (lead: number) => (await api('GET', `/leads/${lead}`)).body.lead_data.last_name;
  assert.deepEqual([await nameOf(first), await nameOf(second), await nameOf(third)], ['Lund', 'Dahl', 'Berg']);
});

test('an undo that was stopped, or met a lead that was open, is asked for again and brings back the rest', async () => {
  const { leads } = await furnish();
  const before = await picture(leads);
  const act = await finish({ kind: 'change', lead_ids: leads, lead: { field: 'last_name', value: 'Dahl' } });
  const again = async () => (await owner('POST', `/bulk/${act.id}/undo`)).status;
  const isOffered = async () => (await owner('GET', `/bulk/${act.id}`)).body.undo_until !== null;
  await house.transact(async ({ db }) => {
    // Whoever writes leads waits for the one who has the shape of the lists alone.
    await lockShape(db, house.account.id);
    const begun = id(await owner('POST', `/bulk/${act.id}/undo`));
    assert.deepEqual([await again(), await isOffered()], [409, false]);
    assert.equal((await owner('POST', `/bulk/${begun}/stop`)).body.done, 0);
  });
  assert.ok(await isOffered());
  const hold = `update leads set held_by = $2, held_until = now() + interval '10 minutes' where id = $1`;
  await house.pool.query(hold, [leads[0], ann.id]);
  const second = await undo(act.id);
  assert.deepEqual([second.total, reasonsOf(second)], [6, [['open at a desk', 1]]]);
  assert.ok(await isOffered());
  await house.pool.query('update leads set held_by = null, held_until = null where id = $1', [leads[0]]);
  const third = await undo(act.id);
  assert.deepEqual([third.total, third.refusals], [1, 0]);
  assert.deepEqual(await picture(leads), before);
  assert.deepEqual([await again(), await isOffered()], [409, false]);
});

test('a deleted lead that somebody brought back, and one that was deleted again, are left', async () => {
  const { leads } = await furnish();
  const [first, second] = leads as [number, number];
  const act = await finish({ kind: 'delete', lead_ids: leads });
  for (const lead of [first, second]) assert.equal((await owner('POST', `/leads/${lead}/restore`)).status, 204);
  await house.transact((work) => deleteOneLead(work, service, second));
  const undone = await undo(act.id);
  assert.deepEqual(new Set(reasonsOf(undone).map(String)), new Set(['brought back since,1', 'changed since,1']));
  assert.deepEqual(
    [(await api('GET', `/leads/${first}`)).status, (await api('GET', `/leads/${second}`)).status],
    [200, 404],
  );
  assert.equal((await api('GET', `/leads/${leads[2]}`)).status, 200);
});

test('a deleted lead whose claimant has left meanwhile comes back, and is everyone’s', async () => {
  const { leads } = await furnish();
  const fay = await house.join({ email: 'fay@example.com' });
  await api('PATCH', `/leads/${leads[0]}/delegate`, { lead: { delegate_to: fay.id } });
  const act = await finish({ kind: 'delete', lead_ids: leads });
  id(await owner('POST', `/users/${fay.id}/disable`));
  const undone = await undo(act.id);
  assert.deepEqual([undone.total, reasonsOf(undone)], [6, []]);
  assert.equal((await api('GET', `/leads/${leads[0]}`)).body.claimed_by, null);
});

test('what was deleted by another act meanwhile goes back once it is there again', async () => {
  const { other, leads } = await furnish();
  const before = await picture(leads);
  const changed = await finish({ kind: 'change', lead_ids: leads, lead: { field: 'last_name', value: 'Dahl' } });
  const deleted = await finish({ kind: 'delete', lead_ids: leads });
  assert.deepEqual(reasonsOf(await undo(changed.id)), [['There is nothing here.', 6]]);
  assert.deepEqual(reasonsOf(await undo(deleted.id)), []);
  assert.deepEqual(reasonsOf(await undo(changed.id)), []);
  assert.deepEqual(await picture(leads), before);
  const moved = await finish({ kind: 'migrate', lead_ids: leads, lead: { to_list_id: other } });
  assert.equal((await owner('DELETE', `/lists/${other}`, { list: { name: 'Other' } })).status, 204);
  assert.equal((await undo(moved.id)).refusals, 6);
  assert.ok((await owner('POST', `/lists/${other}/restore`)).status < 300);
  assert.deepEqual(reasonsOf(await undo(moved.id)), []);
});

test('however many others stood in its way, what was open can be undone later', async () => {
  const { leads } = await furnish();
  const act = await finish({ kind: 'change', lead_ids: leads, lead: { field: 'last_name', value: 'Dahl' } });
  await house.pool.query('update leads set held_by = $2, held_until = now() + interval $$10 minutes$$ where id = $1', [
    leads[0],
    ann.id,
  ]);
  const reasons = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`changed since by Agent ${at}`, 1]));
  await house.transact(async ({ db }) => {
    await lockShape(db, house.account.id);
    const begun = id(await owner('POST', `/bulk/${act.id}/undo`));
    await house.pool.query('update bulk_acts set reasons = $2 where id = $1', [begun, JSON.stringify(reasons)]);
  });
  const { undone_by } = (await owner('GET', `/bulk/${act.id}`)).body;
  assert.ok(reasonsOf(await ended(undone_by)).some(([reason]) => reason === 'open at a desk'));
  assert.ok((await owner('GET', `/bulk/${act.id}`)).body.undo_until);
  await house.pool.query('update leads set held_by = null, held_until = null where id = $1', [leads[0]]);
  assert.deepEqual(reasonsOf(await undo(act.id)), []);
});

test('a delete that took hours is undone whole until seven days after its end', async () => {
  const leads = (await furnish()).leads.slice(0, 2);
  const act = await finish({ kind: 'delete', lead_ids: leads });
  const [first, last] = [`interval '7 days 3 hours'`, `interval '6 days 23 hours'`];
  await house.pool.query(`update bulk_acts set finished_at = finished_at - ${last} where id = $1`, [act.id]);
  for (const [lead, ago] of [
    [leads[0], first],
    [leads[1], last],
  ]) {
    await house.pool.query(`update deleted_leads set deleted_at = deleted_at - ${ago} where lead_id = $1`, [lead]);
    await house.pool.query(
      `update bulk_leads b set before = jsonb_build_object('deleted_at', g.deleted_at) from deleted_leads g
        where g.lead_id = $1 and b.lead_id = $1 and b.act_id = $2`,
      [lead, act.id],
    );
  }
  await removePastLeads(house.transact);
  const { done, refusals } = await undo(act.id);
  assert.deepEqual([done, refusals], [2, 0]);
  for (const lead of leads) assert.equal((await api('GET', `/leads/${lead}`)).status, 200);
});

test('a claim does not go back to somebody who left, nor a lead to a list that is deleted, until these are back', async () => {
  const { list, other, leads } = await furnish();
  const eve = await house.join({ email: 'eve@example.com' });
  for (const lead of leads.slice(0, 2))
    await api('PATCH', `/leads/${lead}/delegate`, { lead: { delegate_to: eve.id } });
  const given = await finish({ kind: 'delegate', lead_ids: leads.slice(0, 2), lead: { delegate_to: [bob.id] } });
  id(await owner('POST', `/users/${eve.id}/disable`));
  assert.deepEqual(reasonsOf(await undo(given.id)), [['Who had it is no longer there.', 2]]);
  id(await owner('POST', `/users/${eve.id}/enable`));
  assert.deepEqual(reasonsOf(await undo(given.id)), []);
  const moved = await finish({ kind: 'migrate', lead_ids: leads, lead: { to_list_id: other } });
  assert.equal((await owner('DELETE', `/lists/${list}`, { list: { name: 'Worked' } })).status, 204);
  assert.deepEqual(reasonsOf(await undo(moved.id)), [[LIST_DELETED, 6]]);
  assert.ok((await owner('POST', `/lists/${list}/restore`)).status < 300);
  assert.deepEqual(reasonsOf(await undo(moved.id)), []);
  const deleted = await finish({ kind: 'delete', lead_ids: leads });
  assert.equal((await owner('DELETE', `/lists/${list}`, { list: { name: 'Worked' } })).status, 204);
  assert.deepEqual(reasonsOf(await undo(deleted.id)), [[LIST_DELETED, 6]]);
  assert.ok((await owner('POST', `/lists/${list}/restore`)).status < 300);
  assert.deepEqual(reasonsOf(await undo(deleted.id)), []);
  assert.equal((await api('GET', `/lists/${list}/leads`)).body.length, 6);
});

test('a value that does not fit its field by now goes back all the same: it stood there', async () => {
  const { list, leads } = await furnish();
  const { fields } = (await owner('GET', `/lists/${list}/fields`)).body;
  const { id: field } = fields.find(({ key }: { key: string }) => key === 'last_name');
  assert.equal((await owner('PATCH', `/lists/${list}/fields/${field}`, { field: { kind: 'integer' } })).status, 200);
  const before = await picture(leads);
  const act = await finish({ kind: 'change', lead_ids: leads, lead: { field: 'last_name', value: '12' } });
  assert.equal(act.refusals, 0);
  assert.deepEqual(reasonsOf(await undo(act.id)), []);
  assert.deepEqual(await picture(leads), before);
});

test('subscribers hear of an act and not of its undo', async () => {
  const subscriber = await openSubscriber();
  const { list, leads } = await furnish();
  for (const event of ['archive', 'new_event', 'lead_updated'])
    await api('POST', `/lists/${list}/webhook`, { webhook: { event, target_url: `${subscriber.url}/${event}` } });
  const act = await finish({ kind: 'archive', lead_ids: leads });
  await undo(act.id);
  const { rows } = await house.pool.query(
    `select w.event, d.later, count(*)::int as number from deliveries d join webhooks w on w.id = d.webhook_id
      where w.list_id = $1 group by 1, 2 order by 1`,
    [list],
  );
  assert.deepEqual(rows, [
    { event: 'archive', later: true, number: 5 },
    { event: 'new_event', later: true, number: 5 },
  ]);
});

test('of two who undo it in the same moment, one does', async () => {
  const { leads } = await furnish();
  const act = await finish({ kind: 'delegate', lead_ids: leads, lead: { delegate_to: ['bob@example.com'] } });
  const holding = await house.pool.connect();
  await holding.query('begin');
  await holding.query('select from bulk_acts where id = $1 for update', [act.id]);
  const both = [1, 2].map(() => owner('POST', `/bulk/${act.id}/undo`));
  await house.areWaiting(2);
  await holding.query('commit');
  holding.release();
  const answers = await Promise.all(both);
  assert.equal(answers.filter(({ status }) => status < 300).length, 1);
  assert.equal(answers.find(({ status }) => status === 409)?.body.error, 'It was undone already.');
  const done = await ended(answers.find(({ status }) => status < 300)!.body.id);
  assert.deepEqual([done.total, done.refusals], [6, 0]);
});

test('a move that is undone brings back a category by the name that it was given meanwhile', async () => {
  const { list, other, leads } = await furnish();
  const lost = leads[2]!;
  const act = await finish({ kind: 'migrate', lead_ids: [lost], lead: { to_list_id: other, give_back_leads: false } });
  const { status } = await owner('POST', `/lists/${list}/categories`, {
    category: { kind: 'loser', from: 'No', to: 'Never' },
  });
  assert.equal(status, 200);
  await undo(act.id);
  assert.equal((await api('GET', `/leads/${lost}`)).body.category, 'Never');
});

test('once, when it has ended, within its days, by whoever may do it; and an undo is not undone', async () => {
  const { leads } = await furnish();
  const supervisor = await house.join({ email: 'supervisor@example.com', agent: false, supervisor: true });
  const refusal = async (ask: typeof owner, act: number) => {
    const { status, body } = await ask('POST', `/bulk/${act}/undo`);
    return [status, body.error];
  };
  const act = await finish({ kind: 'delete', lead_ids: leads });
  assert.deepEqual(await refusal(supervisor.ask, act.id), [403, 'Your role does not allow this.']);
  await house.pool.query(`update bulk_acts set finished_at = finished_at - interval '8 days' where id = $1`, [act.id]);
  assert.equal((await owner('GET', `/bulk/${act.id}`)).body.undo_until, null);
  assert.deepEqual(await refusal(owner, act.id), [
    409,
    'It ended more than 7 days ago, and cannot be undone any more.',
  ]);
  await house.pool.query(`update bulk_acts set finished_at = now() where id = $1`, [act.id]);
  const undone = await undo(act.id);
  assert.deepEqual(await refusal(owner, act.id), [409, 'It was undone already.']);
  assert.deepEqual(await refusal(owner, undone.id), [409, 'An undo cannot be undone. Do it again instead.']);
  const nothing = await finish({ kind: 'release', lead_ids: leads.slice(0, 1) });
  assert.deepEqual(await refusal(owner, nothing.id), [409, 'It changed nothing, so there is nothing to undo.']);
  // Asked in the transaction that begins it: it cannot have ended yet.
  const actor = await findActor(house, house.account.id, supervisor.id, 'app');
  const begunAndUndone = house.transact(async (work) => {
    const begun = await startBulkAct(work, actor, { kind: 'renew', lead_ids: leads });
    return undoBulkAct(work, actor, begun.id);
  });
  await assert.rejects(begunAndUndone, /^Error: It is still running/);
});
