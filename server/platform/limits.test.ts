import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from './limits.ts';

test('of an IPv6 address the first three groups stand for its site; an IPv4 address for itself', () => {
  assert.equal(networkOf('192.0.2.7'), '192.0.2.7');
  assert.equal(networkOf('::ffff:192.0.2.7'), '192.0.2.7');
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1');
  assert.equal(networkOf('2001:DB8:0001::1'), '2001:db8:1');
  assert.equal(networkOf('::1'), '0:0:0');
});
