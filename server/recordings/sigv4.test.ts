import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { EMPTY_PAYLOAD, encodePath, signRequest } from './sigv4.ts';

/** The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
const KEYS = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const AT = new Date('2013-05-24T00:00:00Z');
const HOST = 'https://examplebucket.s3.amazonaws.com';

test('a part is asked for as in the example of AWS', () => {
  const url = new URL(`${HOST}/test.txt`);
  const headers = { range: 'bytes=0-9' };
  assert.deepEqual(signRequest({ method: 'GET', url, headers, payload: EMPTY_PAYLOAD }, KEYS, AT), {
    range: 'bytes=0-9',
    host: 'examplebucket.s3.amazonaws.com',
    'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'x-amz-date': '20130524T000000Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,' +
      'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,' +
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  });
});

test('an object is put as in the example of AWS', () => {
  const url = new URL(HOST + encodePath(['test$file.text']));
  assert.equal(url.pathname, '/test%24file.text');
  const headers = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' };
  const payload = createHash('sha256').update('Welcome to Amazon S3.').digest('hex');
  const signed = signRequest({ method: 'PUT', url, headers, payload }, KEYS, AT);
  assert.equal(
    signed['authorization'],
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,' +
      'SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,' +
      'Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  );
});

test('a path is written with every character that AWS encodes, and stays so in an address', () => {
  const path = encodePath(['calls', "it's (a) *b* ü!", '12', '345.wav']);
  assert.equal(path, '/calls/it%27s%20%28a%29%20%2Ab%2A%20%C3%BC%21/12/345.wav');
  assert.equal(new URL(HOST + path).pathname, path);
});

test('a port of its own is part of the host that is signed', () => {
  const sign = (url: string) =>
    signRequest({ method: 'GET', url: new URL(url), headers: {}, payload: EMPTY_PAYLOAD }, KEYS, AT);
  assert.equal(sign('http://s3.internal:9000/calls')['host'], 's3.internal:9000');
  assert.equal(sign('https://s3.internal:443/calls')['host'], 's3.internal');
});
