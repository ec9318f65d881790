import { notifications } from '@mantine/notifications';
import { Button } from './button.tsx';
import './offer.css';

const ID = 'unsaved';

/** Until it is saved, or given up. */
export const tellUnsaved = (tryNow: () => void): void => {
  notifications.show({
    id: ID,
    autoClose: false,
    withBorder: true,
    withCloseButton: false,
    message: (
      <div className="offer">
        <div className="grow">
          <strong>Not saved yet</strong>
          <p>The service does not answer. We try again.</p>
        </div>
        <Button variant="default" onClick={tryNow}>
          Try now
        </Button>
      </div>
    ),
  });
};

export const hideUnsaved = (): void => {
  notifications.hide(ID);
};

export const tellSaved = (): void => {
  hideUnsaved();
  notifications.show({
    id: 'saved now',
    message: 'Saved now.',
    autoClose: 4_000,
    withBorder: true,
    withCloseButton: false,
  });
};
