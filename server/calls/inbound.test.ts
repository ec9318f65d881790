import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse, OWNER } from '../../test/house.ts';
import { ENDS, holdCalls } from '../../test/held-rows.ts';
import { eventually } from '../../test/leadline.ts';
import { openSubscriber } from '../../test/subscriber.ts';
import { failForgottenTexts } from '../texts/sending.ts';

const house = await openHouse({ RATE_LIMITS: 'off', WEBHOOK_ALLOW: '127.0.0.0/8' });
const line = await house.openLine();
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
await owner('PATCH', '/account', { account: { caller_number: '+4570101010', country: 'DK' } });
const subscriber = await openSubscriber();

let made = 0;
/** A list with two agents and a lead whose number nobody else has. */
async function furnish() {
  made += 1;
  const ann = await house.join({ email: `ann${made}@example.com`, listing_ids: [] });
  const bo = await house.join({ email: `bo${made}@example.com`, listing_ids: [] });
  const list = (await api('POST', '/lists', { list: { name: `List ${made}`, user_ids: [ann.id, bo.id] } })).body
    .id as number;
  for (const event of ['call_back', 'new_call', 'new_recording', 'inbound_text', 'new_comment', 'new_event', 'text']) {
    const target_url = `${subscriber.url}/${event}`;
    assert.equal((await api('POST', `/lists/${list}/webhook`, { webhook: { event, target_url } })).status, 201);
  }
  const national = `33 1${String(made).padStart(3, '0')} 01`;
  const from = `+45${national.replaceAll(' ', '')}`;
  const lead = (await api('POST', `/lists/${list}/leads`, { lead: { work_office_phone: national } })).body.id as number;
  return { ann, bo, list, lead, from };
}
type Person = Awaited<ReturnType<typeof house.join>>;

const simulate = async (happening: object) => assert.equal((await owner('POST', '/simulate', happening)).status, 202);
const ringsAt = async ({ ask }: Person) =>
  (await ask('GET', '/line')).body.ringing as { id: number; lead_id: number; caller_id: { number: string } }[];
const ring = (person: Person) => eventually('it rings', async () => (await ringsAt(person))[0]);
/** They give up after a second and a half, which is known once it was seen to ring. */
const miss = async (from: string, person: Person) => {
  const letGo = await holdCalls(house.pool, ENDS);
  await simulate({ kind: 'missed_call', from });
  const ringing = await ring(person);
  await letGo();
  return ringing;
};
const reaches = (id: number, state: string) =>
  eventually(`call ${id} is ${state}`, async () => {
    const call = (await api('GET', `/calls/${id}`)).body;
    return call.state === state ? call : undefined;
  });
const heard = (event: string, kind: 'leads' | 'calls', id: number) =>
  subscriber.resources(`/${event}`).filter((url) => url.endsWith(`/api/v2/${kind}/${id}`)).length;

describe('a call that comes in', () => {
  test('rings at all free agents of the lead’s list; the first to answer has it and the lead open', async () => {
    const { ann, bo, lead, from } = await furnish();
    const stranger = await house.join({ email: `stranger${made}@example.com` });
    await simulate({ kind: 'inbound_call', from });
    const { id, lead_id, caller_id } = await ring(ann);
    assert.deepEqual([lead_id, caller_id.number], [lead, from]);
    assert.equal((await ring(bo)).id, id);
    assert.deepEqual(await ringsAt(stranger), []);
    assert.equal((await stranger.ask('POST', `/calls/${id}/answer`)).status, 404);
    const answers = await Promise.all([ann, bo].map(({ ask }) => ask('POST', `/calls/${id}/answer`)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 409]));
    const [winner, loser] = answers[0]!.status === 200 ? [ann, bo] : [bo, ann];
    const active = await reaches(id, 'active');
    assert.deepEqual(await ringsAt(loser), []);
    assert.equal((await loser.ask('POST', `/leads/${lead}/hold`)).body.code, 'lead_open');
    assert.deepEqual(
      [active.direction, active.destination_number, active.caller_id.number, active.disposition],
      ['inbound', '+4570101010', from, null],
    );
    await winner.ask('POST', `/leads/${lead}/winner`);
    await winner.ask('POST', `/calls/${id}/hang_up`);
    const call = await reaches(id, 'completed');
    assert.equal(call.disposition, 'normal');
    assert.notEqual(call.event_id, null);
    await eventually('its recording is told', () => heard('new_recording', 'calls', id) === 1);
    assert.equal(heard('new_call', 'calls', id), 0, 'calls that come in are tracked apart');
  });

  test('rings first at whoever holds the lead, at the others’ when they decline', async () => {
    const { ann, bo, lead, from } = await furnish();
    await api('PATCH', `/leads/${lead}/delegate`, { lead: { delegate_to: `ann${made}@example.com` } });
    await ann.ask('GET', '/line');
    await simulate({ kind: 'inbound_call', from });
    const { id } = await ring(ann);
    await house.pool.query('update calls set rang_at = now() where id = $1', [id]);
    assert.deepEqual(await ringsAt(bo), []);
    assert.equal((await ann.ask('POST', `/calls/${id}/decline`)).status, 204);
    assert.deepEqual(await ringsAt(ann), []);
    assert.equal((await ring(bo)).id, id);
    await bo.ask('POST', `/calls/${id}/answer`);
    await reaches(id, 'active');
    await bo.ask('POST', `/calls/${id}/hang_up`);
    await reaches(id, 'completed');
  });

  test('rings at the agents at once when whoever holds the lead has no telephone', async () => {
    const { ann, lead, from } = await furnish();
    const email = `super${made}@example.com`;
    const supervisor = await house.join({ email, agent: false, supervisor: true });
    await api('PATCH', `/leads/${lead}/delegate`, { lead: { delegate_to: email } });
    await supervisor.ask('GET', `/leads/${lead}`);
    const { id } = await miss(from, ann);
    assert.equal((await ann.ask('POST', '/calls/99999999/decline')).status, 404);
    await reaches(id, 'completed');
    assert.equal((await ann.ask('POST', `/calls/${id}/decline`)).status, 409);
  });

  test('does not ring at those who are in a call', async () => {
    const { ann, bo, from } = await furnish();
    const { body } = await ann.ask('POST', '/calls', { call: { number: '+4533999999' } });
    await simulate({ kind: 'inbound_call', from });
    const { id } = await ring(bo);
    assert.deepEqual(await ringsAt(ann), []);
    assert.equal((await ann.ask('POST', `/calls/${id}/answer`)).status, 409);
    await bo.ask('POST', `/calls/${id}/answer`);
    await reaches(id, 'active');
    for (const [person, call] of [
      [ann, body.id],
      [bo, id],
    ] as const)
      await person.ask('POST', `/calls/${call}/hang_up`);
    await reaches(id, 'completed');
  });

  test('missed, makes its lead a call back that is due now, from any state, and tells so once', async () => {
    const { ann, list, lead, from } = await furnish();
    await api('POST', `/leads/${lead}/loser`);
    const { id } = await miss(from, ann);
    const call = await reaches(id, 'completed');
    assert.deepEqual([call.disposition, call.duration, call.user_email], ['no_answer', 0, '']);
    const { body } = await api('GET', `/leads/${lead}`);
    assert.equal(body.state, 'call_back');
    assert.ok(Date.parse(body.scheduled_for) <= Date.now());
    assert.deepEqual([body.events[0].kind, body.events[0].id], ['call_back', call.event_id]);
    const [{ changes }] = (await owner('GET', `/leads/${lead}/activity`)).body;
    assert.deepEqual(changes.state, ['lost', 'call_back']);
    await eventually('call_back is told', () => heard('call_back', 'leads', lead) === 1);
    assert.equal((await ann.ask('POST', `/lists/${list}/next`)).body.lead.id, lead);
    assert.equal(heard('new_call', 'calls', id), 0);
  });

  test('missed, leaves an appointment that is still ahead where it is, and tells so all the same', async () => {
    const { ann, lead, from } = await furnish();
    const at = new Date(Math.floor(Date.now() / 1_000 + 86_400) * 1_000).toISOString();
    await api('POST', `/leads/${lead}/call_back`, { lead: { scheduled_for: at } });
    const call = await reaches((await miss(from, ann)).id, 'completed');
    const { body } = await api('GET', `/leads/${lead}`);
    assert.deepEqual([body.state, body.scheduled_for, body.events[0].id], ['call_back', at, call.event_id]);
    const { rows } = await house.pool.query('select rank, turn_at from leads where id = $1', [lead]);
    assert.deepEqual([rows[0].rank, rows[0].turn_at.toISOString()], [1, at]);
    await eventually('call_back is told', () => heard('call_back', 'leads', lead) === 1);
  });

  test('from a stranger rings at every agent, is nobody’s lead, and is only noted when missed', async () => {
    const { ann } = await furnish();
    const ringing = await miss('+4599887766', ann);
    assert.equal(ringing.lead_id, null);
    assert.equal((await reaches(ringing.id, 'completed')).disposition, 'no_answer');
  });

  test('only an owner makes things happen on the simulated line', async () => {
    const { ann, from } = await furnish();
    assert.equal((await ann.ask('POST', '/simulate', { kind: 'missed_call', from })).status, 403);
    for (const wrong of [
      {},
      { kind: 'earthquake', from },
      { kind: 'inbound_text', from },
      { kind: 'missed_call', from: 'xx' },
    ])
      assert.equal((await owner('POST', '/simulate', wrong)).status, 422);
  });
});

describe('texts', () => {
  const textsOf = async ({ ask }: Person, lead: number) => (await ask('GET', `/leads/${lead}/texts`)).body;

  test('are sent, told, found by search, and their fate is shown', async () => {
    const { ann, lead } = await furnish();
    const before = (await api('GET', `/leads/${lead}`)).body.last_updated;
    const { status, body } = await ann.ask('POST', `/leads/${lead}/texts`, { text: { body: 'See you on hexaday' } });
    assert.deepEqual([status, body.state, body.direction], [201, 'queued', 'outbound']);
    await eventually('it is delivered', async () => (await textsOf(ann, lead))[0].state === 'delivered');
    const read = (await api('GET', `/leads/${lead}`)).body;
    assert.deepEqual([read.events[0].kind, read.events[0].comment], ['text', 'See you on hexaday']);
    assert.ok(read.last_updated > before);
    assert.equal((await api('GET', '/leads/search?query=hexaday')).body.total, 1);
    await eventually(
      'text and new_event are told',
      () => heard('text', 'leads', lead) + heard('new_event', 'leads', lead) === 2,
    );
    assert.equal(heard('new_comment', 'leads', lead), 0);
    const failed = await ann.ask('POST', `/leads/${lead}/texts`, { text: { body: 'x', number: '+4533112250' } });
    await eventually('it failed', async () => (await textsOf(ann, lead))[0].state === 'failed');
    assert.equal((await textsOf(ann, lead))[0].id, failed.body.id);
    const { body: activity } = await ann.ask('GET', `/leads/${lead}/activity`);
    const fates = activity.flatMap(({ text }: { text: unknown }) => text ?? []);
    assert.deepEqual(fates, [
      { state: 'failed', error: 'invalid_number' },
      { state: 'delivered', error: null },
    ]);
    assert.equal((await ann.ask('POST', `/leads/${lead}/texts`, { text: { body: ' ' } })).status, 422);
  });

  test('that come in are the lead’s, and told', async () => {
    const { ann, lead, from } = await furnish();
    await simulate({ kind: 'inbound_text', from, body: 'Call me' });
    const [text] = await eventually('it is there', async () => {
      const texts = await textsOf(ann, lead);
      return texts.length > 0 ? texts : undefined;
    });
    assert.deepEqual([text.direction, text.state, text.body, text.number], ['inbound', 'received', 'Call me', from]);
    await eventually('it is told', () => heard('inbound_text', 'leads', lead) === 1);
    await simulate({ kind: 'inbound_text', from: '+4511223344', body: 'Who are you?' });
  });

  test('that answer one are of the lead that was written to, whoever else has the number', async () => {
    const { ann, lead, from } = await furnish();
    const { list: elsewhere } = await furnish();
    const { body: twin } = await api('POST', `/lists/${elsewhere}/leads`, { lead: { work_office_phone: from } });
    assert.equal((await ann.ask('POST', `/leads/${lead}/texts`, { text: { body: 'Tuesday?' } })).status, 201);
    await simulate({ kind: 'inbound_text', from, body: 'Tuesday at nine' });
    await eventually('it is there', async () =>
      (await textsOf(ann, lead)).some(({ body }: { body: string }) => body === 'Tuesday at nine'),
    );
    assert.deepEqual((await owner('GET', `/leads/${twin.id}/texts`)).body, []);

    // Of several it is the last, but for those that never left, and for those to whom another number of ours wrote.
    const write = async (own: string, state: string) => {
      const { status, body } = await owner('POST', `/leads/${twin.id}/texts`, { text: { body: 'Or Friday?' } });
      assert.equal(status, 201);
      await eventually('it is delivered', async () => {
        const texts: { id: number; state: string }[] = (await owner('GET', `/leads/${twin.id}/texts`)).body;
        return texts.some((text) => text.id === body.id && text.state === 'delivered');
      });
      await house.pool.query('update texts set own_number = $2, state = $3 where id = $1', [body.id, own, state]);
    };
    const answered = async (body: string, by: number) => {
      await simulate({ kind: 'inbound_text', from, body });
      await eventually('it is there', async () =>
        (await owner('GET', `/leads/${by}/texts`)).body.some((text: { body: string }) => text.body === body),
      );
    };
    await write('+4570101010', 'failed');
    await answered('Which of them?', lead);
    await write('+4570999999', 'delivered');
    await answered('No, Tuesday', lead);
    await write('+4570101010', 'delivered');
    await answered('Friday then', twin.id);
  });

  test('do not go to numbers that asked for no more, until they ask for them again', async () => {
    const { ann, lead, from } = await furnish();
    const write = () => ann.ask('POST', `/leads/${lead}/texts`, { text: { body: 'Hello' } });
    const answer = async (body: string) => {
      const { length } = await textsOf(ann, lead);
      await simulate({ kind: 'inbound_text', from, body });
      await eventually(body, async () => (await textsOf(ann, lead)).length > length);
    };
    await answer(' Stop. ');
    const { status, body } = await write();
    assert.deepEqual([status, body.code], [409, 'opted_out']);
    assert.equal((await textsOf(ann, lead))[0].opted_out, true);
    await answer('please do not stop');
    assert.equal((await write()).status, 409);
    await answer('start');
    assert.equal((await write()).status, 201);
    await answer('STOP,');
    assert.equal((await write()).status, 409);
    await answer('START');
    assert.equal((await write()).status, 201);
  });

  test('of a number of a country that nobody knows are stopped too, also those that wait already', async () => {
    const { ann, lead } = await furnish();
    const number = '+9991234567';
    const write = () => ann.ask('POST', `/leads/${lead}/texts`, { text: { body: 'Hello', number } });
    assert.equal((await write()).status, 201);
    await simulate({ kind: 'inbound_text', from: number, body: 'stop' });
    await eventually('it is noted', async () => {
      const { rowCount } = await house.pool.query(`select from opt_outs where number like '%1234567'`);
      return rowCount === 1;
    });
    assert.equal((await write()).body.code, 'opted_out');
    const { rows } = await house.pool.query(
      `insert into texts (account_id, direction, state, lead_id, number, body) values ($1, 'outbound', 'queued', $2, $3, 'late') returning id`,
      [house.account.id, lead, number],
    );
    const late = await eventually('it is refused', async () => {
      const text = (await textsOf(ann, lead)).find(({ id }: { id: number }) => id === rows[0].id);
      return text.state === 'failed' ? text : undefined;
    });
    assert.equal(late.error, 'The number asked for no more text messages.');
  });
});

describe('the line', () => {
  const addText = async (columns: string, values: string): Promise<number> =>
    (
      await house.pool.query<{ id: number }>(
        `insert into texts (account_id, direction, number, body, state, ${columns})
         select $1, 'outbound', '+4533119901', 'Hello', 'queued', ${values} returning id`,
        [house.account.id],
      )
    ).rows[0]!.id;
  const textOf = async (id: number) =>
    (await house.pool.query('select state, carrier, error from texts where id = $1', [id])).rows[0];

  test('gives up a text of which nobody heard whether it was sent, and waits for one that was just begun', async () => {
    const forgotten = await addText('carrier, created_at', `'x', now() - interval '12 minutes'`);
    const begun = await addText('carrier', `'x'`);
    await failForgottenTexts(house.db);
    const error = 'The line was lost while it was being sent.';
    assert.deepEqual(await textOf(forgotten), { state: 'failed', carrier: 'x', error });
    assert.equal((await textOf(begun)).state, 'queued');
    await house.pool.query('delete from texts where id = $1', [begun]);
  });

  test('is left alone by a node that does not know yet that another has it', async () => {
    const { rows } = await house.pool.query<{ id: number }>(
      `insert into nodes (role, host, pid, version, seen_at) values ('serve', 'x', 1, '0', now()) returning id`,
    );
    await house.pool.query(`update leases set node_id = $1 where name = 'line'`, [rows[0]!.id]);
    const id = await addText('own_number', `'+4570101010'`);
    line.nudge();
    await eventually('it knows', () => !line.isHolder());
    assert.deepEqual(await textOf(id), { state: 'queued', carrier: null, error: null });
    await house.pool.query('delete from nodes where id = $1', [rows[0]!.id]);
    await eventually('it has the line again', async () => (await textOf(id)).state === 'delivered');
  });
});
