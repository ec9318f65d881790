import {
  useEffect,
  useId,
  useRef,
  useState,
  type ComponentPropsWithRef,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import { flushSync } from 'react-dom';
import './float.css';

type Place = 'below' | 'below-end' | 'above' | 'beside-end';
type Edges = [left: number, top: number];

const MARGIN = 8;
const within = (at: number, size: number, room: number) => Math.max(MARGIN, Math.min(at, room - size - MARGIN));

/** Under the button, or over it where there is no room under it. */
function under({ top, bottom }: DOMRect, { height }: DOMRect): number {
  const room = innerHeight - bottom - MARGIN - 4;
  return height > room && height < top - MARGIN - 4 ? top - height - 4 : bottom + 4;
}

/** Where it hangs: the button, and how large it is itself. */
const PLACES: Record<Place, (button: DOMRect, own: DOMRect) => Edges> = {
  below: (button, own) => [button.left, under(button, own)],
  'below-end': (button, own) => [button.right - own.width, under(button, own)],
  above: ({ left, top }, { height }) => [left, top - height - 6],
  'beside-end': ({ right, bottom }, { height }) => [right + 6, bottom > height ? bottom - height : bottom + 4],
};

/** Beside its button, and all of it on the screen. */
function hang(panel: HTMLElement, place: Place): void {
  const button = document.querySelector(`[popovertarget="${CSS.escape(panel.id)}"]`);
  if (!button) return;
  const own = panel.getBoundingClientRect();
  const [left, top] = PLACES[place](button.getBoundingClientRect(), own);
  panel.style.left = `${within(left, own.width, innerWidth)}px`;
  panel.style.top = `${within(top, own.height, innerHeight)}px`;
}

type FloatProps = ComponentPropsWithRef<'button'> & {
  place?: Place;
  kind: 'menu' | 'dialog';
  /** What it says of itself to those who cannot see it. */
  label: string;
  /** Shown while it is open. */
  panel: (close: () => void) => ReactNode;
  onOpen?: ((isOpen: boolean) => void) | undefined;
};

/** A button, and what opens above the page beside it. The browser closes it on Esc or a click elsewhere, and gives the focus back. */
export function Float({ place = 'below', kind, label, panel, onOpen, ...button }: FloatProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const floating = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    onOpen?.(true);
    const settle = () => floating.current && hang(floating.current, place);
    // Told before it is drawn, when it has its size, and whenever that changes.
    const size = new ResizeObserver(settle);
    size.observe(floating.current!);
    const closed = new AbortController();
    for (const change of ['resize', 'scroll'])
      addEventListener(change, settle, { capture: true, signal: closed.signal });
    return () => {
      onOpen?.(false);
      size.disconnect();
      closed.abort();
    };
  }, [isOpen, place]);
  return (
    <>
      <button type="button" popoverTarget={id} aria-haspopup={kind} aria-expanded={isOpen} {...button} />
      <div
        ref={floating}
        id={id}
        popover="auto"
        className="float"
        role={kind}
        aria-label={label}
        // Filled before it shows, so that it is never seen empty, and emptied after it has given the focus back.
        onBeforeToggle={({ newState }) => newState === 'open' && flushSync(() => setOpen(true))}
        onToggle={({ newState, currentTarget }) => {
          if (newState === 'open') enter(currentTarget);
          setOpen(newState === 'open');
        }}
        onKeyDown={(event) => {
          if (kind === 'menu') walk(event);
          // Else it would press the button, which has the focus again.
          if (event.key === 'Enter' && !event.currentTarget.matches(':popover-open')) event.preventDefault();
        }}
      >
        {isOpen && panel(() => floating.current?.hidePopover())}
      </div>
    </>
  );
}

/** `checkVisibility` says no in WebKit until what has just been opened was drawn. */
const isShown = (item: HTMLElement) => item.getClientRects().length > 0;

/** To what is current, else to the first. */
function enter(panel: HTMLElement): void {
  const inOrder = ['[data-autofocus]', ':first-of-type > [aria-current="true"]', '[role="menuitem"]'];
  const all = inOrder.flatMap((one) => [...panel.querySelectorAll<HTMLElement>(one)]);
  all.find(isShown)?.focus();
}

/** Arrows go from item to item and round; Tab goes on from where the menu was. */
function walk(event: KeyboardEvent<HTMLDivElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="menuitem"]')].filter(isShown);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (event.key === 'Tab') event.currentTarget.hidePopover();
  if (to === undefined) return;
  event.preventDefault();
  items.at(to % items.length)?.focus();
}
