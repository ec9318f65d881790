import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { Ref } from 'react';
import type { Column } from './field.tsx';

const TYPES: Partial<Record<Column['kind'], string>> = { email: 'email', phone: 'tel', url: 'url' };
const PLACEHOLDERS: Partial<Record<Column['kind'], string>> = { date: '2027-03-31', phone: '+44 20 7946 0101' };

export type FieldInputProps = {
  column: Pick<Column, 'kind' | 'label' | 'required' | 'options'>;
  value: string;
  change: (value: string) => void;
  error: string | undefined;
  input?: Ref<HTMLElement> | undefined;
};

/** What is written into a field of a list, as its kind asks for it. */
export function FieldInput({ column, value, change, error, input }: FieldInputProps) {
  const { kind, label, required, options } = column;
  const common = {
    label,
    required,
    value,
    error,
    ref: input as never,
    // Where a dialog puts the keyboard once it is there; by itself it would take its first button, which closes it.
    'data-autofocus': input ? true : undefined,
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value),
  };
  // An address has lines, too.
  if (kind === 'text' || kind === 'address')
    return <Textarea {...common} autosize minRows={2} maxRows={6} maxLength={10_000} />;
  if (kind === 'boolean' || (kind === 'options' && options.length > 0)) {
    const choices =
      kind === 'boolean'
        ? [
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ]
        : options;
    return <NativeSelect {...common} data={['', ...choices]} />;
  }
  return (
    <TextInput
      {...common}
      type={TYPES[kind] ?? 'text'}
      maxLength={10_000}
      {...(kind === 'integer' && { inputMode: 'numeric' as const })}
      placeholder={PLACEHOLDERS[kind] ?? ''}
    />
  );
}
