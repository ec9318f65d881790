import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginQuality, count, judge, type Counted, type Fault } from './quality.ts';

type Second = Partial<Omit<Counted, 'at'>>;

/** What is said after each of so many seconds: 50 packets arrive in each, unless it says otherwise. */
function listen(seconds: Second[]): (Fault | undefined)[] {
  let quality = beginQuality(0);
  const total = { received: 0, lost: 0 };
  return seconds.map(({ received = 50, lost = 0, ...rest }, second) => {
    total.received += received;
    total.lost += lost;
    const counted = { at: (second + 1) * 1_000, jitter: 0.002, roundTrip: 0.03, lostThere: 0, ...rest, ...total };
    quality = judge(quality, counted);
    return quality.fault;
  });
}

const times = (number: number, second: Second = {}): Second[] => Array.from({ length: number }, () => second);

test('a good connection is not mentioned, nor is a packet that is lost now and then', () => {
  assert.deepEqual(new Set(listen([...times(20), ...times(20, { received: 49, lost: 1 })])), new Set([undefined]));
});

test('loss over three of a hundred is said, and gone once all was well for some seconds', () => {
  const said = listen([...times(3), ...times(5, { received: 46, lost: 4 }), ...times(12)]);
  assert.equal(said[4], 'lossy');
  assert.equal(said[8], 'lossy', 'not at the first good second');
  assert.equal(said.at(-1), undefined);
});

test('nothing for two seconds is silence, until something comes', () => {
  const said = listen([...times(3), ...times(3, { received: 0 }), ...times(2)]);
  assert.deepEqual(said, [undefined, undefined, undefined, undefined, 'silent', 'silent', undefined, undefined]);
});

test('jitter, a long way and loss of what one says are said when they last', () => {
  assert.equal(listen([...times(3), { jitter: 0.2 }, ...times(1)]).at(-1), undefined, 'for a moment');
  assert.equal(listen(times(4, { jitter: 0.2 })).at(-1), 'uneven');
  assert.equal(listen(times(4, { roundTrip: 1.2 })).at(-1), 'slow');
  assert.equal(listen(times(4, { lostThere: 0.1 })).at(-1), 'lossy there');
});

test('statistics are read as browsers tell them', () => {
  const statistics = [
    { type: 'inbound-rtp', kind: 'audio', packetsReceived: 100, packetsLost: 2, jitter: 0.004 },
    { type: 'candidate-pair', nominated: false, currentRoundTripTime: 9 },
    { type: 'candidate-pair', nominated: true, currentRoundTripTime: 0.05 },
    { type: 'remote-inbound-rtp', kind: 'audio', fractionLost: 0.25 },
  ];
  assert.deepEqual(count(statistics, 5), {
    at: 5,
    received: 100,
    lost: 2,
    jitter: 0.004,
    roundTrip: 0.05,
    lostThere: 0.25,
  });
  assert.equal(count([{ type: 'codec' }], 5), undefined);
});
