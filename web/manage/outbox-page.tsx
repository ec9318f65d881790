import { IconAlertTriangle, IconChevronDown, IconChevronRight, IconClock, IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useSession } from '../session.ts';
import { Breakable, Empty, Failure, Loading, Time } from '../ui/parts.tsx';
import { ManageFrame } from './manage-frame.tsx';
import { outboxQuery, type Letter } from './queries.ts';
import { Copy } from '../ui/copy.tsx';
import { Panel } from '../ui/panel.tsx';
import { sayWhenWithin } from '../times.ts';
import '../ui/rows.css';
import './outbox-page.css';

export const OutboxPage = () => (
  <ManageFrame title="Outbox" right="outbox.read">
    <Letters />
  </ManageFrame>
);

function Letters() {
  const { account } = useSession();
  const { data, error, refetch } = useQuery(outboxQuery);
  return (
    <Panel title="Mails" aside="of the last 72 hours" flush>
      <p className="box-note">
        {account.sends_mail
          ? 'A mail that waits shows its text, so that you can hand its link over.'
          : 'No mail is sent from here: the service has no mail server (SMTP_URL). Hand the links over yourself.'}{' '}
        Links that were used or have ended are not shown.
      </p>
      {!data && (error ? <Failure error={error} again={() => void refetch()} /> : <Loading />)}
      {data?.length === 0 && (
        <Empty title="No mail in the last 72 hours.">Invitations and links to new passwords stand here.</Empty>
      )}
      {data && data.length > 0 && (
        <ul className="rows">
          {data.map((letter, index) => (
            <LetterRow key={letter.id} letter={letter} first={index === 0} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function LetterRow({ letter, first }: { letter: Letter; first: boolean }) {
  const [open, setOpen] = useState(first);
  const id = useId();
  const Chevron = open ? IconChevronDown : IconChevronRight;
  return (
    <li>
      <button
        type="button"
        className="row row-button opens"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen((was) => !was)}
      >
        <Chevron size={16} stroke={1.75} aria-hidden />
        <span className="grow">
          <span className="strong wrap block">{letter.subject}</span>
          <span className="meta wrap block">
            to <Breakable>{letter.recipient}</Breakable>
          </span>
        </span>
        <Standing letter={letter} />
      </button>
      {open && (
        <div id={id} className="letter">
          {letter.last_error && <p className="fault">The last try failed: {letter.last_error}</p>}
          {letter.sent_at ? (
            <p className="meta">It has left, so its text is its reader’s alone: links in it open doors.</p>
          ) : (
            <LetterText text={letter.text} />
          )}
        </div>
      )}
    </li>
  );
}

function Standing({ letter }: { letter: Letter }) {
  if (letter.sent_at) {
    return (
      <span className="meta standing">
        <IconSend size={14} stroke={1.75} aria-hidden />
        <Time at={letter.sent_at} say={(at) => `Sent ${sayWhenWithin(at)}`} />
      </span>
    );
  }
  const Icon = letter.last_error ? IconAlertTriangle : IconClock;
  return (
    <span className={letter.last_error ? 'meta standing failing' : 'meta standing'}>
      <Icon size={14} stroke={1.75} aria-hidden />
      <Time
        at={letter.created_at}
        say={(at) => `${letter.last_error ? 'Failing' : 'Waiting'} since ${sayWhenWithin(at)}`}
      />
    </span>
  );
}

/** Only addresses of our own become links. */
function LetterText({ text }: { text: string }) {
  const { account } = useSession();
  const own = new Set([location.origin, new URL(account.base_url).origin]);
  const isOwn = (part: string) => /^https?:\/\//.test(part) && own.has(URL.parse(part)?.origin ?? '');
  const parts = text.split(/(https?:\/\/[^\s<>"]+)/);
  return (
    <div className="letter-text">
      {parts.map((part, index) =>
        isOwn(part) ? (
          <span key={index} className="letter-link">
            <a href={part} target="_blank" rel="noreferrer">
              <Breakable>{part}</Breakable>
            </a>
            <Copy text={part} what="the link" compact />
          </span>
        ) : (
          part
        ),
      )}
    </div>
  );
}
