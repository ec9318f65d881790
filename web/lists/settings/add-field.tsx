import { NativeSelect, Switch, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import type { Field, Fields, ListWithSettings } from '../../../contract/list-pages.ts';
import type { ColumnKind } from '../../../contract/lists.ts';
import { ask } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { Fault, restOf, useFaults } from '../../ui/form.tsx';
import { notice, tellFailure } from '../../ui/notices.ts';
import { askOfFields, scopeOf } from './change-field.ts';
import { OptionsField } from './field-form.tsx';
import { KIND_CHOICES, KINDS } from './kinds.ts';
import '../../ui/form.css';
import './field-form.css';

const LABELS = { label: 'The label', kind: 'The kind', options: 'The choices' };

type Props = {
  list: ListWithSettings;
  fields: Fields;
  label: string;
  setLabel: (label: string) => void;
  close: () => void;
};

type Draft = { label: string; kind: ColumnKind; options: string[]; required: boolean };

/** Stays open after each, for the next one. */
export function AddField({ list, fields, label, setLabel, close }: Props) {
  const [kind, setKind] = useState<ColumnKind>('none');
  const [options, setOptions] = useState<string[]>([]);
  const [required, setRequired] = useState(false);
  const [added, setAdded] = useState(0);
  const draft: Draft = { label, kind, options, required };
  const latest = useRef(draft);
  latest.current = draft;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const adding = useMutation({
    scope: scopeOf(list.id),
    mutationFn: (sent: Draft) =>
      askOfFields(list.id, (version) =>
        ask<Field>('POST', `/lists/${list.id}/fields`, {
          field: {
            label: sent.label.trim(),
            kind: sent.kind,
            required: sent.required,
            ...(sent.kind === 'options' && { options: sent.options }),
          },
          seen: { fields: version },
        }),
      ),
    onSuccess: (field, sent) => {
      notice(`It is the last of ${fields.fields.length + 1}. Its key is ${field.key}.`, `${field.label} was added.`);
      // What was written on meanwhile is of the next, and so is all that stands in a form that was opened anew.
      const isWrittenOn = latest.current.label !== sent.label || latest.current.options !== sent.options;
      if (!input.current || isWrittenOn) return;
      setLabel('');
      setOptions([]);
      setRequired(false);
      setAdded((count) => count + 1);
      input.current.focus();
    },
    onError: (error) => input.current || tellFailure(error),
  });
  const empty = label.trim() === '' ? 'Write what people are to read.' : undefined;
  const [isTried, setTried] = useState(false);
  const faults = useFaults(adding.error, LABELS, { label, kind, options });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(empty !== undefined);
    if (empty) input.current?.focus();
    else if (!adding.isPending) adding.mutate(draft);
  };
  const { icon: Icon } = KINDS[kind];
  return (
    <form
      className="field-form adding stack"
      noValidate
      aria-label="Add a field"
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
      <div className="field-form-row two">
        <TextInput
          ref={input}
          label="Label"
          autoComplete="off"
          value={label}
          error={faults.label ?? (isTried ? empty : undefined)}
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <NativeSelect
          label="Kind"
          leftSection={<Icon size={16} stroke={1.75} aria-hidden />}
          data={KIND_CHOICES}
          value={kind}
          error={faults.kind}
          onChange={(event) => setKind(event.currentTarget.value as ColumnKind)}
        />
      </div>
      {kind === 'options' && <OptionsField key={added} value={options} change={setOptions} error={faults.options} />}
      <Switch
        withThumbIndicator={false}
        label="A lead needs it"
        description="Nobody makes a lead without it, here or by the API."
        checked={required}
        onChange={(event) => setRequired(event.currentTarget.checked)}
      />
      <Fault error={restOf(adding.error, LABELS)} />
      <div className="field-form-foot">
        <span className="key-hint meta grow">
          The key comes from the label and never changes. Values kept from a field of that key come back.
        </span>
        <Button variant="default" onClick={close}>
          Done
        </Button>
        <Button type="submit" loading={adding.isPending}>
          Add the field
        </Button>
      </div>
    </form>
  );
}
