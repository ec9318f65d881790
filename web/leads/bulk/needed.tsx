import { Checkbox, MultiSelect, Select } from '@mantine/core';
import type { Ref } from 'react';
import { MOST_PEOPLE, type BulkKind } from '../../../contract/bulk.ts';
import { FieldInput } from '../field-input.tsx';
import type { Draft, Offered } from './draft.ts';

/** Under these names the service says what is wrong with each. */
export const LABELS: Record<string, string> = {
  delegate_to: 'People',
  to_list_id: 'List',
  category: 'Category',
  field: 'Field',
  value: 'Value',
};

/** Whether there is something to choose first. */
export const needsChoice = (kind: BulkKind, { categories }: Offered): boolean =>
  kind === 'delegate' || kind === 'migrate' || kind === 'change' || (kind === 'archive' && categories.length > 0);

type Props = {
  kind: BulkKind;
  draft: Draft;
  change: (change: Partial<Draft>) => void;
  offered: Offered;
  number: number;
  faults: Record<string, string>;
};

const common = { withScrollArea: false, classNames: { options: 'choices-list' }, searchable: true } as const;
const optionsOf = (named: { id: number; name: string }[]) =>
  named.map(({ id, name }) => ({ value: String(id), label: name }));

/** What an act needs to know first: to whom, where to, as what, or which field. */
export function Needed({ kind, draft, change, offered, number, faults }: Props) {
  if (kind === 'delegate')
    return (
      <MultiSelect
        {...common}
        label={LABELS.delegate_to}
        data-autofocus
        placeholder={draft.people.length === 0 ? 'To one, or spread over several' : ''}
        data={optionsOf(offered.people)}
        value={draft.people}
        onChange={(people) => change({ people })}
        maxValues={MOST_PEOPLE}
        hidePickedOptions
        nothingFoundMessage="Nobody of that name."
        description={draft.people.length > 1 && saySpread(number, draft.people.length)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        error={faults.delegate_to}
      />
    );
  if (kind === 'migrate')
    return (
      <>
        <Select
          {...common}
          label={LABELS.to_list_id}
          allowDeselect={false}
          data-autofocus
          placeholder="Choose where to"
          data={optionsOf(offered.lists)}
          value={draft.list}
          onChange={(list) => change({ list })}
          nothingFoundMessage="No other list of that name."
          error={faults.to_list_id}
        />
        <Checkbox
          label="Give back claims"
          description="Nobody claims them in the other list. Otherwise they stay with whoever does now."
          checked={draft.givesBack}
          onChange={(event) => change({ givesBack: event.currentTarget.checked })}
        />
      </>
    );
  if (kind === 'archive')
    return (
      <Select
        {...common}
        label={LABELS.category}
        data-autofocus
        // It need not be chosen, and open it would cover what follows from the act.
        openOnFocus={false}
        placeholder="None"
        data={offered.categories}
        value={draft.category}
        onChange={(category) => change({ category })}
        clearable
        clearButtonProps={{ 'aria-label': 'No category' }}
        error={faults.category}
      />
    );
  if (kind === 'change') return <FieldChoice {...{ draft, change, offered, faults }} />;
  return null;
}

/** `Spread evenly: 6,867 each`. */
function saySpread(number: number, people: number): string {
  const [least, most] = [Math.floor(number / people), Math.ceil(number / people)];
  return `Spread evenly: ${least === most ? '' : `${least.toLocaleString()} or `}${most.toLocaleString()} each`;
}

type FieldProps = Pick<Props, 'draft' | 'change' | 'offered' | 'faults'> & { input?: Ref<HTMLElement> };

function FieldChoice({ draft, change, offered, faults }: FieldProps) {
  const column = offered.fields.find(({ key }) => key === draft.field);
  return (
    <div className="side-by-side">
      <Select
        {...common}
        label={LABELS.field}
        allowDeselect={false}
        data-autofocus
        placeholder="Choose one"
        data={offered.fields.map(({ key, label }) => ({ value: key, label }))}
        value={draft.field}
        // A value is of its field.
        onChange={(field) => change({ field, value: '' })}
        nothingFoundMessage="No field of that name."
        error={faults.field}
      />
      {column && (
        <FieldInput
          column={{ ...column, label: LABELS.value!, required: false }}
          value={draft.value}
          change={(value) => change({ value })}
          error={faults.value ?? faults[column.key]}
        />
      )}
    </div>
  );
}
