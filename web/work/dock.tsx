import { IconMessage2 } from '@tabler/icons-react';
import { useRef, useState, type KeyboardEvent } from 'react';
import type { Desk } from '../../contract/queue.ts';
import type { ComingBack } from '../../contract/retries.ts';
import { isPressing, useKeys } from '../keys.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Key } from '../ui/parts.tsx';
import { OUTCOME_NAMES, OUTCOMES, type OutcomeName } from '../ui/states.tsx';
import { categoriesOf, Following, OutcomeRow, WhenRow, WhyRow } from '../outcomes/choices.tsx';
import { comingOf } from '../outcomes/coming-back.tsx';
import type { Draft } from '../outcomes/draft.ts';
import { foot } from '../ui/foot.ts';
import { Note } from '../ui/note.tsx';
import '../ui/panel.css';
import './dock.css';

type Props = {
  desk: Desk;
  draft: Draft;
  /** What a call back without a time will mean; undefined until it is known. */
  coming: ComingBack | undefined;
  change: (change: Partial<Draft>) => void;
  inCall: boolean;
  isSaving: boolean;
  /** The outcome, or where none is chosen, the note alone. */
  save: () => void;
};

/** What came of it: five outcomes, why, when, a note, and on to the next. All of it by keys. */
export function Dock({ desk, draft, coming, change, inCall, isSaving, save }: Props) {
  const note = useRef<HTMLTextAreaElement>(null);
  const pick = useRef<HTMLButtonElement>(null);
  const [isWriting, setWriting] = useState(false);
  const { outcome } = draft;
  const categories = categoriesOf(desk, draft);
  const choose = (name: OutcomeName) => {
    change({ outcome: name, category: undefined, at: undefined });
    // From here on Enter saves, wherever one was before.
    document.querySelector<HTMLElement>(`#outcome-${name}`)?.focus();
    // Skip saves at once when it has nothing to ask.
    if (name === 'skip' && !(desk.categories.skip ?? []).length) queueMicrotask(() => saveSoon.current());
  };
  const saveSoon = useRef(save);
  saveSoon.current = save;
  useKeys({
    ...Object.fromEntries(OUTCOME_NAMES.map((name) => [OUTCOMES[name].key, () => choose(name)])),
    ...Object.fromEntries(
      categories.slice(0, 9).map((category, index) => [String(index + 1), () => change({ category })]),
    ),
    e: () => note.current?.focus(),
    x: () => {
      change({ asText: true });
      note.current?.focus();
    },
    t: () => pick.current?.click(),
    // Chips and outcomes are chosen with the space bar; on other buttons Enter means the button.
    Enter: (event) => (isPressing(event) || !outcome ? false : save()),
    Escape: () => change({ outcome: undefined, category: undefined, at: undefined }),
  });
  const inNote = (event: KeyboardEvent) => {
    if (event.key === 'Escape') note.current?.blur();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      save();
    }
  };
  const tone = outcome ? `tone-${OUTCOMES[outcome].state}` : '';
  const nothing = !outcome && draft.note.trim() === '';
  return (
    <section ref={foot} className={`panel dock ${tone}`} aria-label="Outcome">
      <OutcomeRow outcome={outcome} choose={choose} />
      <WhyRow categories={categories} draft={draft} change={change} />
      {outcome === 'call_back' && (
        <WhenRow draft={draft} change={change} pick={pick} appointment={coming?.appointment} />
      )}
      <div className="dock-row">
        <label htmlFor="note">
          {draft.asText ? 'Text' : 'Note'} <Key>{draft.asText ? 'X' : 'E'}</Key>
        </label>
        <div className="note-box">
          <Note
            id="note"
            ref={note}
            rows={2}
            maxLength={draft.asText ? 1_600 : 10_000}
            placeholder={draft.asText ? 'A text message to the lead' : 'What is worth knowing next time'}
            value={draft.note}
            onChange={(event) => change({ note: event.currentTarget.value })}
            onKeyDown={inNote}
            onFocus={() => setWriting(true)}
            onBlur={() => setWriting(false)}
          />
          <IconButton
            className="as-text"
            label="Send as text message"
            title={draft.asText ? 'A note, for us alone' : 'Send it to the lead as a text message (X)'}
            aria-pressed={draft.asText}
            onClick={() => change({ asText: !draft.asText })}
          >
            <IconMessage2 size={16} stroke={1.75} aria-hidden />
          </IconButton>
        </div>
      </div>
      <div className="dock-foot">
        {outcome === 'call_back' && (
          <Following
            draft={draft}
            change={change}
            claims={desk.claims}
            appointment={coming?.appointment}
            coming={comingOf(coming, draft.category)}
          />
        )}
        <span className="grow" />
        <Button
          size="md"
          className="save"
          disabled={nothing}
          loading={isSaving}
          onClick={save}
          // In the note Enter is a new line.
          rightSection={<Key>{outcome && !isWriting ? '↵' : 'Ctrl ↵'}</Key>}
        >
          {labelOf(draft, inCall)}
        </Button>
      </div>
    </section>
  );
}

/** The button says all that will happen. */
function labelOf({ outcome, asText, note }: Draft, inCall: boolean): string {
  const send = asText && note.trim() !== '';
  if (!outcome) return send ? 'Send the text' : 'Add the note';
  return [inCall ? 'Hang up' : '', send ? 'send' : '', outcome === 'skip' ? 'skip' : 'save', 'next']
    .filter(Boolean)
    .join(', ')
    .replace(/^./, (letter) => letter.toUpperCase());
}
