import { IconChevronDown, IconPhone, IconPhoneIncoming, IconPhoneOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import type { LineCall } from '../../contract/calls.ts';
import { useKeys } from '../keys.ts';
import { endsAlike, numbersQuery, type Phone } from '../leads/numbers.ts';
import { aboutLead, type Lead } from '../leads/queries.ts';
import { useCalling } from '../phone/calling.ts';
import { useSession } from '../session.ts';
import { sayDuration } from '../times.ts';
import { Menu } from '../ui/menu.tsx';
import { Key, Timer } from '../ui/parts.tsx';
import { OUTCOMES } from '../ui/states.tsx';
import { Unharmed } from '../ui/with-kit.tsx';
import type { Draft } from '../outcomes/draft.ts';
import { sayCall, sayEnder, useSoftphoneHere, type LineState } from '../line.ts';
import './softphone.css';

const NOT_REACHED: Record<string, string> = {
  busy: 'Busy',
  no_answer: 'No answer',
  invalid_number: 'There is no such number',
  temp_unavail: 'The number cannot be reached just now',
  failed: 'The line failed',
  voicemail: 'Voicemail',
};

type Props = {
  line: LineState;
  lead?: Lead | undefined;
  phones: Phone[];
  /** The call with this lead that has just ended. */
  last: LineCall | undefined;
  /** What those who are called see. */
  caller?: string | null;
  draft?: Draft;
};

/** One ink-coloured bar for whatever is live. D dials and answers; Enter never does. */
export function Softphone(props: Props) {
  const { line } = props;
  useSoftphoneHere();
  if (line.ringing) return <Ringing line={line} call={line.ringing} />;
  if (line.call && line.isTalking) return <Live line={line} call={line.call} />;
  return <Ready {...props} />;
}

const Bar = ({ children }: { children: ReactNode }) => (
  <section className="phone" aria-label="Telephone">
    {children}
  </section>
);

function Ringing({ line, call }: { line: LineState; call: LineCall }) {
  const answer = () => void line.answer(call.id).catch(() => undefined);
  const decline = () => line.decline(call.id);
  useKeys({ d: answer, h: decline });
  const { user } = useSession();
  const { lead, said } = useCalling(call);
  const number = call.number || 'A hidden number';
  const told = lead
    ? [lead.secondary_identifier, number, lead.claimed_by === user.email ? 'your lead' : lead.list_name]
    : [call.lead_id ? 'A lead of yours' : call.direction === 'inbound' ? 'Nobody we know' : number];
  return (
    <Bar>
      <IconPhoneIncoming size={22} stroke={1.75} aria-hidden />
      <div className="grow" role="alert">
        <div className="said">{said}</div>
        <p>{told.filter(Boolean).join(', ')}</p>
      </div>
      <div className="phone-buttons">
        <button type="button" className="phone-button phone-wide" onClick={decline}>
          {call.direction === 'inbound' ? 'Let it ring' : 'Decline'} <Key>H</Key>
        </button>
        <button type="button" className="phone-button phone-wide dial" onClick={answer}>
          <IconPhone size={18} stroke={1.75} aria-hidden /> Answer <Key>D</Key>
        </button>
      </div>
    </Bar>
  );
}

/** Comes once the desk is drawn; until then, or should it fail to come, one can see how the call stands and end it. */
const InCall = lazy(async () => ({ default: (await import('../phone/in-call.tsx')).InCall }));

function Live({ line, call }: { line: LineState; call: LineCall }) {
  const plain = <Plain line={line} call={call} />;
  return (
    <Bar>
      <Unharmed instead={plain}>
        <Suspense fallback={plain}>
          <InCall line={line} call={call} />
        </Suspense>
      </Unharmed>
    </Bar>
  );
}

function Plain({ line, call }: { line: LineState; call: LineCall }) {
  const isActive = call.state === 'active';
  const end = () => void line.hangUp().catch(() => undefined);
  useKeys({ h: end });
  return (
    <>
      <div className="grow">
        <Timer since={(isActive && line.connectedAt) || call.started_at} />
        <p role="status">{sayCall(call)}</p>
      </div>
      <div className="phone-buttons">
        <button type="button" className="phone-button phone-wide hang-up" onClick={end}>
          <IconPhoneOff size={18} stroke={1.75} aria-hidden /> {isActive ? 'Hang up' : 'Cancel'} <Key>H</Key>
        </button>
      </div>
    </>
  );
}

function Ready({ line, lead, phones, last, caller, draft }: Props) {
  const [chosen, choose] = useState<string>();
  const { data: written } = useQuery({ ...numbersQuery(lead?.id ?? 0), enabled: lead !== undefined });
  const write = ({ key, number }: Phone) => written?.find(({ column }) => column === key)?.number ?? number;
  const missed = last?.disposition ? NOT_REACHED[last.disposition] : undefined;
  // Whoever was not reached at one number is tried at the other.
  const other = missed ? phones.find(({ number }) => !endsAlike(number, last!.destination_number)) : undefined;
  const phone = phones.find(({ key }) => key === chosen) ?? other ?? phones[0];
  // The line of the call before takes a moment to let go.
  const canDial = phone !== undefined && lead !== undefined && !line.isBusy && !line.call;
  const dial = () => canDial && line.dial(lead.id, phone.key, aboutLead(lead.id).tellFailure);
  useKeys({ d: dial });
  const verb = other && !chosen ? `Try ${other.label.toLowerCase()}` : last ? 'Dial again' : 'Dial';
  return (
    <Bar>
      <div className="grow" role="status">
        {last && !missed ? (
          <span className="timer">{sayDuration(last.duration)}</span>
        ) : (
          <div className="said">{missed ?? phone?.label ?? 'No phone number'}</div>
        )}
        <p>
          {last ? afterCall(last, missed, draft) : phone ? sayNumber(write(phone), caller) : 'Add one in the card.'}
        </p>
      </div>
      <div className="phone-buttons">
        {phones.length > 1 && (
          <Menu
            place="below-end"
            className="phone-button phone-wide other"
            aria-label={`${(phone === phones[0] ? phones[1]! : phones[0]!).label}, another number`}
            label="Numbers"
            groups={[
              {
                items: phones.map((one) => ({
                  name: one.label,
                  end: write(one),
                  isCurrent: one === phone,
                  act: () => choose(one.key),
                })),
              },
            ]}
          >
            {phone === phones[0] ? phones[1]!.label : phones[0]!.label}
            <IconChevronDown size={14} stroke={1.75} aria-hidden />
          </Menu>
        )}
        <button
          type="button"
          className="phone-button phone-wide dial"
          disabled={!canDial}
          title={phone ? undefined : 'The lead has no phone number'}
          onClick={dial}
        >
          <IconPhone size={18} stroke={1.75} aria-hidden /> {verb} <Key>D</Key>
        </button>
      </div>
    </Bar>
  );
}

const sayNumber = (number: string, caller: string | null | undefined) =>
  caller ? `${number}, shown as ${caller}` : number;

/** What became of it, and what to do now. */
function afterCall(call: LineCall, missed: string | undefined, draft: Draft | undefined): string {
  if (!missed) return `${sayEnder(call) ?? 'Ended'}. Choose an outcome.`;
  const { outcome, category } = draft ?? {};
  const chosen = outcome && [OUTCOMES[outcome].word, category].filter(Boolean).join(', ');
  const where = call.ended_by === 'agent' ? `${call.number}, you hung up` : call.number;
  return chosen ? `${where}. ${chosen}, is chosen below.` : `${where}. Choose an outcome.`;
}
