import '@mantine/notifications/styles.layer.css';
import '@mantine/spotlight/styles.layer.css';
import { useMediaQuery } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';
import { Commands } from './commands.tsx';

/** What nobody sees before something happens; it is read once the page is there. */
export function Late() {
  // On a phone what is said does not lie on what is pressed.
  const narrow = useMediaQuery('(max-width: 700px)', false, { getInitialValueInEffect: false });
  return (
    <>
      <Notifications position={narrow ? 'top-center' : 'bottom-left'} />
      <Commands />
    </>
  );
}
