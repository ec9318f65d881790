import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ListRow } from '../../contract/lists.ts';
import { keysRest, useKeys } from '../keys.ts';
import { useQueues } from '../live.ts';
import { useSession } from '../session.ts';
import { tellFailure } from '../ui/notices.ts';
import { offer } from '../ui/offer.tsx';
import { Failure, Loading } from '../ui/parts.tsx';
import { keepDraft, type Draft } from '../outcomes/draft.ts';
import { leadIn } from './hand.ts';
import { Idle } from './idle.tsx';
import { useLine } from './line.ts';
import { OpenLead } from './open-lead.tsx';
import { aheadQuery, type Given } from './queries.ts';
import { sayDone } from '../outcomes/save.ts';
import { Softphone } from './softphone.tsx';
import { Strip } from './strip.tsx';
import { useHand } from './use-hand.ts';

type Props = { lists: ListRow[]; listId: number; choose: (id: number) => void };

type Saved = { leadId: number; draft: Draft };

/** One lead after the other. A call opens its lead, whichever list it is in and wherever it was begun, and the lead stays when it is over. */
export function Desk({ lists, listId, choose }: Props) {
  const line = useLine();
  const { hand, next, look, open, goOn, finish } = useHand(listId, line);
  const leadId = leadIn(hand);
  const past = hand.is === 'left' ? [] : hand.past;
  const ahead = useQuery({ ...aheadQuery(listId, past), enabled: next.isFetched }).data;
  const [saved, setSaved] = useState<Saved>();
  const { user } = useSession();

  const openDraft = (id: number, draft: Draft) => open(id, () => keepDraft({ userId: user.id, leadId: id }, draft));
  const reopen = () => {
    if (!saved) return;
    openDraft(saved.leadId, saved.draft).then(() => notifications.hide(noticeOf(saved.leadId)), tellFailure);
  };
  // A notice outlives the drawing it was made in.
  const current = useRef(reopen);
  current.current = reopen;
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
  const finishAndTell = (save: () => Promise<void>, lead: { id: number; name: string }, draft: Draft) =>
    finish(lead.id, async () => {
      await save();
      tellSaved(lead, draft);
    });

  const lookAgain = () => void look();
  const goPast = () => goOn(ahead?.next);
  // With nothing in hand, the queue's answer that there is nothing.
  const nothing = hand.is === 'empty' && next.data?.lead === null ? next.data : undefined;
  useDue(listId, nothing, lookAgain);
  useKeys({ n: goPast, z: reopen });
  const doing = line.isTalking ? (line.call?.state === 'active' ? 'On a call' : 'Calling') : 'Ready';
  return (
    <>
      <Strip
        lists={lists}
        listId={listId}
        choose={choose}
        doing={doing}
        ahead={ahead}
        next={leadId === undefined ? undefined : goPast}
      />
      {next.error && <Failure error={next.error} again={lookAgain} />}
      {next.isPending && <Loading rows={10} />}
      {leadId !== undefined && (
        <OpenLead key={leadId} leadId={leadId} line={line} advance={lookAgain} finish={finishAndTell} />
      )}
      {nothing && !next.error && (
        <>
          {(line.call || line.ringing) && <Softphone line={line} phones={[]} last={undefined} />}
          <Idle
            lists={lists}
            listId={listId}
            choose={choose}
            ahead={ahead}
            open={(id) => void open(id).catch(tellFailure)}
            again={lookAgain}
          />
        </>
      )}
    </>
  );
}

const noticeOf = (leadId: number) => `saved ${leadId}`;

/** With nothing to do, the next lead opens by itself: when it falls due, or when something new is there. Whoever is typing is asked. */
function useDue(listId: number, given: Given | undefined, again: () => void): void {
  const depth = useQueues().find(({ list_id }) => list_id === listId);
  const waiting = given !== undefined;
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
