let last = Date.now();
for (const name of ['keydown', 'pointerdown'])
  addEventListener(name, () => (last = Date.now()), { passive: true, capture: true });

/** Whether someone did something here in the last so many milliseconds. */
export const isAttended = (within: number): boolean => Date.now() - last < within;
