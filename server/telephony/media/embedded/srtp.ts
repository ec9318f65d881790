import { createCipheriv, type Cipheriv } from 'node:crypto';
import { createHmac, type Hmac } from './hmac-sha1.ts';

/**
 * SRTP (RFC 3711) with AES in counter mode and HMAC-SHA1, the profile that every browser has. Done here and not by the library of the handshake, because this is what is done a hundred times a second for each call: one
 * cipher lives as long as its key and gives the stream of many packets, and nothing is copied that need not be.
 */
export type SrtpKeys = { key: Buffer; salt: Buffer };

const TAG = 10;
export const RTP_HEADER = 12;
const INDEX = 4;
/** Blocks of 16 bytes; 60 ms of sound are 480. */
const MOST_BLOCKS = 64;
export const MOST_PAYLOAD = MOST_BLOCKS * 16;

type Stream = { cipher: Cipheriv; salt: Buffer; hmac: Hmac };

function derive({ key, salt }: SrtpKeys, label: number): Stream {
  const make = (which: number, length: number) => {
    const input = Buffer.alloc(16);
    salt.copy(input);
    input[7]! ^= which;
    const cipher = createCipheriv('aes-128-ctr', key, input);
    return cipher.update(Buffer.alloc(length));
  };
  const cipher = createCipheriv('aes-128-ecb', make(label, 16), null);
  cipher.setAutoPadding(false);
  return { cipher, salt: make(label + 2, 14), hmac: createHmac(make(label + 1, 20)) };
}

const counters = Buffer.alloc(MOST_BLOCKS * 16);

/** Encrypts and decrypts in place: it is the same. */
function mask(
  { cipher, salt }: Stream,
  ssrc: number,
  high: number,
  low: number,
  bytes: Buffer,
  from: number,
  to: number,
) {
  const blocks = Math.ceil((to - from) / 16);
  if (blocks === 0) return;
  for (let at = 0; at < 14; at++) counters[at] = salt[at]!;
  counters[4]! ^= ssrc >>> 24;
  counters[5]! ^= (ssrc >>> 16) & 0xff;
  counters[6]! ^= (ssrc >>> 8) & 0xff;
  counters[7]! ^= ssrc & 0xff;
  counters[8]! ^= high >>> 24;
  counters[9]! ^= (high >>> 16) & 0xff;
  counters[10]! ^= (high >>> 8) & 0xff;
  counters[11]! ^= high & 0xff;
  counters[12]! ^= (low >>> 8) & 0xff;
  counters[13]! ^= low & 0xff;
  counters[14] = 0;
  for (let block = 0; block < blocks; block++) {
    if (block > 0) counters.copyWithin(block * 16, 0, 15);
    counters[block * 16 + 15] = block;
  }
  const stream = cipher.update(counters.subarray(0, blocks * 16));
  for (let at = from; at < to; at++) bytes[at]! ^= stream[at - from]!;
}

/** In as much time whether the first byte is wrong or the last. */
function isSigned(tag: Uint8Array, packet: Uint8Array, at: number): boolean {
  let wrong = 0;
  for (let byte = 0; byte < TAG; byte++) wrong |= tag[byte]! ^ packet[at + byte]!;
  return wrong === 0;
}

function putTag(tag: Uint8Array, packet: Uint8Array, at: number) {
  for (let byte = 0; byte < TAG; byte++) packet[at + byte] = tag[byte]!;
}

export type Sender = {
  /** Header and payload in `packet` up to `length`, with room for the tag; answers with the length of all. */
  protect(packet: Buffer, length: number): number;
  protectReport(packet: Buffer): Buffer;
};

export function createSender(keys: SrtpKeys): Sender {
  const sound = derive(keys, 0);
  const reports = derive(keys, 3);
  let last = -1;
  let rounds = 0;
  let reported = 0;
  return {
    protect(packet, length) {
      const sequence = packet.readUInt16BE(2);
      // A packet that is passed on late belongs to the round in which its neighbours were.
      let round = rounds;
      if (last !== -1) {
        if (last - sequence > 0x8000) round += 1;
        else if (sequence - last > 0x8000) round -= 1;
      }
      if (round > rounds || (round === rounds && sequence > last)) {
        rounds = round;
        last = sequence;
      }
      mask(sound, packet.readUInt32BE(8), round, sequence, packet, RTP_HEADER, length);
      putTag(sound.hmac.sign(packet, 0, length, round), packet, length);
      return length + TAG;
    },
    protectReport(packet) {
      reported = (reported + 1) & 0x7fff_ffff;
      const sealed = Buffer.alloc(packet.length + INDEX + TAG);
      packet.copy(sealed);
      mask(reports, packet.readUInt32BE(4), reported >>> 16, reported & 0xffff, sealed, 8, packet.length);
      sealed.writeUInt32BE((reported | 0x8000_0000) >>> 0, packet.length);
      const end = packet.length + INDEX;
      putTag(reports.hmac.sign(sealed, 0, end), sealed, end);
      return sealed;
    },
  };
}

export type Receiver = {
  /** Decrypts in place. Answers where the payload ends, or 0 where it is not from the other end, or was there already. */
  unprotect(packet: Buffer, headerLength: number): number;
  /** The same for reports. */
  unprotectReport(packet: Buffer): number;
};

/** How far behind the newest a packet may come; RFC 3711 asks for 64. */
const REPLAY = 128;

export function createReceiver(keys: SrtpKeys): Receiver {
  const sound = derive(keys, 0);
  const reports = derive(keys, 3);
  const seen = new Uint32Array(REPLAY / 32);
  let newest = -1;
  let newestReport = -1;

  const guessRound = (sequence: number) => {
    if (newest === -1) return 0;
    const round = Math.floor(newest / 0x1_0000);
    const last = newest % 0x1_0000;
    if (last - sequence > 0x8000) return round + 1;
    if (sequence - last > 0x8000) return round - 1;
    return round;
  };

  const bit = (index: number) => 1 << (index % 32);
  const word = (index: number) => Math.floor(index / 32) % seen.length;

  return {
    unprotect(packet, headerLength) {
      const end = packet.length - TAG;
      if (end < headerLength || end - headerLength > MOST_PAYLOAD) return 0;
      const sequence = packet.readUInt16BE(2);
      const round = guessRound(sequence);
      if (round < 0) return 0;
      const index = round * 0x1_0000 + sequence;
      if (newest !== -1 && index <= newest) {
        if (newest - index >= REPLAY || seen[word(index)]! & bit(index)) return 0;
      }
      if (!isSigned(sound.hmac.sign(packet, 0, end, round), packet, end)) return 0;
      if (newest === -1 || index - newest >= REPLAY) seen.fill(0);
      else for (let at = newest + 1; at <= index; at++) seen[word(at)]! &= ~bit(at);
      seen[word(index)]! |= bit(index);
      if (index > newest) newest = index;
      mask(sound, packet.readUInt32BE(8), round, sequence, packet, headerLength, end);
      return end;
    },
    unprotectReport(packet) {
      const end = packet.length - TAG - INDEX;
      if (end < 8 || end > MOST_PAYLOAD) return 0;
      if (!isSigned(reports.hmac.sign(packet, 0, end + INDEX), packet, end + INDEX)) return 0;
      const word32 = packet.readUInt32BE(end);
      const index = word32 & 0x7fff_ffff;
      if (index <= newestReport) return 0;
      newestReport = index;
      if (word32 & 0x8000_0000) mask(reports, packet.readUInt32BE(4), index >>> 16, index & 0xffff, packet, 8, end);
      return end;
    },
  };
}
