import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ListRow } from '../../contract/lists.ts';
import { ask, queries } from '../api.ts';
import { keysRest, useKeys } from '../keys.ts';
import { useQueues } from '../live.ts';
import { useSession } from '../session.ts';
import { notice, tellFailure } from '../ui/notices.ts';
import { offer } from '../ui/offer.tsx';
import { Failure, Loading } from '../ui/parts.tsx';
import { keepDraft, type Draft } from '../outcomes/draft.ts';
import { Idle } from './idle.tsx';
import { useLine } from './line.ts';
import { OpenLead } from './open-lead.tsx';
import { aheadQuery, goPast, nextQuery, type Given } from './queries.ts';
import { sayDone } from '../outcomes/save.ts';
import { Softphone } from './softphone.tsx';
import { Strip } from './strip.tsx';

type Props = { lists: ListRow[]; listId: number; choose: (id: number) => void };

type Saved = { leadId: number; draft: Draft };

export function Desk({ lists, listId, choose }: Props) {
  const next = useQuery(nextQuery(listId));
  const [past, setPast] = useState<number[]>([]);
  const ahead = useQuery({ ...aheadQuery(listId, past), enabled: next.isFetched }).data;
  const line = useLine();
  const [byHand, setByHand] = useState<number>();
  const [saved, setSaved] = useState<Saved>();
  const { user } = useSession();
  const leadId = byHand ?? (next.error ? undefined : next.data?.lead?.id);
  // What is on the screen is never let go of by mistake, and whoever opens another by hand, calls, or leaves no longer wants what was asked for before.
  const shown = useRef(leadId);
  shown.current = leadId;
  const openings = useRef(0);
  useEffect(
    () => () => {
      openings.current += 1;
      shown.current = undefined;
    },
    [],
  );
  const show = (id: number) => {
    openings.current += 1;
    shown.current = id;
    setByHand(id);
  };
  const release = async (lead: { id: number } | null | undefined) => {
    if (lead && lead.id !== shown.current) await letGo(lead.id);
  };
  // A call opens its lead, whichever list it is in and wherever it was begun, and the lead stays when it is over.
  const talkingAbout = line.isTalking ? line.call?.lead_id : undefined;
  useEffect(() => {
    if (talkingAbout) show(talkingAbout);
  }, [talkingAbout]);

  const again = async () => {
    const before = openings.current;
    setPast([]);
    const { isSuccess, data } = await next.refetch();
    if (!isSuccess) return;
    // Another was opened while this one was asked for.
    if (openings.current === before) setByHand(undefined);
    else await release(data.lead);
  };
  const open = async (id: number, draft?: Draft) => {
    if (line.isTalking) {
      notice('You are in a call. Hang up first.');
      return;
    }
    openings.current += 1;
    await ask('POST', `/leads/${id}/hold`, { input: true });
    if (draft) keepDraft({ userId: user.id, leadId: id }, draft);
    show(id);
    if (leadId !== undefined) await release({ id: leadId });
    void queries.invalidateQueries({ queryKey: ['ahead'] });
  };
  const openOrTell = (id: number, draft?: Draft) => void open(id, draft).catch(tellFailure);
  // Past the lead that is open, which keeps its place and its draft.
  const goOn = () => {
    if (leadId === undefined || !ahead?.next) return void again();
    if (!line.isTalking) setPast((before) => [...before, leadId].slice(-MOST_PAST));
    return void open(ahead.next.id).catch(again);
  };
  const reopen = () => {
    if (!saved) return;
    open(saved.leadId, saved.draft).then(() => notifications.hide(noticeOf(saved.leadId)), tellFailure);
  };
  const releasing = useRef<Promise<void>>(undefined);
  // The next lead is asked for in the same breath as the outcome is sent.
  const finish = async (save: () => Promise<void>, lead: { id: number; name: string }, draft: Draft) => {
    // What came for a save that was refused is given back first, or it would be given once more.
    await releasing.current;
    const before = openings.current;
    const going = goPast(listId, lead.id).catch(() => undefined);
    try {
      await save();
    } catch (error) {
      releasing.current = going.then((other) => release(other?.lead));
      throw error;
    }
    const other = await going;
    tellSaved(lead, draft);
    if (openings.current !== before) await release(other?.lead);
    // With no other lead it may be this one's turn again.
    else if (!other?.lead) await again();
    else {
      setPast([]);
      other.show();
      setByHand(undefined);
    }
  };
  const tellSaved = (lead: { id: number; name: string }, draft: Draft) => {
    if (saved) notifications.hide(noticeOf(saved.leadId));
    setSaved({ leadId: lead.id, draft: { ...draft, note: draft.asText ? '' : draft.note, asText: false, key: '' } });
    offer({
      id: noticeOf(lead.id),
      title: sayDone(draft),
      message: lead.name,
      act: 'Reopen',
      hint: 'Z',
      onAct: () => current.current(),
      onClose: () => setSaved((now) => (now?.leadId === lead.id ? undefined : now)),
    });
  };
  useLeaving(listId, line.isTalking ? undefined : leadId);
  const current = useRef(reopen);
  current.current = reopen;

  const lookAgain = () => void again();
  useDue(listId, next.data, byHand !== undefined, lookAgain);
  useKeys({ n: goOn, z: reopen });
  const doing = line.isTalking ? (line.call?.state === 'active' ? 'On a call' : 'Calling') : 'Ready';
  return (
    <>
      <Strip
        lists={lists}
        listId={listId}
        choose={choose}
        doing={doing}
        ahead={ahead}
        next={leadId === undefined ? undefined : goOn}
      />
      {next.error && <Failure error={next.error} again={lookAgain} />}
      {next.isPending && <Loading rows={10} />}
      {leadId !== undefined && (
        <OpenLead key={leadId} leadId={leadId} line={line} advance={lookAgain} finish={finish} />
      )}
      {next.data && !next.error && leadId === undefined && (
        <>
          {(line.call || line.ringing) && <Softphone line={line} phones={[]} last={undefined} />}
          <Idle lists={lists} listId={listId} choose={choose} ahead={ahead} open={openOrTell} again={lookAgain} />
        </>
      )}
    </>
  );
}

const MOST_PAST = 50;

const letGo = (leadId: number) => ask('DELETE', `/leads/${leadId}/hold`).catch(() => undefined);

/** Whoever leaves the desk, or this list, lets go of the lead; not of one that they are talking to. */
function useLeaving(listId: number, leadId: number | undefined): void {
  const open = useRef(leadId);
  open.current = leadId;
  useEffect(
    () => () => {
      if (open.current !== undefined) void letGo(open.current);
      queries.removeQueries({ queryKey: nextQuery(listId).queryKey });
    },
    [listId],
  );
}

const noticeOf = (leadId: number) => `saved ${leadId}`;

/** With nothing to do, the next lead opens by itself: when it falls due, or when something new is there. Whoever is typing is asked. */
function useDue(listId: number, given: Given | undefined, isBusy: boolean, again: () => void): void {
  const depth = useQueues().find(({ list_id }) => list_id === listId);
  const waiting = given !== undefined && given.lead === null && !isBusy;
  const due = given?.next_due_at;
  const look = useRef(again);
  look.current = () => {
    if (!keysRest(document.activeElement)) return again();
    offer({ id: 'due', title: 'A lead has fallen due', message: 'It waits for you.', act: 'Open it', onAct: again });
  };
  useEffect(() => {
    if (!waiting || !due) return undefined;
    const timer = setTimeout(() => look.current(), Math.min(2 ** 31 - 1, Math.max(500, Date.parse(due) - Date.now())));
    return () => clearTimeout(timer);
  }, [waiting, due]);
  const there = (depth?.due ?? 0) + (depth?.new ?? 0);
  useEffect(() => {
    if (waiting && there > 0) look.current();
  }, [waiting, there]);
}
