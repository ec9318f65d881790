import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';

type Reorder = {
  /** In their order. */
  ids: readonly string[];
  /** Those before this place stay where they are. */
  first?: number;
  nameOf: (id: string) => string;
  move: (id: string, to: number) => void;
};

const ROW = '[data-place]';

const moved = (ids: readonly string[], id: string, to: number): string[] =>
  ids.toSpliced(ids.indexOf(id), 1).toSpliced(to, 0, id);

/**
 * Things that are put in order: dragged by their grips, or moved with Alt and an arrow from anywhere within one. `order` is how they stand while one
 * is dragged; `said` tells those who cannot see it where it went.
 */
export function useReorder({ ids, first = 0, nameOf, move }: Reorder) {
  const [drag, setDrag] = useState<{ id: string; to: number }>();
  const [said, setSaid] = useState('');
  const list = useRef<HTMLElement>(null);
  const focused = useRef<HTMLElement>(null);
  // How they will stand after the keys so far. What a key asks for is drawn a moment later, and the next key may be there before.
  const ahead = useRef<readonly string[]>(undefined);
  // What a colleague removes while it is dragged goes nowhere.
  const order = drag && ids.includes(drag.id) ? moved(ids, drag.id, drag.to) : ids;
  const drawn = useRef({ ids, order });
  drawn.current = { ids, order };
  // What is moved in the page loses the focus.
  useLayoutEffect(() => {
    focused.current?.focus();
    focused.current = null;
    ahead.current = undefined;
  }, [order.join('\n')]);

  const place = (id: string, from: number, to: number) => {
    if (to === from) return;
    move(id, to);
    setSaid(`${nameOf(id)}: ${to + 1} of ${ids.length}.`);
  };

  const dragging = drag?.id;
  useEffect(() => {
    if (dragging === undefined) return undefined;
    const stop = new AbortController();
    const on = { signal: stop.signal };
    // Whoever lets go at once means where the pointer is, drawn or not.
    let to: number | undefined;
    addEventListener(
      'pointermove',
      (event) => {
        const under = placeUnder(list.current, event, drawn.current.order, dragging);
        if (under === undefined || under < first) return;
        to = under;
        setDrag({ id: dragging, to });
      },
      on,
    );
    addEventListener(
      'pointerup',
      () => {
        setDrag(undefined);
        const from = drawn.current.ids.indexOf(dragging);
        if (from >= 0 && to !== undefined) place(dragging, from, to);
      },
      on,
    );
    const giveUp = () => setDrag(undefined);
    addEventListener('pointercancel', giveUp, on);
    addEventListener('keydown', ({ key }) => key === 'Escape' && giveUp(), on);
    return () => stop.abort();
  }, [dragging]);

  return {
    order,
    said,
    dragged: dragging,
    list: {
      ref: list as never,
      onKeyDown: (event: KeyboardEvent) => {
        const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        const target = event.target as Element;
        // In a field or a choice these keys have a meaning of their own.
        if (!event.altKey || step === undefined || target.closest('input, textarea, select')) return;
        const id = target.closest<HTMLElement>(ROW)?.dataset.place;
        const standing = ahead.current ?? ids;
        const from = id === undefined ? -1 : standing.indexOf(id);
        if (id === undefined || from < first) return;
        event.preventDefault();
        const to = Math.min(Math.max(from + step, first), ids.length - 1);
        focused.current = document.activeElement as HTMLElement;
        if (to !== from) ahead.current = moved(standing, id, to);
        place(id, from, to);
      },
    },
    grip: (id: string) => ({
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0) return;
        event.preventDefault();
        setDrag({ id, to: ids.indexOf(id) });
      },
    }),
  };
}

/** Where the pointer has brought it: past the middle of another, so that nothing jumps to and fro. */
function placeUnder(
  list: HTMLElement | null,
  { clientX, clientY }: { clientX: number; clientY: number },
  order: readonly string[],
  id: string,
): number | undefined {
  const row = document
    .elementsFromPoint(clientX, clientY)
    .map((element) => element.closest<HTMLElement>(ROW))
    .find((one) => one && list?.contains(one));
  const other = row?.dataset.place;
  if (!row || other === undefined || other === id) return undefined;
  const [from, to] = [order.indexOf(id), order.indexOf(other)];
  const box = row.getBoundingClientRect();
  const own = list!.querySelector(`[data-place="${CSS.escape(id)}"]`)?.getBoundingClientRect();
  const isBeside = own !== undefined && Math.abs(own.top - box.top) < 2;
  const past = isBeside ? clientX - (box.left + box.right) / 2 : clientY - (box.top + box.bottom) / 2;
  return to > from === past > 0 ? to : undefined;
}
