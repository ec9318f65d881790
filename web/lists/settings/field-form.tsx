import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useEffect, useRef, type FormEvent, type KeyboardEvent } from 'react';
import type { Field, ListWithSettings } from '../../../contract/list-pages.ts';
import type { ColumnKind } from '../../../contract/lists.ts';
import { Button } from '../../ui/button.tsx';
import { Fault, restOf, useFaults } from '../../ui/form.tsx';
import { changesOf, useFieldSaving, type FieldDraft } from './change-field.ts';
import { FitNote, ShowMisfits, useFit } from './fit.tsx';
import { isMarked, KIND_CHOICES, KINDS, readOptions } from './kinds.ts';
import '../../ui/form.css';
import './field-form.css';

const LABELS = { label: 'The label', kind: 'The kind', options: 'The choices' };

type Props = {
  list: ListWithSettings;
  field: Field;
  draft: FieldDraft;
  change: (draft: FieldDraft) => void;
  close: () => void;
};

/** A field opened in its row: what it is called and what it holds. Nothing is saved before the button says so. */
export function FieldForm({ list, field, draft, change, close }: Props) {
  const { label, kind, options } = { ...field, ...draft };
  const changed = changesOf(field, draft);
  const isKindNew = changed.kind !== undefined;
  const fit = useFit(list.id, field, isKindNew || changed.options ? { kind, options } : undefined);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>(draft.at === 'kind' ? 'select' : 'input')?.focus();
  }, []);
  const isChanged = Object.keys(changed).length > 0;
  const saving = useFieldSaving(list.id, field.id, close);
  const faults = useFaults(saving.error, LABELS, { label, kind, options });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isChanged) close();
    else if (!saving.isPending) saving.mutate(changed);
  };
  // Not one that closes a dialog over it.
  const leave = ({ key, currentTarget, target }: KeyboardEvent) =>
    key === 'Escape' && currentTarget.contains(target as Node) && close();
  const set = (of: Omit<FieldDraft, 'id' | 'at'>) => change({ ...draft, ...of });
  const { icon: Icon, word } = KINDS[kind];
  return (
    <form
      ref={form}
      className="field-form stack"
      noValidate
      aria-label={field.label}
      onSubmit={submit}
      onKeyDown={leave}
    >
      <div className="field-form-row">
        <TextInput
          label="Label"
          autoComplete="off"
          value={label}
          error={faults.label}
          onChange={(event) => set({ label: event.currentTarget.value })}
        />
        <NativeSelect
          label="Kind"
          leftSection={<Icon size={16} stroke={1.75} aria-hidden />}
          data={KIND_CHOICES}
          value={kind}
          error={faults.kind}
          onChange={(event) => set({ kind: event.currentTarget.value as ColumnKind })}
        />
        <TextInput
          className="mono-input"
          label="Key, never changes"
          readOnly
          rightSection={<IconLock size={14} stroke={1.75} aria-hidden />}
          value={field.key}
        />
      </div>
      {kind === 'options' && (
        <OptionsField value={options} change={(given) => set({ options: given })} error={faults.options} />
      )}
      <FitNote fit={fit} />
      <Fault error={restOf(saving.error, LABELS)} />
      <div className="field-form-foot">
        <ShowMisfits fit={fit} field={field} />
        <span className="meta grow">
          {isKindNew && (isMarked(kind) || isMarked(field.kind)) && 'Search and duplicates follow, as a job.'}
        </span>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" disabled={!isChanged} loading={saving.isPending}>
          {isKindNew ? `Change to ${word.toLowerCase()}` : 'Save'}
        </Button>
      </div>
    </form>
  );
}

type OptionsProps = { value: string[]; change: (options: string[]) => void; error?: string | undefined };

/** As it is typed; what stands in the lines is what there is to choose from. Begins anew under another key. */
export function OptionsField({ value, change, error }: OptionsProps) {
  const typed = useRef(value.join('\n'));
  return (
    <Textarea
      label="Choices"
      description="One a line. A comma separates too."
      autosize
      minRows={3}
      maxRows={10}
      defaultValue={typed.current}
      error={error}
      onChange={(event) => change(readOptions(event.currentTarget.value))}
    />
  );
}
