import { IconSearch, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { Key } from '../../ui/parts.tsx';

const PAUSE_MS = 250;
const LONGEST = 200;

type Props = { q: string; label: string; set: (change: { q: string }) => void };

/** Asked for when someone stops typing, and at once on Enter. */
export function SearchList({ q, label, set }: Props) {
  const [typed, setTyped] = useState(q);
  const told = useRef(q);
  const field = useRef<HTMLInputElement>(null);
  // As it is when someone stops: meanwhile another tab or filter may have been chosen.
  const now = useRef(set);
  now.current = set;
  const tell = (text: string) => {
    if (text === told.current) return;
    told.current = text;
    now.current({ q: text });
  };
  // By another way than this field: back, a view.
  useEffect(() => {
    if (q === told.current) return;
    told.current = q;
    setTyped(q);
  }, [q]);
  useEffect(() => {
    const timer = setTimeout(() => tell(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const clear = () => {
    setTyped('');
    tell('');
    field.current?.focus();
  };
  return (
    <div className="search-list">
      <IconSearch size={16} stroke={1.75} aria-hidden />
      <input
        ref={field}
        data-search
        type="text"
        enterKeyHint="search"
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        maxLength={LONGEST}
        value={typed}
        onChange={({ currentTarget: { value } }) => setTyped(value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') tell(typed.trim());
          // First what is typed, then the field.
          if (event.key === 'Escape') {
            if (typed === '') field.current?.blur();
            else clear();
          }
        }}
      />
      {typed === '' ? (
        <Key>/</Key>
      ) : (
        <IconButton label="Clear the search" onClick={clear}>
          <IconX size={14} stroke={1.75} aria-hidden />
        </IconButton>
      )}
    </div>
  );
}
