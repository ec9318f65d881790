import { LONGEST_SDP } from '../../../../contract/phones.ts';
import { BadOffer } from '../media.ts';

/** What of a browser's offer is needed to answer it (RFC 8829), and the answer. Read strictly, as anyone may send one. */
export type Offer = {
  /** Who offers: the same for as long as a connection of the browser lives. */
  session: string;
  sections: Section[];
  /** Which of them is the sound. */
  audio: number;
  /** Whether the browser wants to be heard, and to hear. */
  sends: boolean;
  receives: boolean;
  ice: IceSecrets;
  fingerprint: Fingerprint;
};

type Section = { kind: string; protocol: string; formats: string; mid: string | undefined };
export type IceSecrets = { ufrag: string; password: string };
export type Fingerprint = { algorithm: string; value: string };

const PCMU = '0';
const MOST_LINES = 1_000;
const MOST_SECTIONS = 16;
const DIGEST_BYTES: Record<string, number> = { 'sha-256': 32, 'sha-384': 48, 'sha-512': 64 };

const bad = (sentence: string) => new BadOffer(sentence);

export function readOffer(sdp: string): Offer {
  if (sdp.length > LONGEST_SDP) throw bad(`An offer has ${LONGEST_SDP} characters at most.`);
  const lines = sdp.split(/\r?\n/).filter((line) => line !== '');
  if (lines.length > MOST_LINES) throw bad(`An offer has ${MOST_LINES} lines at most.`);
  if (lines[0] !== 'v=0' || !lines.every((line) => /^[a-z]=[^\p{Cc}]*$/u.test(line)))
    throw bad('That is no session description: it begins with v=0 and has lines such as m=audio.');
  const begins = lines.flatMap((line, at) => (line.startsWith('m=') ? [at] : []));
  if (begins.length > MOST_SECTIONS) throw bad(`An offer has ${MOST_SECTIONS} media at most.`);
  const session = lines.slice(0, begins[0]);
  const media = begins.map((from, which) => lines.slice(from, begins[which + 1]));
  const sections = media.map(readSection);
  const audio = sections.findIndex(({ kind }) => kind === 'audio');
  if (audio === -1) throw bad('The offer has no sound: there is no m=audio in it.');
  const { protocol, formats } = sections[audio]!;
  if (!/^(UDP|TCP)\/TLS\/RTP\/SAVPF?$/.test(protocol)) throw bad('Sound comes encrypted here: UDP/TLS/RTP/SAVPF.');
  if (!formats.split(' ').includes(PCMU))
    throw bad('Sound is PCMU here, and the offer has none: a=rtpmap:0 PCMU/8000.');
  const of = (name: string) => find(media[audio]!, name) ?? find(session, name);
  if (of('rtcp-mux') === undefined) throw bad('Sound and reports come over one port here: a=rtcp-mux is missing.');
  if (of('setup') === 'active' || of('setup') === undefined)
    throw bad('The service begins the handshake: the offer says a=setup:actpass.');
  const direction = ['sendonly', 'recvonly', 'inactive'].find((name) => of(name) !== undefined);
  return {
    session: find(session, 'o', '=') ?? '',
    sections,
    audio,
    sends: direction === undefined || direction === 'sendonly',
    receives: direction === undefined || direction === 'recvonly',
    ice: readIce(of('ice-ufrag'), of('ice-pwd')),
    fingerprint: readFingerprint(of('fingerprint')),
  };
}

/** The value of an attribute; an attribute without one is the empty text. */
function find(lines: string[], name: string, kind = 'a='): string | undefined {
  const start = kind === '=' ? `${name}=` : `${kind}${name}`;
  for (const line of lines) {
    if (kind === '=' && line.startsWith(start)) return line.slice(start.length);
    if (kind !== '=' && line === start) return '';
    if (kind !== '=' && line.startsWith(`${start}:`)) return line.slice(start.length + 1).trim();
  }
  return undefined;
}

function readSection(lines: string[]): Section {
  const read = /^m=([a-z]{1,20}) \d{1,5}(?:\/\d{1,5})? ([A-Za-z0-9/]{1,40}) ([!-~ ]{1,500})$/.exec(lines[0]!);
  if (!read) throw bad(`A line of the offer is no medium: ${lines[0]!.slice(0, 60)}`);
  const mid = find(lines, 'mid');
  if (mid !== undefined && !/^[!-~]{1,32}$/.test(mid))
    throw bad('A medium of the offer has a name that is none (a=mid).');
  return { kind: read[1]!, protocol: read[2]!, formats: read[3]!, mid };
}

function readIce(ufrag: string | undefined, password: string | undefined): IceSecrets {
  if (!ufrag || !/^[A-Za-z0-9+/]{4,256}$/.test(ufrag) || !password || !/^[A-Za-z0-9+/]{22,256}$/.test(password))
    throw bad('The offer does not say how it is checked who sends: a=ice-ufrag and a=ice-pwd.');
  return { ufrag, password };
}

function readFingerprint(text: string | undefined): Fingerprint {
  const [algorithm = '', value = ''] = (text ?? '').split(' ');
  const bytes = value.split(':');
  if (bytes.length !== DIGEST_BYTES[algorithm.toLowerCase()] || !bytes.every((byte) => /^[0-9A-F]{2}$/i.test(byte)))
    throw bad('The offer names no certificate that can be checked: a=fingerprint:sha-256 …');
  return { algorithm: algorithm.toLowerCase(), value: value.toUpperCase() };
}

export type Answering = {
  session: string;
  version: number;
  ice: IceSecrets;
  fingerprint: Fingerprint;
  /** Where we are to be reached, the best first. */
  addresses: string[];
  port: number;
  ssrc: number;
};

export function writeAnswer(offer: Offer, ours: Answering): string {
  const { sections, audio } = offer;
  const mids = sections.map(({ mid }, at) => mid ?? String(at));
  const address = ours.addresses[0]!;
  const described = sections.map((section, at) =>
    at === audio
      ? [`m=audio ${ours.port} ${section.protocol} ${PCMU}`, ...describeSound(offer, ours, mids[at]!)]
      : [
          `m=${section.kind} 0 ${section.protocol} ${section.formats}`,
          'c=IN IP4 0.0.0.0',
          `a=mid:${mids[at]}`,
          'a=inactive',
        ],
  );
  return [
    'v=0',
    `o=- ${ours.session} ${ours.version} IN ${family(address)} ${address}`,
    's=-',
    't=0 0',
    'a=ice-lite',
    `a=group:BUNDLE ${mids[audio]}`,
    'a=msid-semantic: WMS line',
    ...described.flat(),
    '',
  ].join('\r\n');
}

function describeSound({ sends, receives }: Offer, ours: Answering, mid: string): string[] {
  const address = ours.addresses[0]!;
  const direction = sends ? (receives ? 'sendrecv' : 'recvonly') : receives ? 'sendonly' : 'inactive';
  return [
    `c=IN ${family(address)} ${address}`,
    `a=mid:${mid}`,
    `a=${direction}`,
    'a=rtpmap:0 PCMU/8000',
    'a=ptime:20',
    'a=maxptime:60',
    'a=rtcp-mux',
    `a=ice-ufrag:${ours.ice.ufrag}`,
    `a=ice-pwd:${ours.ice.password}`,
    `a=fingerprint:${ours.fingerprint.algorithm} ${ours.fingerprint.value}`,
    // As the passive end, a browser's large first message can keep the handshake from ever ending.
    'a=setup:active',
    'a=msid:line line',
    `a=ssrc:${ours.ssrc} cname:line`,
    ...ours.addresses.map((each, at) => `a=candidate:${at + 1} 1 udp ${priority(at)} ${each} ${ours.port} typ host`),
    'a=end-of-candidates',
  ];
}

const family = (address: string) => (address.includes(':') ? 'IP6' : 'IP4');
/** RFC 8445, 5.1.2: a host candidate of the first component. */
const priority = (at: number) => 126 * 2 ** 24 + (65_535 - at) * 2 ** 8 + 255;
