import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LONGEST_CELL, textOf, valueOf } from './cells.ts';

/** As spreadsheets read it. */
const read = (xml: string): string =>
  /^<t(?: xml:space="preserve")?>([^<>]*)<\/t>$/
    .exec(xml)![1]!
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

const hostile = fc
  .array(fc.constantFrom('_', 'x', '0', '4', '1', '_x0041', '\r', '\0', '\uFFFF', '&', '<', ' '))
  .map((parts) => parts.join(''));

/** Each as likely as the others, forbidden ones too. */
const anyText = fc.array(fc.nat({ max: 0xd7_ff })).map((codes) => String.fromCharCode(...codes, 0xff_ff));

test('whatever text a cell holds is read back as it was', () => {
  fc.assert(fc.property(fc.oneof(anyText, hostile), (text) => read(textOf(text)) === text));
});

test('nothing that XML forbids is in it', () => {
  // oxlint-disable-next-line no-control-regex
  fc.assert(fc.property(anyText, (text) => !/[\0-\x08\x0B-\x1F\uFFFE\uFFFF]/.test(textOf(text))));
});

test('a text that is too long for a cell ends with an ellipsis, not with half a character', () => {
  const told = read(textOf('😀'.repeat(20_000)));
  assert.ok(told.length <= LONGEST_CELL);
  assert.match(told, /^(?:😀)+…$/u);
});

test('whole numbers are numbers where they come back as they were', () => {
  for (const text of ['0', '12', '-7', '999999999999999']) assert.equal(valueOf(text), text);
  for (const text of ['', '007', '+5', '-0', '1.5', '1234567890123456', ' 1']) assert.equal(valueOf(text), undefined);
});
