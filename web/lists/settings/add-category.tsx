import { IconPlus } from '@tabler/icons-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { CategoryKind } from '../../../contract/lists.ts';
import { OUTCOMES } from '../../ui/states.tsx';
import { faultOf, type Categories } from './categories.ts';
import '../../ui/button.css';
import '../../ui/input.css';
import './add-category.css';

type Props = { kind: CategoryKind; names: string[]; categories: Categories };

/** Enter adds one and stays for the next; Esc, or leaving it empty, is the end. */
export function AddCategory({ kind, names, categories }: Props) {
  const [typed, setTyped] = useState<string>();
  const [fault, setFault] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const isOpen = typed !== undefined;
  const wasOpen = useRef(false);
  useEffect(() => {
    if (isOpen) input.current?.focus();
    else if (wasOpen.current && document.activeElement === document.body) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const close = () => {
    setTyped(undefined);
    setFault(undefined);
  };
  const add = () => {
    const name = typed ?? '';
    const wrong = faultOf(name, names);
    setFault(wrong);
    if (wrong) return;
    setTyped('');
    // What was refused is told, and stands here again to be mended.
    categories.add(kind, name).catch(() => setTyped((now) => now || name));
  };
  if (!isOpen)
    return (
      <button ref={button} type="button" className="add-category" onClick={() => setTyped('')}>
        <IconPlus size={16} stroke={1.75} aria-hidden />
        Add <span className="unseen">a category of {OUTCOMES[kind].word.toLowerCase()}</span>
      </button>
    );
  return (
    <span className="adding-category">
      <input
        ref={input}
        className="field-input"
        aria-label={`New category of ${OUTCOMES[kind].word.toLowerCase()}`}
        aria-invalid={fault !== undefined}
        autoComplete="off"
        placeholder="Name, then Enter"
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setFault(undefined);
        }}
        onBlur={() => (typed.trim() === '' ? close() : setFault(faultOf(typed, names)))}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === 'Escape') close();
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      {fault && (
        <span className="field-error" role="alert">
          {fault}
        </span>
      )}
    </span>
  );
}
