import { notifications } from '@mantine/notifications';

const CLOSE = { 'aria-label': 'Close' };

/** A sentence at the edge of the screen, for what has no place of its own. */
export const notice = (message: string) =>
  notifications.show({ message, autoClose: 6_000, withBorder: true, closeButtonProps: CLOSE });

export const tellFailure = (error: unknown) =>
  notifications.show({
    title: 'That did not work.',
    message: error instanceof Error ? error.message : String(error),
    color: 'lost',
    // Until it was read.
    autoClose: false,
    withBorder: true,
    closeButtonProps: CLOSE,
  });
