import { fork, type ChildProcess } from 'node:child_process';
import { LONGEST_PASSWORD } from './passwords.ts';

export type Question = { password: string; words: string[] };
type Waiting = { resolve: (guessable: boolean) => void; reject: (error: Error) => void };
type Guesser = { child: ChildProcess; waiting: Waiting[]; end: NodeJS.Timeout };

/** Passwords are chosen seldom: the process and its dictionaries go when nobody chose one for a while. */
const IDLE_MS = 30_000;

let guesser: Guesser | undefined;

/** Whether a guesser would come to it before long. `about`: names and addresses of whoever chooses it, which are tried first. */
export function isGuessable(password: string, about: string[]): Promise<boolean> {
  const { child, waiting, end } = (guesser ??= start());
  end.refresh();
  child.channel?.ref();
  return new Promise((resolve, reject) => {
    waiting.push({ resolve, reject });
    const question: Question = { password: password.slice(0, 2 * LONGEST_PASSWORD), words: wordsIn(about) };
    child.send(question);
  });
}

/** As they are, and each word of them. */
function wordsIn(about: string[]): string[] {
  const words = about.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]/u)]);
  return [...new Set(words.map((word) => word.toLowerCase()))].filter(({ length }) => length > 2).slice(0, 100);
}

function start(): Guesser {
  const child = fork(new URL('guesser.ts', import.meta.url), {
    // Nothing of ours goes along: neither secrets nor what we were started with.
    env: {},
    execArgv: ['--max-old-space-size=128'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const waiting: Waiting[] = [];
  const started = { child, waiting, end: setTimeout(() => letGo(), IDLE_MS).unref() };
  const letGo = () => {
    if (waiting.length > 0) return;
    if (guesser === started) guesser = undefined;
    if (child.connected) child.disconnect();
  };
  const fail = (error: Error) => {
    for (const { reject } of waiting.splice(0)) reject(error);
    clearTimeout(started.end);
    letGo();
  };
  child.unref();
  // It answers in the order it was asked.
  child.on('message', (guessable: boolean) => {
    waiting.shift()!.resolve(guessable);
    started.end.refresh();
    if (waiting.length === 0) child.channel?.unref();
  });
  child.on('error', fail);
  child.on('exit', (code, signal) => fail(new Error(`The guesser of passwords ended: ${code ?? signal}.`)));
  return started;
}
