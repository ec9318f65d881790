import { isUtf8 } from 'node:buffer';
import { HttpError } from './errors.ts';

/** Bytes as text. What is no text in its charset is refused: replaced characters would end up in somebody's name. */

export type Charset = 'utf-8' | 'iso-8859-1' | 'windows-1252';

const CHARSETS: Record<string, Charset> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  'iso-8859-1': 'iso-8859-1',
  latin1: 'iso-8859-1',
  'windows-1252': 'windows-1252',
  cp1252: 'windows-1252',
};

/** As a content type names it. */
export function charsetOf(type: string): Charset {
  const [, name = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type) ?? [];
  const charset = Object.hasOwn(CHARSETS, name.toLowerCase()) ? CHARSETS[name.toLowerCase()] : undefined;
  if (charset) return charset;
  throw new HttpError(415, 'unsupported_media_type', 'Send UTF-8, ISO-8859-1 or Windows-1252.');
}

export const notUtf8 = (what: 'body' | 'query') =>
  new HttpError(
    400,
    'not_utf8',
    what === 'query'
      ? 'The query is not UTF-8. Percent-encode its values as UTF-8.'
      : 'The body is not UTF-8. Send UTF-8, or name its charset in Content-Type: ISO-8859-1 or Windows-1252.',
  );

const WINDOWS_1252 = new TextDecoder('windows-1252');

export function decodeText(bytes: Buffer, charset: Charset = 'utf-8', what: 'body' | 'query' = 'body'): string {
  if (charset === 'iso-8859-1') return bytes.toString('latin1');
  if (charset === 'windows-1252') return WINDOWS_1252.decode(bytes);
  if (!isUtf8(bytes)) throw notUtf8(what);
  return bytes.toString();
}

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Some editors and libraries begin what they write with a byte order mark. */
export const skipMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes;

const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

/** `%C3%A6` as the bytes it stands for, `+` as a space. A percent sign that begins no such pair stands for itself, as in browsers. */
export function unescapeBytes(bytes: Buffer): Buffer {
  if (!bytes.includes(PERCENT) && !bytes.includes(PLUS)) return bytes;
  const plain = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    const high = byte === PERCENT ? hexadecimal(bytes[at + 1]) : -1;
    const low = high < 0 ? -1 : hexadecimal(bytes[at + 2]);
    if (low >= 0) at += 2;
    plain[length] = low >= 0 ? high * 16 + low : byte === PLUS ? SPACE : byte;
    length += 1;
  }
  return plain.subarray(0, length);
}

/** The same of a part of an address or a form, held as one character a byte. */
export const bytesOf = (text: string): Buffer => unescapeBytes(Buffer.from(text, 'latin1'));

/** What stands for itself as it is. */
export const isPlain = (text: string): boolean => !/[%+\u0080-\u00ff]/.test(text);

function hexadecimal(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
