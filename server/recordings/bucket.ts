import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat, unlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Agent, Dispatcher } from 'undici';
import { EMPTY_PAYLOAD, encodePath, signRequest } from './sigv4.ts';
import type { Store } from './store.ts';

export type Patience = { answerMs: number; silenceMs: number };
type Asked = { method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'; key: string; headers?: Record<string, string> };
type Sent = { file: string; size: number; payload: string };
type Answer = Dispatcher.ResponseData;

const PATIENCE: Patience = { answerMs: 10_000, silenceMs: 60_000 };
/** Buckets take what was signed up to fifteen minutes ago. */
const FAR_MS = 60_000;
const LONGEST_REFUSAL = 16 * 1024;

/** `s3://ACCESS_KEY:SECRET@host/bucket/prefix?region=…&tls=off`, of any service that speaks S3. */
export function openBucket(bucket: URL, { answerMs, silenceMs }: Patience = PATIENCE): Store {
  const origin = `${bucket.searchParams.get('tls') === 'off' ? 'http' : 'https'}://${bucket.host}`;
  const folder = bucket.pathname.split('/').filter(Boolean).map(decodeURIComponent);
  const credentials = {
    accessKey: decodeURIComponent(bucket.username),
    secret: decodeURIComponent(bucket.password),
    region: bucket.searchParams.get('region') ?? 'us-east-1',
  };

  // Loaded with the first recording: a service without any stays small.
  let agent: Agent | undefined;
  /** By how much the bucket's clock is ahead of this machine's, where they are too far apart for what is signed. */
  let ahead = 0;
  const sendOnce = async ({ method, key, headers = {} }: Asked, sent?: Sent): Promise<Answer> => {
    const undici = await import('undici');
    agent ??= new undici.Agent({ connect: { timeout: answerMs }, bodyTimeout: silenceMs });
    const url = new URL(origin + encodePath([...folder, ...key.split('/')]));
    const signed = signRequest(
      { method, url, headers, payload: sent?.payload ?? EMPTY_PAYLOAD },
      credentials,
      new Date(Date.now() + ahead),
    );
    const answer = await undici
      .request(url, {
        method,
        headers: sent ? { ...signed, 'content-length': String(sent.size) } : signed,
        body: sent ? createReadStream(sent.file) : null,
        dispatcher: agent,
        // While a body goes out, the same clock is what watches for silence.
        headersTimeout: sent ? silenceMs : answerMs,
      })
      .catch((error: unknown) => {
        // In an error of ours: by its code alone it would be taken for one of the database.
        throw new Error(`The bucket did not answer to ${method} ${key}.`, { cause: error });
      });
    // A body that has all arrived and is destroyed unread is an error to undici; unheard, it would end the process.
    answer.body.on('error', () => {});
    return answer;
  };

  // To HEAD it does not say why it refuses, but always what time it is.
  const send = async (asked: Asked, sent?: Sent): Promise<Answer> => {
    const answer = await sendOnce(asked, sent);
    if (answer.statusCode !== 403) return answer;
    const found = Date.parse(String(answer.headers.date)) - Date.now();
    if (!(Math.abs(found - ahead) > FAR_MS)) return answer;
    ahead = found;
    answer.body.destroy();
    return sendOnce(asked, sent);
  };

  const open: Store['open'] = async (key, range) => {
    const asked: Asked = { method: 'GET', key, headers: range ? { range: `bytes=${range.start}-${range.end}` } : {} };
    const answer = await send(asked);
    if (answer.statusCode !== (range ? 206 : 200)) return refuseUnlessMissing(asked, answer);
    const size = range
      ? readSize(answer, /^bytes \d+-\d+\/(\d+)$/, 'content-range')
      : readSize(answer, /^(\d+)$/, 'content-length');
    return { body: answer.body, size };
  };

  return {
    async take(key, file) {
      const asked: Asked = { method: 'PUT', key, headers: { 'content-type': 'audio/wav' } };
      // Read twice for its hash: the bucket then refuses what was damaged on the way, also without TLS, and some
      // services take nothing unsigned.
      const answer = await send(asked, { file, size: (await stat(file)).size, payload: await hashFile(file) });
      if (answer.statusCode !== 200) throw toRefusal(asked, answer, await readCode(answer));
      await answer.body.dump();
      await unlink(file);
    },

    async measure(key) {
      const answer = await send({ method: 'HEAD', key });
      if (answer.statusCode === 200) return readSize(answer, /^(\d+)$/, 'content-length');
      // An answer to HEAD gives no reason, and one of them is that the bucket itself is not there.
      const found = await open(key);
      found?.body.destroy();
      return found?.size;
    },

    open,

    async remove(key) {
      const asked: Asked = { method: 'DELETE', key };
      const answer = await send(asked);
      if (answer.statusCode === 204 || answer.statusCode === 200) await answer.body.dump();
      else await refuseUnlessMissing(asked, answer);
    },
  };
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

function readSize({ headers, body }: Answer, pattern: RegExp, name: string): number {
  const [, size] = pattern.exec(String(headers[name])) ?? [];
  if (size !== undefined) return Number(size);
  body.destroy();
  throw new Error(`The bucket answered without a ${name} that can be read.`);
}

async function refuseUnlessMissing(asked: Asked, answer: Answer): Promise<undefined> {
  const code = await readCode(answer);
  // A bucket that is not there is a 404 too, and would look as if every recording were lost.
  if (answer.statusCode !== 404 || code === 'NoSuchBucket') throw toRefusal(asked, answer, code);
}

/** Only S3's code: the rest of what it says repeats what was signed. */
const toRefusal = ({ method, key }: Asked, { statusCode }: Answer, code: string) =>
  new Error(`The bucket answered ${[statusCode, code].filter(Boolean).join(' ')} to ${method} ${key}.`);

async function readCode({ body }: Answer): Promise<string> {
  let text = '';
  try {
    for await (const piece of body.setEncoding('utf8')) if ((text += piece).length > LONGEST_REFUSAL) break;
  } catch {
    // Cut off. The status stands.
  }
  return /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? '';
}
