import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useRef, useState, type ComponentProps } from 'react';
import type { ListAtPages } from '../../contract/list-pages.ts';
import { useAddLead } from '../adding.ts';
import { newKey } from '../api.ts';
import { useKeys } from '../keys.ts';
import { useQueues, useStanding } from '../live.ts';
import { useRight, useSession } from '../session.ts';
import { notice, tellFailure } from '../ui/notices.ts';
import { offer } from '../ui/offer.tsx';
import { Failure, Loading } from '../ui/parts.tsx';
import { withKit } from '../ui/with-kit.tsx';
import { keepDraft, type Draft } from '../outcomes/draft.ts';
import { LeadPlace } from '../leads/local-time.tsx';
import { goOnUnlessTyping } from './going-on.ts';
import { leadIn } from './hand.ts';
import { Idle } from './idle.tsx';
import { useLine } from '../line.ts';
import { Away } from './status.tsx';
import { OpenLead } from './open-lead.tsx';
import { aheadQuery, type Given } from './queries.ts';
import { Softphone } from './softphone.tsx';
import { Strip } from './strip.tsx';
import { useHand } from './use-hand.ts';

type Props = {
  lists: ListAtPages[];
  listId: number;
  choose: (id: number) => void;
  /** The list, where it is not there any more: the lead in hand is finished, no other comes. */
  gone: ListAtPages | undefined;
  leave: () => void;
};

const AddLeadDialog = withKit(async () => (await import('../leads/add-lead-dialog.tsx')).AddLeadDialog);

type Saved = { leadId: number; draft: Draft };

/** One lead after the other. A call opens its lead, whichever list it is in and wherever it was begun, and the lead stays when it is over. */
export function Desk({ lists, listId, choose, gone, leave }: Props) {
  const line = useLine();
  const { hand, next, look, follow, typedIn, open, goOn, finish, refuseInCall } = useHand(listId, line);
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
  const tellSaved = (lead: { id: number; name: string }, draft: Draft, said: string) => {
    if (gone) {
      // From the page that comes then nothing is opened again.
      notice(lead.name, said);
      return;
    }
    if (saved) notifications.hide(noticeOf(saved.leadId));
    setSaved({
      leadId: lead.id,
      draft: { ...draft, note: draft.asText ? '' : draft.note, asText: false, key: newKey() },
    });
    offer({
      id: noticeOf(lead.id),
      title: said,
      message: lead.name,
      act: 'Reopen',
      hint: 'Z',
      onAct: () => current.current(),
      onClose: () => setSaved((now) => (now?.leadId === lead.id ? undefined : now)),
    });
  };
  // Only this desk can open it again: what offers that goes with it.
  useEffect(
    () => () => {
      if (saved) notifications.hide(noticeOf(saved.leadId));
    },
    [saved?.leadId],
  );
  const finishAndTell: ComponentProps<typeof OpenLead>['finish'] = async (save, lead, draft, said) => {
    await finish(lead.id, async () => {
      await save();
      tellSaved(lead, draft, said);
    });
    if (gone) leave();
  };

  const lookAgain = () => void look();
  const list = lists.find(({ id }) => id === listId);
  const isPaused = useStanding().find(({ id }) => id === listId)?.paused ?? list?.paused ?? false;
  const stopped = gone ? (gone.archived ? 'Archived' : undefined) : isPaused ? 'Paused' : undefined;
  const wayOn = useRef<() => void>(undefined);
  const goPast = () => {
    if (gone) {
      if (!refuseInCall()) leave();
    } else if (wayOn.current) wayOn.current();
    else if (isPaused && leadId !== undefined)
      notice('Finish this lead. No other comes until it is resumed.', `${list?.name} is paused`);
    else goOn().catch(tellFailure);
  };
  // Whoever goes away in a call finishes its lead first.
  const isEngaged = line.isTalking || line.wrappingUp !== null;
  const away = isEngaged ? null : line.away;
  useBack(line.away !== null, () => {
    if (!isEngaged || leadId === undefined) lookAgain();
  });
  const isLeft = gone !== undefined && leadId === undefined && !line.isTalking;
  useEffect(() => {
    if (isLeft) leave();
  }, [isLeft]);
  // With nothing in hand, the queue's answer that there is nothing.
  const nothing = !away && hand.is === 'empty' && next.data?.lead === null ? next.data : undefined;
  useDue(listId, isPaused || gone ? undefined : nothing, lookAgain);
  useBack(isPaused, () => nothing && lookAgain());
  const writes = useRight('leads.write');
  const [adding, setAdding] = useState(false);
  const add = writes ? () => setAdding(true) : undefined;
  useAddLead(add);
  // The form that stands in the place of a lead does not lie over the one that comes.
  const isIdle = nothing !== undefined;
  useEffect(() => setAdding(false), [isIdle]);
  const openAdded = (id: number) => {
    setAdding(false);
    open(id).catch(tellFailure);
  };
  useKeys({ n: away ? line.comeBack : goPast, z: reopen });
  return (
    <>
      <Strip
        lists={lists}
        listId={listId}
        choose={choose}
        ahead={ahead}
        next={leadId === undefined || away ? undefined : goPast}
        stopped={stopped}
        add={add}
      />
      {next.error && <Failure error={next.error} again={lookAgain} />}
      {next.isPending && <Loading rows={10} />}
      {away && <Away away={away} comeBack={line.comeBack} />}
      {leadId !== undefined && !away && (
        <LeadPlace key={leadId} leadId={leadId}>
          <OpenLead
            leadId={leadId}
            line={line}
            advance={gone ? leave : lookAgain}
            gone={gone}
            follow={(survivor, typing) => follow(leadId, survivor, typing)}
            typedIn={typedIn}
            wayOn={wayOn}
            pass={goPast}
            finish={finishAndTell}
          />
        </LeadPlace>
      )}
      {nothing && !next.error && (
        <>
          {(line.call || line.ringing) && <Softphone line={line} phones={[]} last={undefined} />}
          <Idle
            lists={lists}
            listId={listId}
            choose={choose}
            ahead={ahead}
            open={openAdded}
            again={lookAgain}
            isPaused={isPaused}
            adding={adding}
            setAdding={setAdding}
          />
        </>
      )}
      {adding && !nothing && (
        <Suspense>
          <AddLeadDialog listId={listId} close={() => setAdding(false)} open={openAdded} />
        </Suspense>
      )}
    </>
  );
}

/** Whoever comes back gets a lead again, and so does whose list is resumed. */
function useBack(isAway: boolean, look: () => void): void {
  const before = useRef(isAway);
  useEffect(() => {
    if (before.current && !isAway) look();
    before.current = isAway;
  }, [isAway]);
}

const noticeOf = (leadId: number) => `saved ${leadId}`;

/** With nothing to do, the next lead opens by itself: when it falls due, or when something new is there. Whoever is typing is asked. */
function useDue(listId: number, given: Given | undefined, again: () => void): void {
  const depth = useQueues().find(({ list_id }) => list_id === listId);
  const waiting = given !== undefined;
  const due = given?.next_due_at;
  const look = useRef(again);
  look.current = () =>
    void goOnUnlessTyping(again, {
      id: 'due',
      title: 'There is a lead to call',
      message: 'It waits until you open it.',
      act: 'Open it',
    });
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
