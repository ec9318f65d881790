import type { ReactNode } from 'react';
import { FIELD, isField } from '../../../contract/filters.ts';
import type { Column, TableLead } from '../../../contract/lead-table.ts';
import { sayDate, sayOverdue, sayTime, sayWhen, daysFromToday } from '../../times.ts';
import { Initials, Time } from '../../ui/parts.tsx';
import { Badge, STATES } from '../../ui/states.tsx';
import type { Field } from './fields.ts';
import './cells.css';

/** What a cell may need besides its lead. */
export type Around = { now: number; listNames: ReadonlyMap<number, string>; fields: ReadonlyMap<string, Field> };

type Kind = {
  label: string;
  width: number;
  /** Figures stand at the right. */
  isFigure?: boolean;
  /** What the service puts them in order by; a minus where the last comes first. */
  order?: string;
  cell: (lead: TableLead, around: Around) => ReactNode;
};

const KINDS: Record<string, Kind> = {
  lead: {
    label: 'Lead',
    width: 240,
    // Drawn by the row, which it opens.
    cell: () => null,
  },
  phone: { label: 'Phone', width: 148, cell: ({ phone }) => <span className="figures">{phone}</span> },
  list: { label: 'List', width: 148, cell: ({ list_id }, { listNames }) => listNames.get(list_id) },
  state: { label: 'State', width: 208, cell: (lead) => <Standing {...lead} /> },
  due: { label: 'Due', width: 132, order: 'due', cell: (lead, { now }) => <Due {...lead} now={now} /> },
  claimed_by: {
    label: 'Claimed by',
    width: 164,
    cell: ({ claimed_by }) =>
      claimed_by && (
        <span className="lead-person">
          <Initials name={claimed_by.name} />
          <span>{claimed_by.name}</span>
        </span>
      ),
  },
  last_activity: {
    label: 'Last activity',
    width: 172,
    cell: ({ last_activity, calls }) =>
      last_activity ? <Time at={last_activity} /> : calls === 0 && <span className="dim">Not called yet</span>,
  },
  calls: {
    label: 'Calls',
    width: 64,
    isFigure: true,
    cell: ({ calls }) => calls > 0 && <span className="figures">{calls}</span>,
  },
  created: { label: 'Created', width: 172, order: '-created', cell: ({ created_at }) => <Time at={created_at} /> },
  updated: { label: 'Updated', width: 172, order: '-updated', cell: ({ last_updated }) => <Time at={last_updated} /> },
};

/** All but the fields of lists. */
export const KNOWN = Object.keys(KINDS);

const FIGURES = new Set<Field['kind']>(['integer']);

/** What a column is; undefined where it is of a field that none of the lists has any more. */
export function kindOf(name: string, fields: ReadonlyMap<string, Field>): Kind | undefined {
  if (!isField(name)) return KINDS[name];
  const key = name.slice(FIELD.length);
  const field = fields.get(key);
  return (
    field && {
      label: field.label,
      width: 132,
      isFigure: FIGURES.has(field.kind),
      order: name,
      cell: (lead) => sayField(lead.fields[key] ?? '', field.kind),
    }
  );
}

export const LEAST_WIDTH = 56;
export const MOST_WIDTH = 800;

const CLASSES: Record<string, string> = { lead: 'of-lead', list: 'of-list', state: 'of-state', due: 'of-due' };
export const classOf = (name: string): string => (isField(name) ? 'of-field' : (CLASSES[name] ?? ''));

/** How wide each is, and all together at least. The first takes what the others leave. */
export function widthsOf(columns: Column[], fields: ReadonlyMap<string, Field>) {
  const widths = columns.map(({ name, width }) => width ?? kindOf(name, fields)!.width);
  const isFree = columns[0]!.width === undefined;
  return {
    '--columns': `${CHECK}px ${widths.map((px, at) => (at === 0 && isFree ? `minmax(${px}px, 1fr)` : `${px}px`)).join(' ')}`,
    '--width': `${widths.reduce((sum, px) => sum + px, CHECK)}px`,
  };
}
const CHECK = 44;

function sayField(value: string, kind: Field['kind']): ReactNode {
  if (kind === 'integer' && /^-?\d{1,15}$/.test(value))
    return <span className="figures">{Number(value).toLocaleString()}</span>;
  if (kind === 'date' && !Number.isNaN(Date.parse(value))) return <Time at={value} say={sayDate} />;
  return value;
}

function Standing({ state, category }: Pick<TableLead, 'state' | 'category'>) {
  const { word, icon: Icon } = STATES[state];
  return (
    <span className="lead-standing">
      <Badge tone={state}>
        <Icon size={14} stroke={1.75} aria-hidden />
        {word}
      </Badge>
      {category && <span className="meta">{category}</span>}
    </span>
  );
}

function Due({
  state,
  scheduled_for,
  exactly,
  now,
}: Pick<TableLead, 'state' | 'scheduled_for' | 'exactly'> & { now: number }) {
  if (!scheduled_for) return null;
  if (state !== 'call_back') return <time dateTime={scheduled_for}>Reminder {sayAfter(scheduled_for)}</time>;
  const overdue = sayOverdue(scheduled_for, now);
  return (
    <time dateTime={scheduled_for} className={overdue ? 'due strong' : undefined}>
      {overdue ?? (exactly ? sayWhen(scheduled_for) : `After ${sayAfter(scheduled_for)}`)}
    </time>
  );
}

const sayAfter = (at: string) => (daysFromToday(at) === 0 ? sayTime(at) : sayDate(at));
