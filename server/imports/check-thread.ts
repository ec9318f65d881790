import { parentPort } from 'node:worker_threads';
import { checkRows, type Checking, type GivenRow } from './check.ts';

/** Checks rows, on a thread of its own: most of the time goes into reading telephone numbers. */

/** What rows are checked by comes with the first ones. */
export type AskedOfChecker = { rows: string; checking: Checking | undefined };

const port = parentPort!;
let known: Checking;

port.on('message', ({ rows, checking }: AskedOfChecker) => {
  known = checking ?? known;
  port.postMessage(checkRows(known, JSON.parse(rows) as GivenRow[]));
});
