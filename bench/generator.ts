import { connect, type Socket } from 'node:net';

/**
 * Sends requests over kept connections, the next on each as soon as the last is answered. Bytes go straight to the socket, because on a
 * small machine a client that parses every answer takes the time of the server it measures.
 */

export type Load = { port: number; connections: number; seconds: number; next: () => string };
/** Answers other than success are counted apart: under too much load, refusing is right, but it is no work done. */
export type Run = { requests: number; refused: number; rate: number; p50: number; p99: number; cpu: number };

const PATIENCE_MS = 15_000;

export async function generate({ port, connections, seconds, next }: Load): Promise<Run> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const cpu = process.cpuUsage();
  const begun = performance.now();
  const deadline = begun + seconds * 1_000;
  const tally: Tally = { times: [], refused: 0 };
  try {
    await Promise.all(sockets.map((socket) => keepAsking(socket, next, deadline, tally)));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  const elapsed = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  const { times, refused } = tally;
  if (times.length === 0) throw new Error(`Nothing but refusals, such as:\n${tally.sample}`);
  return {
    requests: times.length,
    refused,
    rate: (times.length / elapsed) * 1_000,
    ...spread(times),
    cpu: (user + system) / 1_000 / elapsed,
  };
}

export function spread(times: number[]): { p50: number; p99: number } {
  const sorted = Float64Array.from(times).toSorted();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** A kept connection for those whose next request depends on the last answer. */
export type Line = { ask(request: string): Promise<{ status: number; body: string }>; close(): void };

export async function openLine(port: number): Promise<Line> {
  const socket = await open(port);
  let waiting: { resolve(answer: { status: number; body: string }): void; reject(error: Error): void } | undefined;
  let received = Buffer.alloc(0);
  socket.on('data', (piece) => {
    received = received.length > 0 ? Buffer.concat([received, piece]) : piece;
    const length = answerLength(received);
    if (length === undefined || received.length < length) return;
    const body = received.toString('utf8', received.indexOf('\r\n\r\n') + 4);
    const status = Number(received.toString('latin1', 9, 12));
    received = Buffer.alloc(0);
    waiting?.resolve({ status, body });
  });
  let gone: Error | undefined;
  const fail = (error: Error) => {
    gone ??= error;
    waiting?.reject(error);
  };
  socket.once('error', fail);
  socket.once('close', () => fail(new Error('The server closed a connection.')));
  socket.setTimeout(PATIENCE_MS, () => fail(new Error(`No answer in ${PATIENCE_MS / 1_000} s.`)));
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (gone) return reject(gone);
        waiting = { resolve, reject };
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

type Tally = { times: number[]; refused: number; sample?: string };

function keepAsking(socket: Socket, next: () => string, deadline: number, tally: Tally): Promise<void> {
  return new Promise((resolve, reject) => {
    let asked = 0;
    let left = -1;
    let success = true;
    let head: Buffer | undefined;

    const ask = () => {
      if (performance.now() >= deadline) return resolve();
      left = -1;
      head = undefined;
      asked = performance.now();
      socket.write(next());
    };
    socket.on('data', (piece) => {
      if (left < 0) {
        head = head ? Buffer.concat([head, piece]) : piece;
        const length = answerLength(head);
        if (length === undefined) return;
        success = isSuccess(head);
        if (!success) tally.sample = head.toString();
        left = length - head.length;
      } else left -= piece.length;
      if (left > 0) return;
      if (success) tally.times.push(performance.now() - asked);
      else tally.refused += 1;
      ask();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('The server closed a connection.')));
    socket.setTimeout(PATIENCE_MS, () => reject(new Error(`No answer in ${PATIENCE_MS / 1_000} s.`)));
    ask();
  });
}

/** Head and body together, once the head is complete. */
function answerLength(received: Buffer): number | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const found = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, end));
  return end + 4 + Number(found?.[1] ?? 0);
}

const isSuccess = (received: Buffer) => received[9] === 0x32;
