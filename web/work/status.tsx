import { IconCheck, IconChevronDown, IconCoffee, IconUserPlus } from '@tabler/icons-react';
import type { Line } from '../../contract/calls.ts';
import { sayDoing, useLine } from '../line.ts';
import { sayTime } from '../times.ts';
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { Key } from '../ui/parts.tsx';
import './status.css';

/** What one does, as colleagues see it; whether one is there at all; and what else can be done here. `add`: opens the form for a new lead. */
export function Status({ add }: { add: (() => void) | undefined }) {
  const line = useLine();
  const { away, awayReasons, isTalking, wrappingUp, goAway, comeBack } = line;
  const doing = sayDoing(line);
  const isLater = isTalking || wrappingUp !== null;
  const icon = { size: 16, stroke: 1.75, 'aria-hidden': true };
  return (
    <Menu
      place="below-end"
      className="strip-button status"
      aria-label={`Status: ${doing}. Change`}
      label="Status"
      groups={[
        { items: [{ name: 'Ready', icon: <IconCheck {...icon} />, isCurrent: !away, act: comeBack }] },
        {
          title: isLater ? 'Away, after this lead' : 'Away',
          items: awayReasons.map((reason) => ({
            name: reason,
            icon: <IconCoffee {...icon} />,
            isCurrent: away?.reason === reason,
            act: () => goAway(reason),
          })),
        },
        ...(add
          ? [{ title: 'Leads', items: [{ name: 'Add a lead', icon: <IconUserPlus {...icon} />, act: add }] }]
          : []),
      ]}
    >
      <span className={`dot ${isTalking ? 'calling' : away && !wrappingUp ? 'away' : ''}`} aria-hidden />
      <span role="status">{doing}</span>
      <IconChevronDown size={14} stroke={1.75} aria-hidden />
    </Menu>
  );
}

/** In the place of a lead: none comes, and nobody rings, until one is back. */
export const Away = ({ away, comeBack }: { away: NonNullable<Line['away']>; comeBack: () => void }) => (
  <div className="empty">
    <h1>{`Away: ${away.reason}, since ${sayTime(away.since)}`}</h1>
    <p>No call rings here and no lead comes meanwhile. What you wrote about the last one is kept.</p>
    <Button onClick={comeBack} rightSection={<Key>N</Key>}>
      I am back
    </Button>
  </div>
);
