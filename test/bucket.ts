import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { signRequest } from '../server/recordings/sigv4.ts';

const KEYS = { accessKey: 'AKIA/TEST', secret: 'se+cr/et=%', region: 'eu-test-1' };

/** Does something else with a request and says so. */
export type Whim = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * A bucket on loopback that speaks as much S3 as Leadline does. It signs what arrived once more, by the function that
 * AWS's own examples prove, so what is sent has to be what was signed.
 */
export async function openTestBucket(path = '/calls/some folder', whim: Whim = () => false) {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  const underway = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    underway.add(response.on('close', () => underway.delete(response)));
    if (whim(request, response)) return;
    const sent = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    const { status, headers, body } = answer(objects, request, sent);
    response.writeHead(status, headers).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const url = new URL(`s3://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  url.username = encodeURIComponent(KEYS.accessKey);
  url.password = encodeURIComponent(KEYS.secret);
  url.search = `?region=${KEYS.region}&tls=off`;
  return { url, objects, requests, secret: KEYS.secret, countUnderway: () => underway.size };
}

type Answer = { status: number; headers?: OutgoingHttpHeaders; body?: Buffer | string };

function answer(objects: Map<string, Buffer>, request: IncomingMessage, sent: Buffer): Answer {
  const { method, url, headers } = request;
  if (headers.authorization !== signAgain(request)) return refuse(403, 'SignatureDoesNotMatch');
  const hash = createHash('sha256').update(sent).digest('hex');
  if (headers['x-amz-content-sha256'] !== hash) return refuse(400, 'XAmzContentSHA256Mismatch');
  const name = decodeURIComponent(url!);
  if (!name.startsWith('/calls/')) return refuse(404, 'NoSuchBucket');

  if (method === 'PUT') {
    if (headers['content-length'] === undefined) return refuse(411, 'MissingContentLength');
    objects.set(name, sent);
    return { status: 200 };
  }
  if (method === 'DELETE') {
    objects.delete(name);
    return { status: 204 };
  }
  const whole = objects.get(name);
  if (!whole) return refuse(404, 'NoSuchKey');
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  if (start === undefined) return { status: 200, headers: { 'content-length': whole.length }, body: whole };
  if (Number(start) >= whole.length) return refuse(416, 'InvalidRange');
  const body = whole.subarray(Number(start), Number(end) + 1);
  const place = `bytes ${start}-${Number(start) + body.length - 1}/${whole.length}`;
  return { status: 206, headers: { 'content-length': body.length, 'content-range': place }, body };
}

const refuse = (status: number, code: string): Answer => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><StringToSign>${KEYS.secret}</StringToSign></Error>`,
});

function signAgain({ method, url, headers, socket }: IncomingMessage): string | undefined {
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
  const time = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers['x-amz-date']));
  if (!time) return undefined;
  const at = new Date(`${time.slice(1, 4).join('-')}T${time.slice(4).join(':')}Z`);
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  const asSent = { method: method!, url: new URL(url!, `http://127.0.0.1:${socket.localPort}`), headers: signed };
  return signRequest({ ...asSent, payload: String(headers['x-amz-content-sha256']) }, KEYS, at)['authorization'];
}
