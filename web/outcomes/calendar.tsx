import '@mantine/dates/styles.layer.css';
import { DatePicker } from '@mantine/dates';
import { useEffect, useRef } from 'react';
import { sayTime, two } from '../times.ts';
import './calendar.css';

const HALF_HOURS = Array.from(
  { length: 26 },
  (_, index) => `${two(7 + Math.floor(index / 2))}:${index % 2 ? '30' : '00'}`,
);

const dayOf = (at: Date) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
const clockOf = (at: Date) => `${two(at.getHours())}:${two(at.getMinutes())}`;

/** Of what has no words to be seen. */
const NAMES = {
  previousMonth: 'Month before',
  nextMonth: 'Next month',
  previousYear: 'Year before',
  nextYear: 'Next year',
  previousDecade: 'Decade before',
  nextDecade: 'Next decade',
};

type Props = {
  at: Date | undefined;
  choose: (typed: string) => void;
  /** Days alone, also those that have passed. */
  isDays?: boolean;
};

/** A month and the half hours of a working day; loaded when it is first looked at. */
export function Calendar({ at, choose, isDays = false }: Props) {
  const today = dayOf(new Date());
  const [day, clock] = [at ? dayOf(at) : null, at ? clockOf(at) : '09:00'];
  const isOver = (chosen: string) => chosen === today && clock <= clockOf(new Date());
  const times = useRef<HTMLDivElement>(null);
  useEffect(() => {
    times.current?.querySelector('[aria-pressed="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [clock]);
  return (
    <div className={isDays ? 'calendar days' : 'calendar'}>
      <DatePicker
        size="xs"
        fullWidth
        weekendDays={[]}
        hideOutsideDates
        {...(!isDays && { minDate: today })}
        ariaLabels={NAMES}
        value={day}
        {...(day && { date: day })}
        // Of today what is left of it.
        onChange={(chosen) => chosen && choose(isDays ? chosen : isOver(chosen) ? 'today' : `${chosen} ${clock}`)}
      />
      {!isDays && (
        <div className="clock" ref={times} role="group" aria-label="Time">
          {HALF_HOURS.map((time) => (
            <button
              key={time}
              type="button"
              className="chip figures"
              aria-pressed={at !== undefined && clock === time}
              onClick={() => choose(day ? `${day} ${time}` : time)}
            >
              {sayTime(new Date(`2000-01-01T${time}`))}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
