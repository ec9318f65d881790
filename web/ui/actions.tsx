import { IconDots, type TablerIcon } from '@tabler/icons-react';
import { Menu, type Item } from './menu.tsx';
import './button.css';

export type Action = Pick<Item, 'name' | 'act' | 'reason'> & { icon: TablerIcon };

/** What can be done with one row of a list. */
export const Actions = ({ of, items, className = '' }: { of: string; items: Action[]; className?: string }) => (
  <Menu
    place="below-end"
    className={`icon-button ${className}`}
    aria-label={`Actions for ${of}`}
    label="Actions"
    groups={[
      {
        items: items.map(({ icon: Icon, ...item }) => ({
          ...item,
          icon: <Icon size={16} stroke={1.75} aria-hidden />,
        })),
      },
    ]}
  >
    <IconDots size={16} stroke={1.75} aria-hidden />
  </Menu>
);
