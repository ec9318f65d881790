import { NativeSelect, Select } from '@mantine/core';
import { useState } from 'react';
import type { Import, Match } from '../../../contract/imports.ts';
import type { ColumnKind } from '../../../contract/lists.ts';
import { KIND_CHOICES } from '../../lists/settings/kinds.ts';
import type { Acts } from './acts.ts';
import { SavedText } from './saved-text.tsx';
import { choiceOf, choicesOf, NEW, NONE, type Known } from './targets.ts';
import '../../ui/form.css';
import './target-select.css';

type Props = {
  place: number;
  column: Import['columns'][number];
  match: Match | undefined;
  known: { current: Known };
  acts: Acts;
};

/** What a column becomes. A new field says here what it is called and holds. */
export function TargetSelect({ place, column, match, known, acts }: Props) {
  const [isOpen, setOpen] = useState(false);
  const choice = choiceOf(place, match, known.current);
  const isOwn = match?.new_field !== undefined && choice.value === NEW;
  return (
    <div className={isOwn ? 'target-row' : undefined}>
      <Select
        aria-label={`${column.name} becomes`}
        className={choice.value === NONE ? 'target none' : 'target'}
        // A file can have hundreds of columns: what there is to choose from is gathered where someone chooses.
        data={isOpen ? choicesOf(place, known.current) : [choice]}
        value={choice.value}
        onChange={(value) => value !== null && value !== choice.value && acts.choose(place, value)}
        allowDeselect={false}
        searchable
        openOnFocus={false}
        onDropdownOpen={() => setOpen(true)}
        onDropdownClose={() => setOpen(false)}
        // So that what is typed stands in its place.
        onFocus={(event) => event.currentTarget.select()}
        nothingFoundMessage="Nothing of that name."
        withScrollArea={false}
        classNames={{ options: 'choices-list' }}
        maxDropdownHeight={320}
        // Inside its landmark, unlike at the end of the page.
        comboboxProps={{ withinPortal: false, ...(isOwn && { width: 280, position: 'bottom-start' }) }}
      />
      {isOwn && <NewField place={place} field={match.new_field!} name={column.name} acts={acts} />}
    </div>
  );
}

type NewFieldProps = { place: number; field: NonNullable<Match['new_field']>; name: string; acts: Acts };

/** What it could be chosen from nobody has said yet. */
const KINDS_OF_NEW = KIND_CHOICES.filter(({ value }) => value !== 'options');

const NewField = ({ place, field, name, acts }: NewFieldProps) => (
  <>
    <SavedText
      aria-label={`Label of the new field for ${name}`}
      value={field.label}
      save={(label) => acts.describe(place, { ...field, label })}
    />
    <NativeSelect
      aria-label={`Kind of the new field for ${name}`}
      data={KINDS_OF_NEW}
      value={field.kind}
      onChange={(event) => acts.describe(place, { ...field, kind: event.currentTarget.value as ColumnKind })}
    />
  </>
);
