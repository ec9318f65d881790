import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { scaleFor } from './scale.ts';

/** Rows beyond those in sight that are drawn, and how many come at once. */
const OVERSCAN = 8;
const STEP = 4;
/** After so long nobody is scrolling. */
const STILL_MS = 150;

type Drawn = {
  first: number;
  last: number;
  /** To be added to where a row stands among the rows. */
  offset: number;
};

type Rows = {
  count: number;
  /** Of one. */
  height: number;
  /** What stands above them all the time, and what is left free below the last. */
  head: number;
  foot: number;
  /** Told of the rows in sight. */
  see: (first: number, last: number) => void;
};

/**
 * Which rows are drawn where. The wheel, keys and fingers move the rows by pixels; whoever drags the bar goes by proportion. Between the two the bar
 * is a little beside where it should be, and is put right when nobody scrolls.
 */
export function useScroll(rows: Rows) {
  const box = useRef<HTMLDivElement>(null);
  const [drawn, draw] = useState<Drawn>({ first: 0, last: 0, offset: 0 });
  const at = useRef({ top: 0, scroll: 0, view: 0, drawn: 0 });
  const still = useRef<ReturnType<typeof setTimeout>>(undefined);
  const current = useRef(rows);
  current.current = rows;

  const { count, height, head, foot } = rows;
  const scale = () => scaleFor(current.current.count * current.current.height + current.current.foot, at.current.view);

  const show = () => {
    const { count: most, height: one, see } = current.current;
    const { top, scroll, view, drawn: before } = at.current;
    const [from, to] = [Math.floor(top / one), Math.ceil((top + view) / one) - 1];
    // Where all rows in sight are others, they are enough to draw at once; those beyond them follow when nobody scrolls.
    const isFar = view > 0 && Math.abs(top - before) > view;
    const beyond = isFar ? 0 : OVERSCAN;
    at.current.drawn = top;
    if (isFar) settleLater();
    const next = {
      first: Math.max(0, Math.floor((from - beyond) / STEP) * STEP),
      last: Math.min(most - 1, Math.ceil((to + beyond) / STEP) * STEP),
      offset: Math.round(scroll - top),
    };
    draw((last) => (last.first === next.first && last.last === next.last && last.offset === next.offset ? last : next));
    see(from, Math.max(from, Math.min(to, most - 1)));
  };

  /** Puts the bar where the rows are. */
  const settle = () => {
    if (!box.current) return;
    const { top } = at.current;
    const { most, toScroll } = scale();
    at.current.top = Math.max(0, Math.min(top, most));
    const to = toScroll(at.current.top);
    if (Math.abs(to - box.current.scrollTop) > 1) box.current.scrollTop = to;
    at.current.scroll = box.current.scrollTop;
    show();
  };

  const settleLater = () => {
    clearTimeout(still.current);
    still.current = setTimeout(() => {
      // Scrolled since, and not told of it yet: whoever scrolls is not taken back to where they were.
      if (box.current?.scrollTop === at.current.scroll) flushSync(settle);
    }, STILL_MS);
  };

  const goTo = (top: number) => {
    at.current.top = Math.round(top);
    settle();
  };

  const each = useRef(height);
  useLayoutEffect(() => {
    // The first in sight is the same, however high rows are.
    at.current.top = Math.round((at.current.top / each.current) * height);
    each.current = height;
    settle();
  }, [count, height, foot]);
  useEffect(() => {
    const element = box.current!;
    const size = new ResizeObserver(() => {
      at.current.view = element.clientHeight - head;
      element.classList.toggle('sideways', element.scrollWidth > element.clientWidth);
      settle();
    });
    size.observe(element);
    size.observe(element.firstElementChild!);
    const hear = () => {
      const { scroll, top, view } = at.current;
      const now = element.scrollTop;
      const by = now - scroll;
      if (by === 0) return;
      const { most, height: whole, toTop } = scale();
      const isEnd = now <= 0 || now >= whole - view - 1;
      at.current.scroll = now;
      at.current.top = Math.abs(by) > 2 * view || isEnd ? toTop(now) : Math.max(0, Math.min(top + by, most));
      show();
      settleLater();
    };
    element.addEventListener('scroll', hear, { passive: true });
    return () => {
      size.disconnect();
      element.removeEventListener('scroll', hear);
      clearTimeout(still.current);
    };
  }, [head]);

  return {
    box,
    ...drawn,
    /** Of all that is scrolled. */
    height: scaleFor(count * height + foot, at.current.view).height,
    begin: (row: number) => goTo(row * height),
    /** The rows in sight stand so many places further down: they stay where they are seen. */
    shift: (by: number) => {
      at.current.top = Math.max(0, at.current.top + by * height);
      at.current.drawn += by * height;
      show();
      settleLater();
    },
    /** Brings a row into sight. */
    reach: (row: number) => {
      const { top, view } = at.current;
      const [start, end] = [row * height, (row + 1) * height + foot];
      if (start < top) goTo(start);
      else if (end > top + view) goTo(end - view);
    },
    /** How many rows are seen at once. */
    page: () => Math.max(1, Math.floor(at.current.view / height) - 1),
    firstInSight: () => Math.ceil(at.current.top / height),
  };
}
