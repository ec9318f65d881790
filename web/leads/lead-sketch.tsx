import { IconEyeOff, IconPhone } from '@tabler/icons-react';
import { useMisfit } from './misfits.ts';
import type { Column } from './field.tsx';
import { sortColumns } from './lead-card.tsx';
import { betweenOf, nameLead, type Lead } from './queries.ts';
import './field.css';
import './lead-card.css';
import './lead-sketch.css';

type Props = { lead: Omit<Lead, 'events'>; columns: Column[] };

/** A lead as its card shows it, with these columns; nothing can be changed here. */
export function LeadSketch({ lead, columns }: Props) {
  const { first: identifiers, fields } = sortColumns(lead, columns);
  const hidden = columns.filter(({ visible }) => !visible);
  const [first, second, third] = identifiers.map(({ key }) => lead.lead_data[key] ?? '');
  const named = {
    ...lead,
    primary_identifier: first ?? '',
    secondary_identifier: second ?? '',
    tertiary_identifier: third ?? '',
  };
  return (
    <div className="lead-sketch">
      <div className="lead-head">
        <h3>{nameLead(named)}</h3>
        <p className="lead-second">
          <span className="strong">{second}</span>
          {betweenOf(named)}
          {third}
        </p>
      </div>
      <dl className="fields">
        {fields.map((column) => (
          <SketchedField key={column.key} column={column} value={lead.lead_data[column.key] ?? ''} />
        ))}
      </dl>
      {hidden.length > 0 && (
        <p className="sketch-hidden">
          <IconEyeOff size={16} stroke={1.75} aria-hidden />
          <span>Hidden: {hidden.map(({ label }) => label).join(', ')}</span>
        </p>
      )}
    </div>
  );
}

function SketchedField({ column, value }: { column: Column; value: string }) {
  const misfit = useMisfit(column, value);
  return (
    <div className="field">
      <dt>{column.label}</dt>
      <dd>
        <span className={`field-value ${value === '' ? 'blank' : ''} ${misfit ? 'misfit' : ''}`}>
          {value || 'Empty'}
        </span>
        {misfit && <span className="misfit-word">{misfit}</span>}
        {column.kind === 'phone' && value !== '' && !misfit && (
          <span className="icon-button default" aria-hidden>
            <IconPhone size={15} stroke={1.75} />
          </span>
        )}
      </dd>
    </div>
  );
}
