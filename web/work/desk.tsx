import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Call } from '../../contract/calls.ts';
import type { ListRow } from '../../contract/lists.ts';
import { ask, queries, Refused } from '../api.ts';
import { useKeys } from '../keys.ts';
import { Feed } from '../leads/feed.tsx';
import { DuplicateNote, LeadCard } from '../leads/lead-card.tsx';
import { deskQuery, leadQuery, listIdOf, type Lead } from '../leads/queries.ts';
import { useQueues } from '../live.ts';
import { notice, tellFailure } from '../ui/notices.ts';
import { Failure, Loading } from '../ui/parts.tsx';
import { Dock } from './dock.tsx';
import { BLANK, forgetDraft, useDraft, type Draft } from './draft.ts';
import { Idle } from './idle.tsx';
import { useLine, type LineState } from './line.ts';
import { nextQuery, type Given } from './queries.ts';
import { Script } from './script.tsx';
import { Softphone } from './softphone.tsx';
import { Strip } from './strip.tsx';

type Props = { lists: ListRow[]; listId: number; choose: (id: number) => void };

export function Desk({ lists, listId, choose }: Props) {
  const next = useQuery(nextQuery(listId));
  const line = useLine();
  // A call that was answered opens its lead, whichever list it is in.
  const opened = line.call?.direction === 'inbound' && line.call.lead_id ? line.call.lead_id : undefined;
  const leadId = opened ?? next.data?.lead?.id;
  const again = () => next.refetch();
  useDue(listId, next.data, again);
  useKeys({ n: again });
  const doing = line.call ? (line.call.state === 'active' ? 'On a call' : 'Calling') : 'Ready';
  return (
    <>
      <Strip lists={lists} listId={listId} choose={choose} doing={doing} />
      {next.error && <Failure error={next.error} again={again} />}
      {next.isPending && <Loading rows={10} />}
      {leadId !== undefined && <OpenLead key={leadId} leadId={leadId} line={line} advance={again} />}
      {next.data && leadId === undefined && (
        <div className="page">
          <Softphone line={line} lead={undefined} last={undefined} />
          <Idle nextDueAt={next.data.next_due_at} lists={lists} listId={listId} choose={choose} again={again} />
        </div>
      )}
    </>
  );
}

/** With nothing to do, the next lead opens by itself: when it falls due, or when something new is there. */
function useDue(listId: number, given: Given | undefined, again: () => void): void {
  const depth = useQueues().find(({ list_id }) => list_id === listId);
  const waiting = given !== undefined && given.lead === null;
  const due = given?.next_due_at;
  const look = useRef(again);
  look.current = again;
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

async function saveDraft(lead: Lead, draft: Draft, line: LineState): Promise<void> {
  const { outcome, category, at, exactly, asText } = draft;
  const note = draft.note.trim();
  const send = asText && note !== '';
  if (send) await ask('POST', `/leads/${lead.id}/texts`, { text: { body: note } });
  const comment = send ? '' : note;
  if (!outcome) {
    if (comment) await ask('POST', `/leads/${lead.id}/comments`, { comment });
    return;
  }
  // The outcome first: while connected it says what kind of call it was.
  const said = { ...(category && { category }), ...(comment && { comment }) };
  if (outcome === 'skip') await ask('POST', `/leads/${lead.id}/skip`, { lead: said });
  else {
    const when = outcome === 'call_back' && at ? { scheduled_for: at, exactly } : {};
    await ask('POST', `/leads/${lead.id}/${outcome}`, { lead: { ...said, ...when } });
  }
  if (line.call) await line.hangUp();
}

// The service folds every alphabet; these three names need no more than this.
const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z\d]+/g, '_');

/** Why nobody was reached, as the list's categories call it. */
const REASONS: Partial<Record<NonNullable<Call['disposition']>, string[]>> = {
  no_answer: ['no_answer'],
  busy: ['busy', 'no_answer'],
  voicemail: ['voicemail'],
};

function OpenLead({ leadId, line, advance }: { leadId: number; line: LineState; advance: () => Promise<unknown> }) {
  const { data: lead, error, refetch } = useQuery(leadQuery(leadId));
  const { data: desk } = useQuery({ ...deskQuery(lead ? listIdOf(lead) : 0), enabled: lead !== undefined });
  const [draft, change] = useDraft(leadId);
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useLastCall(leadId, line);
  useSignsOfLife(leadId, advance);
  useEffect(() => {
    heading.current?.focus();
  }, [desk === undefined]);

  // After no answer, busy or voicemail the category of that name is chosen already.
  const reason = last?.disposition && REASONS[last.disposition];
  useEffect(() => {
    const category = reason && desk?.categories.call_back?.find((name) => reason.includes(plain(name)));
    if (category && !draft.outcome) change({ outcome: 'call_back', category });
  }, [last?.id, reason === undefined]);

  const saving = useMutation({
    mutationFn: async () => {
      await saveDraft(lead!, draft, line);
      forgetDraft(leadId);
      // The lead stays as it is until the next one takes its place, which may be itself.
      if (draft.outcome) await advance();
    },
    onSuccess: () => {
      change(BLANK);
      void queries.invalidateQueries({ queryKey: ['lead', leadId] });
      void queries.invalidateQueries({ queryKey: ['day'] });
    },
    onError: (failure) => {
      tellFailure(failure);
      // Somebody else's by now: what was written is kept, and shows again with the lead.
      if (failure instanceof Refused && failure.status === 409) void refetch();
    },
  });
  const save = () => {
    if (!saving.isPending && (draft.outcome || draft.note.trim() !== '')) saving.mutate();
  };
  const fill = (key: string) => document.querySelector<HTMLButtonElement>(`[data-field="${CSS.escape(key)}"]`)?.click();
  useKeys({
    f: () => document.querySelector<HTMLButtonElement>('[data-field]')?.click(),
    r: () => void ask('DELETE', `/leads/${leadId}/hold`).then(advance, tellFailure),
  });
  useKeys({ 'Control+Enter': save, 'Meta+Enter': save });
  if (error) return <Failure error={error} again={() => void refetch()} />;
  if (!lead || !desk) return <Loading rows={10} />;
  const phone = desk.columns
    .filter(({ kind }) => kind === 'phone')
    .map(({ key }) => lead.lead_data[key])
    .find(Boolean);
  return (
    <div className="desk arriving">
      <LeadCard
        lead={lead}
        columns={desk.columns}
        heading={heading}
        dial={line.call ? undefined : (column) => line.dial(leadId, column)}
        dialled={line.call?.lead_id === leadId ? line.call.destination_number : undefined}
        foot={<DuplicateNote lead={lead} />}
      />
      <div className="desk-middle">
        <Softphone line={line} lead={{ id: leadId, phone }} last={last} />
        <Script script={desk.script} lead={lead} fill={fill} />
        <Dock
          desk={desk}
          draft={draft}
          change={change}
          inCall={line.call !== null}
          isSaving={saving.isPending}
          save={save}
        />
      </div>
      <Feed leadId={leadId} />
    </div>
  );
}

/** The call with this lead that has just ended. */
function useLastCall(leadId: number, { call }: LineState): Call | undefined {
  const [last, setLast] = useState<Call>();
  const before = useRef<Call | null>(null);
  useEffect(() => {
    const ended = before.current;
    before.current = call;
    if (call || !ended || ended.lead_id !== leadId) return;
    ask<Call>('GET', `/calls/${ended.id}`).then(setLast, () => undefined);
    void queries.invalidateQueries({ queryKey: ['lead', leadId, 'calls'] });
  }, [call, leadId]);
  return call ? undefined : last;
}

const EVERY_MS = 20_000;

/** Says that the lead is still open here, and whether someone did something. */
function useSignsOfLife(leadId: number, lost: () => void): void {
  const tell = useRef(lost);
  tell.current = lost;
  useEffect(() => {
    let input = false;
    const note = () => (input = true);
    const events = ['keydown', 'pointerdown'] as const;
    for (const name of events) addEventListener(name, note, { passive: true });
    const timer = setInterval(() => {
      ask('POST', `/leads/${leadId}/hold`, { input }).catch((error: unknown) => {
        if (!(error instanceof Refused) || (error.status !== 409 && error.status !== 404)) return;
        notice(error.message);
        tell.current();
      });
      input = false;
    }, EVERY_MS);
    return () => {
      clearInterval(timer);
      for (const name of events) removeEventListener(name, note);
    };
  }, [leadId]);
}
