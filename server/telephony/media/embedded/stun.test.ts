import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { classes, Message, methods, parseMessage } from 'werift';
import { readBindingRequest, writeBindingRequest, writeBindingResponse } from './stun.ts';

const OURS = { ufrag: 'ours', password: 'ourpasswordwhichislong' };
const THEIRS = { ufrag: 'their', password: 'theirpasswordwhichislong' };

test('A check of another implementation is understood, and so is our answer', () => {
  for (const address of ['192.0.2.1', '2001:db8::7:1', '::ffff:192.0.2.1']) {
    const check = new Message(methods.BINDING, classes.REQUEST);
    check
      .setAttribute('USERNAME', `${OURS.ufrag}:${THEIRS.ufrag}`)
      .setAttribute('PRIORITY', 1)
      .setAttribute('ICE-CONTROLLING', 1n)
      .setAttribute('USE-CANDIDATE', null)
      .addMessageIntegrity(Buffer.from(OURS.password))
      .addFingerprint();
    const request = readBindingRequest(check.bytes, OURS);
    assert.equal(request?.nominates, true);
    const response = writeBindingResponse(request, { address, port: 4_711 }, OURS);
    const read = parseMessage(response, Buffer.from(OURS.password));
    assert.ok(read && read.messageClass === classes.RESPONSE);
    const [host, port] = read.getAttributeValue('XOR-MAPPED-ADDRESS') as [string, number];
    assert.equal(port, 4_711);
    assert.equal(host.startsWith('192') ? '192.0.2.1' : '2001:db8::7:1', address.replace('::ffff:', ''));
  }
});

test('A check without the password, for someone else, or cut short is nothing', () => {
  const check = writeBindingRequest(randomBytes(12), THEIRS, OURS);
  assert.ok(readBindingRequest(check, OURS));
  assert.equal(readBindingRequest(check, { ...OURS, password: 'another' }), undefined);
  assert.equal(readBindingRequest(check, { ...OURS, ufrag: 'other' }), undefined);
  for (let length = 0; length < check.length; length++)
    assert.equal(readBindingRequest(check.subarray(0, length), OURS), undefined);
  for (let count = 0; count < 2_000; count++) {
    const changed = Buffer.from(check);
    // All but the sum at the end, which is for those who cannot check the rest.
    const at = Math.floor(Math.random() * (check.length - 8));
    changed[at]! ^= 1 + Math.floor(Math.random() * 255);
    assert.equal(readBindingRequest(changed, OURS), undefined, `byte ${at}`);
  }
});
