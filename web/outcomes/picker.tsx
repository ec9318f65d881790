import { Suspense, use, useEffect, useMemo, useState } from 'react';
import type { Whereabouts } from '../../contract/calls.ts';
import { sayBoth, sayDay, sayWhen } from '../times.ts';
import { Button } from '../ui/button.tsx';
import { withKit } from '../ui/with-kit.tsx';
import { isMonthFirst } from './calendar-words.ts';
import { Place } from './place.ts';
import { LONGEST_WHEN, readWhen } from './when.ts';
import '../ui/input.css';
import './picker.css';

const Calendar = withKit(async () => (await import('./calendar.tsx')).Calendar);

const PAUSE_MS = 600;

/** Type it or click it: what is clicked is typed. What cannot be read is said when someone stops, not while they type. */
export function Picker({ take }: { take: (at: Date) => void }) {
  const [typed, setTyped] = useState('');
  const [stopped, setStopped] = useState('');
  const { country, there } = use(Place);
  const monthFirst = useMemo(() => country !== undefined && isMonthFirst(country), [country]);
  useEffect(() => {
    const timer = setTimeout(() => setStopped(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const read = readWhen(typed, new Date(), monthFirst);
  const past = read !== undefined && read.getTime() < Date.now();
  const at = past ? undefined : read;
  const fault = past ? 'That has passed.' : 'That is no time we can read.';
  const error = typed.trim() === '' || at || stopped !== typed ? undefined : fault;
  return (
    <div className="picker">
      <input
        className="field-input"
        aria-label="When"
        aria-invalid={error !== undefined}
        aria-describedby="when-read"
        placeholder="thu 9, in 2h, 22 nov 14:30"
        maxLength={LONGEST_WHEN}
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => setStopped(typed)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // There may be a form around it.
          event.preventDefault();
          setStopped(typed);
          if (at) take(at);
        }}
      />
      <p id="when-read" className={error ? 'field-error' : 'dim'} role="status">
        {error ?? (at ? sayRead(at, there) : 'Type it, or choose below.')}
      </p>
      <Suspense fallback={<div className="calendar" />}>
        <Calendar at={read} choose={setTyped} />
      </Suspense>
      <Button disabled={!at} onClick={() => at && take(at)}>
        {at ? `Call back ${sayWhen(at)}` : 'Call back'}
      </Button>
    </div>
  );
}

function sayRead(at: Date, there: Whereabouts | undefined): string {
  const both = there && sayBoth(at, there);
  return both ? `${sayDay(at)}, ${both}` : sayWhen(at);
}
