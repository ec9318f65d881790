import { IconPhoneIncoming } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { LineCall } from '../../contract/calls.ts';
import { paths } from '../../contract/paths.ts';
import { useKeys } from '../keys.ts';
import type { Lead } from '../leads/queries.ts';
import { useLine } from '../line.ts';
import { useCalling } from '../phone/calling.ts';
import { useSession } from '../session.ts';
import { Key, Timer } from '../ui/parts.tsx';
import { STATES } from '../ui/states.tsx';
import { useTitleOver } from '../ui/title.ts';
import { notify, notifying, ring } from './ring.ts';
import '../ui/button.css';
import './call-bar.css';
import './incoming.css';

/** Someone calls: to be heard, seen in the tab and, where no softphone shows it, on the page. */
export function Incoming({ call, shown }: { call: LineCall; shown: boolean }) {
  const { who, lead, colleague, said } = useCalling(call);
  const { user } = useSession();
  const told = [lead?.secondary_identifier, call.number].filter((part) => part && part !== who).join(', ');
  useTitleOver(said);
  useEffect(ring, [call.id]);
  useEffect(() => notify(said, told), [call.id, said, told]);
  if (!shown) return null;
  const meaning = colleague ? sayColleague(call) : sayMeaning(call, lead, user.email);
  return <Card call={call} who={call.direction === 'transfer' ? said : who} told={told} meaning={meaning} />;
}

function Card({ call, who, told, meaning }: { call: LineCall; who: string; told: string; meaning: string }) {
  const line = useLine();
  const navigate = useNavigate();
  const answer = () =>
    void line.answer(call.id).then(
      () => navigate({ to: paths.work }),
      () => undefined,
    );
  const decline = () => line.decline(call.id);
  useKeys({ d: answer, h: decline });
  return (
    <section className="incoming" aria-label="Someone calls">
      <div className="incoming-head" role="alert">
        <IconPhoneIncoming size={22} stroke={1.75} aria-hidden />
        <div className="grow">
          <strong>{who}</strong>
          <p>{told || 'is calling'}</p>
        </div>
        <Timer since={call.started_at} />
      </div>
      <p>{meaning}</p>
      <div className="incoming-acts">
        <button type="button" className="ink-button" onClick={decline}>
          {call.direction === 'inbound' ? 'Let it ring' : 'Decline'}
        </button>
        <button type="button" className="ink-button answer" disabled={line.isBusy} onClick={answer}>
          <IconPhoneIncoming size={18} stroke={1.75} aria-hidden /> Answer <Key>D</Key>
        </button>
      </div>
      <AskToNotify />
    </section>
  );
}

/** What a colleague wants, and what it means to decline. */
function sayColleague({ direction, asks }: LineCall): string {
  if (direction === 'local') return 'A colleague.';
  return asks
    ? 'You talk to your colleague first, while the call waits.'
    : 'The call waits for you. If you do not answer, it goes back to your colleague.';
}

/** Whose lead it is, how it stands, and what it means to miss it. */
function sayMeaning({ lead_id }: LineCall, lead: Lead | undefined, own: string): string {
  if (lead_id === null) return 'Nobody we know. Note the number if you cannot answer.';
  if (!lead) return 'A lead. If nobody answers, it is due now.';
  const isAhead = lead.scheduled_for !== null && Date.parse(lead.scheduled_for) > Date.now();
  // An appointment is kept, whoever misses the call.
  const due = lead.state === 'call_back' && isAhead ? 'it is due now, unless a time was agreed on' : 'it is due now';
  const state = [STATES[lead.state].word, lead.category].filter(Boolean).join(', ');
  return `${lead.claimed_by === own ? 'Your lead' : 'A lead'} in ${lead.list_name}, ${state}. If nobody answers, ${due}.`;
}

/** Once, by a button and with a reason; whoever has answered the browser is not asked again. */
function AskToNotify() {
  const [state, setState] = useState(notifying);
  if (state !== 'default') return null;
  return (
    <p className="incoming-ask">
      While another window is in front you would only hear this.{' '}
      <button type="button" className="link" onClick={() => void Notification.requestPermission().then(setState)}>
        Show calls there too
      </button>
    </p>
  );
}
