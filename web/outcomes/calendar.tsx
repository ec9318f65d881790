import '@mantine/dates/styles.layer.css';
import { DatePicker } from '@mantine/dates';
import { useEffect, useRef } from 'react';
import { sayTime, two } from '../times.ts';
import './calendar.css';

const HALF_HOURS = Array.from({ length: 26 }, (_, index) => `${7 + Math.floor(index / 2)}:${index % 2 ? '30' : '00'}`);

const dayOf = (at: Date) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
const clockOf = (at: Date) => `${at.getHours()}:${two(at.getMinutes())}`;

/** A month and the half hours of a working day; loaded when it is first looked at. */
export function Calendar({ at, choose }: { at: Date | undefined; choose: (typed: string) => void }) {
  const today = dayOf(new Date());
  const [day, clock] = [at ? dayOf(at) : null, at ? clockOf(at) : '9:00'];
  const times = useRef<HTMLDivElement>(null);
  useEffect(() => {
    times.current?.querySelector('[aria-pressed="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [clock]);
  return (
    <div className="calendar">
      <DatePicker
        size="xs"
        weekendDays={[]}
        hideOutsideDates
        minDate={today}
        value={day}
        {...(day && { date: day })}
        onChange={(chosen) => chosen && choose(`${chosen} ${clock}`)}
      />
      <div className="clock" ref={times} role="group" aria-label="Time">
        {HALF_HOURS.map((time) => (
          <button
            key={time}
            type="button"
            className="chip figures"
            aria-pressed={at !== undefined && clock === time}
            onClick={() => choose(`${day ?? today} ${time}`)}
          >
            {sayTime(new Date(`2000-01-01T${time.padStart(5, '0')}`))}
          </button>
        ))}
      </div>
    </div>
  );
}
