import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import { Notifications } from '@mantine/notifications';
import { Commands } from './commands.tsx';

/** What nobody sees before something happens; it is read once the page is there. */
export const Late = () => (
  <>
    <Notifications position="bottom-left" />
    <Commands />
  </>
);
