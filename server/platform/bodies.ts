import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bodyTooLarge, HttpError, notJson } from './errors.ts';
import { nest, readMultipart, readPairs } from './forms.ts';
import { readJson } from './json.ts';
import { charsetOf, decodeText, skipMark } from './text.ts';

/**
 * JSON, everywhere. Fastify's own parser refuses an empty body with a JSON content type, which clients of this API send on every request, and
 * replaces what is not UTF-8.
 */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addHook('onRequest', (request, _reply, done) => {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
    if (length === '0' && coding === undefined) delete request.raw.headers['content-type'];
    done();
  });
  const read: Read = (bytes, type) => {
    if (!isJson(type.split(';', 1)[0]!.trim().toLowerCase())) throw notJson();
    return readJson(decodeText(bytes, charsetOf(type)));
  };
  app.addContentTypeParser('*', { parseAs: 'buffer' }, parse(read));
}

/** Forms, where a program sends them or our own page does: any page can make a browser send one, cookies and all. */
export function acceptForms(scope: FastifyInstance, limit: { bodyLimit?: number } = {}): void {
  const options = { ...limit, parseAs: 'buffer' as const };
  const readUrlEncoded: Read = (bytes, type) => nest(readPairs(bytes, charsetOf(type)));
  scope.addContentTypeParser('application/x-www-form-urlencoded', options, parse(readUrlEncoded));
  scope.addContentTypeParser(
    'multipart/form-data',
    options,
    parse(async (bytes, type) => nest(await readMultipart(bytes, type))),
  );
}

type Read = (bytes: Buffer, type: string) => unknown;

/** An empty body is an absent one, whatever its type. */
const parse =
  (read: Read) =>
  async (request: FastifyRequest, sent: Buffer): Promise<unknown> => {
    const unpacked = await unpack(request, sent);
    const bytes = skipMark(unpacked);
    if (isBlank(bytes)) return undefined;
    const type = request.headers['content-type'] ?? '';
    // What begins with the mark of UTF-8 is UTF-8, whatever is said of it.
    return read(bytes, bytes === unpacked ? type : type.replace(/;\s*charset\s*=[^;]*/i, ''));
  };

const isJson = (type: string) => type === '' || type === 'application/json' || /^[\w.-]+\/[\w.-]+\+json$/.test(type);

function isBlank(bytes: Buffer): boolean {
  let at = 0;
  while (at < bytes.length && (bytes[at] === 0x20 || (bytes[at]! >= 0x09 && bytes[at]! <= 0x0d))) at += 1;
  return at === bytes.length;
}

const unzip = promisify(gunzip);

/** On a thread of its own, and no further than a body may be long. */
async function unpack({ headers, routeOptions }: FastifyRequest, bytes: Buffer): Promise<Buffer> {
  const coding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity' || bytes.length === 0) return bytes;
  if (coding !== 'gzip' && coding !== 'x-gzip')
    throw new HttpError(415, 'unsupported_media_type', 'Send the body as it is, or with Content-Encoding: gzip.');
  try {
    return await unzip(bytes, { maxOutputLength: routeOptions.bodyLimit });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? bodyTooLarge()
      : new HttpError(400, 'malformed_gzip', 'The body is not gzip, although Content-Encoding says so.');
  }
}
