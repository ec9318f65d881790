import { useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { ask, queries } from '../api.ts';
import { leadQuery, nameLead, nameOpen, type Lead } from '../leads/queries.ts';
import { notice } from '../ui/notices.ts';
import { carryDrafts, hasDraft } from '../outcomes/draft.ts';
import { useSession } from '../session.ts';
import { goOnUnlessTyping } from './going-on.ts';
import * as hands from './hand.ts';
import type { LineState } from '../line.ts';
import { goPast, nextQuery } from './queries.ts';

const letGo = (leadId: number) => ask('DELETE', `/leads/${leadId}/hold`).catch(() => undefined);

/** The lead in hand, and what the service has to be asked for to move on from it. */
export function useHand(listId: number, line: LineState) {
  const next = useQuery(nextQuery(listId));
  const queued = next.error ? undefined : next.data?.lead?.id;
  const [hand, draw] = useState<hands.Hand>(() => hands.begin(queued));
  // As it is now, for answers that come later than it was drawn.
  const now = useRef(hand);
  const move = async ({ hand: moved, loose }: hands.Step): Promise<void> => {
    now.current = moved;
    draw(moved);
    await Promise.all(loose.map(letGo));
  };
  const become = (moved: hands.Hand) => void move({ hand: moved, loose: [] });

  const talking = useRef(line.isTalking);
  talking.current = line.isTalking;
  useEffect(() => {
    // Drawn a second time, as it is while one works on the pages.
    if (now.current.is === 'left') become(hands.begin(queued));
    return () => {
      if (now.current.is !== 'left') void move(hands.leave(now.current, talking.current));
      queries.removeQueries({ queryKey: nextQuery(listId).queryKey });
    };
  }, [listId]);
  // Before it is drawn, as there would be nothing to draw.
  useLayoutEffect(() => become(hands.hear(now.current, queued)), [queued]);
  // Whoever is only asked has the lead of the call when it is theirs.
  const talkingAbout = line.isTalking && !line.call?.asks ? line.call?.lead_id : undefined;
  const { user } = useSession();
  const callBefore = useRef<{ id: number; lead: number }>(undefined);
  useEffect(() => {
    if (!talkingAbout || now.current.is === 'left') return;
    const { id } = line.call!;
    const before = callBefore.current;
    callBefore.current = { id, lead: talkingAbout };
    // The lead of a call becomes another only where it is merged. Into one that is not ours to see nobody is taken.
    if (before?.id === id && before.lead !== talkingAbout && hands.isHolding(now.current, before.lead))
      queries.fetchQuery(leadQuery(talkingAbout)).then(
        (survivor) => follow(before.lead, survivor),
        () => undefined,
      );
    else become(hands.call(now.current, talkingAbout));
  }, [talkingAbout]);

  /** The lead whose note was typed in as the one before it became part of it. */
  const typedIn = useRef<number>(undefined);
  /** The lead in hand was merged into another, which is open now, with what was written. */
  const follow = (gone: number, survivor: Lead, typing = document.activeElement?.id === 'note') => {
    if (!hands.isHolding(now.current, gone)) return;
    carryDrafts(user.id, gone, survivor.id);
    if (typing) typedIn.current = survivor.id;
    // Drawn at once: nobody types into nothing.
    queries.setQueryData(leadQuery(survivor.id).queryKey, survivor);
    become(hands.call(now.current, survivor.id));
    notice(`This lead is part of ${nameLead(survivor)} now, which is open with all that you wrote.`);
    // The call before was with it.
    void queries.invalidateQueries({ queryKey: ['line'] });
  };

  /** Asks the queue. */
  const askQueue = async (): Promise<void> => {
    if (now.current.is === 'left') return;
    const { turn } = now.current;
    const { isSuccess, data } = await next.refetch();
    if (isSuccess) await move(hands.give(now.current, turn, data.lead?.id));
  };

  // A colleague has it now, with its call.
  const given = !line.isTalking && line.passedOn?.became === 'taken' ? line.passedOn : undefined;
  useEffect(() => {
    if (given?.lead_id && hands.leadIn(now.current) === given.lead_id)
      goOnUnlessTyping(
        () => void look(),
        {
          id: 'passed on',
          title: 'A colleague has the call and its lead',
          message: nameOpen(given.lead_id),
          act: 'Go on',
        },
        hasDraft({ userId: user.id, leadId: given.lead_id }),
      );
  }, [given?.id]);

  const refuseInCall = (): boolean => {
    if (!talking.current) return false;
    const lead = line.call?.lead_id && queries.getQueryData(leadQuery(line.call.lead_id).queryKey);
    notice(`You are in a call${lead ? ` with ${nameLead(lead)}` : ''}. Hang up first.`);
    return true;
  };

  /** The same by itself or by hand, but not away from the lead of a call. */
  const look = async (): Promise<void> => {
    if (hands.leadIn(now.current) === undefined || !refuseInCall()) await askQueue();
  };

  // The one being opened by hand. Pressed twice it is opened once: what came for the first would be let go of, and with it what came for the second.
  const opening = useRef<number>(undefined);
  /** Another, by hand. `prepare` is done between its being ours and its being shown. */
  const open = async (id: number, prepare?: () => void): Promise<void> => {
    if (now.current.is === 'left') return;
    if (refuseInCall() || opening.current === id) return;
    const reaching = hands.reach(now.current);
    become(reaching);
    opening.current = id;
    try {
      await ask('POST', `/leads/${id}/hold`, { input: true });
    } finally {
      if (opening.current === id) opening.current = undefined;
    }
    prepare?.();
    await move(hands.take(now.current, reaching.turn, id));
    void queries.invalidateQueries({ queryKey: ['ahead'] });
  };

  // The next lead, while it is on its way.
  const coming = useRef<ReturnType<typeof goPast>>(undefined);
  const askPast = ({ past, lead }: hands.Holding | hands.Saving) => {
    const asked = goPast(listId, past, lead);
    const over = () => {
      if (coming.current === asked) coming.current = undefined;
    };
    coming.current = asked;
    asked.then(over, over);
    return asked;
  };

  /** Past the lead in hand, which keeps its place and its draft. */
  const goOn = async (): Promise<void> => {
    const held = now.current;
    if (held.is === 'left') return;
    if (refuseInCall()) return;
    if (held.is === 'empty') return askQueue();
    const { lead } = held;
    // While it is being saved the next one is on its way already; asked for twice it would come twice.
    const isSaving = held.is === 'saving';
    if (coming.current && !isSaving) return;
    const asked = (isSaving && coming.current) || askPast(held);
    const reaching = hands.reach(held);
    become(reaching);
    const other = await asked;
    const past = isSaving ? other.past : [...other.past, lead];
    await move(hands.goOn(now.current, reaching.turn, other.lead, past));
    if (other.lead === undefined) notice('No other lead is waiting.');
    else if (hands.leadIn(now.current) === other.lead) other.show();
  };

  const givingBack = useRef<Promise<void>>(undefined);
  /** Saves an outcome and goes on: the next lead is asked for in the same breath as the outcome is sent. */
  const finish = async (leadId: number, save: () => Promise<void>): Promise<void> => {
    // What came for a save that was refused is given back first, or it would be given once more.
    await givingBack.current;
    await coming.current?.catch(() => undefined);
    const held = now.current;
    if (!hands.isHolding(held, leadId)) return save();
    const saving = hands.save(held);
    become(saving);
    const going = askPast(saving).catch(() => undefined);
    try {
      await save();
    } catch (error) {
      await move(hands.rest(now.current, saving));
      givingBack.current = going.then((other) => move(hands.spare(now.current, other?.lead)));
      throw error;
    }
    const other = await going;
    if (other?.lead !== undefined) {
      await move(hands.advance(now.current, saving, other.lead, other.past));
      if (hands.leadIn(now.current) === other.lead) other.show();
      return undefined;
    }
    // With no other lead it may be this one's turn again.
    const isWanted = hands.isWanted(now.current, saving.turn);
    await move(hands.rest(now.current, saving));
    return isWanted ? askQueue() : undefined;
  };

  return { hand, next, look, follow, typedIn, open, goOn, finish, refuseInCall };
}
