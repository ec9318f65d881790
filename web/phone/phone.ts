import type { FromPage } from '../../contract/phones.ts';

/**
 * The telephone of one page, and nothing but that: no browser, no service.
 *
 * The wire, by which page and service speak about sound; there is one for as long as there is a call:
 *
 *   ┌────────┐  follow   ┌─────────┐  opened   ┌──────┐
 *   │ closed │ ────────► │ opening │ ────────► │ open │
 *   └────────┘           └─────────┘           └──────┘
 *        ▲                 │     ▲                │
 *        │           broke │     │ retry          │ broke
 *        │                 ▼     │                ▼
 *        │               ┌──────────────────────────┐
 *        │               │ waiting, longer each time│
 *        │               └──────────────────────────┘
 *        └ follow without a call: from each of them
 *
 * Sound, of the call that goes on, while the telephone is ours:
 *
 *   ┌──────┐ follow, told  ┌────────┐ ready  ┌──────────┐ answered  ┌────────────┐ joined  ┌───────────┐
 *   │ none │ ────────────► │ asking │ ─────► │ offering │ ────────► │ connecting │ ──────► │ connected │
 *   └──────┘               └────────┘        └──────────┘           └────────────┘         └───────────┘
 *      ▲                                      │    ▲  ▲                │                     │    ▲
 *      │                              refused │    │  │   late, failed │              parted │    │ joined
 *      │                                      ▼    │  └────────────────┤                     ▼    │
 *      │                              ┌─────────┐  │                   │                 ┌──────────┐
 *      │                              │ refused │ ─┘ again             └──────────────── │   lost   │
 *      │                              └─────────┘                        late, failed    └──────────┘
 *      └ another call or none, or the telephone is another page's: from each of them
 *
 * Offers are counted, and what is said of one that is not the last is not listened to. The first after a loss starts the connection there is
 * again; should that not help, each after it makes another. Each step says what is to be done now, in this order.
 */

export type Wire =
  | { readonly is: 'closed' }
  | { readonly is: 'opening' | 'open' | 'waiting'; /** Attempts that came to nothing. */ readonly tries: number };

/** `losses`: how often in a row sound did not come about, or was lost. */
type Losses = { readonly losses: number };
export type Sound =
  | { readonly is: 'none' }
  /** For the microphone. `isReady`: it has come, or is not waited for any longer. */
  | { readonly is: 'asking'; readonly isReady: boolean }
  | (Losses & { readonly is: 'offering'; readonly isGathered: boolean })
  | (Losses & { readonly is: 'connecting' | 'lost' })
  | { readonly is: 'connected' }
  | { readonly is: 'refused'; readonly reason: string };

export type Phone = {
  /** Of this page. */
  readonly id: string;
  readonly wire: Wire;
  readonly whose: 'nobody knows' | 'ours' | 'another’s';
  /** To become ours, whose ever it is. */
  readonly isTaking: boolean;
  readonly call: number | undefined;
  readonly sound: Sound;
  /** The number of the last offer. */
  readonly offer: number;
};

export type Act =
  | { readonly do: 'open wire' | 'close wire' | 'ask for microphone' | 'accept' | 'hang up' }
  | { readonly do: 'retry'; readonly afterMs: number }
  | { readonly do: 'say'; readonly message: FromPage & { kind: 'here' } }
  /** `isAnew`: by another connection, not by the one there is. `gatherMs`: so long the browser may look for its addresses. */
  | { readonly do: 'make offer'; readonly no: number; readonly isAnew: boolean; readonly gatherMs: number }
  | { readonly do: 'send offer'; readonly call: number; readonly no: number }
  /** To be told that it is late, unless it has gone on by then. */
  | { readonly do: 'watch'; readonly no: number; readonly afterMs: number };

export type Step = { readonly phone: Phone; readonly acts: readonly Act[] };

const NONE: Sound = { is: 'none' };
const FIRST_RETRY_MS = 500;
/** Without a wire nobody knows that this page is there, and after ten seconds its call is ended. */
const LAST_RETRY_MS = 2_000;
/** A relay to another machine takes its time; an answer that took longer was lost. */
const ANSWER_MS = 5_000;
const CONNECT_MS = 6_000;
/** Addresses that come later are found by trying; only where that did not help are they waited for. */
const GATHER_MS = 500;
const GATHER_LONGER_MS = 3_000;
/** A moment without a way through is often over by itself. */
const HEAL_MS = 2_000;
const LAST_WATCH_MS = 20_000;

/** `offer`: the number of the last one that this page made before it was loaded again. */
export const begin = (id: string, offer = 0): Phone => ({
  id,
  wire: { is: 'closed' },
  whose: 'nobody knows',
  isTaking: false,
  call: undefined,
  sound: NONE,
  offer,
});

const still = (phone: Phone): Step => ({ phone, acts: [] });

const slower = (firstMs: number, times: number, lastMs: number) => Math.min(lastMs, firstMs * 2 ** times);

/** The call with sound that goes on, or none. `isBegunHere`: dialled or answered on this page, which so becomes the telephone. */
export function follow(phone: Phone, call: number | undefined, isBegunHere: boolean): Step {
  if (call === phone.call) return still(phone);
  const acts: Act[] = phone.sound.is === 'none' ? [] : [{ do: 'hang up' }];
  if (call === undefined) {
    if (phone.wire.is !== 'closed') acts.push({ do: 'close wire' });
    return { phone: { ...begin(phone.id, phone.offer), call }, acts };
  }
  const isTaking = isBegunHere && phone.whose !== 'ours';
  const isAsking = isBegunHere || phone.whose === 'ours';
  const sound: Sound = isAsking ? { is: 'asking', isReady: false } : NONE;
  const next: Phone = { ...phone, call, sound, isTaking: phone.isTaking || isTaking };
  if (isAsking) acts.push({ do: 'ask for microphone' });
  if (phone.wire.is === 'closed') {
    acts.push({ do: 'open wire' });
    return { phone: { ...next, wire: { is: 'opening', tries: 0 } }, acts };
  }
  if (isTaking && phone.wire.is === 'open') acts.push(sayHere(next));
  return { phone: next, acts };
}

const sayHere = ({ id, isTaking }: Phone): Act => ({
  do: 'say',
  message: { kind: 'here', phone: id, take: isTaking },
});

export function opened(phone: Phone): Step {
  if (phone.wire.is !== 'opening') return still(phone);
  return { phone: { ...phone, wire: { is: 'open', tries: 0 } }, acts: [sayHere(phone)] };
}

/** The wire is gone, or never came about. Sound that is connected goes on without it. */
export function broke(phone: Phone): Step {
  if (phone.wire.is !== 'opening' && phone.wire.is !== 'open') return still(phone);
  const tries = phone.wire.tries + 1;
  return {
    phone: { ...phone, wire: { is: 'waiting', tries } },
    acts: [{ do: 'retry', afterMs: slower(FIRST_RETRY_MS, tries - 1, LAST_RETRY_MS) }],
  };
}

export function retry(phone: Phone): Step {
  if (phone.wire.is !== 'waiting') return still(phone);
  return { phone: { ...phone, wire: { is: 'opening', tries: phone.wire.tries } }, acts: [{ do: 'open wire' }] };
}

/** The service was away and is back: a wire from before may be dead without a word. */
export function renew(phone: Phone): Step {
  if (phone.wire.is === 'waiting') return retry(phone);
  if (phone.wire.is === 'closed') return still(phone);
  return { phone: { ...phone, wire: { is: 'opening', tries: 0 } }, acts: [{ do: 'close wire' }, { do: 'open wire' }] };
}

/** The service says whether this page is the telephone. */
export function told(phone: Phone, isOurs: boolean): Step {
  // By a wire that is gone by now: the next says it anew.
  if (phone.wire.is !== 'open') return still(phone);
  if (!isOurs) {
    // What was asked for at the same moment decides, not what was said before it.
    if (phone.isTaking) return still(phone);
    const acts: Act[] = phone.sound.is === 'none' ? [] : [{ do: 'hang up' }];
    return { phone: { ...phone, whose: 'another’s', sound: NONE }, acts };
  }
  const ours: Phone = { ...phone, whose: 'ours', isTaking: false };
  if (ours.call === undefined) return still(ours);
  if (ours.sound.is === 'none') {
    return { phone: { ...ours, sound: { is: 'asking', isReady: false } }, acts: [{ do: 'ask for microphone' }] };
  }
  if (ours.sound.is === 'asking' && ours.sound.isReady) return makeOffer(ours, 0, true);
  // Said into a wire that broke.
  if (ours.sound.is === 'offering' && ours.sound.isGathered) return { phone: ours, acts: [sendOffer(ours.call, ours)] };
  return still(ours);
}

/** By hand: "Use it here". */
export function take(phone: Phone): Step {
  if (phone.call === undefined || phone.whose === 'ours') return still(phone);
  const taking: Phone = { ...phone, isTaking: true };
  return { phone: taking, acts: phone.wire.is === 'open' ? [sayHere(taking)] : [] };
}

/** The microphone has come, is not to be had, or is not waited for any longer: it can come later. */
export function ready(phone: Phone): Step {
  if (phone.sound.is !== 'asking' || phone.sound.isReady) return still(phone);
  if (phone.whose === 'ours' && !phone.isTaking) return makeOffer(phone, 0, true);
  return still({ ...phone, sound: { is: 'asking', isReady: true } });
}

function makeOffer(phone: Phone, losses: number, isAnew: boolean): Step {
  const no = phone.offer + 1;
  return {
    phone: { ...phone, offer: no, sound: { is: 'offering', isGathered: false, losses } },
    acts: [
      { do: 'make offer', no, isAnew, gatherMs: losses === 0 ? GATHER_MS : GATHER_LONGER_MS },
      { do: 'watch', no, afterMs: slower(ANSWER_MS, losses, LAST_WATCH_MS) },
    ],
  };
}

const sendOffer = (call: number, { offer }: Phone): Act => ({ do: 'send offer', call, no: offer });

/** The offer is made, with all the addresses that the browser found in time. */
export function gathered(phone: Phone, no: number): Step {
  const { sound, call } = phone;
  if (sound.is !== 'offering' || sound.isGathered || no !== phone.offer || call === undefined) return still(phone);
  return {
    phone: { ...phone, sound: { ...sound, isGathered: true } },
    acts: phone.wire.is === 'open' && phone.whose === 'ours' ? [sendOffer(call, phone)] : [],
  };
}

export function answered(phone: Phone, call: number, no: number): Step {
  const { sound } = phone;
  if (sound.is !== 'offering' || no !== phone.offer || call !== phone.call) return still(phone);
  return {
    phone: { ...phone, sound: { is: 'connecting', losses: sound.losses } },
    acts: [{ do: 'accept' }, { do: 'watch', no, afterMs: slower(CONNECT_MS, sound.losses, LAST_WATCH_MS) }],
  };
}

export function refused(phone: Phone, call: number, no: number, reason: string): Step {
  if (phone.sound.is !== 'offering' || no !== phone.offer || call !== phone.call) return still(phone);
  return { phone: { ...phone, sound: { is: 'refused', reason } }, acts: [{ do: 'hang up' }] };
}

/** By hand, after a refusal: "Try again". */
export const again = (phone: Phone): Step => (phone.sound.is === 'refused' ? makeOffer(phone, 0, true) : still(phone));

/** Sound goes through. */
export const joined = (phone: Phone): Step =>
  phone.sound.is === 'connecting' || phone.sound.is === 'lost'
    ? still({ ...phone, sound: { is: 'connected' } })
    : still(phone);

/** Nothing goes through just now. */
export function parted(phone: Phone): Step {
  if (phone.sound.is !== 'connected') return still(phone);
  return {
    phone: { ...phone, sound: { is: 'lost', losses: 0 } },
    acts: [{ do: 'watch', no: phone.offer, afterMs: HEAL_MS }],
  };
}

/** The browser has given the connection up. */
export function failed(phone: Phone): Step {
  const { sound } = phone;
  // The first that failed is watched: what failed at once would do so again.
  if (sound.is === 'connected') return makeOffer(phone, 1, false);
  return sound.is === 'lost' ? makeOffer(phone, sound.losses + 1, false) : still(phone);
}

/** What was to be over by now is not. */
export function late(phone: Phone, no: number): Step {
  const { sound, wire } = phone;
  if (no !== phone.offer) return still(phone);
  if (sound.is === 'lost') return makeOffer(phone, sound.losses + 1, false);
  if (sound.is === 'connecting') return makeOffer(phone, sound.losses + 1, true);
  if (sound.is !== 'offering') return still(phone);
  const { phone: offering, acts } = makeOffer(phone, sound.losses + 1, true);
  // Nobody hears of some wires that they are dead.
  if (wire.is !== 'open') return { phone: offering, acts };
  return {
    phone: { ...offering, wire: { is: 'opening', tries: wire.tries } },
    acts: [{ do: 'close wire' }, { do: 'open wire' }, ...acts],
  };
}
