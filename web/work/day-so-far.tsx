import type { Day } from '../../contract/queue.ts';
import { sayCount } from '../counts.ts';
import { sayDuration } from '../times.ts';
import { STATES } from '../ui/states.tsx';
import '../ui/panel.css';
import './day-so-far.css';

const KINDS = ['won', 'call_back', 'lost', 'archived'] as const;

/** What was done today, by the hour and by outcome. */
export function DaySoFar({ day }: { day: Day }) {
  const outcomes = KINDS.reduce((sum, kind) => sum + day[kind], 0);
  const busy = day.hours.flatMap((calls, hour) => (calls > 0 ? [hour] : []));
  // A working day, and whatever was done beside it.
  const [from, to] = [Math.min(8, ...busy), Math.max(16, ...busy)];
  const most = Math.max(1, ...day.hours);
  return (
    <section className="panel" aria-labelledby="so-far">
      <h2 id="so-far">Your day so far</h2>
      <dl className="day-totals">
        {[
          [day.calls.toLocaleString(), day.calls === 1 ? 'call' : 'calls'],
          [day.reached.toLocaleString(), 'reached'],
          [sayDuration(day.talked), 'talked'],
        ].map(([figure, word]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd className="figures">{figure}</dd>
          </div>
        ))}
      </dl>
      <ol className="hours" aria-label="Calls by the hour">
        {day.hours.slice(from, to + 1).map((calls, index) => (
          <li key={index} title={`${from + index}:00, ${sayCount(calls, 'call')}`}>
            <svg viewBox="0 0 10 44" preserveAspectRatio="none" aria-hidden>
              <rect
                className={calls > 0 ? '' : 'none'}
                width={10}
                height={Math.max(2, (44 * calls) / most)}
                y={44 - Math.max(2, (44 * calls) / most)}
              />
            </svg>
            <span>{from + index}</span>
          </li>
        ))}
      </ol>
      {outcomes > 0 && (
        <svg className="shares" viewBox={`0 0 ${outcomes} 8`} preserveAspectRatio="none" aria-hidden>
          {KINDS.map((kind, index) => (
            <rect
              key={kind}
              className={kind}
              x={KINDS.slice(0, index).reduce((sum, one) => sum + day[one], 0)}
              width={day[kind]}
              height={8}
            />
          ))}
        </svg>
      )}
      <dl className="day-outcomes">
        {KINDS.map((kind) => (
          <div key={kind}>
            <dt>
              <span className={`share-dot ${kind}`} aria-hidden />
              {STATES[kind].word}
            </dt>
            <dd className="figures">{day[kind]}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
