import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import type { LineCall } from '../../contract/calls.ts';
import type { ListAtPages } from '../../contract/list-pages.ts';
import { isGone, queries, Refused } from '../api.ts';
import { keysRest, useKeys } from '../keys.ts';
import { Feed, useHappenings } from '../leads/feed.tsx';
import { DuplicateNote, LeadCard, LeadFields, LeadHeading } from '../leads/lead-card.tsx';
import { phonesOf } from '../leads/numbers.ts';
import { aboutLead, comingBackQuery, listIdOf, nameLead, useLead, type Lead } from '../leads/queries.ts';
import { useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { useOneColumn } from '../ui/one-column.ts';
import { useNoticesOf } from '../ui/notices.ts';
import { Empty, Failure, Key, Loading } from '../ui/parts.tsx';
import { Dock } from './dock.tsx';
import { plain } from '../outcomes/coming-back.tsx';
import { BLANK, forgetDraft, isBlank, useDraft, type Draft } from '../outcomes/draft.ts';
import type { LineState } from '../line.ts';
import { saveDraft, sayDone } from '../outcomes/save.ts';
import { Script } from './script.tsx';
import { Softphone } from './softphone.tsx';
import { NOT_YOURS, useLoss } from './use-loss.ts';
import { Views } from './views.tsx';
import './open-lead.css';

type Props = {
  leadId: number;
  line: LineState;
  /** Asks for a lead again: this one is not ours any more. */
  advance: () => void;
  /** The list one works on, where it is not there any more. */
  gone: ListAtPages | undefined;
  /** On to the lead that this one was merged into; `typing`: in the middle of its note. */
  follow: (survivor: Lead, typing: boolean) => void;
  /** The lead whose note is typed in at once, as that of the one before it was. */
  typedIn: RefObject<number | undefined>;
  /** How one goes on from a lead that is not ours any more, whatever the list says: it cannot be finished. */
  wayOn: RefObject<(() => void) | undefined>;
  /** Lets it go, and on to another. */
  pass: () => void;
  /** Saves an outcome and goes on to the next one. */
  finish: (save: () => Promise<void>, lead: { id: number; name: string }, draft: Draft, said: string) => Promise<void>;
};

/** Why nobody was reached, as the list's categories call it. */
const REASONS: Partial<Record<NonNullable<LineCall['disposition']>, string[]>> = {
  no_answer: ['no_answer'],
  busy: ['busy', 'no_answer'],
  voicemail: ['voicemail'],
};

export function OpenLead({ leadId, line, advance, gone, follow, typedIn, wayOn, pass, finish }: Props) {
  const { lead, desk, error, refetch } = useLead(leadId);
  const { user } = useSession();
  const about = { userId: user.id, leadId };
  const [draft, write] = useDraft(about);
  const [view, setView] = useState<'script' | 'lead' | 'activity'>('script');
  const isOneColumn = useOneColumn();
  const count = useHappenings(leadId);
  const heading = useRef<HTMLHeadingElement>(null);
  // Not asked of the page: where the survivor's list is still to be read, the note has gone before anyone follows. To go so is no blur.
  const isInNote = useRef(false);
  const last = useLastCall(leadId, line);
  const [waits, setWaits] = useState(false);
  const isCalled = last !== undefined || (line.isTalking && line.call?.lead_id === leadId);
  useEffect(() => {
    if (isCalled) setWaits(true);
  }, [isCalled]);
  const survivor = lead && lead.id !== leadId ? lead : undefined;
  useNoticesOf(leadId);
  const { data: coming } = useQuery({
    ...comingBackQuery(leadId, `${line.call?.id ?? last?.id} ${line.call?.state}`),
    enabled: draft.outcome === 'call_back' || line.call !== null,
  });
  useEffect(() => {
    // In the next frame: to focus is to lay out, and that would be done twice. Not away from someone who types, or walks through a menu.
    const frame = requestAnimationFrame(() => {
      if (keysRest(document.activeElement)) return;
      const note = typedIn.current === leadId && document.querySelector<HTMLTextAreaElement>('#note');
      if (!note) return heading.current?.focus();
      typedIn.current = undefined;
      note.focus();
      note.setSelectionRange(note.value.length, note.value.length);
    });
    return () => cancelAnimationFrame(frame);
  }, [desk === undefined]);

  // What is still open of a list that is archived may be finished.
  const isGoneToo = gone !== undefined && !gone.archived && lead !== undefined && listIdOf(lead) === gone.id;
  const why = isGoneToo ? `${gone.name} was deleted, or is not yours any more.` : isGone(error) ? NOT_YOURS : undefined;

  // After no answer, busy or voicemail the category of that name is chosen already.
  const reason = last?.disposition && REASONS[last.disposition];
  useEffect(() => {
    const category = reason && desk?.categories.call_back?.find((name) => reason.includes(plain(name)));
    if (category && !draft.outcome) write({ outcome: 'call_back', category });
  }, [last?.id, reason === undefined]);

  const saving = useMutation({
    mutationFn: async () => {
      const send = async () => {
        // The outcome that goes with the text keeps its key.
        const textSent = () => write({ note: '', asText: false, key: draft.key });
        await saveDraft(leadId, draft, { hangUp: line.hangUp, textSent });
        forgetDraft(about);
      };
      // The lead stays as it is until the next one takes its place, which may be itself.
      await (draft.outcome
        ? finish(send, { id: leadId, name: nameLead(lead!) }, draft, sayDone(draft, coming))
        : send());
    },
    onSuccess: () => {
      if (draft.outcome) setWaits(false);
      // After the next lead has been drawn, should it be another: the dock does not fold up on the way.
      setTimeout(() => write(BLANK));
      void queries.invalidateQueries({ queryKey: ['lead', leadId] });
      void queries.invalidateQueries({ queryKey: ['day'] });
    },
    onError: (failure) => {
      aboutLead(leadId).tellFailure(isGone(failure) ? new Error(why ?? NOT_YOURS) : failure);
      // Somebody else's by now: what was written is kept, and shows again with the lead.
      if (failure instanceof Refused && failure.status === 409) void refetch();
    },
  });
  const { isLost, lapsed, comeBack } = useLoss(
    leadId,
    { isSaving: saving.isPending, isTalking: line.isTalking, waits, isWritten: !isBlank(draft), why },
    { goOn: advance, merged: () => void refetch() },
  );
  useEffect(() => {
    // What is being saved is saved of the one it was said of.
    if (survivor && !saving.isPending) follow(survivor, isInNote.current);
  }, [survivor?.id, saving.isPending]);
  const resume = () => {
    comeBack();
    advance();
  };
  // What is being saved stays as it is.
  const change: typeof write = (changed) => {
    if (!saving.isPending) write(changed);
  };
  const save = () => {
    if (!saving.isPending && (draft.outcome || draft.note.trim() !== '')) saving.mutate();
  };
  const edit = (field: string) => {
    // A field is there to be typed in only once its tab shows.
    flushSync(() => setView('lead'));
    document.querySelector<HTMLButtonElement>(field)?.click();
  };
  useKeys({
    f: () => edit('[data-field]'),
    r: pass,
  });
  useKeys({ 'Control+Enter': save, 'Meta+Enter': save });
  useEffect(() => {
    wayOn.current = lapsed ? resume : isLost ? advance : undefined;
    return () => {
      wayOn.current = undefined;
    };
  });
  if (lapsed) {
    return (
      <Empty
        isPage
        title="Nobody was here for a while, so the lead was let go."
        action={
          <Button onClick={resume} rightSection={<Key>N</Key>}>
            Go on
          </Button>
        }
      >
        What you wrote about it is kept.
      </Empty>
    );
  }
  // What is there stays there: a call may be under way.
  if (error && !lead) return <Failure error={error} again={() => void refetch()} />;
  if (!lead || !desk) return <Loading rows={10} />;
  const card = {
    lead,
    columns: desk.columns,
    heading,
    dial: line.call ? undefined : (column: string) => line.dial(leadId, column, aboutLead(leadId).tellFailure),
    dialled: line.isTalking && line.call?.lead_id === leadId ? line.call.number : undefined,
    isConnected: line.call?.state === 'active',
    foot: <DuplicateNote lead={lead} columns={desk.columns} />,
  };
  const phone = (
    <Softphone
      line={line}
      lead={lead}
      phones={phonesOf(desk.columns, lead)}
      last={last}
      caller={desk.caller_number}
      draft={draft}
    />
  );
  const script = <Script script={desk.script} lead={lead} fill={(key) => edit(`[data-field="${CSS.escape(key)}"]`)} />;
  const dock = (
    <Dock
      desk={desk}
      draft={draft}
      coming={coming}
      change={change}
      inCall={line.isTalking}
      isSaving={saving.isPending}
      save={save}
    />
  );
  const feed = <Feed leadId={leadId} />;
  const views = {
    script: { word: 'Script', panel: script },
    lead: { word: 'Lead', panel: <LeadFields {...card} /> },
    activity: { word: 'Activity', count, panel: feed },
  };
  // Telephone and outcomes stay the same whatever the window's size: it may change in mid-sentence.
  return (
    <div
      className={`desk arriving ${isOneColumn ? 'one-column' : ''}`}
      onFocus={({ target }) => (isInNote.current = target.id === 'note')}
      // Another window takes the keyboard, and not where it comes back to.
      onBlur={() => (isInNote.current = document.activeElement?.id === 'note')}
    >
      {isOneColumn ? <LeadHeading {...card} /> : <LeadCard {...card} />}
      <div className="desk-middle">
        {phone}
        {isOneColumn ? <Views views={views} shown={view} show={setView} /> : script}
        {dock}
      </div>
      {!isOneColumn && feed}
    </div>
  );
}

/** The call with this lead that has just ended. */
function useLastCall(leadId: number, { call, wrappingUp }: LineState): LineCall | undefined {
  const last = wrappingUp?.lead_id === leadId && !call ? wrappingUp : undefined;
  useEffect(() => {
    if (!last) return;
    void queries.invalidateQueries({ queryKey: ['lead', leadId, 'calls'] });
    void queries.invalidateQueries({ queryKey: ['day'] });
  }, [last?.id, leadId]);
  return last;
}
