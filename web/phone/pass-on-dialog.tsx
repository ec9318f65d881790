import { TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import type { LineCall, Taker } from '../../contract/calls.ts';
import { get } from '../api.ts';
import type { LineState, Passed } from '../line.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogFoot } from '../ui/dialog.tsx';
import { Fault, Form } from '../ui/form.tsx';
import { notice } from '../ui/notices.ts';
import { Initials } from '../ui/parts.tsx';
import './pass-on-dialog.css';

type Props = { line: LineState; call: LineCall; close: () => void };

/** To whom the call goes on, a colleague or a number: at once, or after one has talked to them. */
export function PassOnDialog({ line, call, close }: Props) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [chosen, choose] = useState<number>();
  const { data: takers } = useQuery({
    queryKey: ['takers', call.id],
    queryFn: () => get<Taker[]>(`/calls/${call.id}/takers`),
    refetchInterval: 2_000,
  });
  const words = typed.trim().toLowerCase();
  const number = /^\+?[\d\s()./-]{2,}$/.test(words) ? typed.trim() : undefined;
  const shown = (number === undefined && takers?.filter((one) => has(one, words))) || [];
  // Whoever is found by name is meant; before anything is typed, nobody is.
  const found = shown.find((one) => one.id === chosen) ?? (words === '' ? undefined : shown.find(isAble));
  const passed: Passed | undefined =
    number !== undefined ? { number } : found && isAble(found) ? { user_id: found.id } : undefined;
  const passing = useMutation({
    mutationFn: async (asked: boolean) => {
      if (!passed) return;
      await line.passOn(passed, asked);
      if (!asked && number) notice(`${number} is being called. When they answer, they talk and you are free.`);
      close();
    },
  });
  const askFirst = () => {
    if (passed) passing.mutate(true);
  };
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || shown.length === 0) return;
    event.preventDefault();
    const at = found ? shown.indexOf(found) : step > 0 ? -1 : 0;
    choose(shown[(at + step + shown.length) % shown.length]!.id);
  };
  const idOf = (taker: Taker) => `${id}-${taker.id}`;
  return (
    <Dialog opened onClose={close} title="Pass the call on" size={440}>
      <Form asking={{ ...passing, mutate: askFirst }}>
        <TextInput
          label="Colleague or number"
          description="The call waits while you ask; passed on at once, it goes on without you."
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          data-autofocus
          role="combobox"
          aria-expanded={shown.length > 0}
          aria-autocomplete="list"
          aria-controls={id}
          aria-activedescendant={found ? idOf(found) : undefined}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            choose(undefined);
          }}
          onKeyDown={walk}
        />
        {number === undefined && (
          <Takers id={id} idOf={idOf} takers={shown} found={found} choose={choose} none={takers && sayNone(words)} />
        )}
        <Fault error={passing.error} />
        <DialogFoot>
          <Button
            variant="default"
            disabled={!passed}
            loading={passing.isPending && !passing.variables}
            onClick={() => passing.mutate(false)}
          >
            Pass on
          </Button>
          <Button type="submit" disabled={!passed} loading={passing.isPending && passing.variables}>
            Ask first
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  );
}

const isAble = ({ refusal }: Taker) => refusal === null;
const has = ({ name, email }: Taker, words: string) => `${name} ${email}`.toLowerCase().includes(words);
const sayNone = (words: string) =>
  words === '' ? 'No colleague is here just now. A number can be called.' : 'Nobody of that name is here.';

/** What they do, or why they cannot take it; their name stands above. */
function sayDoing({ doing, refusal }: Taker): string {
  if (refusal === null) return doing === 'wrapping_up' ? 'Free, wrapping up' : 'Free';
  const said = refusal.replace(/^is /, '');
  return said.charAt(0).toUpperCase() + said.slice(1);
}

type TakersProps = {
  id: string;
  idOf: (taker: Taker) => string;
  takers: Taker[];
  found: Taker | undefined;
  choose: (id: number) => void;
  none: string | undefined;
};

function Takers({ id, idOf, takers, found, choose, none }: TakersProps) {
  const list = useRef<HTMLUListElement>(null);
  const at = found ? takers.indexOf(found) : -1;
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <>
      <ul ref={list} id={id} className="takers" role="listbox" aria-label="Colleagues who are here">
        {takers.map((taker) => (
          <li
            key={taker.id}
            id={idOf(taker)}
            role="option"
            aria-selected={taker === found}
            aria-disabled={!isAble(taker)}
            // The focus stays where one types.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(taker.id)}
          >
            <span aria-hidden>
              <Initials name={taker.name} doing={taker.doing} />
            </span>
            <span className="grow">
              <span className="taker-name">{taker.name}</span>
              <span className="taker-doing">{sayDoing(taker)}</span>
            </span>
          </li>
        ))}
      </ul>
      {takers.length === 0 && none && (
        <p className="dim" role="status">
          {none}
        </p>
      )}
    </>
  );
}
