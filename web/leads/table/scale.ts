/**
 * A million rows are higher than a browser can lay out (Chromium stops at 33 million px, Firefox at 18), so the scrollbar of a high table is scaled: `top` is
 * where one is among the rows, in their pixels, `scroll` where the bar is. Near both ends they go together, in the middle by proportion.
 */
export type Scale = {
  /** Of what is scrolled. */
  height: number;
  /** The farthest one gets. */
  most: number;
  toTop: (scroll: number) => number;
  toScroll: (top: number) => number;
};

/** Below 2 to the power of 23: up to there half pixels are told apart. */
export const MOST_HEIGHT = 8_000_000;
const END = 400_000;

const within = (at: number, most: number) => Math.max(0, Math.min(at, most));

export function scaleFor(rows: number, view: number): Scale {
  const height = Math.min(rows, MOST_HEIGHT);
  const most = Math.max(0, rows - view);
  if (rows <= MOST_HEIGHT) return { height, most, toTop: (at) => within(at, most), toScroll: (at) => within(at, most) };
  const bar = height - view;
  const factor = (most - 2 * END) / (bar - 2 * END);
  return {
    height,
    most,
    toTop: (scroll) => {
      const at = within(scroll, bar);
      if (at <= END) return at;
      return at >= bar - END ? most - (bar - at) : Math.round(END + (at - END) * factor);
    },
    toScroll: (top) => {
      const at = within(top, most);
      if (at <= END) return at;
      return at >= most - END ? bar - (most - at) : Math.round(END + (at - END) / factor);
    },
  };
}
