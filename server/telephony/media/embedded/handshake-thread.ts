import { createHash, verify, X509Certificate } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import {
  CipherContext,
  DtlsClient,
  HashAlgorithm,
  NamedCurveAlgorithm,
  SignatureAlgorithm,
  type Transport,
} from 'werift';
import { AFTER_SOUND, prefer } from './priority.ts';
import type { Fingerprint } from './sdp.ts';
import type { SrtpKeys } from './srtp.ts';

/**
 * DTLS handshakes, by which a browser and we agree on keys (RFC 5764). On a thread of their own: they take tens of milliseconds of arithmetic, in which no sound could be passed on, and read what anyone may send.
 */
export type AskedOfHandshakes =
  | { ask: 'begin'; id: number; fingerprint: Fingerprint }
  | { ask: 'receive'; id: number; datagram: Uint8Array }
  | { ask: 'end'; id: number };

export type ToldByHandshakes =
  | { told: 'ready'; fingerprint: Fingerprint }
  | { told: 'send'; id: number; datagram: Uint8Array }
  | { told: 'agreed'; id: number; send: SrtpKeys; receive: SrtpKeys }
  | { told: 'failed'; id: number; reason: string }
  /** The other end said good-bye. */
  | { told: 'closed'; id: number };

const AES_128_CM_SHA1_80 = 0x0001;
const KEY_BYTES = 16;
const SALT_BYTES = 14;

prefer(AFTER_SOUND);
const port = parentPort!;
const tell = (told: ToldByHandshakes) => port.postMessage(told);

const signatureHash = { signature: SignatureAlgorithm.ecdsa_3, hash: HashAlgorithm.sha256_4 };
const { certPem, keyPem } = await CipherContext.createSelfSignedCertificateWithKey(
  signatureHash,
  NamedCurveAlgorithm.secp256r1_23,
);

const fingerprintOf = (der: Buffer, algorithm: string): string =>
  createHash(algorithm.replace('-', ''))
    .update(der)
    .digest('hex')
    .toUpperCase()
    .replace(/..(?!$)/g, '$&:');

type Handshake = { client: DtlsClient; transport: Transport };
const handshakes = new Map<number, Handshake>();

function begin(id: number, fingerprint: Fingerprint): void {
  const transport: Transport = {
    type: 'leg',
    address: {} as Transport['address'],
    closed: false,
    onData: () => {},
    send: async (datagram) => tell({ told: 'send', id, datagram }),
    close: async () => {},
  };
  const client = new DtlsClient({
    cert: certPem,
    key: keyPem,
    signatureHash,
    transport,
    srtpProfiles: [AES_128_CM_SHA1_80],
    extendedMasterSecret: true,
  });
  handshakes.set(id, { client, transport });
  const proof = watchForProof(client);
  const fail = (error: unknown) => {
    if (!handshakes.delete(id)) return;
    tell({ told: 'failed', id, reason: error instanceof Error ? error.message : String(error) });
  };
  client.onConnect.once(() => {
    try {
      if (!proof()) throw new Error('Whoever answered does not hold the key of the certificate.');
      tell(agree(id, client, fingerprint));
    } catch (error) {
      fail(error);
    }
  });
  client.onError.once(fail);
  client.onClose.subscribe(() => {
    if (handshakes.delete(id)) tell({ told: 'closed', id });
  });
  client.connect().catch(fail);
}

const SERVER_KEY_EXCHANGE = 12;
/** By their numbers in RFC 5246; browsers sign with the first. */
const HASHES: Record<number, string> = { 4: 'sha256', 5: 'sha384', 6: 'sha512' };

/**
 * The library takes the other end's certificate and its half of the secret, and does not look whether the one has signed the other (RFC 8422, 5.4): anyone on the way could show a certificate that is not theirs. So the signature
 * is checked here, when all is known that it covers.
 */
function watchForProof(client: DtlsClient): () => boolean {
  let exchange: Buffer | undefined;
  const handle = client.onHandleHandshakes;
  client.onHandleHandshakes = (messages) => {
    for (const { msg_type, fragment } of messages) {
      // The first counts: it is the one that the keys are made of.
      if (msg_type === SERVER_KEY_EXCHANGE) exchange ??= Buffer.from(fragment);
    }
    return handle(messages);
  };
  return () => {
    const { remoteCertificate: certificate, cipher } = client;
    if (!exchange || !certificate || !cipher.remoteKeyPair?.publicKey) return false;
    const end = 4 + exchange.readUInt8(3);
    if (!exchange.subarray(4, end).equals(cipher.remoteKeyPair.publicKey)) return false;
    const hash = HASHES[exchange.readUInt8(end)];
    const signature = exchange.subarray(end + 4, end + 4 + exchange.readUInt16BE(end + 2));
    const randoms = [cipher.localRandom.serialize(), cipher.remoteRandom.serialize()];
    const signed = Buffer.concat([...randoms, exchange.subarray(0, end)]);
    return hash !== undefined && verify(hash, signed, new X509Certificate(certificate).publicKey, signature);
  };
}

function agree(id: number, client: DtlsClient, { algorithm, value }: Fingerprint): ToldByHandshakes {
  const certificate = client.remoteCertificate;
  if (!certificate || fingerprintOf(certificate, algorithm) !== value)
    throw new Error('The certificate is not the one that the offer named.');
  if (client.srtp.srtpProfile !== AES_128_CM_SHA1_80) throw new Error('No way to encrypt sound was agreed on.');
  const keys = client.extractSessionKeys(KEY_BYTES, SALT_BYTES);
  return {
    told: 'agreed',
    id,
    send: { key: keys.localKey, salt: keys.localSalt },
    receive: { key: keys.remoteKey, salt: keys.remoteSalt },
  };
}

port.on('message', (asked: AskedOfHandshakes) => {
  if (asked.ask === 'begin') begin(asked.id, asked.fingerprint);
  else if (asked.ask === 'receive')
    handshakes.get(asked.id)?.transport.onData(Buffer.from(asked.datagram), ['0.0.0.0', 0]);
  else handshakes.delete(asked.id);
});

const ours = new X509Certificate(certPem);
tell({ told: 'ready', fingerprint: { algorithm: 'sha-256', value: fingerprintOf(ours.raw, 'sha-256') } });
