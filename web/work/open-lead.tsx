import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Call } from '../../contract/calls.ts';
import { ask, queries, Refused } from '../api.ts';
import { isAttended } from '../attended.ts';
import { useKeys } from '../keys.ts';
import { Feed } from '../leads/feed.tsx';
import { DuplicateNote, LeadCard } from '../leads/lead-card.tsx';
import { phonesOf } from '../leads/numbers.ts';
import { nameLead, useLead } from '../leads/queries.ts';
import { useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { notice, tellFailure } from '../ui/notices.ts';
import { Empty, Failure, Key, Loading } from '../ui/parts.tsx';
import { Dock } from './dock.tsx';
import { BLANK, forgetDraft, useDraft, type Draft } from '../outcomes/draft.ts';
import type { LineState } from './line.ts';
import { saveDraft } from '../outcomes/save.ts';
import { Script } from './script.tsx';
import { Softphone } from './softphone.tsx';
import './open-lead.css';

type Props = {
  leadId: number;
  line: LineState;
  /** On to the next one, without an outcome. */
  advance: () => void;
  /** Saves an outcome and goes on to the next one. */
  finish: (save: () => Promise<void>, lead: { id: number; name: string }, draft: Draft) => Promise<void>;
};

// The service folds every alphabet; these three names need no more than this.
const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z\d]+/g, '_');

/** Why nobody was reached, as the list's categories call it. */
const REASONS: Partial<Record<NonNullable<Call['disposition']>, string[]>> = {
  no_answer: ['no_answer'],
  busy: ['busy', 'no_answer'],
  voicemail: ['voicemail'],
};

const VIEWS = { script: 'Script', lead: 'Lead', activity: 'Activity' } as const;

export function OpenLead({ leadId, line, advance, finish }: Props) {
  const { lead, desk, error, refetch } = useLead(leadId);
  const { user } = useSession();
  const about = { userId: user.id, leadId };
  const [draft, write] = useDraft(about);
  const [view, setView] = useState<keyof typeof VIEWS>('script');
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useLastCall(leadId, line);
  const lapsed = useSignsOfLife(leadId, advance);
  useEffect(() => {
    // In the next frame: to focus is to lay out, and that would be done twice.
    const frame = requestAnimationFrame(() => heading.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, [desk === undefined]);

  // After no answer, busy or voicemail the category of that name is chosen already.
  const reason = last?.disposition && REASONS[last.disposition];
  useEffect(() => {
    const category = reason && desk?.categories.call_back?.find((name) => reason.includes(plain(name)));
    if (category && !draft.outcome) write({ outcome: 'call_back', category });
  }, [last?.id, reason === undefined]);

  const saving = useMutation({
    mutationFn: async () => {
      const send = async () => {
        await saveDraft(leadId, draft, { hangUp: line.hangUp, textSent: () => write({ note: '', asText: false }) });
        forgetDraft(about);
      };
      // The lead stays as it is until the next one takes its place, which may be itself.
      await (draft.outcome ? finish(send, { id: leadId, name: nameLead(lead!) }, draft) : send());
    },
    onSuccess: () => {
      // After the next lead has been drawn, should it be another: the dock does not fold up on the way.
      setTimeout(() => write(BLANK));
      void queries.invalidateQueries({ queryKey: ['lead', leadId] });
      void queries.invalidateQueries({ queryKey: ['day'] });
    },
    onError: (failure) => {
      tellFailure(failure);
      // Somebody else's by now: what was written is kept, and shows again with the lead.
      if (failure instanceof Refused && failure.status === 409) void refetch();
    },
  });
  // What is being saved stays as it is.
  const change: typeof write = (changed) => {
    if (!saving.isPending) write(changed);
  };
  const save = () => {
    if (!saving.isPending && (draft.outcome || draft.note.trim() !== '')) saving.mutate();
  };
  const edit = (field: string) => {
    setView('lead');
    document.querySelector<HTMLButtonElement>(field)?.click();
  };
  useKeys({
    f: () => edit('[data-field]'),
    r: () => void ask('DELETE', `/leads/${leadId}/hold`).then(advance, tellFailure),
  });
  useKeys({ 'Control+Enter': save, 'Meta+Enter': save });
  if (lapsed) {
    return (
      <Empty
        title="Nobody was here for a while, so the lead was let go."
        action={
          <Button onClick={advance} rightSection={<Key>N</Key>}>
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
  return (
    <div className="desk arriving" data-view={view}>
      <LeadCard
        lead={lead}
        columns={desk.columns}
        heading={heading}
        dial={line.call ? undefined : (column) => line.dial(leadId, column)}
        dialled={line.isTalking && line.call?.lead_id === leadId ? line.call.destination_number : undefined}
        foot={<DuplicateNote lead={lead} columns={desk.columns} />}
      />
      <div className="desk-middle">
        <Softphone
          line={line}
          lead={lead}
          phones={phonesOf(desk.columns, lead)}
          last={last}
          caller={desk.caller_number}
          draft={draft}
        />
        <div className="views" role="group" aria-label="Show">
          {Object.entries(VIEWS).map(([name, word]) => (
            <button
              key={name}
              type="button"
              aria-pressed={view === name}
              onClick={() => setView(name as keyof typeof VIEWS)}
            >
              {word}
            </button>
          ))}
        </div>
        <Script script={desk.script} lead={lead} fill={(key) => edit(`[data-field="${CSS.escape(key)}"]`)} />
        <Dock
          desk={desk}
          draft={draft}
          change={change}
          inCall={line.isTalking}
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
    void queries.invalidateQueries({ queryKey: ['day'] });
  }, [call, leadId]);
  return call ? undefined : last;
}

const EVERY_MS = 20_000;

/** Says that the lead is still open here, and whether someone did something. True when nobody did for so long that it was let go. */
function useSignsOfLife(leadId: number, lost: () => void): boolean {
  const [lapsed, setLapsed] = useState(false);
  const tell = useRef(lost);
  tell.current = lost;
  useEffect(() => {
    const timer = setInterval(() => {
      ask('POST', `/leads/${leadId}/hold`, { input: isAttended(EVERY_MS) }).catch((error: unknown) => {
        if (!(error instanceof Refused) || (error.status !== 409 && error.status !== 404)) return;
        // A page that is left alone takes no other lead.
        if (error.code === 'hold_ended' && !isAttended(EVERY_MS)) {
          setLapsed(true);
          return;
        }
        notice(error.message);
        tell.current();
      });
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [leadId]);
  return lapsed;
}
