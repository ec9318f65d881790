import assert from 'node:assert/strict';
import { createHmac as nodeHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { RtpHeader, SrtcpSession, SrtpSession } from 'werift';
import { createHmac } from './hmac-sha1.ts';
import { createReceiver, createSender } from './srtp.ts';

const keys = () => ({ key: randomBytes(16), salt: randomBytes(14) });

/** Another implementation, with the same keys. */
function another({ key, salt }: { key: Buffer; salt: Buffer }) {
  const config = {
    keys: { localMasterKey: key, localMasterSalt: salt, remoteMasterKey: key, remoteMasterSalt: salt },
    profile: 0x0001 as const,
  };
  return { sound: new SrtpSession(config), reports: new SrtcpSession(config) };
}

function makePacket(sequence: number, payload: Buffer): Buffer {
  const packet = Buffer.alloc(12 + payload.length + 10);
  packet[0] = 0x80;
  packet.writeUInt16BE(sequence, 2);
  packet.writeUInt32BE(160 * sequence, 4);
  packet.writeUInt32BE(0xdead_beef, 8);
  payload.copy(packet, 12);
  return packet;
}

test('A packet is signed as Node signs it, whatever its length', () => {
  for (let length = 0; length < 300; length++) {
    const [key, bytes] = [randomBytes(20), randomBytes(length)];
    const trailer = length % 2 ? randomBytes(4) : Buffer.alloc(0);
    const expected = nodeHmac('sha1', key).update(bytes).update(trailer).digest();
    const signed = createHmac(key).sign(bytes, 0, length, length % 2 ? trailer.readUInt32BE() : undefined);
    assert.deepEqual(Buffer.from(signed), expected);
  }
});

test('Another implementation reads what is sent here, and is read here, past the end of the numbers', () => {
  const shared = keys();
  const [sender, receiver, other] = [createSender(shared), createReceiver(shared), another(shared)];
  for (let count = 0; count < 200; count++) {
    const sequence = (65_436 + count) & 0xffff;
    const payload = randomBytes(160);
    const packet = makePacket(sequence, payload);
    assert.equal(sender.protect(packet, 172), 182);
    assert.deepEqual(other.sound.decrypt(packet).subarray(12), payload);
    const header = new RtpHeader({ payloadType: 0, sequenceNumber: sequence, timestamp: 1, ssrc: 7 });
    const theirs = other.sound.encrypt(payload, header);
    assert.equal(receiver.unprotect(theirs, 12), 172);
    assert.deepEqual(theirs.subarray(12, 172), payload);
  }
});

test('Reports are read by another implementation, and read from it, once', () => {
  const shared = keys();
  const [sender, receiver, other] = [createSender(shared), createReceiver(shared), another(shared)];
  const report = Buffer.concat([Buffer.from('80c80006', 'hex'), randomBytes(24)]);
  assert.deepEqual(other.reports.decrypt(sender.protectReport(report)), report);
  const theirs = other.reports.encrypt(report);
  const copy = Buffer.from(theirs);
  assert.equal(receiver.unprotectReport(theirs), report.length);
  assert.deepEqual(theirs.subarray(0, report.length), report);
  assert.equal(receiver.unprotectReport(copy), 0);
});

test('What is forged, changed, repeated or too old is nothing', () => {
  const shared = keys();
  const [sender, receiver] = [createSender(shared), createReceiver(shared)];
  const make = (sequence: number) => {
    const packet = makePacket(sequence, randomBytes(160));
    sender.protect(packet, 172);
    return packet;
  };
  const packets = Array.from({ length: 300 }, (_, sequence) => make(sequence));
  const read = (packet: Buffer) => receiver.unprotect(Buffer.from(packet), 12);
  assert.equal(read(packets[200]!), 172);
  assert.equal(read(packets[200]!), 0, 'repeated');
  assert.equal(read(packets[199]!), 172, 'overtaken');
  assert.equal(read(packets[10]!), 0, 'too old');
  const changed = Buffer.from(packets[201]!);
  changed[50]! ^= 1;
  assert.equal(read(changed), 0, 'changed');
  assert.equal(createReceiver(keys()).unprotect(Buffer.from(packets[202]!), 12), 0, 'with another key');
  assert.equal(read(randomBytes(182)), 0, 'anything');
  assert.equal(read(packets[203]!.subarray(0, 20)), 0, 'short');
  assert.equal(read(packets[204]!), 172);
});
