import { Skeleton } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { Call, Ender, Silence } from '../../contract/calls.ts';
import type { Desk } from '../../contract/queue.ts';
import { queries } from '../api.ts';
import { useNameOf } from '../colleagues.ts';
import { midSentence, sayDuration, sayTime, sayWhen } from '../times.ts';
import { Empty, Failure, Loading } from '../ui/parts.tsx';
import { OUTCOMES, StateBadge, type OutcomeName } from '../ui/states.tsx';
import { endsAlike, isPassedOn, phoneOf, phonesOf } from './numbers.ts';
import { activityQuery, callsQuery, type Lead } from './queries.ts';
import { soundQuery } from './sound.ts';
import { Tab } from '../ui/tabs.tsx';
import '../ui/panel.css';
import './call-panel.css';

// Drawing waves is a lot of program, for which nobody should wait who only reads.
const Player = lazy(async () => ({ default: (await import('./player.tsx')).Player }));

type Props = { lead: Lead; desk: Desk };

/** One call of the lead, to be listened to. */
export function CallPanel({ calls, call, ...of }: Props & { calls: UseQueryResult<Call[]>; call: Call | undefined }) {
  return (
    <section className="panel call-panel" aria-label="Call">
      {calls.error && <Failure error={calls.error} again={() => void calls.refetch()} />}
      {calls.isPending && <Loading rows={4} />}
      {calls.data?.length === 0 && <Empty title="No calls yet.">Calls with this lead can be listened to here.</Empty>}
      {call && <ShownCall key={call.id} call={call} {...of} />}
    </section>
  );
}

const SILENCES: Record<Silence, string> = {
  under_way: 'The call is going on. It can be heard when it is over.',
  not_answered: 'Nobody answered, so there is nothing to hear.',
  not_recorded: 'This call was not recorded.',
  not_stored_yet: 'The recording is being stored. It shows here in a moment.',
  removed: 'The recording was removed: recordings are kept for a time, and its time was over.',
  lost: 'The recording was lost before it could be stored.',
  no_right: 'This is a colleague’s call. Supervisors and data managers may hear it.',
};

const PASSING = new Set<Silence | null | undefined>(['under_way', 'not_stored_yet']);

function ShownCall({ lead, desk, call }: Props & { call: Call }) {
  const { data: events = [] } = useQuery(activityQuery(lead.id));
  const sound = useQuery({
    ...soundQuery(call.id),
    refetchInterval: ({ state }) => (PASSING.has(state.data?.silence) ? 2_000 : false),
  });
  const nameOf = useNameOf();
  const [part, setPart] = useState(0);
  const isAudible = call.recordings.length > 0;
  const silence = sound.data?.silence;
  useEffect(() => {
    // The feed and the player need the link that is there now.
    if (silence === null && !isAudible) void queries.invalidateQueries(callsQuery(lead.id));
  }, [silence, isAudible, lead.id]);
  const event = events.find(({ id }) => id === call.event_id);
  const outcome = event && event.kind in OUTCOMES ? OUTCOMES[event.kind as OutcomeName] : undefined;
  const recording = sound.data?.recordings[part];
  const who = nameOf(call.user_email);
  return (
    <>
      <div className="call-head">
        <h2>
          Call, <time dateTime={call.started_at}>{sayMoment(call.started_at)}</time>
        </h2>
        {outcome && <StateBadge state={outcome.state} category={event!.category} />}
        <p className="dim">
          {isPassedOn(call)
            ? `${nameOf(call.caller_id.name ?? '')} passed it on to ${nameOf(call.destination_number)}`
            : sayLine(call, who, lead, desk)}
          {sound.data?.ended_by && `. ${sayEnd(sound.data.ended_by, who)}.`}
        </p>
      </div>
      {call.recordings.length > 1 && (
        <div className="call-parts" role="group" aria-label="Parts of the recording">
          {call.recordings.map(({ started_at }, index) => (
            <Tab key={started_at} pressed={part === index} onClick={() => setPart(index)}>
              {sayTime(started_at)}
            </Tab>
          ))}
        </div>
      )}
      {sound.error && <Failure error={sound.error} again={() => void sound.refetch()} />}
      {silence && <p className="panel-note">{SILENCES[silence]}</p>}
      {isAudible && recording && (
        <Suspense fallback={<Skeleton className="player-coming" />}>
          <Player
            key={part}
            call={call}
            part={part}
            recording={recording}
            speakers={[firstWord(who) || 'Agent', firstWord(lead.secondary_identifier) || 'Lead']}
          />
        </Suspense>
      )}
      {isAudible && recording && recording.gaps.length > 0 && (
        <p className="panel-note">Nothing was recorded {sayGaps(recording.gaps)}.</p>
      )}
    </>
  );
}

/** `from 01:12 to 01:40 and from 02:00 to 02:10`. */
const sayGaps = (gaps: { from: number; to: number }[]): string =>
  new Intl.ListFormat('en').format(gaps.map(({ from, to }) => `from ${sayDuration(from)} to ${sayDuration(to)}`));

const sayEnd = (by: Ender, who: string): string =>
  ({
    agent: `${who || 'The agent'} hung up`,
    other: 'They hung up',
    line: 'The line failed',
    nobody: 'Nobody was there',
  })[by];

const firstWord = (name: string) => name.split(/[\s@]/, 1)[0]!;

/** `Thu 12 Nov at 10:58`, `today 15:00`. */
const sayMoment = (at: string) => midSentence(sayWhen(at)).replace(/, (?=[^,]*$)/, ' at ');

/** `Daniel to the office phone, shown as +44 20 7946 0800`. */
function sayLine(call: Call, who: string, lead: Lead, { columns, caller_number }: Desk): string {
  const inbound = call.direction === 'inbound';
  const theirs = inbound ? call.caller_id.number : call.destination_number;
  const known = phoneOf(phonesOf(columns, lead), theirs);
  const phone = known ? `the ${known.label.toLowerCase()}` : (theirs ?? 'a hidden number');
  if (inbound) return `From ${phone}${who ? ` to ${who === 'You' ? 'you' : who}` : ''}`;
  const { number } = call.caller_id;
  // As it is written in the settings, where it still is that one.
  const ours = number && caller_number && endsAlike(caller_number, number) ? caller_number : number;
  const shown = ours ? `, shown as ${ours.replaceAll(' ', '\u00A0')}` : '';
  return `${who || 'Someone'} to ${phone}${shown}`;
}
