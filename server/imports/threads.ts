import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { HowRead } from '../../contract/imports.ts';
import type { CheckedRows, Checking } from './check.ts';
import type { AskedOfChecker } from './check-thread.ts';
import type { Looked } from './files/file.ts';
import { Unreadable, type FileSource } from './files/source.ts';
import type { AskedOfReader, FileToRead, ReadRows, ToldByReader } from './read-thread.ts';

/**
 * Files are read, and rows are checked, on threads of their own: the service answers meanwhile, and a file that takes all memory there is takes
 * that of its thread. One that dies, or says nothing for too long, fails what it was asked for.
 */

/** So much memory a thread may have, in megabytes. */
const MOST_READING = 512;
const MOST_CHECKING = 192;
const SILENT_MS = 60_000;

function startThread(file: string, megabytes: number, workerData?: unknown): Worker {
  const thread = new Worker(new URL(file, import.meta.url), {
    // Nothing of ours goes along but where the code lies without its types: stripping them again takes longer than the check of a small file.
    env: { ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }) },
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: 16 },
  });
  thread.unref();
  return thread;
}

/** It was let go of on purpose. */
export class Closed extends Error {}

type Waiting<T> = { done: (answer: T) => void; fail: (error: Error) => void };

/** One question at a time. */
function openLine<Answer>(thread: Worker, explain = (error: Error) => error) {
  let waiting: Waiting<Answer> | undefined;
  let gone: Error | undefined;
  let late: NodeJS.Timeout | undefined;
  const settle = (how: (waits: Waiting<Answer>) => void) => {
    clearTimeout(late);
    const waits = waiting;
    waiting = undefined;
    if (waits) how(waits);
  };
  const fail = (error: Error) => {
    gone ??= error;
    settle((waits) => waits.fail(error));
    void thread.terminate();
  };
  thread.on('error', (error) => fail(explain(error)));
  thread.on('exit', () => fail(new Error('A thread ended.')));
  return {
    ask: (asked: object): Promise<Answer> =>
      new Promise((done, refuse) => {
        if (gone) return refuse(gone);
        waiting = { done, fail: refuse };
        late = setTimeout(() => fail(new Error('A thread said nothing for too long.')), SILENT_MS).unref();
        thread.postMessage(asked, []);
      }),
    answer: (answer: Answer) => settle((waits) => waits.done(answer)),
    refuse: (error: Error) => settle((waits) => waits.fail(error)),
    fail,
    isGone: () => gone !== undefined,
  };
}

export type FileReader = {
  look(): Promise<Looked>;
  /** Those after a row, the next with each call. */
  next(how: HowRead, after: number): Promise<ReadRows>;
  close(): void;
};

/** One that needs more than there is would do so again. */
const explainReading = (error: Error): Error =>
  (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new Unreadable('Reading this file takes more memory than there is. Save it as CSV, or split it, and upload that.')
    : error;

/** Reads a file. What cannot be read is refused with `Unreadable`. */
export function openFile(source: FileSource): FileReader {
  const file: FileToRead = { name: source.name, bytes: source.bytes };
  const thread = startThread('read-thread.ts', MOST_READING, file);
  const line = openLine<unknown>(thread, explainReading);
  const ask = (asked: AskedOfReader) => line.ask(asked);
  const give = async (place: number, from: number, length: number) => {
    const block = await source.read(from, length).catch(() => undefined);
    const bytes = block && (block.byteLength === block.buffer.byteLength ? block : Uint8Array.from(block));
    const given: AskedOfReader = { given: place, bytes };
    if (!line.isGone()) thread.postMessage(given, bytes ? [bytes.buffer as ArrayBuffer] : []);
  };
  thread.on('message', (told: ToldByReader) => {
    if ('want' in told) void give(told.want, told.from, told.length);
    else if ('answer' in told) line.answer(told.answer);
    else line.refuse('unreadable' in told ? new Unreadable(told.unreadable) : new Error(told.failed));
  });
  return {
    look: () => ask({ ask: 'look' }) as Promise<Looked>,
    next: (how, after) => ask({ ask: 'next', how, after }) as Promise<ReadRows>,
    close: () => line.fail(new Closed('Nobody reads this file any more.')),
  };
}

const MOST_CHECKERS = Math.min(2, availableParallelism());
/** They go when nothing was checked for a while, with the plans of all the world's numbers. */
const IDLE_MS = 10_000;

type Checker = {
  line: ReturnType<typeof openLine<CheckedRows>>;
  knows: Checking | undefined;
  isBusy: boolean;
};
type Task = { checking: Checking; rows: string } & Waiting<CheckedRows>;

export type Checkers = {
  /** As many at once are worth giving. */
  width: number;
  check(checking: Checking, rows: string): Promise<CheckedRows>;
  /** There will be something to check soon. */
  getReady(): void;
  close(): void;
};

export function openCheckers(most = MOST_CHECKERS): Checkers {
  const checkers = new Set<Checker>();
  const tasks: Task[] = [];
  const close = () => {
    for (const { line } of checkers) line.fail(new Closed('Nothing is checked any more.'));
    checkers.clear();
  };
  const rest = () => ([...checkers].some(({ isBusy }) => isBusy) ? idle.refresh() : close());
  const idle = setTimeout(rest, IDLE_MS).unref();

  const start = (): Checker => {
    const thread = startThread('check-thread.ts', MOST_CHECKING);
    const line = openLine<CheckedRows>(thread);
    const checker: Checker = { line, knows: undefined, isBusy: false };
    thread.on('message', line.answer);
    thread.on('exit', () => checkers.delete(checker));
    checkers.add(checker);
    return checker;
  };

  const goOn = () => {
    idle.refresh();
    while (tasks.length > 0) {
      const free = [...checkers].find(({ isBusy, line }) => !isBusy && !line.isGone());
      const checker = free ?? (checkers.size < most ? start() : undefined);
      if (!checker) return;
      void serve(checker, tasks.shift()!);
    }
  };

  const serve = async (checker: Checker, { checking, rows, done, fail }: Task) => {
    checker.isBusy = true;
    const isKnown = checker.knows === checking;
    checker.knows = checking;
    try {
      const asked: AskedOfChecker = { rows, checking: isKnown ? undefined : checking };
      done(await checker.line.ask(asked));
    } catch (error) {
      checkers.delete(checker);
      fail(error as Error);
    }
    checker.isBusy = false;
    goOn();
  };

  return {
    width: most,
    check: (checking, rows) =>
      new Promise((done, fail) => {
        tasks.push({ checking, rows, done, fail });
        goOn();
      }),
    getReady: () => {
      if (checkers.size === 0) start();
      idle.refresh();
    },
    close: () => {
      clearTimeout(idle);
      for (const { fail } of tasks.splice(0)) fail(new Closed('Nothing is checked any more.'));
      close();
    },
  };
}
