import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from './ledger.ts';

/** Hand-outs as they were seen: lead, agent, when it was given, when the outcome was sent, when it was acknowledged. */
function ledgerOf(...handOuts: [lead: number, agent: number, from: number, until: number, over: number][]): Ledger {
  const ledger = new Ledger(1);
  for (const [lead, agent, from, until, over] of handOuts) ledger.handOuts.push({ lead, agent, from, until, over });
  return ledger;
}

test('a lead with two people at the same time is found', () => {
  assert.equal(ledgerOf([1, 1, 0, 10, Infinity], [1, 2, 5, 20, Infinity]).twice(), 1);
});

test('a lead that is given out after its end is found', () => {
  assert.equal(ledgerOf([1, 1, 0, 10, 12], [1, 2, 15, 20, 22]).twice(), 1);
});

test('a lead that comes again after a call back, or to the same person who asked again, is with one', () => {
  assert.equal(ledgerOf([1, 1, 0, 10, Infinity], [1, 2, 11, 20, 22], [2, 1, 0, 10, 12]).twice(), 0);
  assert.equal(ledgerOf([1, 1, 0, Infinity, Infinity], [1, 1, 5, 20, 22]).twice(), 0);
});
