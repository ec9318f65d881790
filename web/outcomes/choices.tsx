import { IconCalendar } from '@tabler/icons-react';
import { Suspense, useMemo, useState, type Ref } from 'react';
import type { Desk } from '../../contract/queue.ts';
import { sayWhen } from '../times.ts';
import { Button } from '../ui/button.tsx';
import { Float } from '../ui/float.tsx';
import { Key } from '../ui/parts.tsx';
import { withKit } from '../ui/with-kit.tsx';
import { OUTCOME_NAMES, OUTCOMES, type OutcomeName } from '../ui/states.tsx';
import type { Draft } from './draft.ts';
import { readWhen, suggestTimes } from './when.ts';
import '../ui/input.css';
import './choices.css';

/** What came of it, why, and when again: the same wherever an outcome is given. */

const Calendar = withKit(async () => (await import('./calendar.tsx')).Calendar);

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

type WhenProps = Choosing & { pick?: Ref<HTMLButtonElement>; onPicking?: (isOpen: boolean) => void };

export function WhenRow({ draft, change, pick, onPicking }: WhenProps) {
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
        <Float
          ref={pick}
          place="above"
          kind="dialog"
          label="When to call back"
          onOpen={onPicking}
          className="chip"
          // One of the choices, to those who hear them.
          role="radio"
          aria-checked={isOwn}
          aria-expanded={undefined}
          panel={(close) => (
            <Picker
              take={(at) => {
                change({ at: at.toISOString() });
                close();
              }}
            />
          )}
        >
          <IconCalendar size={14} stroke={1.75} aria-hidden />
          {isOwn && draft.at ? sayWhen(draft.at) : 'Pick'} <Key>T</Key>
        </Float>
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
      <input
        className="field-input"
        aria-label="When"
        aria-invalid={error !== undefined}
        aria-describedby="when-read"
        placeholder="thu 9, in 2h, tomorrow 14:30"
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // There may be a form around it.
          event.preventDefault();
          if (read && !past) take(read);
        }}
      />
      <p id="when-read" className={error ? 'field-error' : 'dim'} role="status">
        {error ?? (read ? sayWhen(read) : 'Type it, or choose below.')}
      </p>
      <Suspense fallback={<div className="calendar" />}>
        <Calendar at={read} choose={setTyped} />
      </Suspense>
      <Button disabled={!read || past} onClick={() => read && take(read)}>
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
      <div className="segments" role="radiogroup" aria-label="How exact">
        {[true, false].map((exactly) => (
          <button
            key={String(exactly)}
            type="button"
            role="radio"
            aria-checked={draft.exactly === exactly}
            onClick={() => change({ exactly })}
          >
            {exactly ? 'Exactly at' : 'Any time after'}
          </button>
        ))}
      </div>
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
