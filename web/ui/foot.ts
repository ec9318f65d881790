import { useSyncExternalStore } from 'react';

let height = 0;
const hearers = new Set<() => void>();

function tell(now: number): void {
  height = now;
  for (const hear of hearers) hear();
}

/** The ref of what stands at the foot of a page: notices keep above it. */
export function foot(element: HTMLElement | null): (() => void) | undefined {
  if (!element) return undefined;
  const size = new ResizeObserver(() => tell(element.offsetHeight));
  size.observe(element);
  return () => {
    size.disconnect();
    tell(0);
  };
}

const watch = (hear: () => void) => {
  hearers.add(hear);
  return () => hearers.delete(hear);
};

export const useFootHeight = (): number => useSyncExternalStore(watch, () => height);
