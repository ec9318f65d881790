import { NativeSelect } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { DateOrder, Import, Match } from '../../../contract/imports.ts';
import type { ColumnKind } from '../../../contract/lists.ts';
import { TextButton } from '../../ui/button.tsx';
import type { Acts } from './acts.ts';
import './match-status.css';

const ORDERS: { value: DateOrder; label: string }[] = [
  { value: 'day_first', label: 'Day first, 31/03' },
  { value: 'month_first', label: 'Month first, 03/31' },
  { value: 'year_first', label: 'Year first, 2027-03' },
];

type Props = {
  place: number;
  column: Import['columns'][number];
  match: Match | undefined;
  kind: ColumnKind | undefined;
  acts: Acts;
};

/** Whether someone should look at it, and what else it needs to know. */
export function MatchStatus({ place, column, match, kind, acts }: Props) {
  if (!match) return <span className="dim">Skipped</span>;
  const isUnsure = match.sure === false;
  if (kind === 'date' && match.columns[0] === place)
    return (
      <NativeSelect
        size="xs"
        variant="unstyled"
        className={isUnsure ? 'match-dates unsure' : 'match-dates'}
        aria-label={`How dates are written in ${column.name}`}
        data={ORDERS}
        value={match.dates ?? 'day_first'}
        onChange={(event) => acts.confirm(place, { dates: event.currentTarget.value as DateOrder })}
      />
    );
  if (match.columns[0] !== place) return <span className="match-done">Joined</span>;
  if (isUnsure)
    return (
      <TextButton onClick={() => acts.confirm(place)}>
        Is this right?<span className="unseen"> Say that {column.name} is</span>
      </TextButton>
    );
  return (
    <span className="match-done">
      <IconCheck size={14} stroke={1.75} aria-hidden />
      Matched
    </span>
  );
}
