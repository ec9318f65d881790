import type { Disposition, Ender } from '../../contract/calls.ts';
import { answerOffer, findOffers, type Offer } from '../phones/phones.ts';
import { query, type Db } from '../platform/db.ts';
import { isHeldBy } from '../platform/lease.ts';
import type { Log } from '../platform/log.ts';
import type { Node } from '../platform/nodes.ts';
import { sql } from '../platform/sql.ts';
import { LINE } from '../telephony/carrier.ts';
import { BadOffer, type Media, type Side, type Tone } from '../telephony/media/media.ts';
import { takeDigits } from './talking.ts';

/**
 * Who hears whom. With each look it is read from the calls how it should be, compared with how it was made, and the engine is asked for the
 * difference: so nothing depends on having seen every change, and it is right again with the next look.
 */
export type Conversations = {
  look(): Promise<void>;
  /** Lets go of everyone who is connected. */
  stop(): void;
};

type Means = { db: Db; node: Node; log: Log; media: Media };

type Talk = {
  account_id: number;
  id: number;
  direction: string;
  state: string;
  carrier_call_id: string | null;
  user_id: number | null;
  /** The colleague who is called, or whom a call is passed on to; and the same once they have answered. */
  offered_to: number | null;
  colleague: number | null;
  transfer_of: number | null;
  on_hold: boolean;
  on_hold_by_other: boolean;
  recorded: boolean;
  recording_paused: boolean;
  asked: boolean;
  handed_over: boolean;
  ending: boolean;
  has_digits: boolean;
};

const TALKS = sql('calls/conversations.talks')`
  select account_id, id, direction, state, carrier_call_id, user_id, offered_to, transfer_of, on_hold,
         on_hold_by_other, recorded, recording_paused, asked,
         case when taken_at is not null then offered_to end as colleague,
         handed_over_at is not null as handed_over, hang_up_at is not null as ending, digits is not null as has_digits
    from calls where state <> 'completed' and direction <> 'automated' and ${isHeldBy(LINE, '$1')}`;

const OVER = sql('calls/conversations.over')`
  select c.account_id, c.id, c.disposition, c.ended_by from unnest($1::bigint[], $2::bigint[]) as over (account_id, id)
    join calls c on c.account_id = over.account_id and c.id = over.id`;

type Over = { account_id: number; id: number; disposition: Disposition | null; ended_by: Ender | null };

/** What whoever called hears when nobody was reached. */
const TONES: Partial<Record<Disposition, Tone>> = {
  busy: 'busy',
  no_answer: 'busy',
  failed: 'unobtainable',
  invalid_number: 'unobtainable',
  temp_unavail: 'unobtainable',
};
const TONE_MS = 4_000;

/** How a conversation is, as far as it is our business. */
type Standing = {
  accountId: number;
  callId: number;
  local: boolean;
  sides: Partial<Record<Side, string>>;
  tone: Tone | null;
  /** The sides that let the other wait. */
  holds: Record<Side, boolean>;
  paused: boolean;
};

/** How it was made. Whether a call that has just begun is off the record may have been said when it was dialled. */
type Made = Omit<Standing, 'paused'> & { paused: boolean | undefined };

const SIDES: Side[] = ['agent', 'other'];
const NOBODY_HOLDS: Record<Side, boolean> = { agent: false, other: false };

/** The connection of someone's page, for one call. */
type Leg = { name: string; accountId: number; callId: number };

/** Passed on, and with the colleague it was passed on to. */
const isGiven = ({ direction, user_id, offered_to }: Talk) => direction === 'transfer' && user_id === offered_to;

/** Colleagues who talk to each other need no line. */
const isLocal = (talk: Talk) => talk.offered_to !== null && !isGiven(talk);

const idOf = (talk: Talk): string | null =>
  isLocal(talk) ? `local-${talk.account_id}-${talk.id}` : talk.carrier_call_id;

const personOf = (accountId: number, userId: number) => `${accountId}-${userId}`;

export function openConversations({ db, node, log, media }: Means): Conversations {
  const made = new Map<string, Made>();
  const legs = new Map<string, Leg>();
  const answering = new Set<string>();
  /** Those who hear that nobody was reached, and go then. */
  const leaving = new Map<string, NodeJS.Timeout>();

  const answer = async (offer: Offer, talks: Talk[]) => {
    const person = personOf(offer.account_id, offer.user_id);
    // The page asked before whose call it is; it may have ended since.
    const isTheirs = talks.some(
      ({ account_id, id, user_id, colleague, direction }) =>
        account_id === offer.account_id &&
        id === offer.call_id &&
        (colleague === offer.user_id || (user_id === offer.user_id && direction !== 'transfer')),
    );
    if (!isTheirs) {
      await answerOffer(db, offer, { fault: 'This call is over.' });
      return;
    }
    const name = `${person}-${offer.page}-${offer.call_id}`;
    try {
      const sdp = await media.connect(name, offer.sdp);
      const isNewest = await answerOffer(db, offer, { sdp });
      const former = legs.get(person);
      if (isNewest) {
        legs.set(person, { name, accountId: offer.account_id, callId: offer.call_id });
        if (former && former.name !== name) disconnect(former.name);
      }
      // Another page is the telephone by now. Where the same one offers again, its connection only looks for another way.
      else if (former?.name !== name) disconnect(name);
    } catch (error) {
      if (!(error instanceof BadOffer)) log.error({ err: error }, 'A telephone could not be connected');
      const fault = error instanceof BadOffer ? error.message : 'The sound of this call could not be connected.';
      await answerOffer(db, offer, { fault });
    }
  };

  const disconnect = (leg: string) => {
    media.disconnect(leg);
    // Whoever comes again under the same name is somebody else.
    for (const { sides } of made.values()) for (const side of SIDES) if (sides[side] === leg) delete sides[side];
  };

  const make = (name: string, wanted: Standing) => {
    const is: Made = made.get(name) ?? { ...wanted, sides: {}, tone: null, holds: NOBODY_HOLDS, paused: undefined };
    if (!made.has(name) && wanted.local) media.begin(name);
    made.set(name, is);
    for (const side of SIDES) {
      const leg = wanted.sides[side];
      if (leg === undefined || is.sides[side] === leg) continue;
      for (const { sides } of made.values()) for (const one of SIDES) if (sides[one] === leg) delete sides[one];
      media.attach(name, side, leg);
      is.sides[side] = leg;
      // From its beginning: whoever comes in the pause between two tones would take the line for dead.
      if (side === 'agent' && wanted.tone) is.tone = null;
    }
    if (is.tone !== wanted.tone) media.play(name, wanted.tone);
    for (const side of SIDES) if (is.holds[side] !== wanted.holds[side]) media.hold(name, side, wanted.holds[side]);
    if (is.paused !== wanted.paused) media.pauseRecording(name, wanted.paused);
    Object.assign(is, { tone: wanted.tone, holds: wanted.holds, paused: wanted.paused });
  };

  /** Whoever is left over hears why, or goes. */
  const leave = (over: Over) => {
    for (const [person, { name, accountId, callId }] of legs) {
      if (callId !== over.id || accountId !== over.account_id) continue;
      legs.delete(person);
      const tone = over.ended_by === 'agent' ? undefined : over.disposition && TONES[over.disposition];
      if (!tone) {
        disconnect(name);
        continue;
      }
      const afterwards = `over-${over.account_id}-${over.id}`;
      media.begin(afterwards);
      media.attach(afterwards, 'agent', name);
      media.play(afterwards, tone);
      const timer = setTimeout(() => {
        leaving.delete(name);
        disconnect(name);
        void end(afterwards);
      }, TONE_MS);
      leaving.set(name, timer);
    }
  };

  const end = (name: string) =>
    media.end(name).catch((error: unknown) => log.error({ err: error }, 'A conversation could not be ended'));

  return {
    async look() {
      // In this order: an offer is for a call that was there before it.
      const offers = await findOffers(db, node);
      const talks = await query<Talk>(db, TALKS, [node.id]);
      for (const offer of offers) {
        // Those of one page after each other: they are of one connection.
        const key = `${offer.account_id} ${offer.user_id} ${offer.page}`;
        if (answering.has(key)) continue;
        answering.add(key);
        void answer(offer, talks)
          .catch((error: unknown) => log.error({ err: error }, 'An offer could not be answered'))
          .finally(() => answering.delete(key));
      }

      const wanted = arrange(talks, legs);
      for (const [name, standing] of wanted) make(name, standing);

      const going = new Set(talks.map(({ account_id, id }) => `${account_id} ${id}`));
      // Who asked a colleague and has handed over leaves a conversation behind in which nobody is, though the call goes on.
      const gone = [...made].filter(
        ([name, { accountId, callId, local }]) => !going.has(`${accountId} ${callId}`) || (local && !wanted.has(name)),
      );
      for (const [name, { local }] of gone) {
        made.delete(name);
        if (local) void end(name);
      }
      const left = [...legs.values()].filter(({ accountId, callId }) => !going.has(`${accountId} ${callId}`));
      const [accounts, ids] = [left.map(({ accountId }) => accountId), left.map(({ callId }) => callId)];
      if (left.length > 0) for (const over of await query<Over>(db, OVER, [accounts, ids])) leave(over);

      if (!talks.some(({ has_digits }) => has_digits)) return;
      for (const { account_id, id, digits } of await takeDigits(db, node)) {
        const talk = talks.find((one) => one.account_id === account_id && one.id === id);
        const name = talk && idOf(talk);
        if (name && digits) media.sendDigits(name, digits);
      }
    },
    stop() {
      for (const timer of leaving.values()) clearTimeout(timer);
      for (const name of leaving.keys()) media.disconnect(name);
      for (const { name } of legs.values()) media.disconnect(name);
    },
  };
}

/** How all conversations should be. */
function arrange(talks: Talk[], legs: Map<string, Leg>): Map<string, Standing> {
  const wanted = new Map<string, Standing>();
  const transfers = new Map(
    talks.flatMap((talk) => (talk.transfer_of === null ? [] : [[`${talk.account_id} ${talk.transfer_of}`, talk]])),
  );
  const legOf = ({ account_id, id }: Talk, userId: number | null) => {
    const leg = userId === null ? undefined : legs.get(personOf(account_id, userId));
    return leg?.callId === id ? leg.name : undefined;
  };
  for (const talk of talks) {
    const name = idOf(talk);
    if (name === null || (talk.direction === 'transfer' && !isGiven(talk))) continue;
    const transfer = transfers.get(`${talk.account_id} ${talk.id}`);
    // From here on it is the carrier's to connect the two, and nobody's of ours.
    if (transfer?.state === 'active' && (!transfer.asked || transfer.handed_over)) continue;
    const agent = legOf(talk, talk.user_id);
    const other = isLocal(talk) ? legOf(talk, talk.colleague) : undefined;
    const asks = transfer?.asked && !transfer.ending ? transfer : undefined;
    const consultation = asks && idOf(asks);
    // Also at once a call waits for a colleague: who passes it on has said goodbye.
    const waits = asks !== undefined || (transfer !== undefined && isLocal(transfer) && !transfer.ending);
    const rings = talk.state !== 'active' && talk.direction !== 'inbound';
    // Whoever is off the record with one of them means both, also where they were given that call so.
    const isOff = talk.recording_paused || !talk.recorded;
    const third = transfer && !transfer.asked && !isLocal(transfer) ? transfer.carrier_call_id : null;
    // They answer a moment before the two are connected.
    if (transfer && third !== null)
      wanted.set(third, {
        accountId: transfer.account_id,
        callId: transfer.id,
        local: false,
        sides: {},
        tone: null,
        holds: NOBODY_HOLDS,
        paused: isOff,
      });
    wanted.set(name, {
      accountId: talk.account_id,
      callId: talk.id,
      local: isLocal(talk),
      sides: { ...(agent && !consultation && { agent }), ...(other && { other }) },
      tone: rings ? 'ringing' : null,
      holds: { agent: talk.on_hold || waits, other: talk.on_hold_by_other },
      paused: talk.recording_paused,
    });
    if (!asks || !consultation) continue;
    const asked = isLocal(asks) ? legOf(asks, asks.colleague) : undefined;
    wanted.set(consultation, {
      accountId: asks.account_id,
      callId: asks.id,
      local: isLocal(asks),
      sides: { ...(agent && { agent }), ...(asked && { other: asked }) },
      tone: asks.state === 'active' ? null : 'ringing',
      holds: { agent: asks.on_hold, other: asks.on_hold_by_other },
      paused: asks.recording_paused || isOff,
    });
  }
  return wanted;
}
