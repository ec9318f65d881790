import { Button, Popover, SegmentedControl, TextInput } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { Desk } from '../../contract/queue.ts';
import { sayWhen } from '../times.ts';
import { Key } from '../ui/parts.tsx';
import { OUTCOME_NAMES, OUTCOMES, type OutcomeName } from '../ui/states.tsx';
import type { Draft } from './draft.ts';
import { readWhen, suggestTimes } from './when.ts';

/** What came of it, why, and when again: the same wherever an outcome is given. */

const Calendar = lazy(async () => ({ default: (await import('./calendar.tsx')).Calendar }));

type Choosing = { draft: Draft; change: (change: Partial<Draft>) => void };

type OutcomeRowProps = {
  names?: OutcomeName[];
  outcome: OutcomeName | undefined;
  choose: (name: OutcomeName) => void;
};

export function OutcomeRow({ names = OUTCOME_NAMES, outcome, choose }: OutcomeRowProps) {
  return (
    <div className="outcomes" role="radiogroup" aria-label="Outcome">
      {names.map((name) => {
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
  );
}

export const categoriesOf = ({ categories }: Desk, { outcome }: Draft): string[] =>
  (outcome && categories[outcome]) ?? [];

export function WhyRow({ categories, draft, change }: Choosing & { categories: string[] }) {
  if (categories.length === 0) return null;
  return (
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
  );
}

type Picking = { picking: boolean; setPicking: (open: boolean) => void };

export function WhenRow({ draft, change, picking, setPicking }: Choosing & Picking) {
  const times = useMemo(() => suggestTimes(), []);
  const isOwn = draft.at !== undefined && !times.some(({ at }) => at.toISOString() === draft.at);
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
          withinPortal
          classNames={{ dropdown: 'float' }}
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
            <Picker
              take={(at) => {
                change({ at: at.toISOString() });
                setPicking(false);
              }}
            />
          </Popover.Dropdown>
        </Popover>
      </div>
    </div>
  );
}

/** Type it or click it: what is clicked is typed. */
function Picker({ take }: { take: (at: Date) => void }) {
  const [typed, setTyped] = useState('');
  const read = readWhen(typed);
  const past = read !== undefined && read.getTime() < Date.now();
  const error =
    typed === '' || (read && !past) ? undefined : past ? 'That has passed.' : 'That is no time we can read.';
  return (
    <div className="picker">
      <TextInput
        aria-label="When"
        placeholder="thu 9, in 2h, tomorrow 14:30"
        leftSection={<IconCalendar size={16} stroke={1.75} aria-hidden />}
        rightSection={read && !past && <span className="dim">{sayWhen(read)}</span>}
        rightSectionWidth={read && !past ? 150 : 0}
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && read && !past) take(read);
        }}
        error={error}
      />
      <Suspense fallback={<div className="calendar" />}>
        <Calendar at={read} choose={setTyped} />
      </Suspense>
      <Button fullWidth disabled={!read || past} onClick={() => read && take(read)}>
        {read && !past ? `Call back ${sayWhen(read)}` : 'Call back'}
      </Button>
    </div>
  );
}

/** Exactly then or some time after, and what follows from it. */
export function Following({ draft, change, claims }: Choosing & { claims: Desk['claims'] }) {
  if (!draft.at) return <p className="dim">With no time, it waits its turn.</p>;
  const stays = draft.exactly ? claims.schedule : claims.put_off;
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
      <p>
        <time className="strong" dateTime={draft.at}>
          {sayWhen(draft.at)}
        </time>
        <br />
        <span className="dim">{stays ? 'stays with you' : 'comes to whoever is free'}</span>
      </p>
    </>
  );
}
