import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '../../contract/paths.ts';
import type { Waiting } from '../../contract/queue.ts';
import { useNameOf } from '../colleagues.ts';
import { betweenOf, leadQuery, nameLead } from '../leads/queries.ts';
import { midSentence, sayDay, two, useNow } from '../times.ts';
import { Button } from '../ui/button.tsx';
import { Key } from '../ui/parts.tsx';
import '../ui/button.css';
import './coming.css';

/** Who falls due next, how long until then, and what was said last. */
export function Coming({ lead, open }: { lead: Waiting; open: () => void }) {
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
