import type { FromPage, IceServer, ToPage } from '../../contract/phones.ts';
import { notice } from '../ui/notices.ts';
import { findDevice, listDevices, readChosen, watchChosen } from './devices.ts';
import { openContext, openMeter, type Meter } from './levels.ts';
import { closeStream, NoMicrophone, openMicrophone } from './microphone.ts';
import * as phones from './phone.ts';
import { beginQuality, count, judge } from './quality.ts';
import { KEPT, QUIET, SILENCE, type Levels, type Seen } from './seen.ts';

/** So long the microphone is waited for; allowed later, it joins in. */
const MICROPHONE_MS = 1_500;
const COUNT_MS = 1_000;
type Kept = { id: string; offer: number; call: number; muted: boolean };

export type Telephone = ReturnType<typeof openTelephone>;

/** Carries out what the telephone of this page does (phone.ts): the wire, the connection, the microphone, and what is heard. */
export function openTelephone(tell: (seen: Seen) => void) {
  const kept = takeKept();
  let mutedIn = kept?.muted ? kept.call : undefined;
  let phone = phones.begin(kept?.id ?? crypto.randomUUID(), kept?.offer);
  let seen: Seen = { ...QUIET, isMuted: kept?.muted ?? false };
  let socket: WebSocket | undefined;
  let iceServers: IceServer[] = [];
  let connection: RTCPeerConnection | undefined;
  let sender: RTCRtpSender | undefined;
  let answer = '';
  let microphone: MediaStream | undefined;
  /** Each asking ends the one before. */
  let asked = 0;
  let meters: { context: AudioContext; theirs?: Meter | undefined; ours?: Meter | undefined } | undefined;
  const speaker = new Audio();
  const timers = new Set<ReturnType<typeof setTimeout>>();

  const show = (changed: Partial<Seen>) => {
    const sound = phone.sound.is;
    const refusal = phone.sound.is === 'refused' ? phone.sound.reason : undefined;
    seen = { ...seen, ...changed, whose: phone.whose, sound, refusal };
    tell(seen);
  };

  const step = ({ phone: next, acts }: phones.Step) => {
    phone = next;
    show({});
    for (const act of acts) carryOut(act);
  };

  /** Not after the connection it was about is gone. */
  const later = (afterMs: number, act: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, afterMs);
    timers.add(timer);
  };

  function carryOut(act: phones.Act): void {
    switch (act.do) {
      case 'open wire':
        return openWire();
      case 'close wire':
        return closeWire();
      case 'say':
        return say(act.message);
      case 'retry':
        return void setTimeout(() => step(phones.retry(phone)), act.afterMs);
      case 'watch':
        return later(act.afterMs, () => step(phones.late(phone, act.no)));
      case 'ask for microphone':
        later(MICROPHONE_MS, () => step(phones.ready(phone)));
        return void askForMicrophone();
      case 'make offer':
        return void makeOffer(act).catch(() => undefined);
      case 'send offer':
        return sendOffer(act.call, act.no);
      case 'accept':
        return void connection?.setRemoteDescription({ type: 'answer', sdp: answer }).catch(() => undefined);
      case 'hang up':
        return hangUp();
    }
  }

  // The wire

  const say = (message: FromPage) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };

  function openWire(): void {
    const own = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/app/phone`);
    socket = own;
    // One that was closed by hand says nothing any more.
    const on = (name: 'open' | 'close' | 'message', act: (event: Event) => void) =>
      own.addEventListener(name, (event) => own === socket && act(event));
    on('open', () => step(phones.opened(phone)));
    on('close', () => step(phones.broke(phone)));
    on('message', (event) => {
      const message = JSON.parse((event as MessageEvent<string>).data) as ToPage;
      if (message.kind === 'phone') {
        iceServers = message.ice_servers;
        step(phones.told(phone, message.mine));
      } else if (message.kind === 'answer') {
        answer = message.sdp;
        step(phones.answered(phone, message.call_id, message.no));
      } else step(phones.refused(phone, message.call_id, message.no, message.reason));
    });
  }

  function closeWire(): void {
    const own = socket;
    socket = undefined;
    own?.close();
  }

  // The connection

  async function makeOffer({ no, isAnew, gatherMs }: phones.Act & { do: 'make offer' }): Promise<void> {
    if (isAnew || !connection) connect();
    else connection.restartIce();
    const own = connection!;
    await own.setLocalDescription(await own.createOffer());
    await gather(own, gatherMs);
    if (own === connection) step(phones.gathered(phone, no));
  }

  function connect(): void {
    disconnect();
    const own = new RTCPeerConnection({ iceServers, bundlePolicy: 'max-bundle' });
    connection = own;
    // Without a microphone too: one that comes later needs no other offer then.
    const transceiver = own.addTransceiver(microphone?.getAudioTracks()[0] ?? 'audio', { direction: 'sendrecv' });
    ({ sender } = transceiver);
    const codecs = RTCRtpReceiver.getCapabilities('audio')?.codecs ?? [];
    const plain = codecs.filter(({ mimeType }) => mimeType.toLowerCase() === 'audio/pcmu');
    if (plain.length > 0) transceiver.setCodecPreferences(plain);
    own.addEventListener('track', ({ track }) => own === connection && play(new MediaStream([track])));
    own.addEventListener('connectionstatechange', () => {
      if (own !== connection) return;
      if (own.connectionState === 'connected') step(phones.joined(phone));
      if (own.connectionState === 'disconnected') step(phones.parted(phone));
      if (own.connectionState === 'failed') step(phones.failed(phone));
    });
    countAll(own);
  }

  function sendOffer(callId: number, no: number): void {
    const sdp = connection?.localDescription?.sdp;
    if (sdp) say({ kind: 'offer', call_id: callId, no, sdp });
  }

  function disconnect(): void {
    connection?.close();
    connection = undefined;
    sender = undefined;
    meters?.theirs?.stop();
    if (meters) meters.theirs = undefined;
    show({ fault: undefined });
  }

  function hangUp(): void {
    asked += 1;
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
    disconnect();
    speaker.srcObject = null;
    closeStream(microphone);
    microphone = undefined;
    void meters?.context.close().catch(() => undefined);
    meters = undefined;
    show({ microphone: undefined, isSilenced: false });
  }

  /** For as long as it is the one. */
  function countAll(own: RTCPeerConnection): void {
    let quality = beginQuality(performance.now());
    const counting = setInterval(async () => {
      if (own !== connection) return clearInterval(counting);
      if (own.connectionState !== 'connected') {
        quality = beginQuality(performance.now());
        return undefined;
      }
      const statistics = (await own.getStats()) as unknown as Map<string, Record<string, unknown>>;
      const counted = count(statistics.values(), performance.now());
      if (!counted || own !== connection) return undefined;
      quality = judge(quality, counted);
      if (quality.fault !== seen.fault) show({ fault: quality.fault });
      return undefined;
    }, COUNT_MS);
  }

  // What is heard

  function play(stream: MediaStream): void {
    speaker.srcObject = stream;
    void hear();
    meter('theirs', stream);
  }

  async function hear(): Promise<void> {
    await useLoudspeaker();
    try {
      await speaker.play();
      show({ isSilenced: false });
    } catch (error) {
      if ((error as DOMException).name === 'NotAllowedError') show({ isSilenced: true });
    }
  }

  /** The chosen one, else the system's. Not every browser lets pages choose. */
  async function useLoudspeaker(): Promise<void> {
    if (!('setSinkId' in speaker)) return;
    const { loudspeaker } = readChosen();
    const device = findDevice(loudspeaker ? await listDevices('loudspeaker') : [], loudspeaker);
    const id = device?.id ?? '';
    if (speaker.sinkId === id) return;
    await speaker.setSinkId(id).catch(() => undefined);
  }

  // What is said

  async function askForMicrophone(): Promise<void> {
    asked += 1;
    const turn = asked;
    const isWanted = () => turn === asked && phone.call !== undefined;
    try {
      const stream = await openMicrophone();
      if (!isWanted()) return closeStream(stream);
      useMicrophone(stream);
    } catch (error) {
      if (!isWanted()) return undefined;
      if (!(error instanceof NoMicrophone)) throw error;
      show({ microphone: error.fault });
    }
    step(phones.ready(phone));
    return undefined;
  }

  function useMicrophone(stream: MediaStream): void {
    closeStream(microphone);
    microphone = stream;
    const track = stream.getAudioTracks()[0]!;
    track.enabled = !seen.isMuted;
    const isOurs = () => microphone === stream;
    track.addEventListener('ended', () => isOurs() && void replaceMicrophone(track.label));
    // By a switch at the headset, or in the system.
    track.addEventListener('mute', () => isOurs() && show({ microphone: 'mute there' }));
    track.addEventListener('unmute', () => isOurs() && show({ microphone: 'live' }));
    void sender?.replaceTrack(track).catch(() => undefined);
    meter('ours', stream);
    show({ microphone: track.muted ? 'mute there' : 'live' });
  }

  /** It was pulled out: the call goes on with another. */
  async function replaceMicrophone(label: string): Promise<void> {
    await askForMicrophone();
    const other = seen.microphone === 'live' && microphone?.getAudioTracks()[0]?.label;
    if (other) notice(`You are heard through ${other}.`, `${label} is gone`);
  }

  function meter(end: 'theirs' | 'ours', stream: MediaStream): void {
    try {
      meters ??= { context: openContext() };
      meters[end]?.stop();
      meters[end] = openMeter(meters.context, stream);
    } catch {
      // Without one the level is flat, and the call goes on.
    }
  }

  /** Devices came or went. */
  async function lookAtDevices(): Promise<void> {
    if (phone.sound.is === 'none') return;
    const before = speaker.sinkId ?? '';
    await useLoudspeaker();
    if (before !== '' && speaker.sinkId === '')
      notice('You hear through the one that the system uses.', 'The loudspeaker is gone');
    const { microphone: chosen } = readChosen();
    const wanted = findDevice(chosen ? await listDevices('microphone') : [], chosen);
    const used = microphone?.getAudioTracks()[0]?.getSettings().deviceId;
    if (!microphone || (wanted && wanted.id !== used)) await askForMicrophone();
  }

  let lastChosen = readChosen().microphone?.id;
  /** Another was chosen, here or under Preferences. */
  async function followChoice(): Promise<void> {
    const isOther = readChosen().microphone?.id !== lastChosen;
    lastChosen = readChosen().microphone?.id;
    if (phone.sound.is === 'none') return;
    await useLoudspeaker();
    if (isOther) await askForMicrophone();
  }

  /** Allowed by now, in the address bar. Not every browser tells. */
  async function watchPermission(): Promise<void> {
    const permission = await navigator.permissions.query({ name: 'microphone' });
    permission.addEventListener('change', () => {
      if (permission.state === 'granted' && seen.microphone === 'blocked') void askForMicrophone();
    });
  }

  (navigator as Partial<Navigator>).mediaDevices?.addEventListener('devicechange', () => void lookAtDevices());
  watchChosen(() => void followChoice());
  watchPermission().catch(() => undefined);
  addEventListener('online', () => step(phones.retry(phone)));
  addEventListener('pagehide', () => {
    const { id, offer, call } = phone;
    if (call === undefined || phone.whose !== 'ours') return;
    const own: Kept = { id, offer, call, muted: seen.isMuted };
    sessionStorage.setItem(KEPT, JSON.stringify(own));
  });

  return {
    follow: (callId: number | undefined, isBegunHere: boolean) => {
      // The call in which it was muted ended while the page was away.
      if (callId !== undefined && mutedIn !== undefined && callId !== mutedIn) show({ isMuted: false });
      mutedIn = undefined;
      step(phones.follow(phone, callId, isBegunHere));
    },
    take: () => step(phones.take(phone)),
    renew: () => step(phones.renew(phone)),
    /** Whatever did not work. */
    tryAgain: () => {
      step(phones.again(phone));
      if (seen.microphone !== 'live') void askForMicrophone();
    },
    hear: () => void hear(),
    mute: (isMuted: boolean) => {
      for (const track of microphone?.getAudioTracks() ?? []) track.enabled = !isMuted;
      show({ isMuted });
    },
    readLevels: (): Levels =>
      meters ? { theirs: meters.theirs?.read() ?? 0, ours: meters.ours?.read() ?? 0 } : SILENCE,
  };
}

function takeKept(): Kept | undefined {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  return kept === null ? undefined : (JSON.parse(kept) as Kept);
}

/** Until the browser knows all its addresses, or for so long. */
async function gather(connection: RTCPeerConnection, mostMs: number): Promise<void> {
  const isDone = () => connection.iceGatheringState === 'complete';
  if (isDone()) return;
  await new Promise<void>((resolve) => {
    setTimeout(resolve, mostMs);
    connection.addEventListener('icegatheringstatechange', () => isDone() && resolve());
  });
}
