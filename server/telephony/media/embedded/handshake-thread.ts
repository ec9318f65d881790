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

const [SERVER_HELLO, CERTIFICATE, SERVER_KEY_EXCHANGE] = [2, 11, 12];
/** Said once; what comes again is the same, because it was lost on the way. */
const SAID_ONCE = new Set([SERVER_HELLO, CERTIFICATE, SERVER_KEY_EXCHANGE]);
/** By their numbers in RFC 5246; browsers sign with the first. */
const HASHES: Record<number, string> = { 4: 'sha256', 5: 'sha384', 6: 'sha512' };

/**
 * The library takes the other end's certificate and its half of the secret, and does not look whether the one has signed the other (RFC 8422, 5.4): anyone on the way could show a certificate that is not theirs. So the signature
 * is checked here, when all is known that it covers.
 */
function watchForProof(client: DtlsClient): () => boolean {
  const said = new Map<number, Buffer>();
  const handle = client.onHandleHandshakes;
  client.onHandleHandshakes = async (messages) => {
    for (const { msg_type, fragment } of messages) {
      if (!SAID_ONCE.has(msg_type)) continue;
      const before = said.get(msg_type);
      // The library takes the last it hears, but makes the keys of what it has heard by then: whoever proves one thing may have agreed on another.
      if (before && !before.equals(fragment)) throw new Error('Whoever answered said two different things.');
      if (!before) said.set(msg_type, Buffer.from(fragment));
    }
    return handle(messages);
  };
  return () => {
    const { remoteCertificate: certificate, cipher } = client;
    const exchange = said.get(SERVER_KEY_EXCHANGE);
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

/** Anyone can send anything to a port: what is no record of DTLS is dropped, as if it had been lost. */
function receive({ transport }: Handshake, datagram: Uint8Array): void {
  try {
    transport.onData(Buffer.from(datagram), ['0.0.0.0', 0]);
  } catch {
    // The library throws at what it cannot cut into records.
  }
}

port.on('message', (asked: AskedOfHandshakes) => {
  if (asked.ask === 'begin') return begin(asked.id, asked.fingerprint);
  const handshake = handshakes.get(asked.id);
  if (!handshake) return;
  if (asked.ask === 'receive') receive(handshake, asked.datagram);
  else handshakes.delete(asked.id);
});
// What the library does later of its own accord, in a handshake, must not end those of others.
process.on('uncaughtException', () => {});

const ours = new X509Certificate(certPem);
tell({ told: 'ready', fingerprint: { algorithm: 'sha-256', value: fingerprintOf(ours.raw, 'sha-256') } });
