import { notifications } from '@mantine/notifications';
import { Button } from './button.tsx';
import { Key } from './parts.tsx';
import './offer.css';

type Offer = {
  id: string;
  title: string;
  message: string;
  act: string;
  hint?: string;
  /** Until it is taken, or hidden. */
  stays?: boolean;
  onAct: () => void;
  onClose?: () => void;
};

/** A notice that something can be done about, for as long as it is there. */
export function offer({ id, title, message, act, hint, stays, onAct, onClose }: Offer): void {
  const take = () => {
    notifications.hide(id);
    onAct();
  };
  notifications.show({
    id,
    autoClose: stays ? false : 6_000,
    withBorder: true,
    withCloseButton: false,
    ...(onClose && { onClose }),
    message: (
      <div className="offer">
        <div className="grow">
          <strong>{title}</strong>
          <p>{message}</p>
        </div>
        <Button variant="default" onClick={take} {...(hint && { rightSection: <Key>{hint}</Key> })}>
          {act}
        </Button>
      </div>
    ),
  });
}
