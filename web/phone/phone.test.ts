import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import {
  again,
  answered,
  begin,
  broke,
  failed,
  follow,
  gathered,
  joined,
  late,
  opened,
  parted,
  ready,
  refused,
  renew,
  retry,
  take,
  told,
  type Phone,
  type Step,
} from './phone.ts';

const [CALL, NEXT] = [7, 8] as const;
const ID = '11111111-1111-4111-8111-111111111111';

/** One step after the other; what was to be done with the last. */
function walk(phone: Phone, ...steps: ((phone: Phone) => Step)[]): Step {
  let step: Step = { phone, acts: [] };
  for (const go of steps) step = go(step.phone);
  return step;
}

const doings = ({ acts }: Step) => acts.map((act) => act.do);
const dialled = (phone: Phone) => follow(phone, CALL, true);
const found = (phone: Phone) => follow(phone, CALL, false);
const ours = (phone: Phone) => told(phone, true);
const anothers = (phone: Phone) => told(phone, false);
const TO_OFFER = [dialled, opened, ours, ready, (phone: Phone) => gathered(phone, phone.offer)];
const ANSWERED = [...TO_OFFER, (phone: Phone) => answered(phone, CALL, phone.offer)];
const CONNECTED = [...ANSWERED, joined];

describe('a call that begins here', () => {
  test('takes the telephone, asks for the microphone at once, and offers sound when both are there', () => {
    const first = walk(begin(ID), dialled);
    assert.deepEqual(doings(first), ['ask for microphone', 'open wire']);
    const here = opened(first.phone);
    assert.deepEqual(here.acts, [{ do: 'say', message: { kind: 'here', phone: ID, take: true } }]);
    assert.deepEqual(doings(ours(here.phone)), [], 'the microphone is still asked for');
    assert.deepEqual(doings(walk(here.phone, ours, ready)), ['make offer', 'watch']);
    assert.deepEqual(doings(walk(here.phone, ready, ours)), ['make offer', 'watch'], 'the other way round');
    const sent = walk(begin(ID), ...TO_OFFER);
    assert.deepEqual(sent.acts, [{ do: 'send offer', call: CALL, no: 1 }]);
    assert.equal(walk(begin(ID), ...CONNECTED).phone.sound.is, 'connected');
  });

  test('ends with everything that was opened for it; the next has offers of higher numbers', () => {
    const over = walk(begin(ID), ...CONNECTED, (phone) => follow(phone, undefined, false));
    assert.deepEqual(doings(over), ['hang up', 'close wire']);
    assert.deepEqual([over.phone.wire.is, over.phone.sound.is], ['closed', 'none']);
    const next = walk(over.phone, (phone) => follow(phone, NEXT, true), opened, ours, ready);
    assert.equal(next.phone.offer, 2);
  });
});

describe('a call that was begun elsewhere', () => {
  test('is where it is: this page says so, and asks for no microphone', () => {
    const here = walk(begin(ID), found, opened);
    assert.deepEqual(here.acts, [{ do: 'say', message: { kind: 'here', phone: ID, take: false } }]);
    const other = anothers(here.phone);
    assert.deepEqual([other.phone.whose, other.phone.sound.is, doings(other)], ['another’s', 'none', []]);
  });

  test('is taken by hand, and comes by itself to the page that was loaded again', () => {
    const other = walk(begin(ID), found, opened, anothers);
    const taking = take(other.phone);
    assert.deepEqual(taking.acts, [{ do: 'say', message: { kind: 'here', phone: ID, take: true } }]);
    assert.deepEqual(doings(ours(taking.phone)), ['ask for microphone']);
    const reloaded = walk(begin(ID, 4), found, opened, ours);
    assert.deepEqual(doings(reloaded), ['ask for microphone']);
    assert.equal(ready(reloaded.phone).phone.offer, 5, 'counted on from where the page before it was');
  });

  test('taken by another page, it is not heard here any more', () => {
    const gone = walk(begin(ID), ...CONNECTED, anothers);
    assert.deepEqual([gone.phone.whose, gone.phone.sound.is, doings(gone)], ['another’s', 'none', ['hang up']]);
    assert.equal(gone.phone.wire.is, 'open', 'to be told when it is free');
  });
});

describe('the wire', () => {
  test('is opened again after longer and longer, and sound that is there goes on meanwhile', () => {
    const waits: number[] = [];
    let { phone } = walk(begin(ID), ...CONNECTED);
    for (let time = 0; time < 7; time += 1) {
      const gone = broke(phone);
      for (const act of gone.acts) if (act.do === 'retry') waits.push(act.afterMs);
      const trying = retry(gone.phone);
      assert.deepEqual(doings(trying), ['open wire']);
      ({ phone } = trying);
    }
    assert.deepEqual(waits, [500, 1_000, 2_000, 2_000, 2_000, 2_000, 2_000]);
    assert.equal(phone.sound.is, 'connected');
    const back = walk(phone, opened, ours);
    assert.deepEqual([doings(back), back.phone.sound.is], [[], 'connected']);
  });

  test('is another when the service was away and is back, however it stood; the sound goes on', () => {
    const anew = walk(begin(ID), ...CONNECTED, renew);
    assert.deepEqual([doings(anew), anew.phone.sound.is], [['close wire', 'open wire'], 'connected']);
    assert.deepEqual(doings(walk(begin(ID), ...CONNECTED, broke, renew)), ['open wire']);
    assert.deepEqual(doings(walk(begin(ID), renew)), []);
  });

  test('that broke under an offer carries it again', () => {
    const back = walk(begin(ID), ...TO_OFFER, broke, retry, opened, ours);
    assert.deepEqual(back.acts, [{ do: 'send offer', call: CALL, no: 1 }]);
  });

  test('that is gone is not listened to: what it said last would have an offer sent into nothing', () => {
    const { phone } = walk(begin(ID), ...TO_OFFER, broke);
    assert.deepEqual(ours(phone), { phone, acts: [] });
  });

  test('without an answer is a dead one: another, with another offer', () => {
    const anew = walk(begin(ID), ...TO_OFFER, (phone) => late(phone, 1));
    assert.deepEqual(doings(anew), ['close wire', 'open wire', 'make offer', 'watch']);
    const sent = walk(anew.phone, (phone) => gathered(phone, 2), opened, ours);
    assert.deepEqual(sent.acts, [{ do: 'send offer', call: CALL, no: 2 }]);
  });
});

describe('sound', () => {
  test('is answered to the last offer alone', () => {
    const { phone } = walk(begin(ID), ...TO_OFFER, (one) => late(one, 1));
    assert.equal(answered(phone, CALL, 1).phone, phone);
    assert.equal(refused(phone, CALL, 1, 'No.').phone, phone);
    assert.equal(answered(phone, NEXT, 2).phone, phone, 'of another call');
    assert.deepEqual(doings(answered(phone, CALL, 2)), ['accept', 'watch']);
  });

  test('that is lost for a moment heals by itself; lost for longer, its connection is started again, then another is made', () => {
    const lost = walk(begin(ID), ...CONNECTED, parted);
    assert.equal(lost.phone.sound.is, 'lost');
    assert.equal(joined(lost.phone).phone.sound.is, 'connected');
    const restarted = late(lost.phone, 1);
    assert.deepEqual(restarted.acts[0], { do: 'make offer', no: 2, isAnew: false, gatherMs: 3_000 });
    const connecting = walk(
      restarted.phone,
      (phone) => gathered(phone, 2),
      (phone) => answered(phone, CALL, 2),
    );
    assert.equal(joined(connecting.phone).phone.sound.is, 'connected');
    const anew = late(connecting.phone, 2);
    assert.deepEqual(anew.acts[0], { do: 'make offer', no: 3, isAnew: true, gatherMs: 3_000 });
    assert.equal(late(anew.phone, 2).phone, anew.phone, 'what was watched before is over');
  });

  test('that the browser gave up is started again at once', () => {
    assert.deepEqual(doings(walk(begin(ID), ...CONNECTED, failed)), ['make offer', 'watch']);
    assert.deepEqual(doings(walk(begin(ID), ...CONNECTED, parted, failed)), ['make offer', 'watch']);
  });

  test('that is refused says why, and is tried again by hand', () => {
    const { phone } = walk(begin(ID), ...TO_OFFER, (one) => refused(one, CALL, 1, 'The line is full.'));
    assert.deepEqual(phone.sound, { is: 'refused', reason: 'The line is full.' });
    assert.deepEqual(doings(again(phone)), ['make offer', 'watch']);
  });
});

test('whatever happens, in whatever order: numbers only grow, nothing is offered without a call or by a page that is not the telephone', () => {
  const step = fc.constantFrom<(phone: Phone) => Step>(
    dialled,
    found,
    (phone) => follow(phone, NEXT, true),
    (phone) => follow(phone, undefined, false),
    opened,
    broke,
    retry,
    ours,
    anothers,
    take,
    ready,
    (phone) => gathered(phone, phone.offer),
    (phone) => answered(phone, phone.call ?? 0, phone.offer),
    (phone) => refused(phone, phone.call ?? 0, phone.offer, 'No.'),
    again,
    joined,
    parted,
    failed,
    (phone) => late(phone, phone.offer),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let phone = begin(ID);
      for (const go of steps) {
        const next = go(phone);
        assert.ok(next.phone.offer >= phone.offer);
        for (const act of next.acts) {
          if (act.do !== 'send offer' && act.do !== 'make offer') continue;
          assert.equal(act.no, next.phone.offer);
          assert.equal(next.phone.whose, 'ours');
          assert.notEqual(next.phone.call, undefined);
          if (act.do === 'send offer') assert.equal(next.phone.wire.is, 'open');
        }
        ({ phone } = next);
        if (phone.call === undefined) assert.deepEqual([phone.sound.is, phone.wire.is], ['none', 'closed']);
        else assert.notEqual(phone.wire.is, 'closed');
        if (phone.whose === 'another’s' && !phone.isTaking) assert.equal(phone.sound.is, 'none');
      }
    }),
    { numRuns: 2_000 },
  );
});
