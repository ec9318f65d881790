import { IconChevronDown } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState, type Ref } from 'react';
import type { Desk } from '../../contract/queue.ts';
import { queries } from '../api.ts';
import { useRight, useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { GuardedButton } from '../ui/guarded.tsx';
import { Popover } from '../ui/popover.tsx';
import { OUTCOME_NAMES, OUTCOMES } from '../ui/states.tsx';
import { categoriesOf, Following, OutcomeRow, WhenRow, WhyRow } from '../outcomes/choices.tsx';
import { BLANK, forgetSent, useDraft, type Draft } from '../outcomes/draft.ts';
import { saveDraft, sayDone } from '../outcomes/save.ts';
import { aboutLead, comingBackQuery, type Lead } from './queries.ts';
import { Fault } from '../ui/form.tsx';
import { Note } from '../ui/note.tsx';
import './set-outcome.css';

// Skipping belongs to the queue.
const NAMES = OUTCOME_NAMES.filter((name) => name !== 'skip');

type Props = { lead: Lead; desk: Desk };

/** The outcome of what happened elsewhere, or a correction. */
export function SetOutcome({ lead, desk }: Props) {
  const may = useRight('leads.outcome');
  const [opened, setOpened] = useState(false);
  const [picking, setPicking] = useState(false);
  const { user } = useSession();
  const about = { userId: user.id, leadId: lead.id, form: 'set outcome' } as const;
  // A click beside the form loses nothing, nor does whoever goes elsewhere before it is saved.
  const [draft, change] = useDraft(about);
  const form = useRef<HTMLFormElement>(null);
  const saving = useMutation({
    mutationFn: async (sent: Draft) => {
      await saveDraft(lead.id, sent);
      return forgetSent(about, sent);
    },
    onSuccess: (isAll, sent) => {
      // What was written on meanwhile stays.
      if (isAll) {
        change(BLANK);
        setOpened(false);
      }
      aboutLead(lead.id).notice(`${sayDone(sent)}.`);
      return queries.invalidateQueries({ queryKey: ['lead', lead.id] });
    },
    // The form says it, where it is open.
    onError: (error) => form.current ?? aboutLead(lead.id).tellFailure(error),
  });
  return (
    <Popover
      opened={opened}
      change={setOpened}
      // While a time is being picked, only the picker closes.
      stays={picking}
      label="Set outcome"
      className="set-outcome"
      width="min(28.75rem, calc(100vw - 1rem))"
      button={
        <GuardedButton
          variant="default"
          may={may}
          who="Agents, supervisors and data managers set outcomes."
          rightSection={<IconChevronDown size={16} stroke={1.75} aria-hidden />}
          onClick={() => setOpened(!opened)}
        >
          Set outcome
        </GuardedButton>
      }
    >
      <OutcomeForm
        lead={lead}
        desk={desk}
        draft={draft}
        change={change}
        onPicking={setPicking}
        form={form}
        isSaving={saving.isPending}
        error={saving.error}
        save={() => saving.mutate(draft)}
        discard={() => {
          saving.reset();
          change(BLANK);
          setOpened(false);
        }}
      />
    </Popover>
  );
}

type FormProps = Props &
  Parameters<typeof WhenRow>[0] & {
    form: Ref<HTMLFormElement>;
    isSaving: boolean;
    error: Error | null;
    save: () => void;
    discard: () => void;
  };

function OutcomeForm({ lead, desk, form, isSaving, error, save, discard, ...choosing }: FormProps) {
  const { draft, change } = choosing;
  const { outcome } = draft;
  const { data: coming } = useQuery({ ...comingBackQuery(lead.id, ''), enabled: outcome === 'call_back' });
  const appointment = coming?.appointment;
  return (
    <form
      ref={form}
      className={outcome ? `tone-${OUTCOMES[outcome].state}` : ''}
      onSubmit={(event) => {
        event.preventDefault();
        if (outcome && !isSaving) save();
      }}
    >
      <OutcomeRow
        names={NAMES}
        outcome={outcome}
        choose={(name) => change({ outcome: name, category: undefined, at: undefined })}
      />
      <WhyRow categories={categoriesOf(desk, draft)} draft={draft} change={change} />
      {outcome === 'call_back' && <WhenRow {...choosing} appointment={appointment} />}
      <div className="dock-row">
        <label htmlFor="outcome-note">Note</label>
        <Note
          id="outcome-note"
          rows={2}
          maxLength={10_000}
          placeholder="What is worth knowing next time"
          value={draft.note}
          onChange={(event) => change({ note: event.currentTarget.value })}
        />
      </div>
      <Fault error={error} />
      <div className="dock-foot">
        {outcome === 'call_back' && (
          <Following
            draft={draft}
            change={change}
            claims={NO_CLAIMS}
            appointment={appointment}
            coming={coming && null}
          />
        )}
        <span className="grow" />
        {(outcome || draft.note !== '') && !isSaving && (
          <Button variant="default" onClick={discard}>
            Discard
          </Button>
        )}
        <Button type="submit" disabled={!outcome} loading={isSaving}>
          {outcome ? `Save as ${OUTCOMES[outcome].word.toLowerCase()}` : 'Choose an outcome'}
        </Button>
      </div>
    </form>
  );
}

// Away from the desk nothing claims by itself.
const NO_CLAIMS: Desk['claims'] = { schedule: false, put_off: false };
