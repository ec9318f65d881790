// The thread of guessable.ts: its dictionaries and its arithmetic are neither in the service's memory nor in its way.
import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import type { Question } from './guessable.ts';

/** Guesses under 10⁸: sign-in is slowed down, but whoever has years, or a copy of the database, would come to it. */
const GOOD = 3;

// Only the beginning counts, and few ways to read p@$$w0rd: without these bounds a long one takes seconds.
const judge = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: 64, l33tMaxSubstitutions: 3 });

parentPort!.on('message', ({ password, words }: Question) => {
  parentPort!.postMessage(judge.check(password.normalize('NFKC'), words).score < GOOD);
});
