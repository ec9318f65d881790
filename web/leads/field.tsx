import { useEffect, useRef, useState, type KeyboardEvent, type Ref } from 'react';
import type { Desk } from '../../contract/queue.ts';
import { queries, Refused } from '../api.ts';
import { Breakable } from '../ui/parts.tsx';
import { useMisfit } from './misfits.ts';
import { usePhoneFault } from './numbers.ts';
import { aboutLead, deskQuery, listIdOf, saveField, type Lead } from './queries.ts';
import '../ui/input.css';
import './field.css';

export type Column = Desk['columns'][number];

const BLANKS: Partial<Record<Column['kind'], string>> = {
  date: 'Add a date',
  phone: 'Add a number',
  options: 'Choose one',
  boolean: 'Choose one',
};

/** A value in its place. Click, or F and then Tab, turns it into an input; Enter or leaving saves, Esc restores. */
export function Value({ lead, column }: { lead: Lead; column: Column }) {
  const { key, label, kind } = column;
  const value = lead.lead_data[key] ?? '';
  const [typed, setTyped] = useState<string>();
  const [error, setError] = useState<string>();
  const [saving, setSaving] = useState(false);
  const done = useRef(false);
  const input = useRef<HTMLElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const isTyping = typed !== undefined;
  const fault = usePhoneFault(lead.id, column, value);
  const misfit = useMisfit(column, value);
  useEffect(() => {
    if (isTyping) input.current?.focus();
    else if (done.current && document.activeElement === document.body) button.current?.focus();
  }, [isTyping]);
  const refused = useRef<string>(undefined);
  // Whoever only looked changes nothing, whatever a colleague has written there since.
  const begun = useRef(value);
  const isChanged = typed !== undefined && typed !== value && typed !== begun.current;
  useTakenOff(lead, column, typed ?? refused.current, () => isChanged && !done.current);
  const begin = () => {
    done.current = false;
    begun.current = value;
    setTyped(refused.current ?? value);
  };
  const end = async (save: boolean) => {
    if (done.current || typed === undefined) return;
    done.current = true;
    setTyped(undefined);
    setError(undefined);
    refused.current = undefined;
    if (!save || !isChanged) return;
    setSaving(true);
    try {
      await saveField(lead, key, typed);
    } catch (failure) {
      const why = failure instanceof Refused ? failure.errors[key]?.[0] : undefined;
      const said = why ? `${label} ${why}.` : (failure as Error).message;
      // With the next lead already, they are told which one it was.
      if (!button.current && !input.current)
        aboutLead(lead.id).tellFailure(new Error(`${label}: ${said} You had typed: ${typed}`));
      // Perhaps the list has no such field any more.
      if (why) void queries.invalidateQueries({ queryKey: deskQuery(listIdOf(lead)).queryKey });
      // What was typed is kept, with the reason under it; whoever is elsewhere by now is not called back.
      setError(said);
      refused.current = typed;
      const isHere = document.activeElement === document.body || document.activeElement === button.current;
      if (isHere) begin();
    } finally {
      setSaving(false);
    }
  };
  if (!isTyping) {
    return (
      <>
        <button
          ref={button}
          type="button"
          className={`field-value ${value === '' ? 'blank' : misfit ? 'misfit' : ''}`}
          aria-describedby={`field-${key}`}
          data-field={key}
          onClick={begin}
        >
          {value === '' ? (
            (BLANKS[kind] ?? `Add ${label.toLowerCase()}`)
          ) : kind === 'email' || kind === 'url' ? (
            <Breakable>{value}</Breakable>
          ) : (
            value
          )}
        </button>
        {misfit && !fault && !saving && !error && <span className="misfit-word">{misfit}</span>}
        {saving && <span className="saving">Saving</span>}
        {error ? (
          <span className="field-error" role="alert">
            {error}
          </span>
        ) : (
          fault && !saving && <span className="field-error">{fault}</span>
        )}
      </>
    );
  }
  const common = {
    className: 'field-input',
    'aria-label': label,
    'aria-invalid': error !== undefined,
    value: typed,
    onChange: (event: { currentTarget: { value: string } }) => setTyped(event.currentTarget.value),
    onBlur: () => void end(true),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Escape') void end(false);
      const isLine = !(event.currentTarget instanceof HTMLTextAreaElement);
      if (event.key === 'Enter' && (isLine || event.ctrlKey)) {
        event.preventDefault();
        void end(true);
      }
      if (event.key === 'Tab') {
        const to = neighbour(input.current!, event.shiftKey);
        if (!to) return;
        event.preventDefault();
        void end(true);
        to.click();
      }
    },
  };
  return (
    <span className="field-editing">
      <Input column={column} common={common} input={input} />
      {error && (
        <span className="field-error" role="alert">
          {error}
        </span>
      )}
    </span>
  );
}

/**
 * A field that goes from under someone who types in it. Drawn elsewhere, in one column instead of three or among the others, what they typed is saved
 * as if they had left it; taken off the list, it is told, to be copied.
 */
function useTakenOff(lead: Lead, { key, label }: Column, unsaved: string | undefined, isOpen: () => boolean): void {
  const leave = useRef<() => void>(undefined);
  leave.current = () => {
    const desk = queries.getQueryData<Desk>(deskQuery(listIdOf(lead)).queryKey);
    const isOn = desk?.columns.some((column) => column.key === key && column.visible) ?? true;
    const tell = (why: string) => aboutLead(lead.id).tellFailure(new Error(`${why} You had typed: ${unsaved}`));
    if (!isOn && unsaved) tell(`${label} was taken off the list meanwhile, and is not saved.`);
    if (isOn && isOpen()) saveField(lead, key, unsaved!).catch(({ message }: Error) => tell(`${label}: ${message}`));
  };
  useEffect(() => () => leave.current?.(), []);
}

/** The next value of the card, or the one before. */
function neighbour(input: HTMLElement, before: boolean): HTMLElement | undefined {
  const card = [...input.closest('section')!.querySelectorAll<HTMLElement>('[data-field], .field-input')];
  return card[card.indexOf(input) + (before ? -1 : 1)];
}

type InputProps = { column: Column; common: { value: string }; input: Ref<HTMLElement> };

function Input({ column, common, input }: InputProps) {
  const { kind } = column;
  // An input of one line would join them. It stays what it was when one began, whatever is taken out.
  const hadLines = useRef(/[\r\n]/.test(common.value));
  if (kind === 'text' || hadLines.current)
    return <textarea ref={input as Ref<HTMLTextAreaElement>} rows={3} maxLength={10_000} {...common} />;
  const options = kind === 'boolean' ? ['true', 'false'] : column.options;
  if ((kind === 'options' || kind === 'boolean') && options.length > 0) {
    return (
      <select ref={input as Ref<HTMLSelectElement>} {...common}>
        <option value="" />
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    );
  }
  const types: Partial<Record<Column['kind'], string>> = { email: 'email', phone: 'tel', url: 'url' };
  return (
    <input
      ref={input as Ref<HTMLInputElement>}
      type={types[kind] ?? 'text'}
      maxLength={10_000}
      {...(kind === 'integer' && { inputMode: 'numeric' as const })}
      {...(kind === 'date' && { placeholder: '2027-03-31' })}
      {...common}
    />
  );
}
