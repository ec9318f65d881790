import { memo } from 'react';
import type { Column, TableLead } from '../../../contract/lead-table.ts';
import { paths } from '../../../contract/paths.ts';
import { classOf, kindOf, type Around } from './cells.tsx';
import { Check } from './check.tsx';
import './row.css';

export const nameRow = ({ identifiers, id }: Pick<TableLead, 'identifiers' | 'id'>): string =>
  identifiers[0] || `Lead ${id}`;

type Props = {
  /** Undefined while it is on its way. */
  lead: TableLead | undefined;
  place: number;
  y: number;
  columns: Column[];
  around: Around;
  /** Of the question before: it cannot be chosen. */
  isOld: boolean;
  isCurrent: boolean;
  isOpen: boolean;
  isChosen: boolean;
};

/** One lead. What is clicked is the table's to hear. */
export const Row = memo(function Row({ lead, place, y, columns, around, isOld, isCurrent, isOpen, isChosen }: Props) {
  const style = { transform: `translateY(${y}px)` };
  // The head is the first.
  const index = { role: 'row', 'aria-rowindex': place + 2, style };
  if (!lead)
    return (
      <div {...index} className="leads-row on-its-way" aria-busy>
        <span role="cell" className="bones" />
      </div>
    );
  const tabIndex = isCurrent ? 0 : -1;
  return (
    <div
      {...index}
      className={`leads-row${isChosen ? ' chosen' : ''}${isOpen ? ' open' : ''}`}
      data-place={place}
      data-lead={lead.id}
    >
      <span role="cell" className="cell-check">
        <Check label={`Select ${nameRow(lead)}`} checked={isChosen} tabIndex={tabIndex} aria-disabled={isOld} />
      </span>
      {columns.map(({ name }) => {
        const kind = kindOf(name, around.fields);
        return (
          <span key={name} role="cell" className={`cell ${classOf(name)}${kind?.isFigure ? ' figure' : ''}`}>
            {name === 'lead' ? (
              <a
                href={paths.lead(lead.id)}
                className="lead-link"
                tabIndex={tabIndex}
                aria-current={isOpen || undefined}
              >
                <b>{nameRow(lead)}</b>
                {lead.identifiers.length > 1 && <span> {lead.identifiers.slice(1).join(' ')}</span>}
              </a>
            ) : (
              kind?.cell(lead, around)
            )}
          </span>
        );
      })}
    </div>
  );
});
