import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import {
  advance,
  begin,
  call,
  give,
  goOn,
  hear,
  isHolding,
  isWanted,
  leadIn,
  leave,
  reach,
  rest,
  save,
  spare,
  take,
  type Hand,
  type Holding,
  type Saving,
  type Step,
} from './hand.ts';

const [ANN, BEN, CARL] = [1, 2, 3] as const;
const PRESENT = 'the desk was not left';

const given = (lead: number): Holding => hold(begin(lead), lead);

function hold(hand: Hand, lead: number): Holding {
  assert.ok(isHolding(hand, lead));
  return hand;
}

function present(hand: Hand): Exclude<Hand, { is: 'left' }> {
  assert.ok(hand.is !== 'left', PRESENT);
  return hand;
}

const seen = ({ hand, loose }: Step) => [hand.is, leadIn(hand), loose];

describe('the queue', () => {
  test('what it gives is in hand, and with nothing in it the hand is empty', () => {
    const { turn } = begin(undefined);
    assert.deepEqual(seen(give(begin(undefined), turn, ANN)), ['given', ANN, []]);
    assert.deepEqual(seen(give(begin(ANN), turn, undefined)), ['empty', undefined, []]);
  });

  test('is followed by whoever has nothing else in hand', () => {
    assert.equal(leadIn(hear(begin(undefined), ANN)), ANN);
    assert.equal(leadIn(hear(begin(ANN), BEN)), BEN);
    assert.equal(hear(begin(ANN), undefined).is, 'empty', 'it could not be asked');
    const taken = call(begin(ANN), CARL);
    assert.equal(hear(taken, BEN), taken);
    const saving = save(given(ANN));
    assert.equal(hear(saving, BEN), saving);
  });

  test('what it gives to someone who has opened another meanwhile is let go of', () => {
    const asked = begin(ANN);
    const reaching = reach(asked);
    assert.deepEqual(seen(give(reaching, asked.turn, BEN)), ['given', ANN, [BEN]]);
    const called = call(asked, CARL);
    assert.deepEqual(seen(give(called, asked.turn, BEN)), ['taken', CARL, [BEN]]);
    assert.deepEqual(seen(give(called, asked.turn, CARL)), ['taken', CARL, []], 'not what is in hand');
    assert.deepEqual(seen(give(leave(asked, false).hand, asked.turn, BEN)), ['left', undefined, [BEN]]);
  });

  test('gives whoever goes past the lead in hand another, and the one before is let go of', () => {
    const reaching = reach(begin(ANN));
    const gone = goOn(reaching, reaching.turn, BEN, [ANN]);
    assert.deepEqual(seen(gone), ['given', BEN, [ANN]]);
    assert.deepEqual(present(gone.hand).past, [ANN]);
    assert.deepEqual(seen(goOn(reaching, reaching.turn, undefined, [])), ['given', ANN, []], 'with no other it stays');
    const called = call(reaching, CARL);
    assert.deepEqual(seen(goOn(called, reaching.turn, BEN, [ANN])), ['taken', CARL, [BEN]], 'a call comes first');
  });

  test('asked anew, forgets whom one went past; after a save it remembers, fifty at most', () => {
    const reaching = reach(begin(ANN));
    const { hand } = goOn(reaching, reaching.turn, BEN, [ANN]);
    assert.deepEqual(present(give(hand, reaching.turn, CARL).hand).past, []);
    const saving = save(hold(hand, BEN));
    assert.deepEqual(present(advance(saving, saving, CARL, saving.past).hand).past, [ANN]);
    const many = Array.from({ length: 60 }, (_, index) => index + 1);
    const { past } = present(goOn(reaching, reaching.turn, 99, many).hand);
    assert.deepEqual([past.length, past[0], past.at(-1)], [50, 11, 60]);
  });
});

describe('by hand', () => {
  test('another takes the place of the one in hand, which is let go of', () => {
    const reaching = reach(begin(ANN));
    assert.deepEqual(seen(take(reaching, reaching.turn, BEN)), ['taken', BEN, [ANN]]);
    assert.deepEqual(seen(take(reaching, reaching.turn, ANN)), ['taken', ANN, []], 'the same one stays');
  });

  test('of two that were reached for the later one is taken, whichever comes first', () => {
    const first = reach(begin(ANN));
    const second = reach(first);
    const early = take(second, first.turn, BEN);
    assert.deepEqual(seen(early), ['given', ANN, [BEN]]);
    assert.deepEqual(seen(take(early.hand, second.turn, CARL)), ['taken', CARL, [ANN]]);
    const { hand } = take(second, second.turn, CARL);
    assert.deepEqual(seen(take(hand, first.turn, BEN)), ['taken', CARL, [BEN]]);
  });
});

describe('a call', () => {
  test('opens its lead and lets go of none', () => {
    assert.deepEqual([call(begin(ANN), BEN).is, leadIn(call(begin(ANN), BEN))], ['taken', BEN]);
    assert.equal(call(begin(undefined), BEN).lead, BEN);
  });

  test('comes before what was being reached for', () => {
    const reaching = reach(begin(ANN));
    const called = call(reaching, CARL);
    assert.deepEqual(seen(take(called, reaching.turn, BEN)), ['taken', CARL, [BEN]]);
  });
});

describe('saving', () => {
  test('goes on to the next one', () => {
    const saving = save(given(ANN));
    assert.deepEqual(seen(advance(saving, saving, BEN, [])), ['given', BEN, []]);
  });

  test('refused, the lead is in hand as it was, and what came for it is let go of', () => {
    for (const held of [given(ANN), call(begin(undefined), ANN)]) {
      const saving = save(held);
      const { hand } = rest(saving, saving);
      assert.deepEqual(hand, held);
      assert.deepEqual(seen(spare(hand, BEN)), [held.is, ANN, [BEN]]);
    }
  });

  test('the lead is not let go of while it is being saved, but when that is refused', () => {
    const saving = save(given(ANN));
    const reaching = reach(saving);
    const taken = take(reaching, reaching.turn, BEN);
    assert.deepEqual(seen(taken), ['taken', BEN, []]);
    assert.deepEqual(seen(rest(taken.hand, saving)), ['taken', BEN, [ANN]]);
    const left = leave(saving, false);
    assert.deepEqual(seen(left), ['left', undefined, []]);
    assert.deepEqual(seen(rest(left.hand, saving)), ['left', undefined, [ANN]]);
  });

  test('whoever goes on before it is saved has the next one, which came for both, and none is let go of', () => {
    const saving = save(given(ANN));
    const reaching = reach(saving);
    const gone = goOn(reaching, reaching.turn, BEN, []);
    assert.deepEqual(seen(gone), ['given', BEN, []]);
    assert.deepEqual(seen(advance(gone.hand, saving, BEN, [])), ['given', BEN, []]);
    assert.deepEqual(seen(rest(gone.hand, saving)), ['given', BEN, [ANN]], 'refused, what was left is free');
  });

  test('with another opened meanwhile, the next one is not wanted any more', () => {
    const saving = save(given(ANN));
    assert.deepEqual(seen(advance(call(saving, CARL), saving, BEN, [])), ['taken', CARL, [BEN]]);
    assert.deepEqual(seen(advance(reach(saving), saving, BEN, [])), ['given', ANN, [BEN]], 'nor with one on its way');
  });
});

test('whoever leaves lets go of the lead, but not of one they are talking to', () => {
  assert.deepEqual(seen(leave(begin(ANN), false)), ['left', undefined, [ANN]]);
  assert.deepEqual(seen(leave(begin(ANN), true)), ['left', undefined, []]);
  assert.deepEqual(seen(leave(begin(undefined), false)), ['left', undefined, []]);
});

test('whatever happens in whatever order: what is in hand is not let go of, and what was asked for is in hand or let go of', () => {
  const kinds = ['look', 'reach', 'call', 'save', 'answer', 'refuse', 'hear', 'pass', 'leave'] as const;
  const happening = fc.record({
    kind: fc.constantFrom(...kinds),
    lead: fc.integer({ min: 1, max: 9 }),
    at: fc.nat(20),
  });
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
      let hand = begin(undefined) as Hand;
      const asked: ({ turn: number; by: 'look' | 'reach' | 'pass' } | { saving: Saving; by: 'save' })[] = [];
      const move = (step: Step, arrived?: number) => {
        hand = step.hand;
        assert.ok(!step.loose.includes(leadIn(hand) ?? 0), 'what is in hand was let go of');
        if (arrived !== undefined) assert.ok(leadIn(hand) === arrived || step.loose.includes(arrived), 'one is lost');
      };
      for (const { kind, lead, at } of happenings) {
        const [answered] = kind === 'answer' || kind === 'refuse' ? asked.splice(at % (asked.length || 1), 1) : [];
        if (answered?.by === 'save' && kind === 'refuse') move(rest(hand, answered.saving));
        else if (answered?.by === 'save') move(advance(hand, answered.saving, lead, []), lead);
        else if (answered?.by === 'pass') move(goOn(hand, answered.turn, lead, [at]), lead);
        else if (answered?.by === 'look') move(give(hand, answered.turn, lead), lead);
        else if (answered) move(take(hand, answered.turn, lead), lead);
        if (hand.is === 'left') continue;
        if (kind === 'look') asked.push({ turn: hand.turn, by: 'look' });
        if (kind === 'call') move({ hand: call(hand, lead), loose: [] });
        if (kind === 'hear') move({ hand: hear(hand, lead), loose: [] });
        if (kind === 'leave') move(leave(hand, false));
        if (kind === 'reach' || (kind === 'pass' && hand.is !== 'empty')) {
          move({ hand: reach(hand), loose: [] });
          asked.push({ turn: hand.turn, by: kind });
        }
        if (hand.is !== 'given' && hand.is !== 'taken') continue;
        if (kind === 'save') {
          const saving = save(hand);
          move({ hand: saving, loose: [] });
          asked.push({ saving, by: 'save' });
        }
      }
      assert.ok(hand.is === 'left' || isWanted(hand, hand.turn));
    }),
  );
});
