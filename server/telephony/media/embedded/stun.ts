import { createHmac, timingSafeEqual } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { crc32 } from 'node:zlib';
import type { IceSecrets } from './sdp.ts';

/**
 * The little of STUN (RFC 8489) that one end of ICE needs who is reached at known addresses (RFC 8445, "lite"): the browser asks whether we are there and says which way it takes, we check that it knows the password and
 * answer. Nothing of it is sent by ourselves.
 */
export type BindingRequest = {
  transaction: Buffer;
  /** The browser has decided for this way. */
  nominates: boolean;
};

const COOKIE = 0x2112_a442;
const REQUEST = 0x0001;
const RESPONSE = 0x0101;
const HEADER = 20;
const ATTRIBUTES = { username: 0x0006, integrity: 0x0008, mappedAddress: 0x0020, nominates: 0x0025, priority: 0x0024 };
const CONTROLLING = 0x802a;
const FINGERPRINT = 0x8028;
const FINGERPRINT_MASK = 0x5354_554e;
const LONGEST = 1_500;

/** Undefined where it is none, or where whoever sent it does not know our password. */
export function readBindingRequest(message: Buffer, ours: IceSecrets): BindingRequest | undefined {
  const attributes = readAttributes(message, REQUEST);
  const username = attributes?.get(ATTRIBUTES.username);
  const integrity = attributes?.get(ATTRIBUTES.integrity);
  if (!attributes || !username || integrity?.length !== 20) return undefined;
  if (!username.toString('latin1').startsWith(`${ours.ufrag}:`)) return undefined;
  if (!timingSafeEqual(integrity, signed(message, integrity.byteOffset - message.byteOffset - 4, ours.password)))
    return undefined;
  return { transaction: message.subarray(8, HEADER), nominates: attributes.has(ATTRIBUTES.nominates) };
}

/** What stands before the integrity, which is the only part that is proven; undefined where it is no such message. */
function readAttributes(message: Buffer, type: number): Map<number, Buffer> | undefined {
  if (message.length < HEADER || message.length > LONGEST) return undefined;
  if (message.readUInt16BE(0) !== type || message.readUInt32BE(4) !== COOKIE) return undefined;
  if (message.readUInt16BE(2) !== message.length - HEADER) return undefined;
  const attributes = new Map<number, Buffer>();
  for (let at = HEADER; at + 4 <= message.length;) {
    const name = message.readUInt16BE(at);
    const length = message.readUInt16BE(at + 2);
    if (at + 4 + length > message.length) return undefined;
    attributes.set(name, message.subarray(at + 4, at + 4 + length));
    if (name === ATTRIBUTES.integrity) break;
    at += 4 + length + ((4 - (length % 4)) % 4);
  }
  return attributes;
}

/** The HMAC of all before it, as if the message ended with it. */
function signed(message: Buffer, at: number, password: string): Buffer {
  const header = Buffer.from(message.subarray(0, 4));
  header.writeUInt16BE(at + 24 - HEADER, 2);
  return createHmac('sha1', password).update(header).update(message.subarray(4, at)).digest();
}

export type Address = { address: string; port: number };

export function writeBindingResponse({ transaction }: BindingRequest, to: Address, ours: IceSecrets): Buffer {
  return seal(RESPONSE, transaction, [attribute(ATTRIBUTES.mappedAddress, xor(to, transaction))], ours.password);
}

/** What a browser sends; here for those that stand in for one. */
export function writeBindingRequest(transaction: Buffer, ours: IceSecrets, theirs: IceSecrets): Buffer {
  return seal(
    REQUEST,
    transaction,
    [
      attribute(ATTRIBUTES.username, Buffer.from(`${theirs.ufrag}:${ours.ufrag}`)),
      attribute(ATTRIBUTES.priority, Buffer.from('6e7fffff', 'hex')),
      attribute(CONTROLLING, Buffer.alloc(8)),
      attribute(ATTRIBUTES.nominates, Buffer.alloc(0)),
    ],
    theirs.password,
  );
}

function seal(type: number, transaction: Buffer, attributes: Buffer[], password: string): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt16BE(type, 0);
  header.writeUInt32BE(COOKIE, 4);
  const body = Buffer.concat([header, transaction, ...attributes]);
  const message = Buffer.concat([body, attribute(ATTRIBUTES.integrity, signed(body, body.length, password))]);
  message.writeUInt16BE(message.length + 8 - HEADER, 2);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE((crc32(message) ^ FINGERPRINT_MASK) >>> 0);
  return Buffer.concat([message, attribute(FINGERPRINT, sum)]);
}

function attribute(name: number, value: Buffer): Buffer {
  const bytes = Buffer.alloc(4 + Math.ceil(value.length / 4) * 4);
  bytes.writeUInt16BE(name, 0);
  bytes.writeUInt16BE(value.length, 2);
  value.copy(bytes, 4);
  return bytes;
}

function xor({ address, port }: Address, transaction: Buffer): Buffer {
  const mask = Buffer.alloc(16);
  mask.writeUInt32BE(COOKIE);
  transaction.copy(mask, 4);
  const host = addressBytes(address).map((byte, at) => byte ^ mask[at]!);
  const head = Buffer.from([0, host.length === 4 ? 1 : 2, 0, 0]);
  head.writeUInt16BE(port ^ (COOKIE >>> 16), 2);
  return Buffer.concat([head, Buffer.from(host)]);
}

function addressBytes(address: string): number[] {
  const plain = address.replace(/^::ffff:/, '').split('%', 1)[0]!;
  if (isIPv4(plain)) return plain.split('.').map(Number);
  const [left = '', right] = plain.split('::');
  const words = (text: string) => (text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16)));
  const [before, after] = [words(left), words(right ?? '')];
  const all = right === undefined ? before : [...before, ...Array(8 - before.length - after.length).fill(0), ...after];
  return all.flatMap((word) => [word >> 8, word & 0xff]);
}
