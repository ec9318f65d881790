/**
 * The lead in hand at the desk, and nothing but that: no browser, no service.
 *
 *               give                        take, call
 *   ┌───────┐ ────────► ┌───────┐ ─────────────────────► ┌───────┐ ───┐ take,
 *   │ empty │           │ given │ ──┐ goOn               │ taken │    │ call
 *   └───────┘ ◄──────── └───────┘ ◄─┘ ◄───────────────── └───────┘ ◄──┘
 *       │      it has     │   ▲          give, goOn        │   ▲
 *       │         none    │   │                            │   │
 *       │            save │   │ rest, advance or goOn save │   │ rest
 *       │                 ▼   │ to the next one            ▼   │
 *       │               ┌────────────────────────────────────────┐
 *       │               │                 saving                 │
 *       │               └────────────────────────────────────────┘
 *       │ take, call: from each of them → taken
 *       └ leave:      from each of them → left, for good
 *
 * Answers take their time. What is asked for is asked for in a turn, and another turn begins with whoever reaches for a lead, is called, or
 * leaves: what then comes for the turn before is not wanted any more. Each step says which leads it has left nobody in need of; they are to be let go.
 *
 * Without an outcome or with one, on to the next lead is one road: the queue is asked for one that does not lie behind. What it forecasts is not looked at.
 */

type Common = {
  readonly turn: number;
  /** Those that were gone past without an outcome. They keep their place, and come again after the others. */
  readonly past: readonly number[];
};
type Empty = Common & { readonly is: 'empty' };
/** The queue's. */
type Given = Common & { readonly is: 'given'; readonly lead: number };
/** Opened by hand, or by a call. */
type Taken = Common & { readonly is: 'taken'; readonly lead: number };
/** Its outcome is on its way; `was` is what it becomes again when that is refused. */
type Saving = Common & { readonly is: 'saving'; readonly lead: number; readonly was: 'given' | 'taken' };
type Left = { readonly is: 'left' };

type Present = Empty | Given | Taken | Saving;
export type Holding = Given | Taken;
export type Hand = Present | Left;
export type { Saving };

/** `loose`: to be let go of. */
export type Step = { hand: Hand; loose: number[] };

const MOST_PAST = 50;

export const begin = (lead: number | undefined): Present => from({ turn: 0, past: [] }, lead);

const from = ({ turn, past }: Common, lead: number | undefined): Empty | Given =>
  lead === undefined ? { is: 'empty', turn, past } : { is: 'given', turn, past, lead };

export const leadIn = (hand: Hand): number | undefined => ('lead' in hand ? hand.lead : undefined);

export const isHolding = (hand: Hand, lead: number): hand is Holding =>
  (hand.is === 'given' || hand.is === 'taken') && hand.lead === lead;

/** Whether what was asked for in that turn is still wanted. */
export const isWanted = (hand: Hand, turn: number): hand is Present => hand.is !== 'left' && hand.turn === turn;

/** What is in hand is never let go of by mistake. */
export const spare = (hand: Hand, lead: number | undefined): Step => ({
  hand,
  loose: lead === undefined || lead === leadIn(hand) ? [] : [lead],
});

/** What the queue says without having been asked by hand. Only whoever has nothing else in hand follows it. */
export const hear = (hand: Hand, lead: number | undefined): Hand =>
  (hand.is === 'empty' || hand.is === 'given') && leadIn(hand) !== lead ? from(hand, lead) : hand;

/** What the queue gave to whoever asked for it. */
export const give = (hand: Hand, turn: number, lead: number | undefined): Step =>
  isWanted(hand, turn) ? { hand: from({ turn, past: [] }, lead), loose: [] } : spare(hand, lead);

/** What the queue gave to whoever went past the lead in hand. With no other it stays in hand. */
export function goOn(hand: Hand, turn: number, lead: number | undefined, past: readonly number[]): Step {
  if (!isWanted(hand, turn) || lead === undefined) return spare(hand, lead);
  const given = from({ turn, past: past.slice(-MOST_PAST) }, lead);
  return hand.is === 'saving' ? { hand: given, loose: [] } : spare(given, leadIn(hand));
}

/** Another lead is asked for: with it another turn begins. */
export const reach = (hand: Present): Present => ({ ...hand, turn: hand.turn + 1 });

/** It is ours. What was in hand before is free, unless it is being saved: that sets it free itself. */
export function take(hand: Hand, turn: number, lead: number): Step {
  if (!isWanted(hand, turn)) return spare(hand, lead);
  const taken = become(hand, lead);
  return hand.is === 'saving' ? { hand: taken, loose: [] } : spare(taken, leadIn(hand));
}

/** A call opens its lead, wherever it was begun. What was in hand before is kept for when it is over. */
export const call = (hand: Present, lead: number): Taken => become(hand, lead);

const become = ({ turn, past }: Present, lead: number): Taken => ({ is: 'taken', turn: turn + 1, past, lead });

export const save = ({ is: was, turn, past, lead }: Holding): Saving => ({ is: 'saving', turn, past, lead, was });

const isSaving = (hand: Hand, { lead }: Saving): hand is Saving => hand.is === 'saving' && hand.lead === lead;

const resume = ({ was, turn, past, lead }: Saving): Holding => ({ is: was, turn, past, lead });

/** Saved without another to go on to, or refused: it stays in hand, where it still is. */
export const rest = (hand: Hand, saving: Saving): Step =>
  isSaving(hand, saving) ? { hand: resume(hand), loose: [] } : spare(hand, saving.lead);

/** Saved, and on to another. */
export function advance(hand: Hand, saving: Saving, lead: number, past: readonly number[]): Step {
  if (!isSaving(hand, saving)) return spare(hand, lead);
  return isWanted(hand, saving.turn) ? goOn(hand, saving.turn, lead, past) : spare(resume(hand), lead);
}

/** Whoever leaves lets go of the lead; not of one that they are talking to, nor of one that is being saved. */
export const leave = (hand: Present, isTalking: boolean): Step => ({
  hand: { is: 'left' },
  loose: (hand.is === 'given' || hand.is === 'taken') && !isTalking ? [hand.lead] : [],
});
