import { SoundCheck } from '../phone/sound-check.tsx';
import { Panel } from '../ui/panel.tsx';

/** Through what one is heard and hears, in this browser. */
export const SoundPanel = () => (
  <Panel title="Microphone and loudspeaker">
    <SoundCheck isBegun={false} />
  </Panel>
);
