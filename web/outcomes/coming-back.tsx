import { IconArchive, IconCalendar, IconClock, type TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Coming, ComingBack } from '../../contract/retries.ts';
import { midSentence, sayOrdinal, sayWhen, useNow } from '../times.ts';
import './coming-back.css';

/** What becomes of a lead that gets a call back without a time, as the service says it will be. */

// The service folds every alphabet; these three names need no more than this.
export const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z\d]+/g, '_');

/** A category that says that nobody was reached, whatever the line thought. */
export const saysNobody = (category: string | null | undefined): boolean =>
  ['no_answer', 'busy', 'voicemail'].includes(plain(category ?? ''));

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const PLACES = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

const many = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** `2 hours`, `15 minutes`, `3 days`. */
export const sayMinutes = (minutes: number): string => {
  if (minutes % 1_440 === 0) return many(minutes / 1_440, 'day');
  return minutes % 60 === 0 ? many(minutes / 60, 'hour') : many(minutes, 'minute');
};

/** `in 2 hours`, `the next day at 9:00`. */
const sayDelay = ({ comes_back_after: after }: Coming): string =>
  after === 'next_day' ? 'the next day at 9:00' : `in ${sayMinutes(after)}`;

/** `third of five tries`; nothing where none was made, or there is no end to them. */
function sayTry({ attempt, archived_after: most }: Coming): string {
  if (attempt === 0 || most === null) return '';
  if (attempt > most) return `${attempt} tries`;
  const tries = most === 1 ? 'try' : 'tries';
  return `${PLACES[attempt] ?? sayOrdinal(attempt)} of ${NUMBERS[most] ?? most} ${tries}`;
}

const MOST_DOTS = 10;

/** One for each, filled up to this one. */
function Dots({ attempt, archived_after: most }: Coming) {
  if (most === null || most > MOST_DOTS || attempt === 0) return null;
  return (
    <span className="tries" aria-hidden>
      {Array.from({ length: most }, (_, index) => (
        <i key={index} className={index < attempt ? 'made' : ''} />
      ))}
    </span>
  );
}

type SentenceProps = { icon: TablerIcon; said: string; dots?: ReactNode; archives?: boolean; children: ReactNode };

const Sentence = ({ icon: Icon, said, dots, archives, children }: SentenceProps) => (
  <div className={`comes-back ${archives ? 'archives' : ''}`}>
    <Icon size={18} stroke={1.75} aria-hidden />
    <p>
      <span className="strong" role="status">
        {said}
      </span>
      {dots}
      <br />
      <span className="dim">{children}</span>
    </p>
  </div>
);

/** An appointment stays where it is. */
export const Kept = ({ at }: { at: string }) => (
  <Sentence icon={IconCalendar} said={`Keeps the appointment ${midSentence(sayWhen(at))}`}>
    Choose a time to move it.
  </Sentence>
);

/** Back then, or given up. */
export function Again({ coming }: { coming: Coming }) {
  const now = useNow(20_000);
  const { archives, comes_back_after: after, category, attempt } = coming;
  const which = sayTry(coming);
  const dots = <Dots {...coming} />;
  if (archives)
    return (
      <Sentence icon={IconArchive} said={`Archived after this one, ${which}`} dots={dots} archives>
        With the note “{category}, {attempt === 1 ? '1 try' : `${attempt} tries`}”. Choose a time to call again.
      </Sentence>
    );
  const at = after === 'next_day' ? coming.at : new Date(now + after * 60_000);
  return (
    <Sentence icon={IconClock} said={[`Back ${sayDelay(coming)}`, which].filter(Boolean).join(', ')} dots={dots}>
      <time dateTime={new Date(at).toISOString()}>{sayWhen(at)}</time> or later. Choose a time to set your own.
    </Sentence>
  );
}

export const comingOf = (coming: ComingBack | undefined, category: string | undefined): Coming | undefined =>
  coming?.categories.find((one) => one.category === (category ?? null));

/** As a notice says what was not chosen: `, back in 2 hours`. */
export function sayComing(coming: ComingBack | undefined, category: string | undefined): string {
  if (coming?.appointment) return ` for ${midSentence(sayWhen(coming.appointment))}`;
  const again = comingOf(coming, category);
  if (!again) return '';
  return again.archives ? ', then archived' : `, back ${sayDelay(again)}`;
}
