import { IconCopy, IconExternalLink, IconPhone, IconUserCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Fragment, Suspense, useState, type ReactNode, type Ref } from 'react';
import { useNameOf } from '../colleagues.ts';
import { usePresence } from '../live.ts';
import { saysNobody } from '../outcomes/coming-back.tsx';
import { useSession } from '../session.ts';
import { sayDate, sayOrdinal, sayOverdue, sayWhen, sayWhenWithin } from '../times.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { StateBadge, Tag } from '../ui/states.tsx';
import { withKit } from '../ui/with-kit.tsx';
import { sayAlike, sharesPlaceholder } from './alike.ts';
import { Value, type Column } from './field.tsx';
import { LocalTime } from './local-time.tsx';
import { endsAlike, numbersQuery, phoneOf, phonesOf } from './numbers.ts';
import { betweenOf, callsQuery, leadQuery, nameLead, type Lead } from './queries.ts';
import '../ui/panel.css';
import '../ui/button.css';
import './lead-card.css';

type Props = {
  lead: Lead;
  columns: Column[];
  /** Undefined where nobody may dial from here. */
  dial?: ((column: string) => void) | undefined;
  /** The number of the call that is going on. */
  dialled?: string | undefined;
  /** Whether someone has answered it. */
  isConnected?: boolean | undefined;
  heading?: Ref<HTMLHeadingElement> | undefined;
  /** Beside its name. */
  menu?: ReactNode;
  foot?: ReactNode;
};

const Compare = withKit(async () => (await import('./compare.tsx')).Compare);

/** A possible duplicate, pinned at the foot of the card. One that may not be seen is not named. */
export function DuplicateNote({ lead, columns }: Pick<Props, 'lead' | 'columns'>) {
  const [comparing, setComparing] = useState(false);
  const [first, ...more] = lead.detected_duplicates;
  const { data: other } = useQuery({ ...leadQuery(first ?? 0), enabled: first !== undefined, retry: false });
  if (first === undefined || sharesPlaceholder(lead)) return null;
  const alike = (other && sayAlike(columns, lead, other)) || 'looks the same';
  return (
    <div className="foot-note">
      <IconCopy size={16} stroke={1.75} aria-hidden />
      <span className="grow">
        {other ? (
          <>
            {alike.replace(/^same/, 'Same').replace(/^looks/, 'Looks')} as <strong>{nameLead(other)}</strong>
          </>
        ) : (
          'Another lead looks the same'
        )}
        {more.length > 0 && `, and ${more.length} more`}
      </span>
      <Button size="compact" variant="default" onClick={() => setComparing(true)}>
        Compare
      </Button>
      <Suspense>{comparing && <Compare lead={lead} columns={columns} close={() => setComparing(false)} />}</Suspense>
    </div>
  );
}

const CONTACT = new Set<Column['kind']>(['phone', 'email', 'url']);

/** Who it is, how it stands, and everything that is known, each value to be changed in its place. */
export const LeadCard = (props: Props) => (
  <section className="panel lead-card" aria-label="Lead">
    <Head {...props} />
    <LeadFields {...props} />
  </section>
);

/** Who it is and which number is in use, where all else that is known stands elsewhere. */
export function LeadHeading(props: Props) {
  const { lead, columns, dialled, isConnected } = props;
  const phone = phoneOf(phonesOf(columns, lead), dialled ?? null);
  return (
    <section className="panel lead-card lead-heading" aria-label="Lead">
      <Head {...props} />
      <dl className="heading-side">
        {phone && (
          <div className="field dialled">
            <dt>{phone.label}</dt>
            <dd>
              <span className="field-value">{phone.number}</span>
              <OnCall isConnected={isConnected} />
            </dd>
          </div>
        )}
        <LocalTime leadId={lead.id} dialled={dialled} />
      </dl>
    </section>
  );
}

/** Everything that is known, but what the head says. */
export function LeadFields({ lead, columns, dial, dialled, isConnected, foot }: Props) {
  const { fields } = sortColumns(lead, columns);
  const lastContact = fields.findLastIndex(({ kind }) => CONTACT.has(kind));
  return (
    <>
      <dl className="fields" key={lead.id}>
        {fields.map((column, index) => (
          <Fragment key={column.key}>
            <Field lead={lead} column={column} dial={dial} dialled={dialled} isConnected={isConnected} />
            {index === lastContact && <LocalTime leadId={lead.id} dialled={dialled} />}
          </Fragment>
        ))}
        <Since lead={lead} />
      </dl>
      {foot}
    </>
  );
}

/** What the head says is not said twice; a number to dial is. */
export function sortColumns(lead: Pick<Lead, 'lead_data'>, columns: Column[]) {
  const shown = columns.filter(({ visible }) => visible);
  const first = shown.slice(0, 3);
  const identifiers = first.filter(({ key, kind }) => lead.lead_data[key] && !CONTACT.has(kind));
  return { first, identifiers, fields: shown.filter((column) => !identifiers.includes(column)) };
}

function Head({ lead, columns, heading, menu }: Pick<Props, 'lead' | 'columns' | 'heading' | 'menu'>) {
  const sorted = sortColumns(lead, columns);
  const part = (column: Column | undefined) =>
    column &&
    (sorted.identifiers.includes(column) ? (
      <Value lead={lead} column={column} />
    ) : (
      (lead.lead_data[column.key] ?? undefined)
    ));
  const [first, second, third] = sorted.first;
  const between = betweenOf(lead);
  return (
    <div className="lead-head">
      {menu && <div className="lead-menu">{menu}</div>}
      <h1 ref={heading} tabIndex={-1}>
        {(first && lead.lead_data[first.key] && part(first)) || `Lead ${lead.id}`}
      </h1>
      <p className="lead-second">
        <span className="strong">{part(second)}</span>
        {between}
        <span className={between === ' ' ? 'strong' : 'dim'}>{part(third)}</span>
      </p>
      <Tags lead={lead} />
    </div>
  );
}

function Tags({ lead }: { lead: Lead }) {
  const { user } = useSession();
  const nameOf = useNameOf();
  const elsewhere = usePresence().find(({ lead_id, user_email }) => lead_id === lead.id && user_email !== user.email);
  const { scheduled_for: at } = lead;
  const isDue = lead.state === 'call_back';
  const tries = useTries(lead);
  return (
    <div className="lead-tags">
      <StateBadge state={lead.state} category={lead.category} />
      {at && (
        <Tag>
          <time dateTime={at}>{isDue ? (sayOverdue(at) ?? sayWhen(at)) : `Reminder ${sayWhenWithin(at)}`}</time>
        </Tag>
      )}
      {lead.claimed_by && (
        <Tag>
          <IconUserCheck size={14} stroke={1.75} aria-hidden />
          {lead.claimed_by === user.email ? 'Yours' : nameOf(lead.claimed_by)}
        </Tag>
      )}
      {tries > 1 && <Tag>{sayOrdinal(tries)} try</Tag>}
      {elsewhere && <Tag>Open with {nameOf(elsewhere.user_email)}</Tag>}
    </div>
  );
}

/** Which try this is since someone was last reached: a call without an outcome since is part of it. */
function useTries(lead: Lead): number {
  const { data: calls } = useQuery(callsQuery(lead.id));
  if (!calls || (lead.state !== 'new' && lead.state !== 'call_back')) return 0;
  const categoryOf = (event: number | null) => lead.events.find(({ id }) => id === event)?.category;
  const reached = calls.findIndex(
    ({ disposition, event_id }) => disposition === 'normal' && !saysNobody(categoryOf(event_id)),
  );
  const since = reached < 0 ? calls : calls.slice(0, reached);
  const made = since.filter(({ direction }) => direction === 'outbound');
  return made.length + (made[0] && made[0].event_id === null ? 0 : 1);
}

/** With the local time, which is above it: nothing moves when that one comes. */
function Since({ lead }: { lead: Lead }) {
  if (!useQuery(numbersQuery(lead.id)).isFetched) return null;
  return (
    <div className="field">
      <dt>In this list</dt>
      <dd>
        <span>
          since <time dateTime={lead.created_at}>{sayDate(lead.created_at)}</time>
        </span>
      </dd>
    </div>
  );
}

const OnCall = ({ isConnected = false }: Pick<Props, 'isConnected'>) => (
  <span className="on-call">
    <span className="dot calling" aria-hidden />{' '}
    <span className="on-call-words">{isConnected ? 'On call' : 'Calling'}</span>
  </span>
);

type FieldProps = { lead: Lead; column: Column } & Pick<Props, 'dial' | 'dialled' | 'isConnected'>;

function Field({ lead, column, dial, dialled, isConnected }: FieldProps) {
  const { key, label, kind } = column;
  const value = lead.lead_data[key] ?? '';
  const isDialled = kind === 'phone' && value !== '' && dialled !== undefined && endsAlike(value, dialled);
  return (
    <div className={isDialled ? 'field dialled' : 'field'}>
      <dt id={`field-${key}`}>{label}</dt>
      <dd>
        <Value lead={lead} column={column} />
        {isDialled && <OnCall isConnected={isConnected} />}
        {dial && phonesOf([column], lead).length > 0 && (
          <IconButton
            className="default"
            label={`Call ${label}: ${value}`}
            title={`Call ${value}`}
            onClick={() => dial(key)}
          >
            <IconPhone size={15} stroke={1.75} aria-hidden />
          </IconButton>
        )}
        {kind === 'url' && <OpenSite value={value} />}
      </dd>
    </div>
  );
}

/** Only the web's own addresses: whatever else is written there leads nowhere. */
function OpenSite({ value }: { value: string }) {
  const address = /^[a-z][a-z\d+.-]*:/i.test(value) ? value : `https://${value}`;
  if (value === '' || !/^https?:\/\//i.test(address) || !URL.canParse(address)) return null;
  return (
    <a className="icon-button" href={address} target="_blank" rel="noopener noreferrer" aria-label={`Open ${value}`}>
      <IconExternalLink size={15} stroke={1.75} aria-hidden />
    </a>
  );
}
