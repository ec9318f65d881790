import { Button, Popover, SegmentedControl, TextInput } from '@mantine/core';
import { IconCalendar, IconMessageCircle } from '@tabler/icons-react';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import type { Desk } from '../../contract/queue.ts';
import { useKeys } from '../keys.ts';
import { sayWhen } from '../times.ts';
import { Key } from '../ui/parts.tsx';
import { OUTCOME_NAMES, OUTCOMES, type OutcomeName } from '../ui/states.tsx';
import type { Draft } from './draft.ts';
import { readWhen, suggestTimes } from './when.ts';

type Props = {
  desk: Desk;
  draft: Draft;
  change: (change: Partial<Draft>) => void;
  inCall: boolean;
  isSaving: boolean;
  /** The outcome, or where none is chosen, the note alone. */
  save: () => void;
};

/** What came of it: five outcomes, why, when, a note, and on to the next. All of it by keys. */
export function Dock({ desk, draft, change, inCall, isSaving, save }: Props) {
  const note = useRef<HTMLTextAreaElement>(null);
  const [picking, setPicking] = useState(false);
  const { outcome } = draft;
  const categories = (outcome && desk.categories[outcome]) ?? [];
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
    t: () => outcome === 'call_back' && setPicking(true),
    Enter: (event) => {
      // Chips and outcomes are chosen with the space bar; on other buttons Enter means the button.
      const pressed = (event.target as HTMLElement).closest<HTMLElement>('button:not([role="radio"]), a');
      if (pressed) pressed.click();
      else save();
    },
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
    <section className={`panel dock ${tone}`} aria-label="Outcome">
      <div className="outcomes" role="radiogroup" aria-label="Outcome">
        {OUTCOME_NAMES.map((name) => {
          const { word, icon: Icon, state, key } = OUTCOMES[name];
          return (
            <button
              key={name}
              id={`outcome-${name}`}
              type="button"
              role="radio"
              aria-checked={outcome === name}
              className={`outcome ${name === 'skip' ? '' : state}`}
              onClick={() => choose(name)}
            >
              <Icon size={18} stroke={1.9} aria-hidden />
              {word}
              <Key>{key.toUpperCase()}</Key>
            </button>
          );
        })}
      </div>
      {categories.length > 0 && (
        <div className="dock-row">
          <span id="why">Why</span>
          <div className="chips" role="radiogroup" aria-labelledby="why">
            {categories.map((category, index) => (
              <button
                key={category}
                type="button"
                role="radio"
                aria-checked={draft.category === category}
                className="chip"
                onClick={() => change({ category })}
              >
                {index < 9 && <span className="number">{index + 1}</span>}
                {category}
              </button>
            ))}
          </div>
        </div>
      )}
      {outcome === 'call_back' && <WhenRow draft={draft} change={change} picking={picking} setPicking={setPicking} />}
      <div className="dock-row">
        <label htmlFor="note">
          {draft.asText ? 'Text' : 'Note'} <Key>{draft.asText ? 'X' : 'E'}</Key>
        </label>
        <textarea
          id="note"
          ref={note}
          className="note"
          rows={2}
          maxLength={draft.asText ? 1_600 : 10_000}
          placeholder={draft.asText ? 'A text message to the lead' : 'What is worth knowing next time'}
          value={draft.note}
          onChange={(event) => change({ note: event.currentTarget.value })}
          onKeyDown={inNote}
        />
      </div>
      <div className="dock-foot">
        <Button
          variant={draft.asText ? 'light' : 'default'}
          leftSection={<IconMessageCircle size={16} stroke={1.75} />}
          aria-pressed={draft.asText}
          onClick={() => change({ asText: !draft.asText })}
        >
          {draft.asText ? 'As text message' : 'Send as text'}
        </Button>
        {outcome === 'call_back' && <Following draft={draft} change={change} />}
        <span className="grow" />
        <Button
          size="md"
          disabled={nothing}
          loading={isSaving}
          onClick={save}
          rightSection={<Key>{outcome ? '↵' : 'Ctrl ↵'}</Key>}
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

function WhenRow({
  draft,
  change,
  picking,
  setPicking,
}: Pick<Props, 'draft' | 'change'> & { picking: boolean; setPicking: (open: boolean) => void }) {
  const times = useMemo(() => suggestTimes(), []);
  const [typed, setTyped] = useState('');
  const read = readWhen(typed);
  const isOwn = draft.at !== undefined && !times.some(({ at }) => at.toISOString() === draft.at);
  const take = () => {
    if (!read) return;
    change({ at: read.toISOString() });
    setPicking(false);
  };
  return (
    <div className="dock-row">
      <span id="when">When</span>
      <div className="chips" role="radiogroup" aria-labelledby="when">
        {times.map(({ label, at }) => (
          <button
            key={label}
            type="button"
            role="radio"
            aria-checked={draft.at === at.toISOString()}
            className="chip"
            onClick={() => change({ at: at.toISOString() })}
          >
            {label}
          </button>
        ))}
        <Popover
          opened={picking}
          onChange={setPicking}
          trapFocus
          position="top"
          withArrow
          transitionProps={{ duration: 0 }}
        >
          <Popover.Target>
            <button
              type="button"
              role="radio"
              aria-checked={isOwn}
              className="chip"
              onClick={() => setPicking(!picking)}
            >
              <IconCalendar size={14} stroke={1.75} aria-hidden />
              {isOwn && draft.at ? sayWhen(draft.at) : 'Pick'} <Key>T</Key>
            </button>
          </Popover.Target>
          <Popover.Dropdown>
            <TextInput
              label="When"
              description="“thu 9”, “in 2h”, “tomorrow 14:30”, “2026-12-01 9:00”"
              data-autofocus
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter') take();
              }}
              error={typed !== '' && !read ? 'That is no time we can read.' : undefined}
            />
            <Button mt="sm" fullWidth disabled={!read} onClick={take}>
              {read ? `Call back ${sayWhen(read)}` : 'Call back'}
            </Button>
          </Popover.Dropdown>
        </Popover>
      </div>
    </div>
  );
}

function Following({ draft, change }: Pick<Props, 'draft' | 'change'>) {
  if (!draft.at) return <p className="dim">With no time, it waits its turn.</p>;
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label="How exact"
        value={draft.exactly ? 'at' : 'after'}
        onChange={(value) => change({ exactly: value === 'at' })}
        data={[
          { value: 'at', label: 'Exactly at' },
          { value: 'after', label: 'Any time after' },
        ]}
      />
      <p className="strong">{sayWhen(draft.at)}</p>
    </>
  );
}
