import { createHash, createHmac } from 'node:crypto';

/** AWS Signature Version 4, as far as single objects need it: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */

export type Credentials = { accessKey: string; secret: string; region: string };
export type Unsigned = {
  method: string;
  /** Its path as `encodePath` writes it, and without a query. */
  url: URL;
  /** In lower case. All of them are signed, so none may be changed on the way. */
  headers: Record<string, string>;
  /** SHA-256 in hexadecimal. */
  payload: string;
};

export const EMPTY_PAYLOAD = createHash('sha256').digest('hex');

/** The headers to send. */
export function signRequest(
  { method, url, headers, payload }: Unsigned,
  { accessKey, secret, region }: Credentials,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': payload,
    'x-amz-date': time,
  };
  const names = Object.keys(all).toSorted();
  const signed = names.join(';');
  const lines = names.map((name) => `${name}:${all[name]!.trim().replace(/ +/g, ' ')}\n`).join('');
  const request = [method, url.pathname, '', lines, signed, payload].join('\n');

  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(request).digest('hex')].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`));
  const signature = hmac(key, text).toString('hex');
  return {
    ...all,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope},SignedHeaders=${signed},Signature=${signature}`,
  };
}

/** Every character that AWS encodes, which are more than URLs ask for. */
export const encodePath = (segments: string[]): string =>
  segments.map((segment) => `/${encodeURIComponent(segment).replace(/[!'()*]/g, encodeCharacter)}`).join('');

const encodeCharacter = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
