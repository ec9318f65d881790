import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconCopy, IconPhone, IconUserCheck } from '@tabler/icons-react';
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode, type Ref } from 'react';
import type { Desk } from '../../contract/queue.ts';
import { usePresence } from '../live.ts';
import { useSession } from '../session.ts';
import { paths } from '../paths.ts';
import { sayOverdue, sayWhen } from '../times.ts';
import { StateBadge } from '../ui/states.tsx';
import { tellFailure } from '../ui/notices.ts';
import { saveField, type Lead } from './queries.ts';

type Column = Desk['columns'][number];

type Props = {
  lead: Lead;
  columns: Column[];
  /** Undefined where nobody may dial from here. */
  dial?: ((column: string) => void) | undefined;
  /** The number of the call that is going on. */
  dialled?: string | undefined;
  heading?: Ref<HTMLHeadingElement>;
  foot?: ReactNode;
};

/** A possible duplicate, pinned at the foot of the card. */
export function DuplicateNote({ lead }: { lead: Lead }) {
  const { length } = lead.detected_duplicates;
  if (length === 0) return null;
  return (
    <div className="foot-note">
      <IconCopy size={16} stroke={1.75} aria-hidden />
      <span className="grow">
        {length === 1 ? 'Another lead looks the same.' : `${length} other leads look the same.`}
      </span>
      <Button component="a" href={paths.lead(lead.id)} target="_blank" size="compact-sm" variant="default">
        Compare
      </Button>
    </div>
  );
}

/** Who it is, how it stands, and everything that is known, each value to be changed in its place. */
export function LeadCard({ lead, columns, dial, dialled, heading, foot }: Props) {
  const shown = columns.filter(({ visible }) => visible);
  return (
    <section className="panel lead-card" aria-label="Lead">
      <div className="lead-head">
        <h1 ref={heading} tabIndex={-1}>
          {lead.primary_identifier || `Lead ${lead.id}`}
        </h1>
        <p className="lead-second">
          <span className="strong">{lead.secondary_identifier}</span>
          {lead.secondary_identifier && lead.tertiary_identifier && ', '}
          <span className="dim">{lead.tertiary_identifier}</span>
        </p>
        <Tags lead={lead} />
      </div>
      <dl className="fields" key={lead.id}>
        {shown.map((column) => (
          <Field key={column.key} lead={lead} column={column} dial={dial} dialled={dialled} />
        ))}
      </dl>
      {foot}
    </section>
  );
}

function Tags({ lead }: { lead: Lead }) {
  const { user } = useSession();
  const elsewhere = usePresence().find(({ lead_id, user_email }) => lead_id === lead.id && user_email !== user.email);
  const due = lead.state === 'call_back' && lead.scheduled_for;
  return (
    <div className="lead-tags">
      <StateBadge state={lead.state} category={lead.category} />
      {due && (
        <span className="tag">
          <time dateTime={due}>{sayOverdue(due) ?? sayWhen(due)}</time>
        </span>
      )}
      {lead.claimed_by && (
        <span className="tag">
          <IconUserCheck size={14} stroke={1.75} aria-hidden />
          {lead.claimed_by === user.email ? 'Yours' : lead.claimed_by}
        </span>
      )}
      {elsewhere && <span className="tag">Open with {elsewhere.user_email}</span>}
    </div>
  );
}

const digitsOf = (number: string) => number.replaceAll(/\D/g, '').replace(/^0+/, '');

function Field({ lead, column, dial, dialled }: { lead: Lead; column: Column } & Pick<Props, 'dial' | 'dialled'>) {
  const { key, label, kind } = column;
  const value = lead.lead_data[key] ?? '';
  const isDialled = kind === 'phone' && value !== '' && Boolean(dialled?.endsWith(digitsOf(value).slice(-7)));
  return (
    <div className={isDialled ? 'field dialled' : 'field'}>
      <dt id={`field-${key}`}>{label}</dt>
      <dd>
        <Value lead={lead} column={column} value={value} />
        {kind === 'phone' && value !== '' && dial && (
          <Tooltip label={`Call ${value}`}>
            <ActionIcon variant="default" size={26} aria-label={`Call ${label}: ${value}`} onClick={() => dial(key)}>
              <IconPhone size={15} stroke={1.75} />
            </ActionIcon>
          </Tooltip>
        )}
      </dd>
    </div>
  );
}

/** Click, or Tab and Enter, turns it into an input in place; Enter or leaving saves, Esc restores. */
function Value({ lead, column, value }: { lead: Lead; column: Column; value: string }) {
  const [typed, setTyped] = useState<string>();
  const done = useRef(false);
  const input = useRef<HTMLElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const isTyping = typed !== undefined;
  useEffect(() => {
    if (isTyping) input.current?.focus();
    else if (done.current && document.activeElement === document.body) button.current?.focus();
  }, [isTyping]);
  const begin = () => {
    done.current = false;
    setTyped(value);
  };
  const end = (save: boolean) => {
    if (done.current || typed === undefined) return;
    done.current = true;
    setTyped(undefined);
    if (save && typed !== value) saveField(lead, column.key, typed).catch(tellFailure);
  };
  if (!isTyping) {
    return (
      <button
        ref={button}
        type="button"
        className={value === '' ? 'field-value blank' : 'field-value'}
        aria-describedby={`field-${column.key}`}
        data-field={column.key}
        onClick={begin}
      >
        {value === '' ? `Add ${column.label.toLowerCase()}` : value}
      </button>
    );
  }
  const common = {
    className: 'field-input',
    'aria-labelledby': `field-${column.key}`,
    value: typed,
    onChange: (event: { currentTarget: { value: string } }) => setTyped(event.currentTarget.value),
    onBlur: () => end(true),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Escape') end(false);
      if (event.key === 'Enter' && (column.kind !== 'text' || event.ctrlKey)) {
        event.preventDefault();
        end(true);
      }
    },
  };
  if (column.kind === 'text')
    return <textarea ref={input as Ref<HTMLTextAreaElement>} rows={3} maxLength={10_000} {...common} />;
  const options = column.kind === 'boolean' ? ['true', 'false'] : column.options;
  if ((column.kind === 'options' || column.kind === 'boolean') && options.length > 0) {
    return (
      <select ref={input as Ref<HTMLSelectElement>} {...common}>
        <option value="" />
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    );
  }
  const types: Partial<Record<Column['kind'], string>> = { email: 'email', phone: 'tel', url: 'url', date: 'text' };
  return (
    <input
      ref={input as Ref<HTMLInputElement>}
      type={types[column.kind] ?? 'text'}
      maxLength={10_000}
      {...(column.kind === 'integer' && { inputMode: 'numeric' as const })}
      {...(column.kind === 'date' && { placeholder: '2027-03-31' })}
      {...common}
    />
  );
}
