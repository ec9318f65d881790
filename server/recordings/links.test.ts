import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secrets } from '../platform/secrets.ts';
import { isLinkValid, linkToRecording } from './links.ts';

const secrets = new Secrets('for tests alone');
const NOW = new Date('2026-03-04T10:20:30Z');

function link(lastsSeconds: number, id = 345) {
  const url = new URL(linkToRecording(secrets, 'https://calls.example.com', id, lastsSeconds, NOW));
  const query = Object.fromEntries(url.searchParams) as { expires: string; signature: string };
  return { url, query, until: new Date(Number(query.expires) * 1000) };
}

test('a link names the recording and works until it expires, to the second', () => {
  const { url, query, until } = link(600);
  assert.equal(url.origin + url.pathname, 'https://calls.example.com/recordings/345.wav');
  assert.equal(isLinkValid(secrets, 345, query, NOW), true);
  assert.equal(isLinkValid(secrets, 345, query, new Date(until.getTime() - 1)), true);
  assert.equal(isLinkValid(secrets, 345, query, until), false);
  assert.equal(isLinkValid(secrets, 345, link(-3600).query, NOW), false);
});

test('links that are made soon after each other are the same', () => {
  assert.equal(link(600).until.toISOString(), '2026-03-04T10:31:00.000Z');
  assert.equal(link(3599).until.toISOString(), '2026-03-04T11:21:00.000Z');
  assert.equal(link(3600).until.toISOString(), '2026-03-04T12:00:00.000Z');
  assert.equal(link(86_400).until.toISOString(), '2026-03-05T11:00:00.000Z');
  const exact = linkToRecording(secrets, '', 1, 3600, new Date('2026-03-04T10:00:00Z'));
  assert.match(exact, new RegExp(`expires=${Date.parse('2026-03-04T11:00:00Z') / 1000}&`));
});

test('a link opens no other recording and lasts no longer than it was made for', () => {
  const { query } = link(600);
  assert.equal(isLinkValid(secrets, 346, query, NOW), false);
  assert.equal(isLinkValid(secrets, 34, query, NOW), false);
  assert.equal(isLinkValid(secrets, 345, { ...query, expires: String(Number(query.expires) + 60) }, NOW), false);
});

test('a signature of another service, or for another purpose, opens nothing', () => {
  const { query } = link(600);
  assert.equal(isLinkValid(new Secrets('of somebody else'), 345, query, NOW), false);
  for (const text of [`345 ${query.expires}`, `invitation 345 ${query.expires}`, `recording 345`]) {
    assert.equal(isLinkValid(secrets, 345, { ...query, signature: secrets.sign(text) }, NOW), false, text);
  }
});

test('a link that is written in any other way is not ours', () => {
  const { expires, signature } = link(600).query;
  const last = signature.at(-1) === 'A' ? 'B' : 'A';
  for (const query of [
    {},
    { expires },
    { signature },
    { expires, signature: '' },
    { expires, signature: `${signature}=` },
    { expires, signature: signature.slice(0, -1) },
    { expires, signature: signature.slice(0, -1) + last },
    { expires, signature: 'ü'.repeat(43) },
    { expires: '', signature },
    { expires: `0${expires}`, signature },
    { expires: `${expires}.0`, signature },
    { expires: ` ${expires}`, signature },
    { expires: '9e99', signature },
    { expires: `-${expires}`, signature },
    { expires: Number(expires), signature },
    { expires: [expires, expires], signature },
    { expires: [expires], signature },
    { expires, signature: [signature] },
    { expires, signature: [signature, signature] },
  ]) {
    assert.equal(isLinkValid(secrets, 345, query, NOW), false, JSON.stringify(query));
  }
});
