import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { describe, test } from 'node:test';
import { holdCalls } from '../../test/held-rows.ts';
import { openHouse, OWNER } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { loudestTone, measureTone, readRecording } from '../../test/sound.ts';
import { openTelephone } from '../../test/telephone.ts';
import { keyOf } from '../recordings/store.ts';

/** Real sound between telephones that hum and the simulated line, whose node is another than the one that is asked. */

const house = await openHouse();
await house.openLine({ elsewhere: true });
const api = house.withKey(house.key);
const list = (await api('POST', '/lists', { list: { name: 'Talks' } })).body.id as number;
const owner = await house.signIn(OWNER.email, OWNER.password);
// All call the same few numbers.
await owner('PATCH', '/account', { account: { most_calls_a_number: null } });

/** At the other end of numbers that end so: someone who hums 1,000 Hz, and says digits. */
const HUMS = '+4533112280';
const [OTHER, AGENT] = [1_000, 700];
/** A note of what is heard by those who wait. */
const WAITING = 659;

const agentNamed = async (name: string, hertz = AGENT) => {
  const agent = await house.join({ email: `${name}@example.com`, listing_ids: [list] });
  const telephone = await openTelephone(house.address, agent.cookie, hertz);
  await telephone.here();
  return { ...agent, telephone };
};
type Agent = Awaited<ReturnType<typeof agentNamed>>;

const stateOf = async (id: number) => (await api('GET', `/calls/${id}`)).body.state as string;
const reaches = (id: number, state: string) =>
  eventually(`call ${id} is ${state}`, async () => (await stateOf(id)) === state);
const dial = async ({ ask, telephone }: Agent, number: string) => {
  const { status, body } = await ask('POST', '/calls', { call: { number } });
  assert.equal(status, 201, JSON.stringify(body));
  assert.equal(await telephone.talk(body.id), undefined);
  return body.id as number;
};
/**
 * What is done with someone who hangs up by themselves, after so many seconds, and what came of it; undefined where they were quicker. A
 * machine that does much else may need more of the seconds.
 */
const beforeTheyHangUp = async <T>(agent: Agent, act: (id: number) => Promise<T | undefined>): Promise<T> => {
  for (const ending of ['14', '17', '10', '20']) {
    const { body } = await agent.ask('POST', '/calls', { call: { number: `+45331122${ending}` } });
    const id = body.id as number;
    await agent.telephone.talk(id);
    const state = await eventually('they answer', async () => {
      const now = await stateOf(id);
      return ['active', 'completed'].includes(now) ? now : undefined;
    });
    const done = state === 'active' ? await act(id) : undefined;
    await reaches(id, 'completed');
    if (done !== undefined) return done;
  }
  return assert.fail('None stayed for long enough.');
};
const leadWith = async (number: string) =>
  (await api('POST', `/lists/${list}/leads`, { lead: { work_office_phone: number } })).body.id as number;
/** However long the test takes: it would end when it has rung for half a minute. */
const ringsOn = (id: number) =>
  house.pool.query(`update calls set rang_at = now() + interval '1 hour' where id = $1`, [id]);
const line = async ({ ask }: Agent) => (await ask('GET', '/line')).body;

/** What was kept of a call, when it is stored. */
const recordingOf = async ({ ask }: Agent, id: number) => {
  const { rows } = await eventually('it is stored', async () => {
    const found = await house.pool.query(
      'select account_id, id from recordings where call_id = $1 and ready_at is not null',
      [id],
    );
    return found.rowCount === 1 ? found : undefined;
  });
  const { recordings } = (await ask('GET', `/calls/${id}/sound`)).body;
  return { ...recordings[0], ...readRecording(`${house.recordings.folder}/${keyOf(rows[0])}`) };
};
/** The file that is being written. */
const partOf = async (id: number) => {
  const { rows } = await house.pool.query('select carrier_call_id from calls where id = $1', [id]);
  return `${house.incoming}/${rows[0].carrier_call_id}.wav.part`;
};
/** Its head is there, which is written after it is made. */
const isBegun = (part: string) => existsSync(part) && statSync(part).size >= 44;
/** What someone hears may be there before a whole moment of it is on record. */
const areRecorded = (id: number, left: number, right = OTHER) =>
  eventually(`${left} and ${right} Hz are recorded`, async () => {
    const part = await partOf(id);
    if (!isBegun(part)) return false;
    const sound = readRecording(part, { isGrowing: true });
    const isThere = (side: Int16Array, hertz: number) => measureTone(side.subarray(-8_000), hertz) > 1_000;
    return isThere(sound.left, left) && isThere(sound.right, right);
  });
const between = (samples: Int16Array, from: number, to: number) => samples.subarray(from * 8_000, to * 8_000);

describe('a call with sound', { concurrency: 3 }, () => {
  test('is heard both ways; hold silences it and ends; digits arrive; a pause is left out of its recording and told', async () => {
    const agent = await agentNamed('ann');
    const id = await dial(agent, HUMS);
    await reaches(id, 'active');
    await agent.telephone.hears(OTHER);
    const ask = (verb: string, body: object) => agent.ask('POST', `/calls/${id}/${verb}`, body);

    assert.equal((await ask('hold', { on: true })).status, 200);
    await agent.telephone.hearsNo(OTHER);
    assert.equal((await line(agent)).on_hold, true);
    assert.equal((await ask('hold', { on: false })).status, 200);
    await agent.telephone.hears(OTHER);

    assert.equal((await ask('recording', { paused: true })).status, 200);
    assert.equal((await line(agent)).recording_paused, true);
    // Whoever is at the other end says them, and does not hum meanwhile.
    assert.equal((await ask('digits', { digits: '1231231231231231' })).status, 204);
    await agent.telephone.hearsNo(OTHER);
    await agent.telephone.hears(OTHER);
    const { rows } = await house.pool.query('select digits from calls where id = $1', [id]);
    assert.equal(rows[0].digits, null, 'they are kept nowhere');
    assert.equal((await ask('recording', { paused: false })).status, 200);
    await eventually('it is recorded again', async () => {
      const { left } = readRecording(await partOf(id), { isGrowing: true });
      return measureTone(left.subarray(-4_000), AGENT) > 1_000;
    });

    await ask('hang_up', {});
    await reaches(id, 'completed');
    const recording = await recordingOf(agent, id);
    assert.equal(recording.gaps.length, 1);
    const [{ from, to }] = recording.gaps;
    assert.ok(to - from > 0.5 && to < recording.seconds, JSON.stringify(recording.gaps));
    for (const [name, heard] of [
      ['left', AGENT],
      ['right', OTHER],
    ] as const) {
      assert.ok(measureTone(between(recording[name], from + 0.1, to - 0.1), heard) < 10, `${name} during the pause`);
      assert.ok(loudestTone(recording[name], heard) > 1_000, name);
      assert.ok(loudestTone(recording[name], heard === AGENT ? OTHER : AGENT) < 500, `${name} holds its own alone`);
    }
  });

  test('rings while it rings, and sounds busy when it is', async () => {
    const agent = await agentNamed('ben');
    // It rings for five seconds, which may be over on a busy machine before one is connected.
    const id = await eventually('it rings', async () => {
      const { body } = await agent.ask('POST', '/calls', { call: { number: '+4533112240' } });
      return (await agent.telephone.talk(body.id)) === undefined && (body.id as number);
    });
    await agent.telephone.hears(425);
    await reaches(id, 'completed');
    await agent.telephone.hears(425);
  });

  test('between colleagues is heard by both', async () => {
    const [cleo, dan] = [await agentNamed('cleo', 700), await agentNamed('dan', 1_300)];
    const { body } = await cleo.ask('POST', '/calls', { call: { user_id: dan.id } });
    assert.equal(await dan.telephone.talk(body.id), 'This call is not yours.', 'it only rings');
    assert.equal((await dan.ask('POST', `/calls/${body.id}/answer`)).status, 200);
    assert.equal(await cleo.telephone.talk(body.id), undefined);
    assert.equal(await dan.telephone.talk(body.id), undefined);
    await cleo.telephone.hears(1_300);
    await dan.telephone.hears(700);
    await dan.ask('POST', `/calls/${body.id}/hang_up`);
    await reaches(body.id, 'completed');
  });

  test('between colleagues is held by either: who holds hears nothing, who is held that they wait, and only who holds ends it', async () => {
    const [kim, lea] = [await agentNamed('kim', 700), await agentNamed('lea', 1_300)];
    const { body } = await kim.ask('POST', '/calls', { call: { user_id: lea.id } });
    assert.equal((await lea.ask('POST', `/calls/${body.id}/answer`)).status, 200);
    assert.equal(await kim.telephone.talk(body.id), undefined);
    assert.equal(await lea.telephone.talk(body.id), undefined);
    await kim.telephone.hears(1_300);
    await lea.telephone.hears(700);
    const hold = async ({ ask }: Agent, on: boolean) =>
      assert.equal((await ask('POST', `/calls/${body.id}/hold`, { on })).status, 200);
    const told = async (agent: Agent) => {
      const { on_hold, on_hold_by_other } = await line(agent);
      return { on_hold, on_hold_by_other };
    };

    await hold(lea, true);
    await kim.telephone.hears(WAITING);
    await lea.telephone.hearsNo(700);
    assert.deepEqual(await told(lea), { on_hold: true, on_hold_by_other: false });
    assert.deepEqual(await told(kim), { on_hold: false, on_hold_by_other: true });
    await hold(kim, false);
    assert.deepEqual(await told(kim), { on_hold: false, on_hold_by_other: true }, 'it is not theirs to end');

    await hold(kim, true);
    await kim.telephone.hearsNo(WAITING);
    for (const one of [kim, lea]) assert.deepEqual(await told(one), { on_hold: true, on_hold_by_other: true });
    await hold(lea, false);
    await lea.telephone.hears(WAITING);
    await hold(kim, false);
    await kim.telephone.hears(1_300);
    await lea.telephone.hears(700);
    for (const one of [kim, lea]) assert.deepEqual(await told(one), { on_hold: false, on_hold_by_other: false });
    await kim.ask('POST', `/calls/${body.id}/hang_up`);
    await reaches(body.id, 'completed');
  });

  test('goes on for a page that is loaded anew, and in another that takes the telephone', async () => {
    const agent = await agentNamed('eve');
    const id = await dial(agent, HUMS);
    await agent.telephone.hears(OTHER);
    assert.equal(await agent.telephone.talk(id), undefined);
    await agent.telephone.hears(OTHER);
    const other = await openTelephone(house.address, agent.cookie, 1_300);
    await other.here(true);
    assert.equal(await other.talk(id), undefined);
    await other.hears(OTHER);
    await eventually('they are heard there', async () => {
      const { left } = readRecording(await partOf(id), { isGrowing: true });
      return loudestTone(left, 1_300) > 1_000;
    });
    await eventually('the first is told', () => !agent.telephone.isPhone());
    await agent.ask('POST', `/calls/${id}/hang_up`);
    const recording = await recordingOf(agent, id);
    for (const hertz of [AGENT, 1_300]) assert.ok(loudestTone(recording.left, hertz) > 1_000, `${hertz} Hz`);
  });

  test('is handed over after its agent has asked: the other waits, the third talks, and then to each other', async () => {
    const agent = await agentNamed('fay');
    const id = await dial(agent, HUMS);
    await reaches(id, 'active');
    await agent.telephone.hears(OTHER);
    // An echo: whoever talks to it hears themselves.
    const { status, body } = await agent.ask('POST', `/calls/${id}/transfer`, { number: '+4533112290', asked: true });
    assert.deepEqual([status, body.direction], [201, 'transfer']);
    await agent.telephone.hearsNo(OTHER);
    const { call, on_hold, consultation } = await line(agent);
    assert.deepEqual([call.id, on_hold, consultation.id], [id, true, body.id]);
    await agent.telephone.hears(AGENT);
    assert.equal(await stateOf(id), 'active');

    await agent.ask('POST', `/calls/${body.id}/hang_up`);
    await agent.telephone.hears(OTHER);
    // Its sound is back before the line has reported that the other is over.
    await eventually('nobody is asked any more', async () => (await line(agent)).consultation === null);
    const after = await line(agent);
    assert.deepEqual([after.call.id, after.on_hold], [id, false]);
    assert.equal((await agent.ask('POST', `/calls/${id}/transfer/complete`)).body.code, 'nobody_asked');

    const again = (await agent.ask('POST', `/calls/${id}/transfer`, { number: '+4533112290', asked: true })).body;
    await agent.telephone.hears(AGENT);
    assert.equal((await agent.ask('POST', `/calls/${id}/transfer/complete`)).body.id, again.id);
    await reaches(id, 'completed');
    assert.equal((await line(agent)).call, null);
    assert.equal(await stateOf(again.id), 'active', 'the two talk on');
    // Whoever is on it on the left is the one it was about, and so hears themselves on the right.
    await areRecorded(again.id, OTHER);
    await agent.ask('POST', `/calls/${again.id}/hang_up`);
    await reaches(again.id, 'completed');
  });

  test('is passed on to a number off the record or on it as it stands when the two are connected', async () => {
    const agent = await agentNamed('ivy');
    // An echo: what is heard on either side is whom the call was about.
    const number = '+4533112390';
    const passOn = async (before: boolean, meanwhile: boolean) => {
      const id = await dial(agent, HUMS);
      await reaches(id, 'active');
      const pause = async (paused: boolean) =>
        assert.equal((await agent.ask('POST', `/calls/${id}/recording`, { paused })).status, 200);
      if (before) await pause(true);
      const letGo = await holdCalls(
        house.pool,
        `new.destination_number = '${number}' and old.dialled_at is null and new.dialled_at is not null`,
      );
      const { body } = await agent.ask('POST', `/calls/${id}/transfer`, { number });
      await pause(meanwhile);
      await letGo();
      await reaches(id, 'completed');
      assert.equal(await stateOf(body.id), 'active', 'the two talk on');
      return body.id as number;
    };
    const end = async (id: number, who = agent) => {
      await who.ask('POST', `/calls/${id}/hang_up`);
      await reaches(id, 'completed');
      return recordingOf(who, id);
    };

    const off = await passOn(false, true);
    await eventually('they talk for three seconds', async () => {
      const part = await partOf(off);
      return isBegun(part) && readRecording(part, { isGrowing: true }).seconds > 3;
    });
    const { left, right, gaps } = await end(off);
    assert.equal(gaps.length, 1);
    for (const side of [left, right]) assert.ok(loudestTone(side, OTHER) < 500, 'nothing of the lead is on it');

    // Whoever answers hums while they wait to be connected.
    const alone = await dial(agent, HUMS);
    await reaches(alone, 'active');
    await agent.ask('POST', `/calls/${alone}/recording`, { paused: true });
    const third = '+4533112480';
    const connect = await holdCalls(
      house.pool,
      `old.destination_number = '${third}' and old.state = 'active' and new.state = 'active'`,
    );
    const { body: answers } = await agent.ask('POST', `/calls/${alone}/transfer`, { number: third });
    await reaches(answers.id, 'active');
    await eventually('they have hummed for two seconds', async () => {
      const part = await partOf(answers.id);
      return isBegun(part) && readRecording(part, { isGrowing: true }).seconds > 2;
    });
    await connect();
    await reaches(alone, 'completed');
    const theirs = await end(answers.id);
    assert.equal(theirs.gaps.length, 1);
    for (const side of [theirs.left, theirs.right]) assert.ok(loudestTone(side, OTHER) < 500, 'nothing of it is on it');

    const on = await passOn(true, false);
    await areRecorded(on, OTHER);
    assert.deepEqual((await end(on)).gaps, []);

    // A colleague who was given it off the record has it so to its end, whomever they pass it on to.
    const joe = await agentNamed('joe');
    const given = await dial(agent, HUMS);
    await reaches(given, 'active');
    await agent.ask('POST', `/calls/${given}/recording`, { paused: true });
    await joe.ask('GET', '/line');
    const { body: joes } = await agent.ask('POST', `/calls/${given}/transfer`, { user_id: joe.id });
    assert.equal((await joe.ask('POST', `/calls/${joes.id}/answer`)).status, 200);
    await reaches(given, 'completed');
    // Whom they ask first is off the record as well.
    const { body: question } = await joe.ask('POST', `/calls/${joes.id}/transfer`, { number: HUMS, asked: true });
    await reaches(question.id, 'active');
    await eventually('they talk for three seconds', async () => {
      const part = await partOf(question.id);
      return isBegun(part) && readRecording(part, { isGrowing: true }).seconds > 3;
    });
    const answer = await end(question.id, joe);
    assert.equal(answer.gaps.length, 1);
    for (const side of [answer.left, answer.right]) assert.ok(loudestTone(side, OTHER) < 500, 'nothing is on it');
    await eventually('nobody is asked any more', async () => (await line(joe)).consultation === null);
    const { body: last } = await joe.ask('POST', `/calls/${joes.id}/transfer`, { number });
    await reaches(joes.id, 'completed');
    const { rows } = await house.pool.query('select state, recording_paused from calls where id = $1', [last.id]);
    assert.deepEqual(rows, [{ state: 'active', recording_paused: true }]);
    await joe.ask('POST', `/calls/${last.id}/hang_up`);
    await reaches(last.id, 'completed');
  });

  test('ends with the one that was being asked when the other hangs up meanwhile', async () => {
    const agent = await agentNamed('gus');
    const asked = await beforeTheyHangUp(agent, async (id) => {
      const { status, body } = await agent.ask('POST', `/calls/${id}/transfer`, { number: HUMS, asked: true });
      if (status !== 201) return undefined;
      const how = await eventually('they are asked, or it is over', async () => {
        if (agent.telephone.loudness(OTHER) > 1_000) return 'asked';
        return (await stateOf(id)) === 'completed' ? 'over' : undefined;
      });
      return how === 'asked' ? (body.id as number) : undefined;
    });
    await reaches(asked, 'completed');
  });

  test('is passed on to a colleague: it rings there, the other waits, and when they answer the two talk and the lead is theirs', async () => {
    const [max, ned] = [await agentNamed('max'), await agentNamed('ned', 1_300)];
    const lead = await leadWith(HUMS);
    const { id } = (await max.ask('POST', '/calls', { call: { lead_id: lead } })).body;
    assert.equal(await max.telephone.talk(id), undefined);
    await max.telephone.hears(OTHER);
    await areRecorded(id, AGENT);
    await house.pool.query('update leads set claimed_by = $2, claimed_at = now() where id = $1', [lead, max.id]);
    // To be there still.
    await ned.ask('GET', '/line');
    const takers = (await max.ask('GET', `/calls/${id}/takers`)).body as {
      id: number;
      doing: string;
      refusal: unknown;
    }[];
    const { doing, refusal } = takers.find((one) => one.id === ned.id)!;
    assert.deepEqual([doing, refusal], ['ready', null]);

    const { status, body } = await max.ask('POST', `/calls/${id}/transfer`, { user_id: ned.id });
    assert.deepEqual([status, body.direction, body.user_email], [201, 'transfer', 'max@example.com']);
    await ringsOn(body.id);
    await max.telephone.hearsNo(OTHER);
    const waiting = await line(max);
    assert.deepEqual([waiting.call.id, waiting.on_hold, waiting.consultation], [id, true, null]);
    assert.deepEqual([waiting.passed_on.id, waiting.passed_on.became], [body.id, 'ringing']);
    const [ringing] = (await line(ned)).ringing;
    assert.deepEqual(
      [ringing.id, ringing.caller_id.name, ringing.lead_id, ringing.number, ringing.asks],
      [body.id, 'max@example.com', lead, '+45 33 11 22 80', false],
    );
    assert.equal(await ned.telephone.talk(body.id), 'This call is not yours.', 'it only rings');

    assert.equal((await ned.ask('POST', `/calls/${body.id}/answer`)).body.user_email, 'ned@example.com');
    // Told for some seconds only.
    assert.equal((await line(max)).passed_on.became, 'taken');
    assert.equal(await ned.telephone.talk(body.id), undefined);
    await ned.telephone.hears(OTHER);
    await reaches(id, 'completed');
    const free = await line(max);
    assert.deepEqual([free.call, free.wrapping_up], [null, null]);
    const { call } = await line(ned);
    assert.deepEqual([call.id, call.state, call.lead_id], [body.id, 'active', lead]);
    const { rows } = await house.pool.query('select held_by, claimed_by from leads where id = $1', [lead]);
    assert.deepEqual(rows, [{ held_by: ned.id, claimed_by: ned.id }]);

    // It is a call like any other from here on: held, taken off the record, passed on.
    await ned.ask('POST', `/calls/${body.id}/hold`, { on: true });
    await ned.telephone.hearsNo(OTHER);
    await ned.ask('POST', `/calls/${body.id}/hold`, { on: false });
    await ned.telephone.hears(OTHER);
    assert.equal((await max.ask('POST', `/calls/${body.id}/hang_up`)).status, 404, 'it is not theirs any more');
    await areRecorded(body.id, 1_300);
    await ned.ask('POST', `/calls/${body.id}/hang_up`);
    await reaches(body.id, 'completed');
    assert.equal((await line(ned)).wrapping_up.id, body.id);
    const [before, after] = [await recordingOf(max, id), await recordingOf(ned, body.id)];
    for (const [{ left, right }, own] of [
      [before, AGENT],
      [after, 1_300],
    ] as const) {
      assert.ok(loudestTone(left, own) > 1_000 && loudestTone(right, OTHER) > 1_000, 'the agent left, the other right');
      assert.ok(loudestTone(left, OTHER) < 500 && loudestTone(right, own) < 500, 'each on their own side');
    }
    for (const side of [before.left, before.right]) assert.ok(loudestTone(side, 1_300) < 500, 'the first had ended');
  });

  test('comes back when the colleague declines, does not answer, or is called off, and says so', async () => {
    const [oli, pam] = [await agentNamed('oli'), await agentNamed('pam', 1_300)];
    const id = await dial(oli, HUMS);
    await oli.telephone.hears(OTHER);
    const pass = async () => {
      await pam.ask('GET', '/line');
      const { body } = await oli.ask('POST', `/calls/${id}/transfer`, { user_id: pam.id });
      await ringsOn(body.id);
      await oli.telephone.hearsNo(OTHER);
      return body.id as number;
    };
    const isBack = async (passed: number, became: string | undefined) => {
      await reaches(passed, 'completed');
      // Told for some seconds only.
      const { call, on_hold, passed_on } = await line(oli);
      assert.deepEqual([call.id, on_hold, passed_on?.became], [id, false, became]);
      assert.deepEqual((await line(pam)).ringing, []);
      await oli.telephone.hears(OTHER);
    };
    const declined = await pass();
    assert.equal((await pam.ask('POST', `/calls/${declined}/decline`)).status, 204);
    await isBack(declined, 'declined');

    const unheard = await pass();
    await house.pool.query(`update calls set rang_at = now() - interval '31 seconds' where id = $1`, [unheard]);
    await isBack(unheard, 'not_answered');

    const calledOff = await pass();
    assert.equal((await oli.ask('POST', `/calls/${calledOff}/hang_up`)).status, 200);
    await isBack(calledOff, undefined);

    // Whoever hangs up while it rings leaves nobody behind.
    const last = await pass();
    await oli.ask('POST', `/calls/${id}/hang_up`);
    await reaches(id, 'completed');
    await reaches(last, 'completed');
    assert.deepEqual((await line(pam)).ringing, []);
  });

  test('is handed over to a colleague who was asked: the two talk while the other waits, unrecorded, and then it is theirs', async () => {
    const [quin, rae, sam] = [await agentNamed('quin'), await agentNamed('rae', 1_300), await agentNamed('sam', 1_700)];
    const lead = await leadWith(HUMS);
    const { id } = (await quin.ask('POST', '/calls', { call: { lead_id: lead } })).body;
    assert.equal(await quin.telephone.talk(id), undefined);
    await quin.telephone.hears(OTHER);
    const askFirst = async () => {
      // To be there still.
      await rae.ask('GET', '/line');
      const { body } = await quin.ask('POST', `/calls/${id}/transfer`, { user_id: rae.id, asked: true });
      await ringsOn(body.id);
      await quin.telephone.hears(425);
      assert.equal((await rae.ask('POST', `/calls/${body.id}/answer`)).status, 200);
      assert.equal(await rae.telephone.talk(body.id), undefined);
      await quin.telephone.hears(1_300);
      await rae.telephone.hears(AGENT);
      return body.id as number;
    };
    const first = await askFirst();
    const asking = await line(quin);
    assert.deepEqual([asking.call.id, asking.consultation.id, asking.passed_on.became], [id, first, 'asked']);
    const asked = await line(rae);
    assert.deepEqual([asked.call.id, asked.call.asks, asked.recorded], [first, true, false]);
    const heldBy = async () =>
      (await house.pool.query('select held_by from leads where id = $1', [lead])).rows[0].held_by as number;
    assert.equal(await heldBy(), quin.id, 'it is still open with who asks');
    await quin.ask('POST', `/calls/${first}/hang_up`);
    await quin.telephone.hears(OTHER);
    await reaches(first, 'completed');
    assert.equal((await line(rae)).call, null);

    const second = await askFirst();
    const handed = await quin.ask('POST', `/calls/${id}/transfer/complete`);
    assert.deepEqual([handed.status, handed.body.id, handed.body.user_email], [200, second, 'rae@example.com']);
    await rae.telephone.hears(OTHER);
    await reaches(id, 'completed');
    assert.equal((await line(quin)).call, null);
    const theirs = await line(rae);
    assert.deepEqual([theirs.call.id, theirs.call.asks, theirs.recorded], [second, false, true]);
    assert.equal(await heldBy(), rae.id);

    // And on to a third.
    await areRecorded(second, 1_300);
    // To be there still.
    await sam.ask('GET', '/line');
    const { body } = await rae.ask('POST', `/calls/${second}/transfer`, { user_id: sam.id });
    assert.equal((await line(sam)).ringing[0].number, '+45 33 11 22 80');
    await sam.ask('POST', `/calls/${body.id}/answer`);
    assert.equal(await sam.telephone.talk(body.id), undefined);
    await sam.telephone.hears(OTHER);
    await reaches(second, 'completed');
    const { left, right } = await recordingOf(rae, second);
    assert.ok(loudestTone(left, 1_300) > 1_000 && loudestTone(right, OTHER) > 1_000, 'the agent left, the other right');
    for (const side of [left, right]) assert.ok(loudestTone(side, AGENT) < 500, 'what colleagues say is not recorded');
    await sam.ask('POST', `/calls/${body.id}/hang_up`);
    await reaches(body.id, 'completed');
  });

  test('ends for the colleague as well when the other hangs up while it rings there', async () => {
    const [tia, uli] = [await agentNamed('tia'), await agentNamed('uli', 1_300)];
    const rang = await beforeTheyHangUp(tia, async (id) => {
      await uli.ask('GET', '/line');
      const { status, body } = await tia.ask('POST', `/calls/${id}/transfer`, { user_id: uli.id });
      return status === 201 ? (body.id as number) : undefined;
    });
    await reaches(rang, 'completed');
    for (const one of [tia, uli]) assert.equal((await line(one)).call, null);
    assert.equal((await line(tia)).passed_on, null, 'nothing came back');
  });

  test('passed on off the record goes on off the record, and says which colleagues cannot take it', async () => {
    const [vic, wim] = [await agentNamed('vic'), await agentNamed('wim', 1_300)];
    const elsewhere = await house.join({ email: 'xena@example.com', listing_ids: [] });
    const supervisor = await house.join({ email: 'zoe@example.com', listing_ids: [], supervisor: true });
    const analyst = await house.join({ email: 'yara@example.com', agent: false, analyst: true });
    const { id } = (await vic.ask('POST', '/calls', { call: { lead_id: await leadWith(HUMS) } })).body;
    assert.equal(await vic.telephone.talk(id), undefined);
    await reaches(id, 'active');
    const pass = async (body: object) => {
      const answer = await vic.ask('POST', `/calls/${id}/transfer`, body);
      return [answer.status, answer.body.errors ? Object.keys(answer.body.errors) : answer.body.error];
    };
    assert.deepEqual(await pass({}), [422, ['number']]);
    assert.deepEqual(await pass({ number: HUMS, user_id: wim.id }), [422, ['user_id']]);
    assert.deepEqual(await pass({ user_id: vic.id }), [422, ['user_id']]);
    assert.deepEqual(await pass({ user_id: analyst.id }), [422, ['user_id']]);
    await elsewhere.ask('GET', '/line');
    assert.deepEqual(await pass({ user_id: elsewhere.id }), [409, 'xena@example.com does not work Talks.']);
    await supervisor.ask('GET', '/line');
    assert.deepEqual(
      await pass({ user_id: supervisor.id }),
      [409, 'zoe@example.com does not work Talks.'],
      'nor could finish its lead',
    );
    const [reason] = (await line(wim)).away_reasons as string[];
    await wim.ask('PUT', '/away', { reason });
    assert.deepEqual(await pass({ user_id: wim.id }), [409, `wim@example.com is away: ${reason}.`]);
    await wim.ask('DELETE', '/away');
    const talks = await dial(wim, HUMS);
    assert.deepEqual(await pass({ user_id: wim.id }), [409, 'wim@example.com is in a call.']);
    await wim.ask('POST', `/calls/${talks}/hang_up`);
    await reaches(talks, 'completed');
    await house.pool.query(`update sessions set seen_at = now() - interval '1 hour' where user_id = $1`, [wim.id]);
    await house.pool.query('update users set page_seen_at = null where id = $1', [wim.id]);
    assert.deepEqual(await pass({ user_id: wim.id }), [409, 'wim@example.com is not here.']);
    const takers = (await vic.ask('GET', `/calls/${id}/takers`)).body as { id: number }[];
    assert.deepEqual(
      [elsewhere, wim, analyst, vic].map((one) => takers.some((taker) => taker.id === one.id)),
      [true, false, false, false],
    );
    await wim.ask('GET', '/line');

    await vic.ask('POST', `/calls/${id}/recording`, { paused: true });
    const { body } = await vic.ask('POST', `/calls/${id}/transfer`, { user_id: wim.id });
    await wim.ask('POST', `/calls/${body.id}/answer`);
    assert.equal(await wim.telephone.talk(body.id), undefined);
    await wim.telephone.hears(OTHER);
    assert.equal((await line(wim)).recorded, false);
    await wim.ask('POST', `/calls/${body.id}/hang_up`);
    await reaches(body.id, 'completed');
    assert.equal((await wim.ask('GET', `/calls/${body.id}/sound`)).body.silence, 'not_recorded');
  });

  test('refuses what cannot be done with a sentence', async () => {
    const agent = await agentNamed('hal');
    const { id } = (await agent.ask('POST', '/calls', { call: { number: '+4533112240' } })).body;
    const codes = async (...verbs: [string, object][]) => {
      const answers = [];
      for (const [verb, body] of verbs) answers.push((await agent.ask('POST', `/calls/${id}/${verb}`, body)).body.code);
      return answers;
    };
    assert.deepEqual(
      await codes(
        ['hold', { on: true }],
        ['digits', { digits: '1' }],
        ['recording', { paused: true }],
        ['digits', { digits: 'x' }],
        ['hold', {}],
      ),
      ['not_active', 'not_active', 'not_active', 'validation_failed', 'validation_failed'],
    );
    const stranger = await agentNamed('ida');
    assert.equal((await stranger.ask('POST', `/calls/${id}/hold`, { on: true })).status, 404);
    assert.equal(await stranger.telephone.talk(id), 'This call is not yours.');
    await agent.ask('POST', `/calls/${id}/hang_up`);
    await reaches(id, 'completed');
    assert.equal(await agent.telephone.talk(id), 'This call is over.');
  });
});

test('where it is set, both hear that they are recorded before the first moment of it', async () => {
  const agent = await agentNamed('jan');
  const { status, body } = await owner('PATCH', '/account', { account: { announce_recording: true } });
  assert.deepEqual([status, body.announce_recording], [200, true]);
  const call = async () => {
    const dialled = await dial(agent, HUMS);
    await agent.telephone.hears(OTHER);
    return dialled;
  };
  let id = await call();
  // On a machine that does much else a telephone may be connected when that was said already.
  for (let tries = 1; tries < 40 && !agent.telephone.hasHeard(880); tries += 1) {
    await agent.ask('POST', `/calls/${id}/hang_up`);
    await reaches(id, 'completed');
    id = await call();
  }
  assert.ok(agent.telephone.hasHeard(880));
  await eventually('it is recorded', async () => {
    const part = await partOf(id);
    return isBegun(part) && loudestTone(readRecording(part, { isGrowing: true }).right, OTHER) > 1_000;
  });
  await agent.ask('POST', `/calls/${id}/hang_up`);
  const { left, right } = await recordingOf(agent, id);
  for (const side of [left, right]) assert.ok(loudestTone(side, 880) < 1_000, 'the announcement is not on it');

  // Whoever hangs up before it is over was not recorded: nothing is waited for, and nothing is lost.
  await api('POST', '/webhooks', { webhook: { event: 'new_call', target_url: 'http://127.0.0.1:9/never' } });
  const lead = { work_office_phone: HUMS };
  const { id: leadId } = (await api('POST', `/lists/${list}/leads`, { lead })).body;
  await eventually('one is hung up before it is over', async () => {
    const { body: short } = await agent.ask('POST', '/calls', { call: { lead_id: leadId } });
    await reaches(short.id, 'active');
    await agent.ask('POST', `/calls/${short.id}/hang_up`);
    await reaches(short.id, 'completed');
    const { silence } = await eventually('what is on record is known', async () => {
      const { body: sound } = await agent.ask('GET', `/calls/${short.id}/sound`);
      return sound.silence !== 'not_stored_yet' && (sound as { silence: string | null });
    });
    assert.notEqual(silence, 'lost');
    if (silence !== 'not_recorded') return false;
    const { rows } = await house.pool.query(
      `select attempts > 0 or next_at - created_at < interval '20 seconds' as soon from deliveries where resource = $1`,
      [`/api/v2/calls/${short.id}`],
    );
    assert.deepEqual(rows, [{ soon: true }], 'it is told at once');
    return true;
  });
  await owner('PATCH', '/account', { account: { announce_recording: false } });
});
