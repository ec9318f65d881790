import { Worker } from 'node:worker_threads';
import { LONGEST_PASSWORD } from './passwords.ts';

export type Question = { password: string; words: string[] };
type Waiting = { resolve: (guessable: boolean) => void; reject: (error: Error) => void };
type Thread = { worker: Worker; waiting: Waiting[]; end: NodeJS.Timeout };

/** Passwords are chosen seldom: the thread and its dictionaries go when nobody chose one for a while. */
const IDLE_MS = 30_000;
const MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 };

let thread: Thread | undefined;

/** Whether a guesser would come to it before long. `about`: names and addresses of whoever chooses it, which are tried first. */
export function isGuessable(password: string, about: string[]): Promise<boolean> {
  const asked = (thread ??= start());
  asked.end.refresh();
  asked.worker.ref();
  return new Promise((resolve, reject) => {
    asked.waiting.push({ resolve, reject });
    const question: Question = { password: password.slice(0, 2 * LONGEST_PASSWORD), words: wordsIn(about) };
    asked.worker.postMessage(question);
  });
}

/** As they are, and each word of them. */
const wordsIn = (about: string[]): string[] => {
  const words = about.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]/u)]);
  return [...new Set(words.map((word) => word.toLowerCase()))].filter(({ length }) => length > 2).slice(0, 100);
};

function start(): Thread {
  const worker = new Worker(new URL('guessable-thread.ts', import.meta.url), { resourceLimits: MEMORY });
  const waiting: Waiting[] = [];
  const started: Thread = { worker, waiting, end: setTimeout(() => letGo(), IDLE_MS).unref() };
  const letGo = () => {
    if (waiting.length === 0) {
      thread = undefined;
      void worker.terminate();
    } else started.end.refresh();
  };
  // It answers in the order it was asked.
  worker.on('message', (guessable: boolean) => {
    waiting.shift()!.resolve(guessable);
    if (waiting.length === 0) worker.unref();
  });
  worker.on('error', (error: Error) => {
    clearTimeout(started.end);
    for (const { reject } of waiting.splice(0)) reject(error);
    letGo();
  });
  return started;
}
