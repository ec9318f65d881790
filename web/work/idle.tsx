import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ListRow } from '../../contract/lists.ts';
import type { Ahead, Day, Waiting } from '../../contract/queue.ts';
import { useNameOf } from '../colleagues.ts';
import { isPressing, useKeys } from '../keys.ts';
import { betweenOf, leadQuery, nameLead } from '../leads/queries.ts';
import { useQueues } from '../live.ts';
import { paths } from '../../contract/paths.ts';
import { daysFromToday, midSentence, sayDay, sayDuration, sayTime, sayWhen, two, useNow } from '../times.ts';
import { Button } from '../ui/button.tsx';
import { Key, Time } from '../ui/parts.tsx';
import { OUTCOMES, STATES, Badge } from '../ui/states.tsx';
import { dayQuery } from './queries.ts';
import '../ui/panel.css';
import '../ui/button.css';
import './idle.css';

type Props = {
  lists: ListRow[];
  listId: number;
  choose: (id: number) => void;
  ahead: Ahead | undefined;
  open: (leadId: number) => void;
  again: () => void;
};

/** Nothing to call just now: when there will be, what was done, and what else could be. */
export function Idle({ lists, listId, choose, ahead, open, again }: Props) {
  const day = useQuery(dayQuery).data;
  const list = lists.find(({ id }) => id === listId);
  const [first, ...later] = ahead?.coming ?? [];
  const today = later.filter(({ at }) => daysFromToday(at) === 0);
  useKeys({ Enter: (event) => (isPressing(event) ? false : first ? open(first.id) : again()) });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="idle arriving">
      <section className="panel idle-main" aria-label="Nothing to call">
        <div className="idle-head">
          <h1 ref={heading} tabIndex={-1}>
            {first ? `All caught up until ${sayUntil(first.at)}` : 'All caught up'}
          </h1>
          <p>
            {first
              ? `Nothing is due in ${list?.name}. When the next call back falls due, it opens here by itself.`
              : `There is nothing left to call in ${list?.name}. New leads and call backs open here by themselves.`}
          </p>
          {first ? (
            <Coming lead={first} open={() => open(first.id)} />
          ) : (
            <Button variant="default" onClick={again} rightSection={<Key>N</Key>}>
              Look again
            </Button>
          )}
        </div>
        {ahead && today.length > 0 && (
          <section className="idle-rows" aria-labelledby="after-that">
            <div className="idle-title">
              <h2 id="after-that">After that, today</h2>
              {ahead.tomorrow > 0 && <span className="dim">{ahead.tomorrow.toLocaleString()} more tomorrow</span>}
            </div>
            {today.map((lead) => (
              <Row
                key={lead.id}
                at={lead.at}
                lead={lead}
                tone="call_back"
                why={lead.category ?? STATES.call_back.word}
                end={lead.yours ? 'yours' : 'anyone'}
                open={() => open(lead.id)}
              />
            ))}
          </section>
        )}
        {day && day.done.length > 0 && (
          <section className="idle-rows" aria-labelledby="done-last">
            <div className="idle-title">
              <h2 id="done-last">Done last</h2>
              <span className="dim">open one to correct it</span>
            </div>
            {day.done.map((one, index) => (
              <Row
                key={`${one.lead_id} ${index}`}
                at={one.at}
                lead={{ ...one, id: one.lead_id }}
                tone={OUTCOMES[one.kind].state}
                why={one.category ?? OUTCOMES[one.kind].word}
                end={one.duration === null ? '' : sayDuration(one.duration)}
                open={() => open(one.lead_id)}
              />
            ))}
          </section>
        )}
      </section>
      <div className="idle-side">
        {day && <SoFar day={day} />}
        <Elsewhere lists={lists} listId={listId} choose={choose} />
        <section className="panel" aria-labelledby="while-you-wait">
          <h2 id="while-you-wait">While you wait</h2>
          <dl className="hints">
            {[
              ['Find a lead and open it', '/'],
              ['Change the list', 'G'],
              ['Any command', 'Ctrl K'],
              ['All keys', '?'],
            ].map(([what, key]) => (
              <div key={key}>
                <dt>{what}</dt>
                <dd>
                  <Key>{key}</Key>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </div>
  );
}

const sayUntil = (at: string) => (daysFromToday(at) === 0 ? sayTime(at) : sayWhen(at));

/** Who falls due next, how long until then, and what was said last. */
function Coming({ lead, open }: { lead: Waiting; open: () => void }) {
  const nameOf = useNameOf();
  const { data } = useQuery(leadQuery(lead.id));
  const told = data?.events.find(({ comment }) => comment !== '');
  return (
    <div className="coming">
      <Countdown to={lead.at} />
      <div className="grow">
        <strong>{nameLead(lead)}</strong>
        <p>{data && [data.secondary_identifier, data.tertiary_identifier].join(betweenOf(data))}</p>
        {told && (
          <p className="dim">
            {nameOf(told.user_email) || 'The API'}, {midSentence(sayDay(told.created_at))}: “{told.comment}”
          </p>
        )}
      </div>
      <div className="coming-acts">
        <Button onClick={open} rightSection={<Key>↵</Key>}>
          Open it now
        </Button>
        <Link className="button default" to={paths.lead(lead.id)}>
          View lead
        </Link>
      </div>
    </div>
  );
}

function Countdown({ to }: { to: string }) {
  const now = useNow(1_000);
  const left = Math.max(0, Math.ceil((Date.parse(to) - now) / 1_000));
  const [hours, minutes] = [Math.floor(left / 3_600), Math.floor((left % 3_600) / 60)];
  const [figure, word] =
    hours >= 48
      ? [String(Math.floor(hours / 24)), 'days left']
      : hours > 0
        ? [`${hours}:${two(minutes)}`, 'hours left']
        : [`${minutes}:${two(left % 60)}`, 'minutes left'];
  return (
    <div className="countdown" role="timer">
      <b className="figures">{figure}</b>
      {word}
    </div>
  );
}

type RowProps = {
  at: string;
  lead: Pick<Waiting, 'id' | 'primary_identifier' | 'secondary_identifier'>;
  tone: keyof typeof STATES;
  why: string;
  end: string;
  open: () => void;
};

function Row({ at, lead, tone, why, end, open }: RowProps) {
  const { icon: Icon } = STATES[tone];
  return (
    <button type="button" className="idle-row" onClick={open}>
      <Time at={at} say={sayTime} />
      <strong>{nameLead(lead)}</strong>
      <span className="second">{lead.secondary_identifier}</span>
      <Badge tone={tone}>
        <Icon size={14} stroke={1.75} aria-hidden />
        {why}
      </Badge>
      <span className="dim figures end">{end}</span>
    </button>
  );
}

const KINDS = ['won', 'call_back', 'lost', 'archived'] as const;

function SoFar({ day }: { day: Day }) {
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
          [day.calls.toLocaleString(), 'calls'],
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
          <li key={index} title={`${from + index}:00, ${calls} calls`}>
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

function Elsewhere({ lists, listId, choose }: Pick<Props, 'lists' | 'listId' | 'choose'>) {
  const others = useQueues().filter(({ list_id, due, new: fresh }) => list_id !== listId && due + fresh > 0);
  if (others.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="elsewhere">
      <h2 id="elsewhere">Leads are waiting in your other lists</h2>
      <p className="dim">Switch and keep going. What falls due here waits for you.</p>
      <ul className="elsewhere">
        {others.map(({ list_id, due, new: fresh }) => (
          <li key={list_id}>
            <div className="grow">
              <strong>{lists.find(({ id }) => id === list_id)?.name}</strong>
              <p>
                {due > 0 && <span className="due">{due.toLocaleString()} due, </span>}
                <span className="dim">{fresh.toLocaleString()} new</span>
              </p>
            </div>
            <Button variant="default" onClick={() => choose(list_id)}>
              Switch
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
