import '@mantine/notifications/styles.layer.css';
import '@mantine/spotlight/styles.layer.css';
import { Notifications } from '@mantine/notifications';
import { useFootHeight } from '../ui/foot.ts';
import { Commands } from './commands.tsx';

/** What nobody sees before something happens; it is read once the page is there. */
export function Late() {
  const height = useFootHeight();
  return (
    <>
      <Notifications position="bottom-left" style={{ '--foot': `${height}px` }} />
      <Commands />
    </>
  );
}
