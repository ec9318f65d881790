import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpError, notFound } from '../platform/errors.ts';
import { nameFile } from '../platform/file-names.ts';
import type { Range, Store } from './store.ts';

/** The whole, or the part that is asked for. */
export async function sendRecording(
  store: Store,
  key: string,
  request: FastifyRequest,
  reply: FastifyReply,
  fileName: string,
): Promise<FastifyReply> {
  if (request.method === 'HEAD') {
    const size = await store.measure(key);
    if (size === undefined) throw notFound();
    // Empty, but a stream: for anything else Fastify writes a length of its own.
    return describe(reply, fileName, size).send(Readable.from([]));
  }
  const range = await findRange(store, key, request, reply);
  const found = await store.open(key, range);
  if (!found) throw notFound();
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${found.size}`);
  // Fastify destroys the body when the client goes away.
  return describe(reply, fileName, range ? range.end - range.start + 1 : found.size).send(found.body);
}

async function findRange(
  store: Store,
  key: string,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<Range | undefined> {
  // We hand out nothing that `If-Range` could name, so whatever it names is not what we have.
  const asked = headers['if-range'] === undefined ? parseRange(headers.range ?? '') : undefined;
  if (!asked) return undefined;
  const size = await store.measure(key);
  if (size === undefined) throw notFound();
  const range = fitRange(asked, size);
  if (range) return range;
  reply.headers({ 'accept-ranges': 'bytes', 'content-range': `bytes */${size}` });
  throw new HttpError(416, 'range_not_satisfiable', `The recording has ${size} bytes, and none of those asked for.`);
}

type AskedRange = { first: number; last: number } | { suffix: number };

/** Undefined for what is answered as if it had not been said: several ranges, or nonsense. */
function parseRange(header: string): AskedRange | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header) ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  if (first === '') return { suffix: Number(last) };
  const asked = { first: Number(first), last: last === '' ? Infinity : Number(last) };
  return asked.first <= asked.last ? asked : undefined;
}

/** Undefined when the recording has none of these bytes. */
function fitRange(asked: AskedRange, size: number): Range | undefined {
  const start = 'suffix' in asked ? Math.max(0, size - asked.suffix) : asked.first;
  const end = 'suffix' in asked ? size - 1 : Math.min(asked.last, size - 1);
  return start <= end ? { start, end } : undefined;
}

const describe = (reply: FastifyReply, fileName: string, length: number) =>
  reply.headers({
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'content-disposition': nameFile('inline', fileName),
    'content-length': length,
    'content-type': 'audio/wav',
  });
