import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadOffer } from '../media.ts';
import { readOffer, writeAnswer } from './sdp.ts';

const FINGERPRINT = Array.from({ length: 32 }, () => 'AB').join(':');
const SESSION = ['v=0', 'o=- 4611731400430051336 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'a=group:BUNDLE 0 1'];
const SECRETS = [
  'a=ice-ufrag:abcd',
  'a=ice-pwd:abcdefghijklmnopqrstuv',
  `a=fingerprint:sha-256 ${FINGERPRINT}`,
  'a=setup:actpass',
];
const SOUND = [
  'm=audio 9 UDP/TLS/RTP/SAVPF 0 8',
  'c=IN IP4 0.0.0.0',
  'a=mid:0',
  'a=sendrecv',
  'a=rtcp-mux',
  ...SECRETS,
];
const DATA = ['m=application 9 UDP/DTLS/SCTP webrtc-datachannel', 'a=mid:1', ...SECRETS];

const join = (...lines: string[]) => [...lines, ''].join('\r\n');
const OURS = {
  session: '7',
  version: 1,
  ice: { ufrag: 'ours', password: 'ourpasswordwhichislong' },
  fingerprint: { algorithm: 'sha-256', value: FINGERPRINT },
  addresses: ['198.51.100.7', '2001:db8::7'],
  port: 40_000,
  ssrc: 1,
};

test('The sound of an offer is answered and everything else in it refused, in its order', () => {
  const answer = writeAnswer(readOffer(join(...SESSION, ...DATA, ...SOUND)), OURS);
  const lines = answer.split('\r\n');
  assert.deepEqual(
    lines.filter((line) => line.startsWith('m=')),
    ['m=application 0 UDP/DTLS/SCTP webrtc-datachannel', 'm=audio 40000 UDP/TLS/RTP/SAVPF 0'],
  );
  for (const line of ['a=ice-lite', 'a=setup:active', 'a=group:BUNDLE 0', 'a=sendrecv', 'a=rtpmap:0 PCMU/8000'])
    assert.ok(lines.includes(line), line);
  const candidates = lines.flatMap((line) => (line.startsWith('a=candidate:') ? [line.split(' ')] : []));
  assert.deepEqual(
    candidates.map(([, , , , address]) => address),
    OURS.addresses,
  );
  assert.ok(Number(candidates[0]![3]) > Number(candidates[1]![3]), 'the first is the best');
});

test('Who has no microphone is answered so that it hears', () => {
  const offer = readOffer(join(...SESSION, ...SOUND.map((line) => line.replace('sendrecv', 'recvonly'))));
  assert.deepEqual([offer.sends, offer.receives], [false, true]);
  assert.match(writeAnswer(offer, OURS), /^a=sendonly\r$/m);
});

for (const [what, change, sentence] of [
  ['no sound', (sdp) => sdp.replace('m=audio', 'm=video'), /no sound/],
  ['sound in another form', (sdp) => sdp.replace('SAVPF 0 8', 'SAVPF 111 8'), /PCMU/],
  ['sound in the open', (sdp) => sdp.replace('UDP/TLS/RTP/SAVPF', 'RTP/AVP'), /encrypted/],
  ['no secrets', (sdp) => sdp.replace('a=ice-pwd:abcdefghijklmnopqrstuv', 'a=ice-pwd:short'), /ice-pwd/],
  ['no certificate', (sdp) => sdp.replace('AB:AB', 'AB'), /certificate/],
  ['a certificate by a weak digest', (sdp) => sdp.replace('sha-256', 'md5'), /certificate/],
  ['the wrong beginning', (sdp) => sdp.replace('setup:actpass', 'setup:active'), /begins the handshake/],
  ['two ports', (sdp) => sdp.replace('a=rtcp-mux', 'a=rtcp:9'), /one port/],
  ['a line of something else', (sdp) => sdp.replace('t=0 0', 'GET / HTTP/1.1'), /no session description/],
  ['a medium that is none', (sdp) => sdp.replace('m=audio 9', 'm=audio nine'), /no medium/],
  ['too many media', (sdp) => sdp + sdp.slice(sdp.indexOf('m=')).repeat(20), /16 media/],
  ['too many lines', (sdp) => sdp + 'a=x\r\n'.repeat(1_000), /1000 lines/],
  ['too much of everything', (sdp) => sdp + 'a=x\r\n'.repeat(10_000), /20000 characters/],
  ['nothing', () => '', /no session description/],
] as [string, (sdp: string) => string, RegExp][])
  test(`An offer with ${what} is refused with a sentence`, () => {
    const spoilt = change(join(...SESSION, ...SOUND));
    assert.throws(
      () => readOffer(spoilt),
      (error) => error instanceof BadOffer && sentence.test(error.message),
    );
  });
