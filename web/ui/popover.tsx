import { Popover as Opened } from '@mantine/core';
import type { ReactNode } from 'react';
import './float.css';

type Props = {
  opened: boolean;
  change: (opened: boolean) => void;
  /** While something else is open within it, which then closes alone. */
  stays: boolean;
  label: string;
  className: string;
  width: string;
  button: ReactNode;
  children: ReactNode;
};

/** A form that opens under its button. */
export const Popover = ({ opened, change, stays, label, className, width, button, children }: Props) => (
  <Opened
    opened={opened}
    onChange={change}
    trapFocus
    returnFocus
    position="bottom-end"
    // In a low window rather over its button than out of sight.
    middlewares={{ flip: true, shift: { crossAxis: true, padding: 8 } }}
    width={width}
    shadow="none"
    classNames={{ dropdown: `float ${className}` }}
    // Gone at once: the next key is the page's.
    transitionProps={{ duration: 120, exitDuration: 0 }}
    closeOnClickOutside={!stays}
    closeOnEscape={!stays}
  >
    <Opened.Target>{button}</Opened.Target>
    <Opened.Dropdown aria-label={label}>{children}</Opened.Dropdown>
  </Opened>
);
