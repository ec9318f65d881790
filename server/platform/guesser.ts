// The process of guessable.ts: its dictionaries and its arithmetic are neither in the service's memory nor in its way.
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import type { Question } from './guessable.ts';

/** Guesses under 10⁸: sign-in is slowed down, but whoever has years, or a copy of the database, would come to it. */
const GOOD = 3;

// Only the beginning counts, and few ways to read p@$$w0rd: without these bounds a long one takes seconds.
const judge = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: 64, l33tMaxSubstitutions: 3 });

process.on('message', ({ password, words }: Question) => {
  process.send!(judge.check(password.normalize('NFKC'), words).score < GOOD);
});
// A stop is told to all processes at once. This one goes when the service lets go of it, or is gone.
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => {});
