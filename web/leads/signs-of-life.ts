import { useEffect, useRef } from 'react';
import { ask } from '../api.ts';
import { isAttended } from '../attended.ts';

const EVERY_MS = 20_000;

/** Whether someone did something since the sign before. */
export const isSomeoneThere = (): boolean => isAttended(EVERY_MS);

/** Says that the lead is still open here, for as long as it is; 0: none. `answered` hears whether it is still ours, or why not. */
export function useSignsOfLife(leadId: number, answered?: (error: unknown) => void): void {
  const tell = useRef(answered);
  tell.current = answered;
  useEffect(() => {
    if (leadId === 0) return undefined;
    let over = false;
    const timer = setInterval(() => {
      const hear = (error?: unknown) => {
        // Another is open by now: what is said of this one is not said of that.
        if (!over) tell.current?.(error);
      };
      ask('POST', `/leads/${leadId}/hold`, { input: isSomeoneThere(), opens: false }).then(() => hear(), hear);
    }, EVERY_MS);
    return () => {
      over = true;
      clearInterval(timer);
    };
  }, [leadId]);
}
