import { randomBytes } from 'node:crypto';
import type { RemoteInfo, Socket } from 'node:dgram';
import { FRAME_BYTES } from '../media.ts';
import type { Handshake, Handshakes } from './handshakes.ts';
import { readReport, createReports, type Reports } from './reports.ts';
import { writeAnswer, type Fingerprint, type IceSecrets, type Offer } from './sdp.ts';
import { createReceiver, createSender, RTP_HEADER, type Receiver, type Sender, type SrtpKeys } from './srtp.ts';
import { readBindingRequest, writeBindingResponse, type Address } from './stun.ts';

/**
 * The connection of one browser: ICE, DTLS and SRTP on one UDP port.
 *
 *   offered ── the browser checks a way and takes it ──▶ handshaking ── keys ──▶ connected ⇄ lost ──▶ closed
 */
export type Connection = {
  readonly isConnected: boolean;
  /** Whether an offer comes from the same connection of the browser, which looks for another way. */
  isOf(offer: Offer): boolean;
  answer(offer: Offer): string;
  pass(source: object, sequence: number, timestamp: number, payload: Uint8Array): void;
  play(tick: number, frame: Uint8Array): void;
  /** Every 20 ms: what is to be sent in any case, and whether the browser is still there. */
  tick(tick: number, now: number, silence: Uint8Array): void;
  /** We stood still ourselves: that nothing was heard meanwhile says nothing of the browser. */
  excuse(now: number): void;
  close(): void;
};

export type ConnectionHears = {
  frame(source: object, sequence: number, timestamp: number, payload: Uint8Array): void;
  connected(): void;
  lost(): void;
};

export type ConnectionMeans = {
  socket: Socket;
  port: number;
  addresses: string[];
  fingerprint: Fingerprint;
  handshakes: Handshakes;
  now: () => number;
};

const PCMU = 0;
const LONGEST_SOUND = 480;
/** A browser sends sound all the time, silence too. One that only listens asks every few seconds whether we are there. */
const LOST_MS = 4_000;
const LOST_QUIET_MS = 15_000;
/** Nobody who was offered a port and never comes may keep it. */
const ABANDONED_MS = 30_000;
/** A handshake takes a fraction of a second; the browser had better begin anew. */
const SHAKING_MS = 10_000;
/** Another voice of the same browser is let in where the one before has been silent for so long. */
const LATCH_MS = 2_000;
/** Who speaks may pause between packets; then there is silence of ours, so that the browser sees that the line is alive. */
const PAUSE_TICKS = 10;
const MOST_WAYS = 8;

const randomText = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '').replaceAll('+', 'a');

export function createConnection(first: Offer, means: ConnectionMeans, hears: ConnectionHears): Connection {
  const { socket, now } = means;
  const session = String(randomBytes(6).readUIntBE(0, 6));
  const ssrc = randomBytes(4).readUInt32BE();
  let version = 0;
  let offer = first;
  /** The newest last: while the browser looks for another way, it still uses the one it had. */
  let secrets: IceSecrets[] = [];
  const ways: Address[] = [];
  let way: Address | undefined;
  let handshake: Handshake | undefined;
  let sender: Sender | undefined;
  let receiver: Receiver | undefined;
  let receiveKeys: SrtpKeys | undefined;
  let state: 'offered' | 'connected' | 'lost' | 'closed' = 'offered';
  let began = now();
  let lastHeard = began;
  let lastSound = -Infinity;
  let voice: { ssrc: number } | undefined;
  let reports: Reports | undefined;

  // What is sent: one stream, whoever speaks in it.
  let source: object | undefined;
  let sequence = randomBytes(2).readUInt16BE() & 0x7fff;
  let timestamp = randomBytes(4).readUInt32BE();
  let origin: { tick: number; timestamp: number } | undefined;
  let shift = { sequence: 0, timestamp: 0, first: 0 };
  let lastTick = 0;
  let currentTick = 0;

  socket.on('message', receive);
  // An address that cannot be reached is the business of the checks, not of the process.
  socket.on('error', () => {});

  function receive(message: Buffer, from: RemoteInfo) {
    const kind = message[0];
    if (kind === undefined) return;
    if (kind >= 128 && kind < 192) receiveSound(message, from);
    else if (kind >= 20 && kind < 64) {
      if (isKnown(from) && handshake) handshake.receive(message);
    } else if (kind < 4) receiveCheck(message, from);
  }

  const isWay = (from: RemoteInfo, to: Address | undefined) => to?.port === from.port && to.address === from.address;
  const isKnown = (from: RemoteInfo) => isWay(from, way) || ways.some((each) => isWay(from, each));

  function receiveCheck(message: Buffer, from: RemoteInfo) {
    for (const ours of secrets) {
      const request = readBindingRequest(message, ours);
      if (!request) continue;
      const to = { address: from.address, port: from.port };
      send(writeBindingResponse(request, to, ours), to);
      hear();
      if (!isKnown(from)) {
        if (ways.length >= MOST_WAYS) ways.shift();
        ways.push(to);
      }
      if (request.nominates || !way) way = to;
      if (!handshake && state === 'offered') shakeHands();
      return;
    }
  }

  function shakeHands() {
    began = now();
    handshake = means.handshakes.begin(offer.fingerprint, {
      send: (datagram) => {
        if (way) send(datagram, way);
      },
      agreed(sendKeys, keys) {
        if (state === 'closed') return;
        sender = createSender(sendKeys);
        receiveKeys = keys;
        receiver = undefined;
        reports = createReports(ssrc);
        state = 'connected';
        hear();
        hears.connected();
      },
      failed: () => lose(),
      closed: () => lose(),
    });
  }

  function hear() {
    lastHeard = now();
    if (state !== 'lost' || !sender) return;
    state = 'connected';
    hears.connected();
  }

  function lose() {
    if (state === 'closed' || state === 'lost') return;
    state = 'lost';
    hears.lost();
  }

  function receiveSound(message: Buffer, from: RemoteInfo) {
    if (!receiveKeys || !isKnown(from) || message.length < RTP_HEADER) return;
    const type = message[1]!;
    if (type >= 192 && type < 224) return receiveReport(message);
    if ((type & 0x7f) !== PCMU) return;
    const header = headerLength(message);
    if (header === 0) return;
    const theirs = message.readUInt32BE(8);
    const at = now();
    const isNew = voice?.ssrc !== theirs;
    if (isNew && voice && at - lastSound < LATCH_MS) return;
    const opener = isNew || !receiver ? createReceiver(receiveKeys) : receiver;
    let end = opener.unprotect(message, header);
    if (end === 0) return;
    if (isNew || !voice) voice = { ssrc: theirs };
    receiver = opener;
    if (message[0]! & 0x20) end -= message[end - 1]!;
    hear();
    lastSound = at;
    const number = message.readUInt16BE(2);
    const stamp = message.readUInt32BE(4);
    reports!.received(theirs, number, stamp, at);
    if (end <= header || end - header > LONGEST_SOUND) return;
    hears.frame(voice, number, stamp, message.subarray(header, end));
  }

  function receiveReport(message: Buffer) {
    receiver ??= createReceiver(receiveKeys!);
    const end = receiver.unprotectReport(message);
    if (end === 0) return;
    hear();
    const report = readReport(message.subarray(0, end));
    if (report) reports!.reported(report, now());
  }

  function send(datagram: Uint8Array, to: Address) {
    if (state === 'closed') return;
    socket.send(datagram, 0, datagram.length, to.port, to.address);
  }

  function emit(number: number, stamp: number, payload: Uint8Array, marker: boolean) {
    // Who does not answer any more is not sent to either (RFC 7675).
    if (!sender || !way || state !== 'connected') return;
    const packet = Buffer.allocUnsafe(RTP_HEADER + payload.length + 10);
    packet[0] = 0x80;
    packet[1] = marker ? 0x80 | PCMU : PCMU;
    packet.writeUInt16BE(number, 2);
    packet.writeUInt32BE(stamp, 4);
    packet.writeUInt32BE(ssrc, 8);
    packet.set(payload, RTP_HEADER);
    const length = sender.protect(packet, RTP_HEADER + payload.length);
    reports!.sent(stamp, payload.length);
    socket.send(packet, 0, length, way.port, way.address);
    lastTick = currentTick;
  }

  /** Where our own count of samples is now; never back to where something was sent already. */
  const stampOf = (tick: number) => {
    origin ??= { tick, timestamp };
    const wanted = (origin.timestamp + (tick - origin.tick) * FRAME_BYTES) >>> 0;
    const least = (timestamp + FRAME_BYTES) >>> 0;
    return ((wanted - least) | 0) > 0 ? wanted : least;
  };

  return {
    get isConnected() {
      return state === 'connected';
    },
    isOf: (other) =>
      state !== 'closed' &&
      sender !== undefined &&
      sessionOf(other) === sessionOf(offer) &&
      other.fingerprint.value === offer.fingerprint.value,
    answer(next) {
      offer = next;
      version += 1;
      const ice = { ufrag: randomText(6), password: randomText(24) };
      secrets = [...secrets.slice(-1), ice];
      lastHeard = now();
      const { addresses, port, fingerprint } = means;
      return writeAnswer(offer, { session, version, ice, fingerprint, addresses, port, ssrc });
    },
    pass(from, number, stamp, payload) {
      const isNew = source !== from;
      if (isNew) {
        source = from;
        const next = (sequence + 1) & 0xffff;
        shift = { sequence: next - number, timestamp: stampOf(currentTick) - stamp, first: number };
      }
      // From before it was passed on: its place is taken.
      if (((number - shift.first) << 16) >> 16 < 0) return;
      const sent = (number + shift.sequence) & 0xffff;
      const stamped = (stamp + shift.timestamp) >>> 0;
      if (((sent - sequence) << 16) >> 16 > 0) {
        sequence = sent;
        timestamp = stamped;
        // Numbers come round; what is that far behind is not late but ahead.
        if (((number - shift.first) & 0xffff) > 0x2000) shift.first = (number - 0x1000) & 0xffff;
      }
      emit(sent, stamped, payload, isNew);
    },
    play(tick, frame) {
      const isNew = source !== undefined;
      source = undefined;
      currentTick = tick;
      sequence = (sequence + 1) & 0xffff;
      timestamp = stampOf(tick);
      emit(sequence, timestamp, frame, isNew);
    },
    tick(tick, at, silence) {
      currentTick = tick;
      if (state === 'connected') {
        if (tick - lastTick > PAUSE_TICKS || (source === undefined && tick > lastTick)) this.play(tick, silence);
        const report = reports!.due(at);
        if (report && way) send(sender!.protectReport(report), way);
        const patience = lastHeard - lastSound < LATCH_MS ? LOST_MS : LOST_QUIET_MS;
        if (at - lastHeard > patience) lose();
      } else if (state === 'offered' && at - began > (handshake ? SHAKING_MS : ABANDONED_MS)) lose();
    },
    excuse(at) {
      lastHeard = at;
    },
    close() {
      if (state === 'closed') return;
      state = 'closed';
      handshake?.end();
      socket.removeAllListeners('message');
      socket.close();
    },
  };
}

const sessionOf = ({ session }: Offer) => session.split(' ').slice(0, 2).join(' ');

/** 0 where it is no header of RTP. */
function headerLength(message: Buffer): number {
  const first = message[0]!;
  let length = RTP_HEADER + (first & 0x0f) * 4;
  if (first & 0x10) {
    if (message.length < length + 4) return 0;
    length += 4 + message.readUInt16BE(length + 2) * 4;
  }
  return length < message.length ? length : 0;
}
