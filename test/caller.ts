import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import {
  CipherContext,
  DtlsServer,
  HashAlgorithm,
  NamedCurveAlgorithm,
  SignatureAlgorithm,
  type Transport,
} from 'werift';
import { createReceiver, createSender, type Receiver, type Sender } from '../server/telephony/media/embedded/srtp.ts';
import { writeBindingRequest } from '../server/telephony/media/embedded/stun.ts';

/** Stands in for a browser where there have to be hundreds, or one that does what no browser does: ICE, DTLS and SRTP on a socket, and nothing else. */
export type Caller = {
  readonly socket: Socket;
  readonly ssrc: number;
  offer(): string;
  /** Settles when sound can be sent. */
  take(answer: string): Promise<void>;
  /** An encrypted packet. Each number once. */
  pack(sequence: number, timestamp: number, payload: Uint8Array, type?: number, ssrc?: number): Buffer;
  send(packet: Uint8Array): void;
  /** Where the payload ends in a packet that came, which is decrypted in place; 0 where it is none. */
  unpack(packet: Buffer): number;
  /** Asks again whether we may send, as browsers do every few seconds. */
  check(): void;
  close(): void;
};

const AES_128_CM_SHA1_80 = 0x0001;
const signatureHash = { signature: SignatureAlgorithm.ecdsa_3, hash: HashAlgorithm.sha256_4 };
let certificate: ReturnType<typeof CipherContext.createSelfSignedCertificateWithKey> | undefined;

const secret = (bytes: number) => randomBytes(bytes).toString('hex');

/** `impostor`: shows a certificate that it does not hold the key of. `wavers`: agrees on its secret twice, and differently. */
export async function openCaller({ impostor = false, wavers = false } = {}): Promise<Caller> {
  certificate ??= CipherContext.createSelfSignedCertificateWithKey(signatureHash, NamedCurveAlgorithm.secp256r1_23);
  const { certPem, keyPem } = await certificate;
  const held = impostor
    ? await CipherContext.createSelfSignedCertificateWithKey(signatureHash, NamedCurveAlgorithm.secp256r1_23)
    : { keyPem };
  const digest = createHash('sha256').update(new X509Certificate(certPem).raw).digest('hex').toUpperCase();
  const socket = createSocket({ type: 'udp4', lookup: (host, _, give) => give(null, host, 4) });
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done));
  socket.setRecvBufferSize(1024 * 1024);
  // Whoever it talks to may be gone; that is what some tests are about.
  socket.on('error', () => {});
  const ours = { ufrag: secret(4), password: secret(16) };
  const session = randomBytes(4).readUInt32BE();
  const ssrc = randomBytes(4).readUInt32BE();
  let version = 1;
  let closed = false;
  let theirs = { ufrag: '', password: '' };
  let sender: Sender | undefined;
  let receiver: Receiver | undefined;

  const check = () => {
    if (!closed) socket.send(writeBindingRequest(randomBytes(12), ours, theirs), () => {});
  };

  async function shakeHands(): Promise<void> {
    const transport: Transport = {
      type: 'caller',
      address: {} as Transport['address'],
      closed: false,
      onData: () => {},
      send: async (datagram) => {
        // It tries again for half a minute, whether anyone is left or not.
        if (closed) return new Promise(() => {});
        socket.send(datagram, () => {});
        const other = wavers && sayOtherwise(datagram);
        if (other) socket.send(other, () => {});
      },
      close: async () => {},
    };
    const server = new DtlsServer({
      cert: certPem,
      key: held.keyPem,
      signatureHash,
      transport,
      srtpProfiles: [AES_128_CM_SHA1_80],
      extendedMasterSecret: true,
      certificateRequest: true,
    });
    const connected = new Promise<void>((done, fail) => {
      server.onConnect.once(done);
      server.onError.once(fail);
    });
    const hear = (message: Buffer) => {
      if (message[0]! >= 20 && message[0]! < 64) transport.onData(message, ['', 0]);
    };
    socket.on('message', hear);
    check();
    const again = setInterval(check, 500).unref();
    await connected.finally(() => clearInterval(again));
    socket.off('message', hear);
    const keys = server.extractSessionKeys(16, 14);
    sender = createSender({ key: keys.localKey, salt: keys.localSalt });
    receiver = createReceiver({ key: keys.remoteKey, salt: keys.remoteSalt });
  }

  return {
    socket,
    ssrc,
    offer: () =>
      [
        'v=0',
        `o=- ${session} ${version++} IN IP4 127.0.0.1`,
        's=-',
        't=0 0',
        'm=audio 9 UDP/TLS/RTP/SAVPF 0',
        'c=IN IP4 0.0.0.0',
        'a=mid:0',
        'a=sendrecv',
        'a=rtcp-mux',
        'a=setup:actpass',
        `a=ice-ufrag:${ours.ufrag}`,
        `a=ice-pwd:${ours.password}`,
        `a=fingerprint:sha-256 ${digest.replace(/..(?!$)/g, '$&:')}`,
        'a=rtpmap:0 PCMU/8000',
        '',
      ].join('\r\n'),
    async take(answer) {
      const find = (pattern: RegExp) => pattern.exec(answer)![1]!;
      theirs = { ufrag: find(/^a=ice-ufrag:(\S+)/m), password: find(/^a=ice-pwd:(\S+)/m) };
      if (sender) return check();
      const [port, host] = [Number(find(/^m=audio (\d+)/m)), find(/^c=IN IP4 (\S+)/m)];
      await new Promise<void>((done) => socket.connect(port, host, done));
      await shakeHands();
    },
    pack(sequence, timestamp, payload, type = 0, from = ssrc) {
      const packet = Buffer.alloc(12 + payload.length + 10);
      packet[0] = 0x80;
      packet[1] = type;
      packet.writeUInt16BE(sequence & 0xffff, 2);
      packet.writeUInt32BE(timestamp >>> 0, 4);
      packet.writeUInt32BE(from, 8);
      packet.set(payload, 12);
      sender!.protect(packet, 12 + payload.length);
      return packet;
    },
    send: (packet) => socket.send(packet, () => {}),
    unpack: (packet) =>
      packet.readUInt8(0) === 0x80 && (packet.readUInt8(1) & 0x7f) === 0 ? receiver!.unprotect(packet, 12) : 0,
    check,
    close: () => {
      closed = true;
      socket.close();
    },
  };
}

const RECORD_HEADER = 13;
const SERVER_KEY_EXCHANGE = 12;

/** The record in which the secret is agreed on, with another signature; undefined where it is not there. */
function sayOtherwise(datagram: Buffer): Buffer | undefined {
  for (let at = 0; at + RECORD_HEADER < datagram.length;) {
    const end = at + RECORD_HEADER + datagram.readUInt16BE(at + 11);
    if (datagram[at] === 22 && datagram[at + RECORD_HEADER] === SERVER_KEY_EXCHANGE) {
      const record = Buffer.from(datagram.subarray(at, end));
      record[record.length - 1]! ^= 1;
      return record;
    }
    at = end;
  }
  return undefined;
}
