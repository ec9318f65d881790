import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encode } from './large-answers.ts';

test('a long text is written whole, wherever its characters fall between two pieces', async () => {
  for (const before of ['', 'a', 'ø', 'я', '😀', 'a😀']) {
    const text = `${before}${'😀'.repeat(200_000)}`;
    assert.ok((await encode(text)).equals(Buffer.from(text)), before);
  }
});

test('others have their turn while it is written', async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 0);
  await encode('a'.repeat(15_000_000));
  clearInterval(timer);
  assert.ok(turns > 1, String(turns));
});

test('more than fits into an answer is refused, counted in bytes', async () => {
  await assert.rejects(encode('я'.repeat(9_000_000)), { status: 422 });
});
