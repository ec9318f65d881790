import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse, OWNER } from '../../test/house.ts';
import { lapseClaims } from './claims.ts';

const house = await openHouse();
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
const list = (await api('POST', '/lists', { list: { name: 'Work' } })).body.id as number;
const agent = await house.join({ email: 'agent@example.com', listing_ids: [list] });
const other = await house.join({ email: 'other@example.com', listing_ids: [list] });
const manager = await house.join({ email: 'manager@example.com', agent: false, lists_admin: true });

const create = async (lead: Record<string, string>, ask = api) =>
  (await ask('POST', `/lists/${list}/leads`, { lead })).body.id as number;
const read = async (id: number) => (await api('GET', `/leads/${id}`)).body;
const hits = async (query: string) => (await api('GET', `/leads/search?query=${query}`)).body.total as number;
const activity = async (id: number) => (await owner('GET', `/leads/${id}/activity`)).body;

describe('comments', () => {
  test('are events of their own, move last_updated and are found; their author can change them and take them back', async () => {
    const lead = await create({ first_name: 'Ann' });
    const before = (await read(lead)).last_updated;
    const { status, body } = await agent.ask('POST', `/leads/${lead}/comments`, { comment: 'Likes marzipan' });
    assert.equal(status, 201);
    const after = await read(lead);
    assert.deepEqual(
      [after.events[0].id, after.events[0].kind, after.events[0].comment, after.events[0].user_email, after.state],
      [body.id, 'comment', 'Likes marzipan', 'agent@example.com', 'new'],
    );
    assert.ok(after.last_updated > before);
    assert.equal(await hits('marzipan'), 1);

    assert.equal((await other.ask('PATCH', `/comments/${body.id}`, { comment: 'x' })).status, 404);
    assert.equal((await agent.ask('PATCH', `/comments/${body.id}`, { comment: 'Likes nougat' })).status, 204);
    assert.deepEqual([await hits('marzipan'), await hits('nougat')], [0, 1]);
    assert.deepEqual((await activity(lead))[0].changes, { comment: ['Likes marzipan', 'Likes nougat'] });
    assert.equal((await other.ask('DELETE', `/comments/${body.id}`)).status, 404);
    assert.equal((await agent.ask('DELETE', `/comments/${body.id}`)).status, 204);
    assert.equal(await hits('nougat'), 0);
    assert.deepEqual(
      (await read(lead)).events.map(({ kind }: { kind: string }) => kind),
      ['lead_created'],
    );
    assert.equal((await agent.ask('POST', `/leads/${lead}/comments`, { comment: ' ' })).status, 422);
  });

  test('others’ claims are respected', async () => {
    const lead = await create({});
    await api('PATCH', `/leads/${lead}/delegate`, { lead: { delegate_to: other.id } });
    const { status, body } = await agent.ask('POST', `/leads/${lead}/comments`, { comment: 'x' });
    assert.deepEqual([status, body.error], [409, 'other@example.com holds this lead.']);
  });
});

test('the activity has every change with who, how, before and after', async () => {
  const lead = await create({ first_name: 'Ann' }, agent.ask);
  await agent.ask('PATCH', `/leads/${lead}`, { lead: { first_name: 'Bo' } });
  await api('POST', `/leads/${lead}/winner`);
  const [won, changed, made] = await activity(lead);
  assert.deepEqual([won.kind, won.via, won.changes.state], ['winner', 'api', ['new', 'won']]);
  assert.deepEqual(
    [changed.kind, changed.via, changed.user_email, changed.changes],
    ['lead_updated', 'app', 'agent@example.com', { first_name: ['Ann', 'Bo'] }],
  );
  assert.equal(made.kind, 'lead_created');
});

describe('claims', () => {
  test('are freed when their user is disabled, and when an invitation is withdrawn', async () => {
    const lead = await create({});
    const leaver = await house.join({ email: 'leaver@example.com' });
    await api('PATCH', `/leads/${lead}/delegate`, { lead: { delegate_to: leaver.id } });
    await owner('POST', `/users/${leaver.id}/disable`);
    const after = await read(lead);
    assert.deepEqual([after.claimed_by, after.claimed_at, after.events[0].kind], [null, null, 'unclaim']);

    const { body: invited } = await house.invite({ email: 'never@example.com' });
    await api('PATCH', `/leads/${lead}/delegate`, { lead: { delegate_to: invited.id } });
    assert.equal((await owner('DELETE', `/users/${invited.id}/invitation`)).status, 204);
    assert.equal((await read(lead)).claimed_by, null);
  });

  test('of whoever is disabled are freed, and not those that others are given in the same moment', async () => {
    const [given, left] = [await create({}), await create({})];
    const leaver = await house.join({ email: 'leaving@example.com', listing_ids: [list] });
    for (const lead of [given, left])
      await api('PATCH', `/leads/${lead}/delegate`, { lead: { delegate_to: leaver.id } });
    const giving = await house.pool.connect();
    await giving.query('begin');
    await giving.query('update leads set claimed_by = $2 where id = $1', [given, other.id]);
    const disabling = owner('POST', `/users/${leaver.id}/disable`);
    await house.areWaiting();
    await giving.query('commit');
    giving.release();
    assert.ok((await disabling).status < 300);
    assert.deepEqual([(await read(given)).claimed_by, (await read(left)).claimed_by], ['other@example.com', null]);
  });

  test('lapse so many days after the lead was due, where the account says so', async () => {
    const [late, worked, open, fresh, soon] = await Promise.all(Array.from({ length: 5 }, () => create({})));
    for (const [lead, days] of [
      [late!, 4],
      [worked!, 4],
      [open!, 4],
      [fresh!, 4],
      [soon!, 2],
    ] as const) {
      const scheduled_for = new Date(Date.now() - days * 86_400_000).toISOString();
      await api('POST', `/leads/${lead}/call_back`, { lead: { scheduled_for } });
      await api('PATCH', `/leads/${lead}/delegate`, { lead: { delegate_to: agent.id } });
    }
    const old = [late, worked, open, soon];
    await house.pool.query(`update leads set claimed_at = now() - interval '4 days' where id = any ($1)`, [old]);
    await agent.ask('POST', `/leads/${open}/hold`);
    await lapseClaims(house, house.transact);
    assert.equal((await read(late!)).claimed_by, 'agent@example.com');
    await owner('PATCH', '/account', { account: { claim_lapse_days: 3 } });
    const busy = await house.pool.connect();
    await busy.query('begin');
    await busy.query('select from leads where id = $1 for update', [worked]);
    await lapseClaims(house, house.transact);
    await busy.query('rollback');
    busy.release();
    assert.equal((await read(late!)).claimed_by, null);
    for (const [lead, why] of [
      [worked, 'what someone works on waits'],
      [open, 'so does what is open at a desk'],
      [fresh, 'whoever has just got it has their days'],
      [soon, 'it was due two days ago'],
    ] as const)
      assert.equal((await read(lead!)).claimed_by, 'agent@example.com', why);
    assert.deepEqual([(await activity(late!))[0].kind, (await activity(late!))[0].via], ['unclaim', 'service']);
  });
});

describe('duplicates', () => {
  test('ignoring is mutual', async () => {
    const [first, second] = [await create({ e_mail: 'i@example.com' }), await create({ e_mail: 'i@example.com' })];
    assert.equal((await agent.ask('POST', `/leads/${first}/ignore`, { duplicate_id: second })).status, 204);
    for (const [lead, twin] of [
      [first, second],
      [second, first],
    ] as const) {
      const { detected_duplicates, ignored_duplicates } = await read(lead);
      assert.deepEqual([detected_duplicates, ignored_duplicates], [[], [twin]]);
    }
    assert.equal((await read(first)).events[0].kind, 'duplicate_ignored');
    assert.equal((await agent.ask('POST', `/leads/${first}/ignore`, { duplicate_id: first })).status, 422);
    assert.equal((await agent.ask('POST', `/leads/${first}/ignore`, { duplicate_id: 999_999 })).status, 422);
  });

  test('merging keeps the better state and loses nothing: empty fields are filled, what differs is told, histories are one', async () => {
    const kept = await create({ first_name: 'Ann', e_mail: 'm@example.com' });
    const gone = await create({ first_name: 'Anne', last_name: 'Berg', e_mail: 'm@example.com', unknown: 'kept too' });
    await agent.ask('POST', `/leads/${kept}/loser`, { lead: { comment: 'quince' } });
    await agent.ask('POST', `/leads/${gone}/winner`, { lead: { comment: 'medlar' } });
    const before = (await api('GET', `/lists/${list}`)).body.leads_count as number;
    assert.equal((await agent.ask('POST', `/leads/${kept}/merge`, { duplicate_id: gone })).status, 403);
    assert.equal((await manager.ask('POST', `/leads/${kept}/merge`, { duplicate_id: gone })).status, 204);
    const lead = await read(kept);
    assert.deepEqual(
      [lead.state, lead.lead_data.first_name, lead.lead_data.last_name, lead.detected_duplicates],
      ['won', 'Ann', 'Berg', []],
    );
    assert.deepEqual(lead.events.map(({ kind }: { kind: string }) => kind).toSorted(), [
      'lead_created',
      'lead_created',
      'loser',
      'merge',
      'winner',
    ]);
    assert.deepEqual((await activity(kept))[0].changes, { merged: [gone, null], first_name: ['Anne', 'Ann'] });
    assert.equal((await api('GET', `/leads/${gone}`)).status, 301);
    assert.deepEqual([await hits('quince'), await hits('medlar'), await hits('berg')], [1, 1, 1]);
    const { body: stats } = await api('GET', `/lists/${list}/stats`);
    assert.equal(stats.leads_count, before - 1);
    const { rows } = await house.pool.query('select count(*) as leads from leads where list_id = $1', [list]);
    assert.equal(rows[0].leads, stats.leads_count);
  });

  test('merging with what was chosen fills from what the other list hides, which nobody could choose', async () => {
    const [harbours, roads] = [
      (await api('POST', '/lists', { list: { name: 'Harbours' } })).body.id,
      (await api('POST', '/lists', { list: { name: 'Roads' } })).body.id,
    ];
    const { status } = await owner('POST', `/lists/${harbours}/fields`, { field: { label: 'Vessel' } });
    assert.equal(status, 201);
    const make = async (id: number, lead: Record<string, string>) =>
      (await api('POST', `/lists/${id}/leads`, { lead })).body.id as number;
    const kept = await make(harbours, { first_name: 'Ann' });
    const gone = await make(roads, { first_name: 'Anne', title: 'Captain', vessel: 'Barge' });
    const take = ['first_name'];
    assert.equal((await owner('POST', `/leads/${kept}/merge`, { duplicate_id: gone, take })).status, 204);
    const { first_name, title, vessel } = (await read(kept)).lead_data;
    assert.deepEqual([first_name, title, vessel], ['Anne', '', 'Barge'], 'a title was shown, and not taken');
  });

  test('merging two call backs keeps an appointment, of two the sooner, and tells which was lost', async () => {
    const inHours = (hours: number) => new Date(Math.floor(Date.now() / 1_000 + hours * 3_600) * 1_000).toISOString();
    const [due, soon, later] = [inHours(-1), inHours(24), inHours(48)];
    for (const [of, to, stays, lost] of [
      [{}, { scheduled_for: later }, later, undefined],
      [{ scheduled_for: later }, { scheduled_for: soon }, soon, [later, soon]],
      [{ scheduled_for: soon }, { scheduled_for: later }, soon, [later, soon]],
      [{ scheduled_for: soon, exactly: false }, { scheduled_for: later }, later, undefined],
      // Its time has come, and nobody has called yet.
      [{ scheduled_for: due }, { scheduled_for: later }, due, [later, due]],
      [{ scheduled_for: later }, { scheduled_for: due }, due, [later, due]],
    ] as const) {
      const [kept, gone] = [await create({ first_name: 'Ann' }), await create({ first_name: 'Ann' })];
      await api('POST', `/leads/${kept}/call_back`, { lead: of });
      await api('POST', `/leads/${gone}/call_back`, { lead: to });
      assert.equal((await manager.ask('POST', `/leads/${kept}/merge`, { duplicate_id: gone })).status, 204);
      const { rows } = await house.pool.query('select exactly, turn_at from leads where id = $1', [kept]);
      assert.deepEqual([rows[0].exactly, rows[0].turn_at.toISOString()], [true, stays]);
      assert.deepEqual((await activity(kept))[0].changes.scheduled_for, lost);
    }
  });

  test('an appointment that comes from a merge has its turn, also where the lead that stays had been skipped', async () => {
    const [kept, gone] = [await create({ first_name: 'Ann' }), await create({ first_name: 'Ann' })];
    await agent.ask('POST', `/leads/${kept}/skip`);
    await api('POST', `/leads/${gone}/call_back`, {
      lead: { scheduled_for: new Date(Date.now() - 1_000).toISOString() },
    });
    const skipped = async () =>
      (await house.pool.query('select rank, skipped from leads where id = $1', [kept])).rows[0];
    assert.deepEqual(await skipped(), { rank: 3, skipped: true });
    assert.equal((await manager.ask('POST', `/leads/${kept}/merge`, { duplicate_id: gone })).status, 204);
    assert.deepEqual(await skipped(), { rank: 1, skipped: false });
  });

  test('the id of a merged lead leads to its survivor, a chain in one step: GET 301, other verbs 409, 404 where that is gone or unseen', async () => {
    const [first, second, last] = [await create({}), await create({}), await create({})];
    const merge = async (kept: number, gone: number) =>
      assert.equal((await manager.ask('POST', `/leads/${kept}/merge`, { duplicate_id: gone })).status, 204);
    await merge(second, first);
    await merge(last, second);
    for (const gone of [first, second]) {
      const moved = await api('GET', `/leads/${gone}`);
      assert.deepEqual(
        [moved.status, moved.headers.get('location'), moved.body.code, moved.body.error],
        [301, `/api/v2/leads/${last}`, 'merged', `Lead ${gone} was merged into lead ${last}.`],
      );
      const looked = await api('HEAD', `/leads/${gone}`);
      assert.deepEqual([looked.status, looked.headers.get('location')], [301, `/api/v2/leads/${last}`]);
      const events = await api('GET', `/leads/${gone}/events?per_page=5`);
      assert.equal(events.headers.get('location'), `/api/v2/leads/${last}/events?per_page=5`);
      assert.equal((await manager.ask('GET', `/leads/${gone}`)).headers.get('location'), `/app/leads/${last}`);
      const refused = [
        await api('POST', `/leads/${gone}/winner`),
        await api('PATCH', `/leads/${gone}`, { lead: { title: 'x' } }),
        await api('PATCH', `/leads/${gone}/delegate`, { lead: { delegate_to: 1 } }),
        await manager.ask('POST', `/leads/${gone}/comments`, { comment: 'Who?' }),
        await manager.ask('DELETE', `/leads/${gone}`),
      ];
      for (const { status, body } of refused)
        assert.deepEqual([status, body.code, body.error.endsWith(`lead ${last}.`)], [409, 'merged', true]);
    }
    const stranger = await house.join({ email: 'stranger@example.com', listing_ids: [] });
    const byKey = house.withKey(stranger.key);
    assert.equal((await byKey('GET', `/leads/${first}`)).status, 404);
    assert.equal((await byKey('POST', `/leads/${first}/winner`)).status, 404);
    assert.equal((await manager.ask('DELETE', `/leads/${last}`)).status, 204);
    for (const gone of [first, second]) {
      assert.equal((await api('GET', `/leads/${gone}`)).status, 404);
      assert.equal((await api('POST', `/leads/${gone}/winner`)).status, 404);
    }
  });

  test('merging takes from the other what was chosen, also nothing, and leaves empty what was not', async () => {
    const kept = await create({ first_name: 'Ann', title: 'Buyer', e_mail: 'own@example.com' });
    const gone = await create({ first_name: 'Anne', last_name: 'Berg', title: 'Head of Transport' });
    const take = ['title', 'e_mail', 'no_column_at_all'];
    assert.equal((await manager.ask('POST', `/leads/${kept}/merge`, { duplicate_id: gone, take })).status, 204);
    const { first_name, last_name, title, e_mail } = (await read(kept)).lead_data;
    assert.deepEqual([first_name, last_name, title, e_mail], ['Ann', '', 'Head of Transport', '']);
    assert.deepEqual((await activity(kept))[0].changes, {
      merged: [gone, null],
      first_name: ['Anne', 'Ann'],
      last_name: ['Berg', ''],
      title: ['Buyer', 'Head of Transport'],
      e_mail: ['own@example.com', ''],
    });
  });

  test('merging keeps what is no duplicate of the other, and who holds it; the event tells of both holders', async () => {
    const [kept, gone, third] = [await create({}), await create({}), await create({})];
    await agent.ask('POST', `/leads/${gone}/ignore`, { duplicate_id: third });
    await agent.ask('POST', `/leads/${gone}/ignore`, { duplicate_id: kept });
    await api('PATCH', `/leads/${gone}/delegate`, { lead: { delegate_to: agent.id } });
    assert.equal((await manager.ask('POST', `/leads/${kept}/merge`, { duplicate_id: gone })).status, 204);
    const { claimed_by, ignored_duplicates } = await read(kept);
    assert.deepEqual([claimed_by, ignored_duplicates], ['agent@example.com', [third]]);
    assert.deepEqual((await read(third)).ignored_duplicates, [kept]);
    assert.deepEqual((await activity(kept))[0].changes.claimed_by, [null, 'agent@example.com']);

    const theirs = await create({});
    await api('PATCH', `/leads/${theirs}/delegate`, { lead: { delegate_to: other.id } });
    assert.equal((await manager.ask('POST', `/leads/${kept}/merge`, { duplicate_id: theirs })).status, 204);
    assert.deepEqual((await activity(kept))[0].changes.claimed_by, ['other@example.com', 'agent@example.com']);
  });

  test('merging across lists carries the claim of whoever works the list of the lead that stays, or has the other open', async () => {
    const elsewhere = (await api('POST', '/lists', { list: { name: 'Elsewhere' } })).body.id as number;
    const carol = await house.join({ email: 'carol@example.com', listing_ids: [elsewhere] });
    for (const [who, email, stays] of [
      [carol, 'carol@example.com', null],
      [agent, 'agent@example.com', 'agent@example.com'],
    ] as const) {
      const kept = await create({});
      const gone = (await api('POST', `/lists/${elsewhere}/leads`, { lead: {} })).body.id as number;
      await api('PATCH', `/leads/${gone}/delegate`, { lead: { delegate_to: who.id } });
      assert.equal((await manager.ask('POST', `/leads/${kept}/merge`, { duplicate_id: gone })).status, 204);
      assert.equal((await read(kept)).claimed_by, stays);
      assert.deepEqual((await activity(kept))[0].changes.claimed_by, stays ? [null, email] : [email, null]);
    }
    // Whoever has it open goes on with what stays, and says what came of it.
    const kept = await create({});
    const gone = (await api('POST', `/lists/${elsewhere}/leads`, { lead: {} })).body.id as number;
    await api('PATCH', `/leads/${gone}/delegate`, { lead: { delegate_to: carol.id } });
    assert.equal((await carol.ask('POST', `/leads/${gone}/hold`)).status, 200);
    assert.equal((await manager.ask('POST', `/leads/${kept}/merge`, { duplicate_id: gone })).status, 204);
    assert.equal((await carol.ask('POST', `/leads/${kept}/call_back`, { lead: { call_back_in: 60 } })).status, 204);
    assert.equal((await read(kept)).claimed_by, 'carol@example.com');
  });

  test('whoever has a lead open that is merged has its survivor open, unless that is a colleague’s', async () => {
    const open = async (lead: number, { ask } = agent) =>
      (await ask('POST', `/leads/${lead}/hold`, { input: true, opens: false })).body;
    const merge = async (kept: number, gone: number) =>
      assert.equal((await manager.ask('POST', `/leads/${kept}/merge`, { duplicate_id: gone })).status, 204);
    const holder = async (lead: number) =>
      (await house.pool.query('select held_by from leads where id = $1', [lead])).rows[0].held_by;
    const [gone, kept, held, claimed] = [await create({}), await create({}), await create({}), await create({})];
    await agent.ask('POST', `/leads/${gone}/hold`, {});
    await merge(kept, gone);
    assert.equal(await holder(kept), agent.id);
    assert.equal((await open(gone)).error, `Lead ${gone} was merged into lead ${kept}.`);

    await other.ask('POST', `/leads/${held}/hold`, {});
    await merge(held, kept);
    assert.equal((await open(held)).error, 'other@example.com has this lead open.');
    await api('PATCH', `/leads/${claimed}/delegate`, { lead: { delegate_to: agent.id } });
    await merge(claimed, held);
    assert.equal(await holder(claimed), null);
  });

  test('merging takes nothing that the column could not be given', async () => {
    const column = `update list_columns set kind = 'integer' where list_id = $1 and key = 'title'`;
    const strict = (await api('POST', '/lists', { list: { name: 'Strict' } })).body.id as number;
    await house.pool.query(column, [strict]);
    const kept = (await api('POST', `/lists/${strict}/leads`, { lead: { title: '4' } })).body.id as number;
    const empty = (await api('POST', `/lists/${strict}/leads`, { lead: { first_name: 'Bo' } })).body.id as number;
    const gone = await create({ title: 'Buyer' });
    const merge = (id: number, take?: string[]) =>
      manager.ask('POST', `/leads/${id}/merge`, { duplicate_id: gone, ...(take && { take }) });
    const refused = await merge(kept, ['title']);
    assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, ['title']]);
    assert.equal((await merge(empty)).status, 204);
    assert.equal((await read(empty)).lead_data.title, '', 'nor fills in what would not fit');
    assert.deepEqual((await activity(empty))[0].changes.title, ['Buyer', '']);
  });

  test('merging takes over when the better one is due, and how', async () => {
    const [kept, gone] = [await create({}), await create({})];
    await api('POST', `/leads/${gone}/call_back`, { lead: { call_back_in: 60, exactly: false } });
    const { scheduled_for } = await read(gone);
    assert.equal((await manager.ask('POST', `/leads/${kept}/merge`, { duplicate_id: gone })).status, 204);
    assert.equal((await read(kept)).scheduled_for, scheduled_for);
    const { rows } = await house.pool.query('select rank, turn_at from leads where id = $1', [kept]);
    assert.deepEqual([rows[0].rank, rows[0].turn_at.toISOString()], [2, scheduled_for]);
  });

  test('deleting is for data managers, and takes the lead out of every count', async () => {
    const lead = await create({ first_name: 'Gone' });
    const before = (await api('GET', `/lists/${list}`)).body.leads_count as number;
    assert.equal((await agent.ask('DELETE', `/leads/${lead}`)).status, 403);
    assert.equal((await manager.ask('DELETE', `/leads/${lead}`)).status, 204);
    assert.equal((await api('GET', `/leads/${lead}`)).status, 404);
    assert.equal((await api('GET', `/lists/${list}`)).body.leads_count, before - 1);
    assert.equal((await house.withKey(manager.key)('DELETE', `/leads/${lead}`)).status, 405);
  });
});
