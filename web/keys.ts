import { useLayoutEffect, useRef } from 'react';
import { searchStore } from './search.ts';

/** `w`, `/`, `Enter`, `Control+Enter` → what it does. What answers `false` leaves the key to the browser. */
type Keys = Record<string, (event: KeyboardEvent) => unknown>;

const TYPING = 'input, textarea, select, [contenteditable="true"]';
const OPEN = '[role="dialog"], [role="menu"], [role="listbox"]';

/** Keys rest while someone types, and whenever a menu or dialog is open; the search from the key on that opens it. */
export function keysRest(target: Element | null): boolean {
  if (searchStore.getState().opened || target?.closest(TYPING)) return true;
  return [...document.querySelectorAll(OPEN)].some((one) => one.getClientRects().length > 0);
}

/** By what it writes: on another keyboard the slash takes Shift and a bracket AltGr. */
export function nameKey(event: Pick<KeyboardEvent, 'key' | 'getModifierState'>): string {
  const { key } = event;
  const isLetter = key.length === 1 && key.toLowerCase() !== key.toUpperCase();
  const isSign = key.length === 1 && !isLetter && key !== ' ';
  const isGraph = event.getModifierState('AltGraph');
  const held = ['Control', 'Alt', 'Meta', 'Shift'].filter((modifier) => {
    if (modifier === 'Shift') return !isSign && event.getModifierState(modifier);
    // Windows says Control and Alt for AltGr, too.
    return !(isGraph && modifier !== 'Meta') && event.getModifierState(modifier);
  });
  return [...held, key === ' ' ? 'Space' : isLetter ? key.toLowerCase() : key].join('+');
}

/** Held down, these go on walking; any other key would do and undo, or do to the next what was meant for this one. */
const WALKS = /^(?:Shift\+)?(?:[jk[\]<>]|Arrow\w+|Page\w+)$/;

export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  // Before anyone can see what they would act on: a key that comes right after it was drawn is none of the lead before.
  useLayoutEffect(() => {
    current.current = keys;
  });
  useLayoutEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const name = nameKey(event);
      const act = current.current[name];
      if (!act || event.defaultPrevented || event.isComposing) return;
      if (keysRest(event.target as Element | null) || goesOnTyping()) return;
      if ((event.repeat && !WALKS.test(name)) || act(event) !== false) event.preventDefault();
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, []);
}

let walkedTo: EventTarget | null = null;
let typing: { in: Element; at: number } | undefined;

const PAUSE_MS = 1_000;
const ENDS_TYPING = new Set(['Enter', 'Escape', 'Tab']);

/** A field may go from under the hand, with a window that becomes narrow or a colleague who removes it: the next letters are no keys. */
const goesOnTyping = () => typing !== undefined && !typing.in.isConnected;

/** Remembers whether the focus was brought to where it is by Tab, and where someone types. */
export function followFocus(): () => void {
  let byTab = false;
  const stop = new AbortController();
  const options = { capture: true, signal: stop.signal };
  const hear = ({ key, target }: KeyboardEvent) => {
    byTab = key === 'Tab';
    const at = performance.now();
    if (target instanceof Element && target.matches(TYPING)) typing = { in: target, at };
    if (ENDS_TYPING.has(key) || (typing && at - typing.at > PAUSE_MS)) typing = undefined;
    if (typing) typing.at = at;
  };
  addEventListener('keydown', hear, options);
  const press = () => {
    byTab = false;
    typing = undefined;
  };
  addEventListener('pointerdown', press, options);
  addEventListener('focusin', ({ target }) => (walkedTo = byTab ? target : null), options);
  return () => stop.abort();
}

/**
 * Enter and Space have a meaning of their own for a link, and for a button that someone has walked to. One that was clicked, or was given the focus
 * back by a menu or a field, does not keep them from the page.
 */
export function isPressing({ target }: KeyboardEvent): boolean {
  const pressed = (target as Element).closest('button:not([role="radio"]), a');
  return pressed !== null && (pressed.matches('a') || pressed === walkedTo);
}
