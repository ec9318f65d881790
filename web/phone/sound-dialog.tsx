import { Dialog } from '../ui/dialog.tsx';
import { SoundCheck } from './sound-check.tsx';

/** From the telephone, while one talks. */
export const SoundDialog = ({ close }: { close: () => void }) => (
  <Dialog opened onClose={close} title="Microphone and loudspeaker" size={480}>
    <SoundCheck isBegun />
  </Dialog>
);
