import { Worker } from 'node:worker_threads';
import type { AskedOfHandshakes, ToldByHandshakes } from './handshake-thread.ts';
import type { Fingerprint } from './sdp.ts';
import type { SrtpKeys } from './srtp.ts';

/** Handshakes as a leg sees them: datagrams go in and out, and at the end there are keys. */
export type Handshakes = {
  /** The certificate that we show. Starts the thread, where it is not running. */
  fingerprint(): Promise<Fingerprint>;
  begin(theirs: Fingerprint, hear: HandshakeHears): Handshake;
  stop(): Promise<void>;
};

export type Handshake = { receive(datagram: Buffer): void; end(): void };

export type HandshakeHears = {
  send(datagram: Uint8Array): void;
  agreed(send: SrtpKeys, receive: SrtpKeys): void;
  failed(reason: string): void;
  closed(): void;
};

type Thread = { worker: Worker; fingerprint: Promise<Fingerprint> };

/** A handshake has some twenty datagrams. Later there is a good-bye at most. */
const MOST_DATAGRAMS = 200;
const MOST_LATER = 20;
const ALERT = 21;

export function openHandshakes(): Handshakes {
  const hearers = new Map<number, HandshakeHears>();
  const agreed = new Set<number>();
  let thread: Thread | undefined;
  let ids = 0;

  function start(): Thread {
    const worker = new Worker(new URL('handshake-thread.ts', import.meta.url), { execArgv: [] });
    const fingerprint = new Promise<Fingerprint>((give, fail) => {
      worker.on('message', (told: ToldByHandshakes) => {
        if (told.told === 'ready') give(told.fingerprint);
        else hear(told);
      });
      worker.once('error', fail);
      worker.once('exit', () => {
        fail(new Error('The thread of the handshakes ended.'));
        if (thread?.worker === worker) thread = undefined;
        // Those that were through have their keys and go on; the next one starts another thread.
        for (const [id, hearer] of hearers) if (!agreed.has(id)) hearer.failed('The thread of the handshakes ended.');
        hearers.clear();
        agreed.clear();
      });
    });
    fingerprint.catch(() => {});
    return { worker, fingerprint };
  }

  function hear(told: Exclude<ToldByHandshakes, { told: 'ready' }>) {
    const hearer = hearers.get(told.id);
    if (told.told === 'send') hearer?.send(told.datagram);
    // What is posted between threads arrives as plain bytes.
    else if (told.told === 'agreed') {
      agreed.add(told.id);
      hearer?.agreed(toKeys(told.send), toKeys(told.receive));
    } else {
      forget(told.id);
      if (told.told === 'closed') hearer?.closed();
      else hearer?.failed(told.reason);
    }
  }

  function forget(id: number): boolean {
    agreed.delete(id);
    return hearers.delete(id);
  }

  const ask = (asked: AskedOfHandshakes) => {
    thread ??= start();
    const { worker } = thread;
    worker.postMessage(asked, []);
  };

  return {
    fingerprint: () => (thread ??= start()).fingerprint,
    begin(theirs, hearer) {
      ids += 1;
      const id = ids;
      hearers.set(id, hearer);
      ask({ ask: 'begin', id, fingerprint: theirs });
      let [before, later] = [0, 0];
      const isTooMuch = (datagram: Buffer) =>
        agreed.has(id) ? datagram[0] !== ALERT || (later += 1) > MOST_LATER : (before += 1) > MOST_DATAGRAMS;
      return {
        receive: (datagram) => {
          if (hearers.has(id) && !isTooMuch(datagram)) ask({ ask: 'receive', id, datagram });
        },
        end: () => {
          if (forget(id)) ask({ ask: 'end', id });
        },
      };
    },
    async stop() {
      await thread?.worker.terminate();
    },
  };
}

const toKeys = ({ key, salt }: SrtpKeys): SrtpKeys => ({ key: Buffer.from(key), salt: Buffer.from(salt) });
