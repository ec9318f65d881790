import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';

const LOOK = { withBorder: true, closeButtonProps: { 'aria-label': 'Close' } };

/** A sentence at the edge of the screen, for what has no place of its own. */
export const notice = (message: string, title?: string, stays: { id?: string; autoClose?: false } = {}) =>
  notifications.show({ ...LOOK, ...(title && { title }), message, autoClose: 6_000, ...stays });

const FAILED = 'That did not work.';
const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

// A failure stays until it was read.
export const tellFailure = (error: unknown) =>
  notifications.show({ ...LOOK, title: FAILED, message: reasonOf(error), color: 'lost', autoClose: false });

type Named = { id: number; name: string };

/** What is said of each lead that is open. */
const said = new Map<number, string[]>();

const keep = (leadId: number, id: string) => said.set(leadId, [...(said.get(leadId) ?? []), id]);

/** What is told about one lead names it, and goes when the lead is left. */
export const tellingOf = ({ id, name }: Named) => ({
  notice: (message: string) => keep(id, notifications.show({ ...LOOK, title: name, message, autoClose: 6_000 })),
  tellFailure: (error: unknown) => {
    const message = `${FAILED} ${reasonOf(error)}`;
    keep(id, notifications.show({ ...LOOK, title: name, message, color: 'lost', autoClose: false }));
  },
});

/** For as long as the lead is open. */
export function useNoticesOf(leadId: number): void {
  useEffect(
    () => () => {
      for (const id of said.get(leadId) ?? []) notifications.hide(id);
      said.delete(leadId);
    },
    [leadId],
  );
}
