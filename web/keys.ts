import { useEffect, useRef } from 'react';
import { tinykeys } from 'tinykeys';

/** What answers `false` leaves the key to the browser. */
type Keys = Record<string, (event: KeyboardEvent) => unknown>;

const TYPING = 'input, textarea, select, [contenteditable="true"]';
const OPEN = '[role="dialog"], [role="menu"], [role="listbox"]';

/** Keys rest while someone types, and whenever a menu or dialog is open. */
export function keysRest(target: Element | null): boolean {
  if (target?.closest(TYPING)) return true;
  return [...document.querySelectorAll(OPEN)].some((one) => (one as HTMLElement).checkVisibility());
}

/** `always`: also while typing, for combinations that type nothing. */
export function useKeys(keys: Keys, { always = false } = {}): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  const names = Object.keys(keys).join('|');
  useEffect(() => {
    const handlers = names.split('|').map((name) => [
      name,
      (event: KeyboardEvent) => {
        if (event.defaultPrevented || (!always && keysRest(event.target as Element | null))) return;
        const act = current.current[name];
        if (act && act(event) !== false) event.preventDefault();
      },
    ]);
    return tinykeys(window, Object.fromEntries(handlers) as Record<string, (event: KeyboardEvent) => void>);
  }, [names, always]);
}

/** A button or link has the focus, for which Enter and Space have a meaning of their own. */
export const isPressing = ({ target }: KeyboardEvent): boolean =>
  (target as Element).closest('button:not([role="radio"]), a') !== null;
