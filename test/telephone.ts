import { randomUUID } from 'node:crypto';
import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters, RtpHeader, RtpPacket } from 'werift';
import { WebSocket } from 'ws';
import type { FromPage, ToPage } from '../contract/phones.ts';
import { encode, SAMPLES } from '../server/telephony/media/g711.ts';
import { FRAME_BYTES, FRAME_MS } from '../server/telephony/media/media.ts';
import { atEnd } from './database.ts';
import { eventually } from './leadline.ts';
import { loudestTone, makeTone, measureTone } from './sound.ts';

/** A page as the service sees it: its socket, and a connection of its own that hums a note and listens. */

export type Said = ToPage[];

/** A socket of a page that is signed in. Where it is refused, `refused` is the status. */
export async function openSocket(address: string, headers: Record<string, string>) {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/app/phone`, {
    headers: { origin: address, ...headers },
  });
  const said: Said = [];
  const closed: { code?: number; reason?: string } = {};
  socket.on('message', (data) => said.push(JSON.parse((data as Buffer).toString()) as ToPage));
  socket.on('close', (code, reason) => Object.assign(closed, { code, reason: String(reason) }));
  const refused = await new Promise<number | undefined>((resolve) => {
    socket.once('open', () => resolve(undefined));
    socket.once('unexpected-response', (request, response) => {
      resolve(response.statusCode);
      request.destroy();
    });
    socket.on('error', () => {});
  });
  atEnd(async () => socket.terminate());
  const say = (message: FromPage) => socket.send(JSON.stringify(message));
  const phone = () => said.findLast((one) => one.kind === 'phone');
  return { socket, said, closed, refused, say, isPhone: () => phone()?.mine ?? false };
}

/** In packets: half a second, and what is remembered. */
const LATELY = 500 / FRAME_MS;
const MOST_HEARD = 120_000 / FRAME_MS;
/** What is said where the machine does too much else just then. */
const LATE = /did not answer|in time/;
/** How long a try may take: as long as a page's, which is over before a colleague has rung for half a minute, then longer; and all of them. */
const [FIRST_TRY_MS, LONGEST_TRY_MS] = [6_000, 30_000];
const LONGEST_MS = 300_000;

/** Someone at a telephone: dials by other means, offers, hums and listens. */
export async function openTelephone(address: string, cookie: string, hertz: number) {
  const page = randomUUID();
  const { socket, said, say, ...rest } = await openSocket(address, { cookie });
  const hum = encode(makeTone(hertz, 1));
  const heard: Buffer[] = [];
  let talksIn: number | undefined;
  let connection: RTCPeerConnection | undefined;
  let humming: NodeJS.Timeout | undefined;
  let no = 0;

  const hangUp = async () => {
    talksIn = undefined;
    clearInterval(humming);
    await connection?.close();
    connection = undefined;
  };
  atEnd(hangUp);

  /** Settles as `talk` does. */
  const offer = async (callId: number, patience: number): Promise<string | undefined> => {
    await hangUp();
    const track = new MediaStreamTrack({ kind: 'audio' });
    connection = new RTCPeerConnection({
      codecs: {
        audio: [new RTCRtpCodecParameters({ mimeType: 'audio/PCMU', clockRate: 8_000, channels: 1, payloadType: 0 })],
      },
      iceServers: [],
      iceUseIpv6: false,
    });
    const own = connection;
    own.addTransceiver(track, { direction: 'sendrecv' });
    own.onTrack.subscribe((theirs) =>
      theirs.onReceiveRtp.subscribe(({ payload }) => {
        heard.push(payload);
        if (heard.length > MOST_HEARD) heard.shift();
      }),
    );
    await own.setLocalDescription(await own.createOffer());
    no += 1;
    const asked = no;
    say({ kind: 'offer', call_id: callId, no: asked, sdp: own.localDescription!.sdp });
    const answer = await eventually('it is answered', () =>
      said.find((one) => (one.kind === 'answer' || one.kind === 'refused') && one.no === asked),
    );
    if (answer.kind !== 'answer') return (answer as { reason: string }).reason;
    await own.setRemoteDescription({ type: 'answer', sdp: answer.sdp });
    const isConnected = () => own.connectionState === 'connected';
    if (!(await eventually('it is connected', isConnected, patience).catch(() => false)))
      return `It was not connected in time: ${own.iceConnectionState}, ${own.connectionState}.`;
    let [sequence, timestamp, at] = [0, 0, 0];
    humming = setInterval(() => {
      const header = new RtpHeader({
        payloadType: 0,
        sequenceNumber: (sequence += 1),
        timestamp: (timestamp += 160),
      });
      track.writeRtp(new RtpPacket(header, Buffer.from(hum.subarray(at, at + FRAME_BYTES))));
      at = (at + FRAME_BYTES) % hum.length;
    }, FRAME_MS);
    return undefined;
  };

  /** Settles when it is connected, or with why it is not. Where the line is slow it is tried again, as a page does. */
  async function talk(callId: number): Promise<string | undefined> {
    const deadline = performance.now() + LONGEST_MS;
    for (let patience = FIRST_TRY_MS; ; patience = Math.min(2 * patience, LONGEST_TRY_MS)) {
      const told = await offer(callId, patience);
      if (told && LATE.test(told) && performance.now() < deadline) continue;
      if (!told) talksIn = callId;
      return told;
    }
  }

  /** A connection that is lost is opened again, as a page does. */
  const listen = (what: string, isSo: () => boolean) =>
    eventually(what, async () => {
      if (talksIn !== undefined && connection?.connectionState !== 'connected') await talk(talksIn);
      return isSo();
    });

  const samplesOf = (packets: Buffer[]) => Int16Array.from(Buffer.concat(packets), (byte) => SAMPLES[byte]!);
  /** How loud a note was in the last half second. */
  const loudness = (of: number) => measureTone(samplesOf(heard.slice(-LATELY)), of);

  return {
    ...rest,
    page,
    socket,
    said,
    say,
    hangUp,
    here: async (take = true) => {
      const before = said.length;
      say({ kind: 'here', phone: page, take });
      await eventually('it is told', () => said.length > before);
    },
    talk,
    loudness,
    hears: (of: number) => listen(`${of} Hz are heard`, () => loudness(of) > 1_000),
    hearsNo: (of: number) => listen(`${of} Hz are heard no more`, () => heard.length >= LATELY && loudness(of) < 100),
    hasHeard: (of: number) => loudestTone(samplesOf(heard), of) > 1_000,
  };
}
