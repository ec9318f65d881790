import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { keysRest } from '../keys.ts';
import { paths } from '../../contract/paths.ts';
import { doOnce, queries } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { Fault, Form, restOf, useFaults, writtenSince } from '../ui/form.tsx';
import { notice, tellFailure } from '../ui/notices.ts';
import { Key, Loading } from '../ui/parts.tsx';
import { saveSurely } from '../ui/saving.ts';
import { AlikeUnder, useAlike } from './alike-while-typing.tsx';
import { FieldInput, type FieldInputProps } from './field-input.tsx';
import { deskQuery, nameLead, type Lead } from './queries.ts';
import './add-lead.css';

type Props = {
  listId: number;
  open: (leadId: number) => void;
  /** Where there is something to go back to. */
  close?: (() => void) | undefined;
};

/** What is written about a lead to be stays until it is one, or is given up: a call may come in between. */
const written = new Map<number, Values>();
type Values = Record<string, string>;

const isBlank = (values: Values) => Object.values(values).every((value) => value.trim() === '');

/** What was sent is taken out of it; answers what was written since. */
function takeOut(listId: number, sent: Values): Values {
  const since = writtenSince<Values>(sent, written.get(listId) ?? {}) as Values;
  written.set(listId, since);
  return since;
}

/** A lead written by hand, field by field as the list has them, beside those that it may be already. Enter adds it and opens it. */
export function AddLead({ listId, open, close }: Props) {
  const { data: desk } = useQuery(deskQuery(listId));
  const [values, setValues] = useState(() => written.get(listId) ?? {});
  const [added, setAdded] = useState<{ name: string; isWrittenOn: boolean }>();
  const goOn = useRef(false);
  const form = useRef<HTMLDivElement>(null);
  const columns = (desk?.columns ?? []).filter(({ visible, required }) => visible || required);
  const labels = Object.fromEntries(columns.map(({ key, label }) => [key, label]));
  const adding = useMutation({
    mutationFn: (lead: Values) => doOnce<Lead>(`/lists/${listId}/leads`, { lead }, saveSurely),
    onSuccess: (lead, sent) => {
      void queries.invalidateQueries({ queryKey: ['lists'] });
      void queries.invalidateQueries({ queryKey: ['list', listId] });
      // Whoever has left the form does something else by now.
      if (!form.current) {
        notice(`Added ${nameLead(lead)}.`);
        return;
      }
      // What was written on meanwhile is of the next lead, or was to be put right in this one: whose it is, they say themselves.
      const since = takeOut(listId, sent);
      const isWrittenOn = Object.keys(since).length > 0;
      setAdded({ name: nameLead(lead), isWrittenOn });
      setValues(since);
      if (isWrittenOn) return;
      if (goOn.current) first.current?.focus();
      else open(lead.id);
    },
    onError: (error) => {
      if (form.current) return;
      tellFailure(error);
      // Unless they write something else by now.
      if (left.current && written.get(listId) === left.current.rest) written.set(listId, left.current.whole);
    },
  });
  const { isPending, variables: sent } = adding;
  // Opened again before the answer the form is for another lead, or this one would be added twice.
  const left = useRef<{ whole: Values; rest: Values }>(undefined);
  useEffect(
    () => () => {
      if (!isPending || !sent || form.current) return;
      const whole = written.get(listId) ?? {};
      left.current = { whole, rest: takeOut(listId, sent) };
    },
    [isPending],
  );
  const write = (now: Values) => {
    written.set(listId, now);
    setValues(now);
  };
  const first = useRef<HTMLElement>(null);
  const isReady = columns.length > 0;
  useEffect(() => {
    const isOwn = first.current?.closest('[role="dialog"]') !== null;
    if (isReady && (isOwn || !keysRest(document.activeElement))) first.current?.focus();
  }, [isReady]);
  const add = (another: boolean) => {
    if (isPending) return;
    // Where a field is required, that is said; elsewhere a lead with nothing in it would be made.
    if (isBlank(values) && !columns.some(({ required }) => required)) {
      first.current?.focus();
      return;
    }
    goOn.current = another;
    adding.mutate(values);
  };
  const hear = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close?.();
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    // Held down it would add the next one, too, with nothing in it.
    if (!event.repeat) add(true);
  };
  const faults = useFaults(adding.error, labels, values);
  const alike = useAlike(listId, values);
  // Whoever has added one may be about to write the next.
  const yields = !close && !added && !isPending;
  if (!desk) return <Loading />;
  return (
    <div ref={form} className="add-lead" data-yields={yields || undefined} onKeyDown={hear}>
      <Form asking={{ ...adding, mutate: () => add(false) }}>
        <div className="side-by-side">
          {columns.map((column, index) => (
            <Entry
              key={column.key}
              column={column}
              value={values[column.key] ?? ''}
              change={(value) => write({ ...values, [column.key]: value })}
              error={faults[column.key]}
              input={index === 0 ? first : undefined}
              below={<AlikeUnder alike={alike} column={column.key} />}
            />
          ))}
        </div>
        <Fault error={restOf(adding.error, labels)} />
        <p className="add-lead-done" role="status">
          {added && !adding.error && sayAdded(added)}
        </p>
        <div className="add-lead-acts">
          <Button type="submit" loading={isPending} rightSection={<Key>↵</Key>}>
            Add and open
          </Button>
          <Button variant="default" loading={isPending} onClick={() => add(true)} rightSection={<Key>Ctrl ↵</Key>}>
            Add, then another
          </Button>
          {close && (
            <Button
              variant="default"
              onClick={() => {
                write({});
                close();
              }}
            >
              Cancel
            </Button>
          )}
        </div>
      </Form>
      <p className="meta">
        Programs add leads by the API: <a href={paths.reference}>how that is done</a>.
      </p>
    </div>
  );
}

const sayAdded = ({ name, isWrittenOn }: { name: string; isWrittenOn: boolean }) =>
  isWrittenOn
    ? `Added ${name} as it was when you sent it. What you wrote since stands here.`
    : `Added ${name}. Here is room for the next.`;

type EntryProps = FieldInputProps & { below: ReactNode };

const Entry = ({ below, ...rest }: EntryProps) => (
  <div>
    <FieldInput {...rest} />
    {below}
  </div>
);
