import { useEffect, useRef } from 'react';

let opener: (() => void) | undefined;

/** Opens the form for a new lead on the page that has one. */
export const addLead = (): void => opener?.();
export const canAddLead = (): boolean => opener !== undefined;

/** Said by that page, so that a command can open the form, too; undefined where whoever is there may not. */
export function useAddLead(open: (() => void) | undefined): void {
  const current = useRef(open);
  current.current = open;
  const may = open !== undefined;
  useEffect(() => {
    if (!may) return undefined;
    const own = () => current.current?.();
    opener = own;
    return () => {
      if (opener === own) opener = undefined;
    };
  }, [may]);
}
