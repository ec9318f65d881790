import { Readable, pipeline } from 'node:stream';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { FastifyInstance } from 'fastify';

/** Packs what is text and not small, for those who say that they can unpack it. Others pay one look at a header. */

const LEAST = 1024;
/** Up to here a thread of its own costs more than it saves: this takes less than half a millisecond. */
const AT_ONCE = 64 * 1024;
const TEXT = /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?json|image\/svg\+xml)/;

// Of a page of 1,000 leads these leave a seventh; higher ones take two to four times as long for a tenth less (docs/performance.md).
const BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 }, chunkSize: 64 * 1024 };
const GZIP = { level: 3, chunkSize: 64 * 1024 };

const CODINGS = {
  br: {
    pack: (bytes: string | Buffer) => promisify(zlib.brotliCompress)(bytes, BROTLI),
    packAtOnce: (bytes: string | Buffer) => zlib.brotliCompressSync(bytes, BROTLI),
    stream: () => zlib.createBrotliCompress(BROTLI),
  },
  gzip: {
    pack: (bytes: string | Buffer) => promisify(zlib.gzip)(bytes, GZIP),
    packAtOnce: (bytes: string | Buffer) => zlib.gzipSync(bytes, GZIP),
    stream: () => zlib.createGzip(GZIP),
  },
};
type Coding = keyof typeof CODINGS;

export function packAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const accepted = request.headers['accept-encoding'];
    if (accepted === undefined || payload === null || payload === undefined) return done(null, payload);
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    // A stream that knows its length is a file, packed at the build, or part of one.
    const isLong = isWhole
      ? payload.length >= LEAST
      : payload instanceof Readable && !reply.hasHeader('content-length');
    const isText = TEXT.test(String(reply.getHeader('content-type') ?? ''));
    const coding = isLong && isText && !reply.hasHeader('content-encoding') ? chooseCoding(accepted) : undefined;
    if (!coding) return done(null, payload);
    const { pack, packAtOnce, stream } = CODINGS[coding];
    reply.headers({ 'content-encoding': coding, vary: 'Accept-Encoding' }).removeHeader('content-length');
    if (!isWhole)
      return done(
        null,
        pipeline(payload as Readable, stream(), () => {}),
      );
    if (payload.length <= AT_ONCE) return done(null, packAtOnce(payload));
    // Fastify waits for a promise as well.
    return pack(payload);
  });
}

/** The smaller of what they can unpack, unless they prefer the other. */
export function chooseCoding(accepted: string): Coding | undefined {
  const weights = new Map<string, number>();
  for (const one of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = one.split(';');
    const weight = parameters.map((parameter) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean);
    weights.set(name.trim().replace(/^x-gzip$/, 'gzip'), Number(weight ?? 1) || 0);
  }
  const weigh = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0;
  const best: Coding = weigh('br') >= weigh('gzip') ? 'br' : 'gzip';
  return weigh(best) > 0 ? best : undefined;
}
