import { IconCalendar } from '@tabler/icons-react';
import { use, useState, type Ref } from 'react';
import type { Desk } from '../../contract/queue.ts';
import type { Coming } from '../../contract/retries.ts';
import { sayBoth, sayWhen } from '../times.ts';
import { Float } from '../ui/float.tsx';
import { Key } from '../ui/parts.tsx';
import { OUTCOME_NAMES, OUTCOMES, type OutcomeName } from '../ui/states.tsx';
import { Again, Kept } from './coming-back.tsx';
import type { Draft } from './draft.ts';
import { Picker } from './picker.tsx';
import { Place } from './place.ts';
import { suggestTimes, type When } from './when.ts';
import './choices.css';

/** What came of it, why, and when again: the same wherever an outcome is given. */

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
            <span className="outcome-word">{word}</span>
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

type WhenProps = Choosing & {
  pick?: Ref<HTMLButtonElement>;
  onPicking?: (isOpen: boolean) => void;
  /** An appointment that stays where no other time is chosen. */
  appointment?: string | null | undefined;
};

export function WhenRow({ draft, change, pick, onPicking, appointment }: WhenProps) {
  const [times, renew] = useState(() => suggestTimes());
  /** In 15 minutes from now, however long ago it was offered. */
  const choose = (offered: When) => {
    const anew = suggestTimes();
    const { at } = anew.find(({ label }) => label === offered.label) ?? offered;
    renew(anew);
    if (at.getTime() > Date.now()) change({ at: at.toISOString() });
  };
  const { there } = use(Place);
  const chosen = draft.at ?? appointment ?? undefined;
  const isOwn = chosen !== undefined && !times.some(({ at }) => at.toISOString() === chosen);
  return (
    <div className="dock-row">
      <span id="when">When</span>
      <div className="chips" role="radiogroup" aria-labelledby="when">
        {times.map((offered) => {
          const { label, at } = offered;
          return (
            <button
              key={label}
              type="button"
              role="radio"
              aria-checked={chosen === at.toISOString()}
              className="chip"
              title={there && sayBoth(at, there)}
              onClick={() => choose(offered)}
            >
              {label}
            </button>
          );
        })}
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
          {isOwn ? sayWhen(chosen) : 'Pick'} <Key>T</Key>
        </Float>
      </div>
    </div>
  );
}

type FollowingProps = Choosing & {
  claims: Desk['claims'];
  appointment: string | null | undefined;
  /** When it comes back without a time. Null: the list does not say, away from the desk; undefined: not known yet. */
  coming: Coming | null | undefined;
};

/** Exactly then or some time after, and what follows from it. */
export function Following({ draft, change, claims, appointment, coming }: FollowingProps) {
  const { there } = use(Place);
  if (!draft.at) {
    if (appointment) return <Kept at={appointment} />;
    if (coming) return <Again coming={coming} />;
    return coming === null ? <p className="dim">With no time, it waits its turn.</p> : null;
  }
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
        <span className="dim">
          {[there && sayBoth(draft.at, there), stays ? 'stays with you' : 'comes to whoever is free']
            .filter(Boolean)
            .join(', ')}
        </span>
      </p>
    </>
  );
}
