import { createConversation, type Conversation, type Listener } from '../conversation.ts';
import {
  BadOffer,
  FRAME_MS,
  type Heard,
  type MediaSettings,
  type Party,
  type Recorded,
  type Side,
  type Tone,
} from '../media.ts';
import { SILENCE } from '../tones.ts';
import { createConnection, type Connection } from './connection.ts';
import { openHandshakes } from './handshakes.ts';
import { openPorts } from './ports.ts';
import { readOffer } from './sdp.ts';

/** All conversations and legs of the engine, and the one clock by which they go. */
export type Exchange = {
  begin(conversation: string): void;
  connect(leg: string, offer: string): Promise<string>;
  disconnect(leg: string): void;
  attach(conversation: string, side: Side, leg: string): void;
  attachParty(conversation: string, party: { module: string; options: unknown }): Promise<void>;
  play(conversation: string, tone: Tone | null): void;
  hold(conversation: string, by: Side, on: boolean): void;
  sendDigits(conversation: string, digits: string): void;
  /** `since`: when it was asked for, by the clock of all threads. */
  record(conversation: string, file: string, announced?: boolean, since?: number, written?: number): void;
  pauseRecording(conversation: string, on: boolean): void;
  join(conversation: string, into: string, at?: Side): Promise<Recorded | undefined>;
  end(conversation: string): Promise<Recorded | undefined>;
  stop(): Promise<void>;
};

/** `warn`: something of ours that threw, and that no call may suffer from. */
export type ExchangeHears = { hear: (heard: Heard) => void; warn: (error: unknown) => void };

type Leg = Listener & {
  name: string;
  connection: Connection | undefined;
  lostAt: number | undefined;
  seat: { conversation: Conversation; side: Side } | undefined;
};

/** Far beyond what the processor carries; whoever makes more is no telephone. */
const MOST_LEGS = 2_000;
const MOST_CONVERSATIONS = 4_000;
/** A leg that nobody replaces gives its port back. */
const FORGOTTEN_MS = 60_000;
/** A process that stood still does not make up for all of it: what was to be heard then is past. */
const MOST_TICKS_AT_ONCE = 25;
/** Ticks: half a second. */
const STOOD_STILL = 25;

export function openExchange(settings: MediaSettings, { hear, warn }: ExchangeHears): Exchange {
  const conversations = new Map<string, Conversation>();
  const legs = new Map<string, Leg>();
  const ports = openPorts(settings);
  const handshakes = openHandshakes();
  const now = () => performance.now();
  const clock = () => performance.timeOrigin + performance.now();
  const began = now();
  let tick = 0;
  let timer: NodeJS.Timeout | undefined;

  function wind() {
    if (timer || (conversations.size === 0 && legs.size === 0)) return;
    tick = Math.max(tick, Math.floor((now() - began) / FRAME_MS));
    schedule();
  }

  function schedule() {
    timer = setTimeout(
      () => {
        // What came while this was late is read first, or whoever is asked now would have heard nothing.
        if (now() - began >= (tick + 2) * FRAME_MS) setImmediate(catchUp);
        else catchUp();
      },
      Math.max(1, Math.ceil(began + (tick + 1) * FRAME_MS - now())),
    );
  }

  function catchUp() {
    timer = undefined;
    const due = Math.floor((now() - began) / FRAME_MS);
    if (due - tick > STOOD_STILL) for (const leg of legs.values()) leg.connection?.excuse(now());
    tick = Math.max(tick, due - MOST_TICKS_AT_ONCE);
    while (tick < due) {
      tick += 1;
      strike();
    }
    if (conversations.size > 0 || legs.size > 0) schedule();
  }

  function strike() {
    const at = now();
    for (const conversation of conversations.values()) guard(() => conversation.tick(tick));
    for (const leg of legs.values()) guard(() => look(leg, at));
  }

  function look(leg: Leg, at: number) {
    leg.connection?.tick(tick, at, SILENCE);
    if (leg.lostAt !== undefined && at - leg.lostAt > FORGOTTEN_MS) closeConnection(leg);
    if (!leg.connection && !leg.seat) legs.delete(leg.name);
  }

  /** What goes wrong with one does not stop the clock of all others. */
  function guard(act: () => void) {
    try {
      act();
    } catch (error) {
      warn(error);
    }
  }

  function legOf(name: string): Leg {
    const known = legs.get(name);
    if (known) return known;
    if (legs.size >= MOST_LEGS) throw new BadOffer(`There are ${MOST_LEGS} connections already.`);
    const leg: Leg = {
      name,
      connection: undefined,
      lostAt: undefined,
      seat: undefined,
      get isThere() {
        return this.connection?.isConnected ?? false;
      },
      pass(source, sequence, timestamp, payload) {
        this.connection?.pass(source, sequence, timestamp, payload);
      },
      play(at, frame) {
        this.connection?.play(at, frame);
      },
    };
    legs.set(name, leg);
    wind();
    return leg;
  }

  function closeConnection(leg: Leg) {
    leg.connection?.close();
    leg.connection = undefined;
    leg.lostAt = undefined;
  }

  function leaveSeat(leg: Leg) {
    leg.seat?.conversation.leave(leg);
    leg.seat = undefined;
  }

  const find = (name: string): Conversation | undefined => conversations.get(name);

  /** Whoever sat there is at no side any more. */
  function clear(conversation: Conversation, side: Side) {
    for (const leg of legs.values())
      if (leg.seat?.conversation === conversation && leg.seat.side === side) leg.seat = undefined;
  }

  function seat(leg: Leg, conversation: Conversation, side: Side) {
    leaveSeat(leg);
    clear(conversation, side);
    leg.seat = { conversation, side };
    conversation.sit(side, { listener: leg });
  }

  async function end(name: string): Promise<Recorded | undefined> {
    const conversation = conversations.get(name);
    if (!conversation) return undefined;
    conversations.delete(name);
    clear(conversation, 'agent');
    clear(conversation, 'other');
    return conversation.end();
  }

  return {
    begin(name) {
      if (conversations.has(name)) return;
      if (conversations.size >= MOST_CONVERSATIONS) throw new Error(`There are ${MOST_CONVERSATIONS} conversations.`);
      conversations.set(
        name,
        createConversation({
          now,
          recordingFailed: (error) => hear({ kind: 'recording_failed', conversation: name, error }),
          partyFailed: warn,
        }),
      );
      wind();
    },
    async connect(name, sdp) {
      const offer = readOffer(sdp);
      const leg = legOf(name);
      if (leg.connection?.isOf(offer)) return leg.connection.answer(offer);
      const fingerprint = await handshakes.fingerprint();
      const { socket, port } = await ports.open();
      // It may have been taken down meanwhile, and another have its place.
      let current: Leg;
      try {
        current = legOf(name);
      } catch (error) {
        socket.close();
        throw error;
      }
      const connection = createConnection(
        offer,
        { socket, port, addresses: ports.addresses, fingerprint, handshakes, now },
        {
          frame: (source, sequence, timestamp, payload) =>
            guard(() => current.seat?.conversation.hear(current.seat.side, source, sequence, timestamp, payload)),
          connected() {
            if (current.connection !== connection) return;
            current.lostAt = undefined;
            hear({ kind: 'connected', leg: name });
          },
          lost() {
            if (current.connection !== connection) return;
            current.lostAt = now();
            hear({ kind: 'lost', leg: name });
          },
        },
      );
      closeConnection(current);
      current.connection = connection;
      return connection.answer(offer);
    },
    disconnect(name) {
      const leg = legs.get(name);
      if (!leg) return;
      leaveSeat(leg);
      closeConnection(leg);
      legs.delete(name);
    },
    attach(name, side, legName) {
      const conversation = find(name);
      if (conversation) seat(legOf(legName), conversation, side);
    },
    async attachParty(name, { module, options }) {
      const conversation = find(name);
      if (!conversation) return;
      clear(conversation, 'other');
      conversation.sit('other', {});
      // Loading takes a while; whoever is seated there meanwhile stays.
      const kept = conversation.seats.other;
      const { createParty } = (await import(module)) as { createParty: (options: unknown) => Party | Promise<Party> };
      const party = await createParty(options);
      if (conversation.seats.other === kept) conversation.sit('other', { party });
    },
    play: (name, tone) => find(name)?.play(tone),
    hold: (name, by, on) => find(name)?.hold(by, on),
    sendDigits: (name, digits) => find(name)?.sendDigits(digits),
    record: (name, file, announced, since = clock(), written = 0) =>
      find(name)?.record(file, announced, now() - Math.max(0, clock() - since), written),
    pauseRecording: (name, on) => find(name)?.pauseRecording(on),
    async join(name, into, at = 'agent') {
      const [first, second] = [find(name), find(into)];
      if (first && second) {
        const { party } = first.seats.other;
        const leg = [...legs.values()].find(
          ({ seat: where }) => where?.conversation === first && where.side === 'other',
        );
        for (const side of ['agent', 'other'] as const) second.hold(side, false);
        second.play(null);
        if (leg) seat(leg, second, at);
        else {
          clear(second, at);
          second.sit(at, party ? { party } : {});
        }
      }
      return end(name);
    },
    end,
    async stop() {
      clearTimeout(timer);
      for (const leg of legs.values()) closeConnection(leg);
      legs.clear();
      await Promise.all([...conversations.keys()].map(end));
      await handshakes.stop();
    },
  };
}
