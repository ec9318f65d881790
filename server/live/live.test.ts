import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { openHouse, OWNER, send } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { serviceActor } from '../platform/actor.ts';
import type { Db } from '../platform/db.ts';
import { failText } from '../texts/sending.ts';
import { look } from './look.ts';

const house = await openHouse();
const api = house.withKey(house.key);
const list = (await api('POST', '/lists', { list: { name: 'Live' } })).body.id as number;
const hidden = (await api('POST', '/lists', { list: { name: 'Hidden' } })).body.id as number;

type Message = { event: string; data: any };

/** A browser that listens. */
async function listen(context: TestContext, email: string, path = '/app/live') {
  const signedIn = await send(
    `${house.address}/app/session`,
    'POST',
    { email, password: OWNER.password },
    { origin: house.address },
  );
  assert.equal(signedIn.status, 201);
  const cookie = signedIn.headers.get('set-cookie')!.split(';', 1)[0]!;
  const stop = new AbortController();
  context.after(() => stop.abort());
  const response = await fetch(house.address + path, { headers: { cookie }, signal: stop.signal });
  const messages: Message[] = [];
  const state = { status: response.status, type: response.headers.get('content-type'), ended: false, messages, cookie };
  void (async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const piece of response.body!) {
      text += decoder.decode(piece, { stream: true });
      const parts = text.split('\n\n');
      text = parts.pop()!;
      for (const part of parts) {
        const [, event, data] = /^event: (.+)\ndata: (.+)$/.exec(part) ?? [];
        if (event) messages.push({ event, data: JSON.parse(data!) });
      }
    }
    state.ended = true;
  })().catch(() => {
    state.ended = true;
  });
  // The last that a look tells. What happens from now on is news.
  await eventually('the first look', () => messages.some(({ event }) => event === 'jobs'));
  return state;
}

describe('live', () => {
  test('tells what happens to leads, who has which open, what is left, and how far bulk acts are', async (context) => {
    const lead = (await api('POST', `/lists/${list}/leads`, { lead: {} })).body.id as number;
    const agent = await house.join({ email: 'ann@example.com', listing_ids: [list] });
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const { type, messages } = await listen(context, OWNER.email, `/app/live?lists=${list},x,999999`);
    assert.equal(type, 'text/event-stream; charset=utf-8');
    const has = (event: string, holds: (data: any) => boolean) =>
      eventually(event, () => messages.find((one) => one.event === event && holds(one.data)));

    await has('queues', ([queue]) => queue.list_id === list && queue.new === 1);
    await agent.ask('POST', `/lists/${list}/next`);
    await has(
      'presence',
      (open) => open.length === 1 && open[0].user_email === 'ann@example.com' && open[0].lead_id === lead,
    );
    await agent.ask('POST', `/leads/${lead}/call_back`, { lead: { call_back_in: 0, exactly: false } });
    await has('lead', ({ lead_id, kind }) => lead_id === lead && kind === 'call_back');
    await has('presence', (open) => open.length === 0);
    await has('queues', ([queue]) => queue.new === 0 && queue.call_backs === 1 && queue.due === 1);
    assert.ok(
      !messages.some(({ event, data }) => event === 'lead' && data.kind === 'lead_created'),
      'the past is no news',
    );
    const twin = (await api('POST', `/lists/${list}/leads`, { lead: {} })).body.id as number;
    await owner('POST', `/leads/${lead}/merge`, { duplicate_id: twin });
    await has('lead', ({ lead_id, merged }) => lead_id === lead && merged === twin);

    const { body } = await owner('POST', '/bulk', { bulk: { kind: 'archive', matching: { list_ids: [list] } } });
    await has('bulk', (acts) =>
      acts.some(
        (act: { id: number; done: number; finished: boolean }) => act.id === body.id && act.finished && act.done === 1,
      ),
    );
  });

  test('tells colleagues that a lead is deleted, and brought back, of the lists they see', async (context) => {
    const [own, other] = await Promise.all(
      [list, hidden].map(async (id) => (await api('POST', `/lists/${id}/leads`, { lead: {} })).body.id as number),
    );
    await house.join({ email: 'cleo@example.com', listing_ids: [list] });
    const { messages } = await listen(context, 'cleo@example.com');
    const owner = await house.signIn(OWNER.email, OWNER.password);
    for (const id of [other, own]) assert.equal((await owner('DELETE', `/leads/${id}`)).status, 204);
    const told = () => messages.filter(({ event }) => event === 'lead').map(({ data }) => data);
    await eventually('it is told', () => told().length > 0);
    for (const id of [other, own]) assert.equal((await owner('POST', `/leads/${id}/restore`)).status, 204);
    await eventually('that it is back, too', () => told().length > 1);
    assert.equal((await owner('DELETE', `/leads/${own}`)).status, 204);
    await eventually('and gone again', () => told().length > 2);
    const once = { lead_id: own, list_id: list };
    assert.deepEqual(told(), [once, once, once]);
  });

  test('fields that are called like parts of an event silence nobody, and are told whole', async (context) => {
    const make = async (said: string) => {
      const lead = { company_name: 'Twice', merged: said, scheduled_for: said };
      return (await api('POST', `/lists/${list}/leads`, { lead })).body.id as number;
    };
    const [kept, gone] = [await make('this'), await make('that')];
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const { messages } = await listen(context, OWNER.email, `/app/live?lists=${list}`);
    assert.equal((await owner('POST', `/leads/${kept}/merge`, { duplicate_id: gone })).status, 204);
    await eventually('which lead went', () =>
      messages.some(({ data }) => data.lead_id === kept && data.merged === gone),
    );
    const { rows } = await house.pool.query(`select changes from events where lead_id = $1 and kind = 'merge'`, [kept]);
    const fields = { 'field.merged': ['that', 'this'], 'field.scheduled_for': ['that', 'this'] };
    assert.deepEqual(rows, [{ changes: { merged: [gone, null], ...fields } }]);
    // As it was written before they were told apart.
    await house.pool.query(
      `update events set changes = '{"merged": ["that", "this"]}' where lead_id = $1 and kind = 'merge'`,
      [kept],
    );
    await listen(context, OWNER.email, `/app/live?lists=${list}`);
  });

  test('tells that a text has failed', async (context) => {
    const { id } = (await api('POST', `/lists/${list}/leads`, { lead: { mobile_phone: '+4533112233' } })).body;
    const agent = await house.join({ email: 'dora@example.com', listing_ids: [list] });
    const { body } = await agent.ask('POST', `/leads/${id}/texts`, { text: { body: 'Hello' } });
    const { messages } = await listen(context, OWNER.email);
    await failText(house.db, { account_id: house.account.id, id: body.id }, 'unreachable');
    await eventually('it is told', () => messages.some(({ event, data }) => event === 'lead' && data.lead_id === id));
  });

  test('tells a page what happened after it was answered and before it listened', async (context) => {
    const make = async () => (await api('POST', `/lists/${list}/leads`, { lead: {} })).body.id as number;
    const [before, changed, deleted] = [await make(), await make(), await make()];
    for (const [table, at] of [
      ['events', 'created_at'],
      ['deleted_leads', 'deleted_at'],
      ['leads_brought_back', 'brought_back_at'],
      ['texts', 'told_at'],
      ['lists', 'changed_at'],
    ])
      await house.pool.query(`update ${table} set ${at} = ${at} - interval '1 minute'`);
    const owner = await house.signIn(OWNER.email, OWNER.password);
    await api('POST', `/leads/${changed}/winner`);
    assert.equal((await owner('DELETE', `/leads/${deleted}`)).status, 204);
    const { messages } = await listen(context, OWNER.email, `/app/live?lists=${list}&unheard=9000`);
    const told = () => new Set(messages.filter(({ event }) => event === 'lead').map(({ data }) => data.lead_id));
    assert.deepEqual(told(), new Set([changed, deleted]));
    assert.ok(!messages.some(({ event }) => event === 'much'));
    await api('POST', `/leads/${before}/winner`);
    await eventually('what happens from now on', () => told().has(before));
    assert.equal(messages.filter(({ event, data }) => event === 'lead' && data.lead_id === changed).length, 1);
    assert.ok(!messages.some(({ event, data }) => event === 'lead' && 'unheard' in data));
  });

  test('has a page ask for everything again that listened too late to be told, or after a list changed', async (context) => {
    const hears = async (unheard: number) =>
      (await listen(context, OWNER.email, `/app/live?unheard=${unheard}`)).messages.some(
        ({ event }) => event === 'much',
      );
    await house.pool.query(`update lists set changed_at = changed_at - interval '1 minute'`);
    assert.equal(await hears(1), false);
    assert.equal(await hears(60_000), true);
    await house.pool.query(`update lists set changed_at = now() where id = $1`, [list]);
    assert.equal(await hears(5_000), true);
    assert.equal(await hears(0), false);
  });

  test('a long past is no reason to ask for everything again', async (context) => {
    const lead = (await api('POST', `/lists/${list}/leads`, { lead: {} })).body.id as number;
    await house.pool.query(
      `insert into events (account_id, lead_id, list_id, kind, via) select $1, $2, $3, 'comment', 'app' from generate_series(1, 500)`,
      [house.account.id, lead, list],
    );
    const { messages } = await listen(context, OWNER.email);
    await api('POST', `/leads/${lead}/winner`);
    await eventually('the news', () => messages.some(({ event, data }) => event === 'lead' && data.kind === 'winner'));
    assert.deepEqual(
      messages.filter(({ event }) => event === 'much' || event === 'lead').map(({ data }) => data.kind),
      ['winner'],
    );
  });

  test('agents hear of the lists they work alone', async (context) => {
    await house.join({ email: 'bo@example.com', listing_ids: [list] });
    const { messages } = await listen(context, 'bo@example.com', `/app/live?lists=${list},${hidden}`);
    await api('POST', `/lists/${hidden}/leads`, { lead: {} });
    await api('POST', `/lists/${list}/leads`, { lead: {} });
    await eventually('their own', () => messages.some(({ event, data }) => event === 'lead' && data.list_id === list));
    assert.ok(!messages.some(({ event, data }) => event === 'lead' && data.list_id === hidden));
    const queues = messages.filter(({ event }) => event === 'queues').flatMap(({ data }) => data);
    assert.ok(queues.every((queue) => queue.list_id === list));
  });

  test('analysts see the board; user managers see nothing of it', async (context) => {
    const lead = (await api('POST', `/lists/${list}/leads`, { lead: {} })).body.id as number;
    const agent = await house.join({ email: 'eve@example.com', listing_ids: [list] });
    assert.equal((await agent.ask('POST', `/leads/${lead}/hold`)).status, 200);
    await house.join({ email: 'analyst@example.com', agent: false, analyst: true });
    await house.join({ email: 'people@example.com', agent: false, users_admin: true, listing_ids: [list] });
    const analyst = await listen(context, 'analyst@example.com', `/app/live?lists=${list}`);
    const manager = await listen(context, 'people@example.com', `/app/live?lists=${list}`);
    const first = (messages: Message[], name: string) => messages.find(({ event }) => event === name)?.data.length;
    assert.deepEqual([first(analyst.messages, 'presence'), first(analyst.messages, 'queues')], [1, 1]);
    assert.deepEqual([first(manager.messages, 'presence') ?? 0, first(manager.messages, 'queues') ?? 0], [0, 0]);
  });

  test('ends when the session does', async (context) => {
    await house.join({ email: 'cy@example.com' });
    const stream = await listen(context, 'cy@example.com');
    await send(`${house.address}/app/session`, 'DELETE', undefined, { cookie: stream.cookie, origin: house.address });
    await eventually('it is over', () => stream.ended);
  });

  test('a page that is merely open does not keep its session from ending', async (context) => {
    const { id } = await house.join({ email: 'dee@example.com' });
    const stream = await listen(context, 'dee@example.com');
    await house.pool.query(
      "update sessions set seen_at = now() - interval '1 day', expires_at = now() + interval '7 seconds' where user_id = $1",
      [id],
    );
    await eventually('it is over', () => stream.ended);
  });

  test('gives a beat all the time, and tells what one does: away, and back', async (context) => {
    const agent = await house.join({ email: 'fay@example.com', listing_ids: [list] });
    const { messages } = await listen(context, 'fay@example.com', `/app/live?lists=${list}`);
    const owner = await listen(context, OWNER.email, `/app/live?lists=${list}`);
    await eventually('three beats', () => messages.filter(({ event }) => event === 'beat').length > 2);
    const last = () => messages.findLast(({ event }) => event === 'own')?.data;
    await eventually('ready', () => last()?.doing === 'ready');
    await agent.ask('PUT', '/away', { reason: 'Lunch' });
    await eventually('away', () => last()?.doing === 'away' && last().reason === 'Lunch');
    await eventually('their colleagues see it', () =>
      owner.messages.some(
        ({ event, data }) =>
          event === 'presence' &&
          data.some((one: any) => one.user_email === 'fay@example.com' && one.doing === 'away' && one.lead_id === null),
      ),
    );
    const kept = async () =>
      (
        await house.pool.query('select doing, reason from presences where user_id = $1 and ended_at is null', [
          agent.id,
        ])
      ).rows;
    await eventually('it is kept', async () => (await kept())[0]?.doing === 'away');
    await agent.ask('DELETE', '/away');
    await eventually('back', () => last()?.doing === 'ready');
    await eventually('that is kept, too', async () => (await kept())[0]?.doing === 'ready');
  });

  test('is looked at by a statement that is prepared, long as that is: every open page does each second', async () => {
    const client = await house.pool.connect();
    try {
      const db: Db = { send: (text, values) => client.query(text, values) };
      const actor = { ...serviceActor(house.account, 'test'), user: { id: 1, email: OWNER.email } };
      await look({ db, secrets: house.secrets }, actor, { unheardMs: 0 }, [list]);
      const kept = await client.query("select from pg_prepared_statements where statement like '%as presence%'");
      assert.equal(kept.rowCount, 1);
    } finally {
      client.release();
    }
  });

  test('is for those who are signed in', async () => {
    assert.equal((await send(`${house.address}/app/live`, 'GET')).status, 401);
  });
});
