import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import type { ListAtPages } from '../../contract/list-pages.ts';
import { paths } from '../../contract/paths.ts';
import type { Ahead, Waiting } from '../../contract/queue.ts';
import { useManagers } from '../colleagues.ts';
import { isPressing, keysRest, useKeys } from '../keys.ts';
import { nameLead } from '../leads/queries.ts';
import { useRight } from '../session.ts';
import { daysFromToday, sayDuration, sayTime, sayWhenWithin } from '../times.ts';
import { Button } from '../ui/button.tsx';
import { Key, Loading, Time } from '../ui/parts.tsx';
import { OUTCOMES, STATES, Badge } from '../ui/states.tsx';
import { withKit } from '../ui/with-kit.tsx';
import { Coming } from './coming.tsx';
import { DaySoFar } from './day-so-far.tsx';
import { Elsewhere } from './elsewhere.tsx';
import { dayQuery } from './queries.ts';
import '../ui/panel.css';
import './idle.css';

type Props = {
  lists: ListAtPages[];
  listId: number;
  choose: (id: number) => void;
  ahead: Ahead | undefined;
  open: (leadId: number) => void;
  again: () => void;
  isPaused: boolean;
  /** Whether a lead is being written, as someone asked for it. */
  adding: boolean;
  setAdding: (adding: boolean) => void;
};

/** Nothing to call just now: when there will be, what was done, and what else could be. */
export function Idle({ lists, listId, choose, ahead, open, again, isPaused, adding, setAdding }: Props) {
  const day = useQuery(dayQuery).data;
  const list = lists.find(({ id }) => id === listId);
  const [first, ...later] = (!isPaused && ahead?.coming) || [];
  const today = later.filter(({ at }) => daysFromToday(at) === 0);
  const isEmpty = list?.leads_count === 0 && !first;
  const writes = useRight('leads.write');
  const imports = useRight('leads.import');
  // An empty list shows the form by itself, and keeps it for the next lead.
  const [isFirst, setFirst] = useState(isEmpty && writes);
  const isWriting = adding || isFirst;
  const close = () => {
    setAdding(false);
    setFirst(false);
  };
  useKeys({
    Enter: (event) => (isPressing(event) ? false : first ? open(first.id) : again()),
    ...(writes && { a: () => setAdding(true) }),
  });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!keysRest(document.activeElement)) heading.current?.focus();
  }, []);
  return (
    <div className="idle arriving">
      <section className="panel idle-main" aria-label="Nothing to call">
        <div className="idle-head">
          <h1 ref={heading} tabIndex={-1}>
            {isPaused
              ? `${list?.name} is paused`
              : isEmpty
                ? `${list.name} has no leads yet`
                : first
                  ? `All caught up until ${sayUntil(first.at)}`
                  : 'All caught up'}
          </h1>
          <p>
            {isPaused ? (
              'Nothing comes from it until it is resumed. Then its leads open here by themselves.'
            ) : isEmpty ? (
              <NoLeads writes={writes} />
            ) : first ? (
              `Nothing is due in ${list?.name}. When the next call back falls due, it opens here by itself.`
            ) : (
              `There is nothing left to call in ${list?.name}. New leads and call backs open here by themselves.`
            )}
          </p>
          {first && <Coming lead={first} open={() => open(first.id)} />}
          {isEmpty && imports && (
            <Link to={paths.newImport} search={{ list: listId } as never} className="button default idle-import">
              Upload a file with leads
            </Link>
          )}
          {isWriting ? (
            <Suspense fallback={<Loading />}>
              <AddLead listId={listId} open={open} close={isEmpty ? undefined : close} />
            </Suspense>
          ) : (
            <div className="idle-acts">
              {!first && !isPaused && (
                <Button variant="default" onClick={again} rightSection={<Key>N</Key>}>
                  Look again
                </Button>
              )}
              {writes && (
                <Button variant="default" onClick={() => setAdding(true)} rightSection={<Key>A</Key>}>
                  Add a lead
                </Button>
              )}
            </div>
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
        {day && <DaySoFar day={day} />}
        <Elsewhere lists={lists} listId={listId} choose={choose} />
        <section className="panel" aria-labelledby="while-you-wait">
          <h2 id="while-you-wait">While you wait</h2>
          <dl className="hints">
            {[
              ['Find a lead and open it', '/'],
              ['Change the list', 'G'],
              ['Any command', 'Ctrl K'],
              ['All keyboard shortcuts', '?'],
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

const AddLead = withKit(async () => (await import('../leads/add-lead.tsx')).AddLead);

function NoLeads({ writes }: { writes: boolean }) {
  const managers = useManagers();
  return writes
    ? 'Write the first one here. Those that programs send open here by themselves.'
    : `Leads open here by themselves as soon as there are some. Ask ${managers} to add them.`;
}

const sayUntil = (at: string) => (daysFromToday(at) === 0 ? sayTime(at) : sayWhenWithin(at));

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
