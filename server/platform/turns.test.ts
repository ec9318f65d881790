import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as moment } from 'node:timers/promises';
import { eventually } from '../../test/leadline.ts';
import { createLog } from './log.ts';
import { startTurns, type Waiting } from './turns.ts';

/** So many turns each, and who had them in which order; those of `hangs` never end. */
async function watch(left: Record<string, number>, width: number, hangs: string[] = []) {
  const served: string[] = [];
  const under = new Map<string, number>();
  let most = 0;
  const named = (key: string): Waiting => ({ account_id: Number(key[0]), person: key[1]! });
  const turns = startTurns({
    what: 'Test',
    width,
    ofAccount: 2,
    look: async () =>
      Object.entries(left)
        .filter(([, count]) => count > 0)
        .map(([key]) => named(key)),
    async take({ account_id, person }) {
      const [account, key] = [String(account_id), `${account_id}${person}`];
      served.push(key);
      under.set(account, (under.get(account) ?? 0) + 1);
      most = Math.max(most, under.get(account)!);
      if (hangs.includes(key)) return new Promise<boolean>(() => {});
      await moment();
      left[key]! -= 1;
      under.set(account, under.get(account)! - 1);
      return true;
    },
    log: createLog('silent'),
  });
  return { served, turns, most: () => most };
}

test('accounts take turns however much each has, and so do the people of an account', async () => {
  const left = { '1a': 50, '1b': 50, '2a': 4, '3a': 4 };
  const { served, turns } = await watch(left, 1);
  await eventually('the small ones are through', () => left['2a'] === 0 && left['3a'] === 0);
  await turns.stop();
  const round = served.slice(0, 12).map((key) => key.charAt(0));
  const turnsOf = (account: string) => round.filter((one) => one === account).length;
  assert.deepEqual([turnsOf('1'), turnsOf('2'), turnsOf('3')], [4, 4, 4]);
  const own = served.filter((key) => key.startsWith('1')).slice(0, 4);
  assert.deepEqual(own.toSorted(), ['1a', '1a', '1b', '1b']);
});

test('one that hangs holds up neither its account nor others, and no account has more than its share', async () => {
  const left = { '1a': 1, '1b': 5, '1c': 5, '2a': 5 };
  const { served, turns, most } = await watch(left, 4, ['1a']);
  await eventually('all others are through', () => left['1b'] + left['1c'] + left['2a'] === 0);
  assert.equal(served.filter((key) => key === '1a').length, 1);
  assert.equal(most(), 2);
  void turns.stop();
});

test('someone who comes while others have long lines is served next', async () => {
  const left: Record<string, number> = { '1a': 1_000, '2a': 1_000, '3a': 1_000 };
  const { served, turns } = await watch(left, 2);
  await eventually('they are at it', () => served.length > 20);
  left['4a'] = 1;
  turns.nudge();
  const before = served.length;
  await eventually('it was served', () => served.includes('4a'));
  await turns.stop();
  assert.ok(served.indexOf('4a') - before < 8, `after ${served.indexOf('4a') - before} others`);
});
