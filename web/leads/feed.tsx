import {
  IconCopy,
  IconMessage,
  IconMessageCircle,
  IconPencil,
  IconPhoneIncoming,
  IconPhoneOutgoing,
  IconPlus,
  IconSwitchHorizontal,
  IconUserCheck,
  IconUserOff,
  type TablerIcon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Call } from '../../contract/calls.ts';
import { fieldOf } from '../../contract/changes.ts';
import type { State } from '../../contract/states.ts';
import { readTime } from '../../contract/times.ts';
import { useNameOf } from '../colleagues.ts';
import { midSentence, sayDay, sayDuration, sayTime, sayWhen } from '../times.ts';
import { Empty, Failure, Loading } from '../ui/parts.tsx';
import { OUTCOMES, STATES } from '../ui/states.tsx';
import { MiniPlayer } from './mini-player.tsx';
import { isPassedOn, phoneOf, phonesOf, type Phone } from './numbers.ts';
import { activityQuery, callsQuery, useLead, type ActivityEvent } from './queries.ts';
import { Tab } from '../ui/tabs.tsx';
import '../ui/panel.css';
import './feed.css';

const KINDS: Record<string, { word: string; icon: TablerIcon; tone?: string }> = {
  ...Object.fromEntries(
    Object.entries(OUTCOMES).map(([kind, { word, icon, state }]) => [kind, { word, icon, tone: state }]),
  ),
  comment: { word: 'Note', icon: IconMessage },
  text: { word: 'Text message sent', icon: IconMessageCircle },
  inbound_text: { word: 'Text message received', icon: IconMessageCircle },
  lead_created: { word: 'Added', icon: IconPlus },
  lead_updated: { word: 'Changed', icon: IconPencil },
  claim: { word: 'Claimed', icon: IconUserCheck },
  unclaim: { word: 'Given back', icon: IconUserOff },
  migration: { word: 'Moved', icon: IconSwitchHorizontal },
  duplicate_ignored: { word: 'Not a duplicate', icon: IconCopy },
  merge: { word: 'Merged', icon: IconCopy },
};

const ENDINGS: Record<string, string> = {
  normal: 'Talked',
  voicemail: 'Voicemail',
  busy: 'Busy',
  no_answer: 'No answer',
  invalid_number: 'Wrong number',
  temp_unavail: 'Cannot be reached',
  failed: 'The line failed',
};

/** A text as the line told of it. */
const TEXTS: Record<string, string> = {
  queued: 'Sending a text message',
  delivered: 'Text message delivered',
  failed: 'Text message failed',
};

const CHANGING = new Set(['lead_updated', 'merge']);

/** What of a lead is no field of its list. */
const PARTS: Record<string, string> = {
  state: 'State',
  category: 'Category',
  scheduled_for: 'Due',
  claimed_by: 'Claimed by',
  list_id: 'List',
};

type Item = { at: string; key: string } & ({ event: ActivityEvent } | { call: Call });

const VIEWS = ['All', 'Calls', 'Changes'] as const;

type Props = {
  leadId: number;
  /** The call that is shown beside the feed, where one is. */
  chosen?: number | undefined;
  choose?: ((callId: number) => void) | undefined;
};

/** How much happened to a lead, once it is known. */
export function useHappenings(leadId: number): number | undefined {
  const { data: events } = useQuery(activityQuery(leadId));
  const { data: calls } = useQuery(callsQuery(leadId));
  return events && calls && events.length + calls.length;
}

/** All that happened to a lead, newest first, by day. */
export function Feed({ leadId, chosen, choose }: Props) {
  const [view, setView] = useState<(typeof VIEWS)[number]>('All');
  const { lead, desk } = useLead(leadId);
  const columns = desk?.columns ?? [];
  const labels = new Map(columns.map(({ key, label }) => [key, label]));
  const phones = lead ? phonesOf(columns, lead) : [];
  const events = useQuery(activityQuery(leadId));
  const calls = useQuery(callsQuery(leadId));
  // One after the other, the later would push the earlier down.
  const isPending = events.isPending || calls.isPending;
  const failed = [events, calls].find(({ error }) => error);
  const items: Item[] = [
    ...(view === 'Calls' || isPending
      ? []
      : (events.data ?? [])
          .filter(({ kind }) => view === 'All' || kind === 'lead_updated')
          .map((event) => ({ at: event.created_at, key: `event ${event.id}`, event }))),
    ...(view === 'Changes' || isPending
      ? []
      : (calls.data ?? []).map((call) => ({ at: call.started_at, key: `call ${call.id}`, call }))),
  ].toSorted((a, b) => b.at.localeCompare(a.at));
  const days = Map.groupBy(items, ({ at }) => sayDay(at));
  return (
    <section className="panel feed" aria-label="Activity">
      <div className="panel-head">
        <h2>Activity</h2>
        {VIEWS.map((name) => (
          <Tab key={name} pressed={view === name} onClick={() => setView(name)}>
            {name}
          </Tab>
        ))}
        <span className="grow" />
        <span className="dim figures">{items.length}</span>
      </div>
      <div className="feed-body" tabIndex={0} role="group" aria-label="What happened">
        {isPending && <Loading />}
        {failed?.error && <Failure error={failed.error} again={() => void failed.refetch()} />}
        {!isPending && !failed && items.length === 0 && (
          <Empty title="Nothing yet.">What happens to this lead shows here.</Empty>
        )}
        {[...days].map(([day, ofDay]) => (
          <div key={day}>
            <h3>{day}</h3>
            <ol>
              {ofDay.map((item) =>
                'event' in item ? (
                  <Told key={item.key} event={item.event} labels={labels} />
                ) : (
                  <Called
                    key={item.key}
                    call={item.call}
                    phones={phones}
                    chosen={item.call.id === chosen}
                    choose={choose}
                  />
                ),
              )}
            </ol>
          </div>
        ))}
      </div>
    </section>
  );
}

const say = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return 'empty';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Older events told of fields by the names of parts. */
const isTime = (value: unknown): value is string => typeof value === 'string' && readTime(value) !== undefined;

/** A value of what is no field, as people say it. */
function sayPart(key: string, value: unknown, nameOf: (email: string) => string): string {
  if (typeof value !== 'string' || value === '') return say(value);
  if (key === 'claimed_by') return nameOf(value);
  if (key === 'scheduled_for' && isTime(value)) return sayWhen(value);
  return key === 'state' ? (STATES[value as State]?.word ?? value) : value;
}

function Told({ event, labels }: { event: ActivityEvent; labels: Map<string, string> }) {
  const nameOf = useNameOf();
  const who = nameOf(event.user_email) || (event.via === 'api' ? 'The API' : 'Leadline');
  const { word: usual, icon: Icon, tone } = KINDS[event.kind] ?? { word: event.kind, icon: IconPencil };
  const word = TEXTS[event.text?.state ?? ''] ?? usual;
  const why = event.text?.error;
  const schedule = event.changes.scheduled_for?.[1];
  // What an act on many leads had done.
  const undone = event.changes.undone?.[0];
  const changes = CHANGING.has(event.kind)
    ? Object.entries(event.changes)
        .filter(([key]) => key !== 'merged' && key !== 'undone')
        .map(([key, [before, after]]) => {
          const field = fieldOf(key);
          const value = (one: unknown) => (field === undefined ? sayPart(key, one, nameOf) : say(one));
          const label = field === undefined ? PARTS[key] : labels.get(field);
          return `${label ?? field ?? key} ${value(before)} → ${value(after)}`;
        })
    : [];
  const isOne = event.kind === 'lead_updated' && changes.length === 1;
  const handed = sayHanded(event, who, nameOf);
  const title = handed ?? (isOne ? changes[0] : event.category ? `${word}, ${event.category}` : word);
  const told = isTime(schedule) ? `${who}, for ${midSentence(sayWhen(schedule))}` : handed ? '' : who;
  return (
    <li className="event">
      <span className={tone ? `event-icon toned ${tone}` : 'event-icon'}>
        <Icon size={14} stroke={1.75} aria-hidden />
      </span>
      <div>
        <div className="event-head">
          <strong>{title}</strong>
          <time dateTime={event.created_at}>{sayTime(event.created_at)}</time>
        </div>
        {told && <p>{told}</p>}
        {why && <p className="fault">{ENDINGS[why] ?? why}</p>}
        {typeof undone === 'string' && <p>Undone: {undone}</p>}
        {!isOne && changes.map((change) => <p key={change}>{change}</p>)}
        {event.comment && <p>“{event.comment}”</p>}
      </div>
    </li>
  );
}

/** Who gave the lead to whom, or took it. */
function sayHanded({ kind, changes, user_email, via }: ActivityEvent, who: string, nameOf: (email: string) => string) {
  if (kind !== 'claim' && kind !== 'unclaim') return undefined;
  const [before, after] = changes.claimed_by ?? [];
  const name = (email: unknown) => (typeof email === 'string' ? nameOf(email).replace(/^You$/, 'you') : undefined);
  const [from, to] = [name(before), name(after)];
  if (kind === 'unclaim' && !from && via === 'service') return 'The claim has lapsed';
  if (kind === 'unclaim') return before === user_email || !from ? `${who} gave it back` : `${who} took it from ${from}`;
  if (!to) return undefined;
  const earlier = from && before !== user_email ? `, ${from} had it` : '';
  return after === user_email ? `${who} took it${earlier}` : `${who} gave it to ${to}${earlier}`;
}

type CalledProps = Pick<Props, 'choose'> & { call: Call; phones: Phone[]; chosen: boolean };

function Called({ call, phones, chosen, choose }: CalledProps) {
  const nameOf = useNameOf();
  const who = nameOf(call.user_email) || 'Someone';
  const passed = isPassedOn(call) ? `${nameOf(call.caller_id.name ?? '')} to ${nameOf(call.destination_number)}` : '';
  const Icon = call.direction === 'inbound' ? IconPhoneIncoming : IconPhoneOutgoing;
  const inbound = call.direction === 'inbound';
  const number = (inbound ? call.caller_id.number : call.destination_number) ?? '';
  const phone = phoneOf(phones, number);
  const where = `${inbound ? 'from' : 'to'} ${phone ? `the ${phone.label.toLowerCase()}` : number}`;
  const talked = call.disposition === 'normal';
  const title =
    call.state !== 'completed'
      ? call.state === 'active'
        ? 'Talking now'
        : inbound
          ? 'Calls in now'
          : 'Calling now'
      : passed
        ? talked
          ? 'Passed on'
          : 'Passed on, not taken'
        : inbound
          ? talked
            ? 'Called in'
            : 'Missed call'
          : talked
            ? `${who} called`
            : ENDINGS[call.disposition ?? 'failed'];
  return (
    <li className="event">
      <span className="event-icon">
        <Icon size={14} stroke={1.75} aria-hidden />
      </span>
      <div>
        <div className="event-head">
          <strong>
            {choose ? (
              <button type="button" className="event-pick" aria-pressed={chosen} onClick={() => choose(call.id)}>
                {title}
              </button>
            ) : (
              title
            )}
          </strong>
          <time dateTime={call.started_at}>{sayTime(call.started_at)}</time>
        </div>
        <p>
          {[
            ...(passed || title === `${who} called` || (inbound && !talked) ? [] : [who]),
            passed || where,
            ...(call.duration > 0 && call.recordings.length === 0 ? [sayDuration(call.duration)] : []),
          ]
            .join(', ')
            .replace(/^./, (letter) => letter.toUpperCase())}
        </p>
        {call.recordings.length > 0 && <MiniPlayer call={call} />}
      </div>
    </li>
  );
}
