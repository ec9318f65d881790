import { useState } from 'react';
import { notifying, ring, type Notifying } from '../frame/ring.ts';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';

const SAID: Record<Notifying, string> = {
  insecure:
    'This address has no HTTPS, and browsers show notifications only where there is one. Calls keep to sound and the title of the page.',
  missing: 'This browser shows no notifications. Calls keep to sound and the title of the page.',
  default:
    'While another window is in front, a call that comes in can only be heard. A notification says who it is, for as long as it rings.',
  granted: 'A notification says who calls while another window is in front.',
  denied: 'Notifications are blocked here. Allow them for this address in the browser, then load the page again.',
};

/** How one notices a call, whatever page is open. */
export function RingingPanel() {
  const [state, setState] = useState(notifying);
  return (
    <Panel title="When someone calls">
      <p>It rings, the page’s title says who it is, and a card shows on whatever page is open.</p>
      <p className="meta">{SAID[state]}</p>
      <div className="tags">
        {state === 'default' && (
          <Button size="xs" onClick={() => void Notification.requestPermission().then(setState)}>
            Show notifications
          </Button>
        )}
        <Button size="xs" variant="default" onClick={hearIt}>
          Hear it
        </Button>
      </div>
    </Panel>
  );
}

function hearIt(): void {
  const end = ring();
  setTimeout(end, 1_500);
}
