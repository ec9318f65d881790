import { IconCheck } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import type { About } from './words.ts';
import './choose.css';

type Choice = About['choices'][number];

type Props = {
  label: string;
  choices: Choice[];
  /** Those that are chosen: several can be. Enter on nothing is done with them. */
  chosen?: string[];
  current?: string | undefined;
  take: (value: string) => void;
  done?: () => void;
  back: () => void;
  /** What is typed can be taken though it is none of them. */
  isFree?: boolean;
};

/** More are found by typing. */
const MOST_SHOWN = 200;

/** A field that narrows what stands under it; arrows and Enter choose. */
export function Choose({ label, choices, chosen, current, take, done, back, isFree = false }: Props) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const words = typed.trim().toLowerCase();
  const found = choices.filter((one) => `${one.label} ${one.hint ?? ''}`.toLowerCase().includes(words));
  const isNew = isFree && words !== '' && !choices.some((one) => one.label.toLowerCase() === words);
  const shown = [
    ...found.slice(0, MOST_SHOWN),
    ...(isNew ? [{ value: typed.trim(), label: `“${typed.trim()}”` }] : []),
  ];
  const first =
    chosen && words === '' ? -1 : Math.max(0, words === '' ? shown.findIndex((one) => one.value === current) : 0);
  const [walked, setWalked] = useState<number>();
  const at = Math.min(walked ?? first, shown.length - 1);
  const list = useRef<HTMLUListElement>(null);
  // Some browsers answer it with a promise, which an effect must not.
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const choose = (value: string) => {
    setTyped('');
    setWalked(undefined);
    take(value);
  };
  const hear = (event: KeyboardEvent<HTMLInputElement>) => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + (at < 0 ? 1 : 0) }[event.key];
    if (to !== undefined && shown.length > 0) {
      event.preventDefault();
      setWalked((to + shown.length) % shown.length);
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      const one = shown[at];
      if (one) choose(one.value);
      else if (words === '') done?.();
    }
    if (event.key === 'Backspace' && typed === '') {
      event.preventDefault();
      back();
    }
  };
  return (
    <>
      <input
        ref={useFocus()}
        data-autofocus
        className="editor-input"
        role="combobox"
        aria-expanded
        aria-autocomplete="list"
        aria-controls={id}
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          setWalked(undefined);
        }}
        onKeyDown={hear}
      />
      {shown.length === 0 && <p className="editor-note">Nothing of that name.</p>}
      <ul
        ref={list}
        id={id}
        className="editor-choices"
        role="listbox"
        aria-label={label}
        aria-multiselectable={chosen !== undefined}
      >
        {shown.map(({ value, label: name, hint }, place) => (
          <li
            key={value}
            id={`${id}-${place}`}
            role="option"
            aria-selected={chosen ? chosen.includes(value) : value === current}
            className={place === at ? 'at' : ''}
            // The focus stays where one types.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(value)}
          >
            <IconCheck size={14} stroke={1.75} aria-hidden />
            <span className="grow wrap">{name}</span>
            {hint && <span className="dim">{hint}</span>}
          </li>
        ))}
      </ul>
      {found.length > MOST_SHOWN && <p className="editor-note">Type to find the others.</p>}
    </>
  );
}

/** Each step has the focus when it comes. */
export function useFocus() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return field;
}
