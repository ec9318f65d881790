import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(width < 1100px)');

const watch = (hear: () => void) => {
  narrow.addEventListener('change', hear);
  return () => narrow.removeEventListener('change', hear);
};

/** Whether there is room for one column only, as on a small window or at twice the size. The styles ask the same. */
export const useOneColumn = (): boolean => useSyncExternalStore(watch, () => narrow.matches);
