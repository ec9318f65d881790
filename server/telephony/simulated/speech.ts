import { rename, rm, writeFile } from 'node:fs/promises';
import { RATE } from '../media/media.ts';
import { SAMPLES } from '../media/g711.ts';
import { createChance, pick, type Chance } from './chance.ts';
import { BEFORE_BEEP_MS, BEFORE_GREETING_MS, PERSONS } from './party.ts';
import type { Agent, Person, Pitch, Remark } from './sentences.ts';
import { agentSays, BEEP, personSays } from './sounds.ts';

export type Conversation = { seconds: number; voicemail: boolean; seed: number };

/** A sentence in μ-law, and how many samples nobody speaks after it. */
type Said = { by: 'agent' | 'other'; sound: Uint8Array; pause: number };

/** Writes the recording of a call to a file, in pieces, without holding up whoever else needs the processor. */
export async function writeRecording(path: string, conversation: Conversation): Promise<void> {
  const part = `${path}.part`;
  // A sentence is put together when the one before it is on disk. That wait is where everyone else gets the processor.
  try {
    await writeFile(part, record(conversation), { mode: 0o600 });
    await rename(part, path);
  } catch (error) {
    // Half of it is of no use, and the disk may be full.
    await rm(part, { force: true }).catch(() => {});
    throw error;
  }
}

function* record({ seconds, voicemail, seed }: Conversation): Generator<Uint8Array> {
  const chance = createChance(seed);
  let left = Math.round(seconds * RATE);
  yield header(left);
  for (const said of voicemail ? leaveMessage(chance) : converse(left, chance)) {
    if (left === 0) return;
    const heard = Math.min(left, lengthOf(said));
    yield putOnLine(said, heard);
    left -= heard;
  }
}

function header(samples: number): Uint8Array {
  const bytes = Buffer.from('RIFF----WAVEfmt --------------------data----');
  bytes.writeUInt32LE(36 + samples * 4, 4);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(2, 22);
  bytes.writeUInt32LE(RATE, 24);
  bytes.writeUInt32LE(RATE * 4, 28);
  bytes.writeUInt16LE(4, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.writeUInt32LE(samples * 4, 40);
  return bytes;
}

function putOnLine({ by, sound }: Said, samples: number): Uint8Array {
  const stereo = new Int16Array(samples * 2);
  const channel = by === 'agent' ? 0 : 1;
  const spoken = Math.min(samples, sound.length);
  for (let at = 0; at < spoken; at++) stereo[at * 2 + channel] = SAMPLES[sound[at]!]!;
  return new Uint8Array(stereo.buffer);
}

const samplesOf = (ms: number): number => Math.round((ms * RATE) / 1_000);
const lengthOf = ({ sound, pause }: Said): number => sound.length + pause;
const lengthOfAll = (all: Said[]): number => all.reduce((sum, said) => sum + lengthOf(said), 0);

/** A low voice and a high one, so that nobody takes one for the other. */
const AGENT_OF: Record<Person, Agent> = { ruth: 'ben', ines: 'ben', paul: 'amara', alan: 'amara' };

type Exchange = [pitches: Pitch[], remark: Remark];

const OPENING: Exchange = [['introduces', 'asks_time'], 'listening'];
const CLOSING: Exchange = [['closes'], 'bye'];
/** In this order; a short talk leaves some out, and a long one comes back to them. */
const EXCHANGES: Exchange[] = [
  [['offers'], 'go_on'],
  [['asks_sites'], 'sites'],
  [['asks_decides'], 'decides'],
  [['asks_contract'], 'contract'],
  [['plans'], 'interested'],
  [['saves'], 'price'],
  [['owes'], 'mail'],
  [['mails'], 'yes'],
  [['asks_later'], 'later'],
];
const LEFT_OUT = 0.25;

/** Whoever picks up says hello, then they take turns until it is time to say goodbye. */
function converse(samples: number, chance: Chance): Said[] {
  const person = pick(PERSONS, chance);
  const agent = AGENT_OF[person];
  const pauseFor = (shortestMs: number) => samplesOf(shortestMs + chance() * 400);
  const exchange = ([pitches, remark]: Exchange): Said[] => [
    ...pitches.map((pitch, at): Said => {
      const pause = pauseFor(at < pitches.length - 1 ? 150 : 350);
      return { by: 'agent', sound: agentSays(agent, pitch), pause };
    }),
    { by: 'other', sound: personSays(person, remark), pause: pauseFor(350) },
  ];

  const talk: Said[] = [
    { by: 'other', sound: personSays(person, 'hello'), pause: pauseFor(300) },
    ...exchange(OPENING),
  ];
  const closing = exchange(CLOSING);
  let left = samples - lengthOfAll(talk) - lengthOfAll(closing);
  // Cut off before it came to anything.
  if (left < 0) return [...talk, ...closing];
  for (let fits = true; fits;) {
    fits = false;
    for (const next of EXCHANGES) {
      const said = exchange(next);
      if (lengthOfAll(said) > left) continue;
      fits = true;
      if (chance() < LEFT_OUT) continue;
      talk.push(...said);
      left -= lengthOfAll(said);
    }
  }
  // Too little for another sentence: everyone thinks a little longer.
  const longer = Math.ceil(left / talk.length);
  return [...talk.map((said) => ({ ...said, pause: said.pause + longer })), ...closing];
}

const MESSAGE: Pitch[] = ['introduces', 'missed', 'offers', 'saves', 'owes', 'plans'];

/** What the machine says, as it says it to those who listen, and the agent until the call is over. */
function* leaveMessage(chance: Chance): Generator<Said> {
  const person = pick(PERSONS, chance);
  const agent = AGENT_OF[person];
  yield { by: 'other', sound: new Uint8Array(), pause: samplesOf(BEFORE_GREETING_MS) };
  yield { by: 'other', sound: personSays(person, 'machine'), pause: samplesOf(BEFORE_BEEP_MS) };
  yield { by: 'other', sound: BEEP, pause: samplesOf(500) };
  for (;;) {
    for (const pitch of MESSAGE)
      yield { by: 'agent', sound: agentSays(agent, pitch), pause: samplesOf(200 + chance() * 400) };
  }
}
