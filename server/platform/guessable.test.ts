import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventually } from '../../test/leadline.ts';
import { isGuessable } from './guessable.ts';

test('what is tried first is guessable, and so is what is known of whoever chooses it', async () => {
  const about = ['josephine.vestergaard@example.com', 'Josephine', 'Acme & Sons'];
  const easy = [
    'aaaaaaaaaa',
    'P@ssw0rd!!!',
    '1234567890',
    'Sommer2026',
    'Jennifer1990',
    'vestergaard',
    'j0s3phin3!',
    'AcmeSons1',
  ];
  for (const password of [...easy, '🦊'.repeat(100), 'a'.repeat(200)])
    assert.equal(await isGuessable(password, about), true, password);
  for (const password of ['correct horse battery', 'tulip wagon moss', 'kX9$mq2vTz', 'жёлтый чайник ночью'])
    assert.equal(await isGuessable(password, about), false, password);
});

test('one that judges and is killed is followed by another', { skip: process.platform !== 'linux' }, async () => {
  await isGuessable('tulip wagon moss', []);
  const pids = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number);
  const judging = pids.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('guesser.ts'));
  assert.equal(judging.length, 1);
  const under = isGuessable('p@$$w0rd1990'.repeat(10), []);
  process.kill(judging[0]!, 'SIGKILL');
  await assert.rejects(under, /The guesser of passwords ended: SIGKILL/);
  assert.equal(await eventually('another', () => isGuessable('aaaaaaaaaa', []).catch(() => undefined)), true);
});
