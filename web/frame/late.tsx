import '@mantine/notifications/styles.layer.css';
import '@mantine/spotlight/styles.layer.css';
import { Notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { useRight } from '../session.ts';
import { useFootHeight } from '../ui/foot.ts';
import { Commands } from './commands.tsx';

/** What nobody sees before something happens; it is read once the page is there. */
export function Late() {
  const height = useFootHeight();
  const calls = useRight('calls.make');
  useEffect(() => {
    // Whoever dials need not wait for it then.
    const parts = calls ? [import('../phone/telephone.ts'), import('../phone/in-call.tsx')] : [];
    for (const part of parts) part.catch(() => undefined);
  }, [calls]);
  return (
    <>
      <Notifications position="bottom-left" style={{ '--foot': `${height}px` }} />
      <Commands />
    </>
  );
}
