import { FOR_SOUND, prefer } from '../server/telephony/media/embedded/priority.ts';
import { openCaller, type Caller } from '../test/caller.ts';

/** Plays the browsers of many calls, in a process of its own. What it sends is encrypted before the measured seconds, so that it does little in them. */
export type AskedOfCallers =
  | { ask: 'open'; count: number }
  | { ask: 'connect'; answers: string[] }
  | { ask: 'prepare'; seconds: number }
  | { ask: 'run'; paired: boolean };

export type ToldByCallers = { offers: string[] } | { done: true } | { ran: Ran };

/** Milliseconds. `late`: how late the generator itself was; `delays`: from when it sent a frame until it had it back. */
export type Ran = { sent: number; received: number; delays: Spread; late: Spread; cpu: number };
export type Spread = { p50: number; p99: number; p999: number; most: number };

const EVERY_MS = 20;
const FRAME = 160;
/** For frames that are still under way when the last was sent. */
const TAIL_MS = 1_000;
/** Frames of the first two seconds, in which programs become quick, are sent and not counted. */
const FIRST_COUNTED = 100;

type Line = {
  caller: Caller;
  packets: Buffer[];
  sentAt: Float64Array;
  seen: Uint8Array;
  /** In which of the 20 ms it speaks, as people do not begin to speak together. */
  phase: number;
};

// So that what it measures is not its own lateness.
prefer(FOR_SOUND);
const tell = (told: ToldByCallers) => process.send!(told);
let lines: Line[] = [];

process.on('message', (asked: AskedOfCallers) => {
  void answer(asked);
});

async function answer(asked: AskedOfCallers): Promise<void> {
  if (asked.ask === 'open') {
    const callers = await Promise.all(Array.from({ length: asked.count }, () => openCaller()));
    lines = callers.map((caller) => ({
      caller,
      packets: [],
      sentAt: new Float64Array(0),
      seen: new Uint8Array(0),
      phase: Math.random() * EVERY_MS,
    }));
    tell({ offers: callers.map((caller) => caller.offer()) });
  } else if (asked.ask === 'connect') {
    // A few at a time: a handshake that waits for long is begun again by whoever waits.
    for (let at = 0; at < lines.length; at += 4)
      await Promise.all(lines.slice(at, at + 4).map(({ caller }, which) => caller.take(asked.answers[at + which]!)));
    tell({ done: true });
  } else if (asked.ask === 'prepare') {
    for (const line of lines) prepare(line, FIRST_COUNTED + Math.round((asked.seconds * 1_000) / EVERY_MS));
    tell({ done: true });
  } else tell({ ran: await run(asked.paired) });
}

function prepare(line: Line, count: number) {
  const first = Math.floor(Math.random() * 1_000);
  line.sentAt = new Float64Array(count);
  line.seen = new Uint8Array(count);
  line.packets = Array.from({ length: count }, (_, index) => {
    const payload = Buffer.alloc(FRAME, 0xd5);
    payload.writeUInt32BE(index);
    return line.caller.pack(first + index, index * FRAME, payload);
  });
}

async function run(paired: boolean): Promise<Ran> {
  const delays: number[] = [];
  const late: number[] = [];
  let [sent, received] = [0, 0];
  for (const [at, { caller }] of lines.entries()) {
    // Whose frames this one hears: its partner's, or its own from someone who says again what was said.
    const speaker = lines[paired ? at ^ 1 : at]!;
    caller.socket.on('message', (message: Buffer) => {
      const now = performance.now();
      if (caller.unpack(message) !== 12 + FRAME) return;
      const index = message.readUInt32BE(12);
      if (index < FIRST_COUNTED || index >= speaker.seen.length || message[16] !== 0xd5) return;
      if (speaker.seen[index]) return;
      speaker.seen[index] = 1;
      received += 1;
      delays.push(now - speaker.sentAt[index]!);
    });
  }
  const cpu = process.cpuUsage();
  const began = performance.now();
  const count = lines[0]!.packets.length;
  const order = lines.toSorted((one, other) => one.phase - other.phase);
  for (let round = 0; round < count; round++) {
    for (const { caller, packets, sentAt, phase } of order) {
      const due = began + round * EVERY_MS + phase;
      for (let now = performance.now(); now < due; now = performance.now())
        await new Promise((done) => setTimeout(done, Math.max(1, Math.floor(due - now))));
      const now = performance.now();
      sentAt[round] = now;
      caller.send(packets[round]!);
      if (round < FIRST_COUNTED) continue;
      late.push(now - due);
      sent += 1;
    }
  }
  const used = process.cpuUsage(cpu);
  const seconds = (performance.now() - began) / 1_000;
  await new Promise((done) => setTimeout(done, TAIL_MS));
  for (const { caller } of lines) caller.close();
  const share = (used.user + used.system) / 1e6 / seconds;
  return { sent, received, delays: spread(delays), late: spread(late), cpu: share };
}

function spread(values: number[]): Spread {
  const sorted = Float64Array.from(values).toSorted();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), most: at(1) };
}
