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
    width={width}
    shadow="none"
    classNames={{ dropdown: `float ${className}` }}
    transitionProps={{ duration: 120 }}
    closeOnClickOutside={!stays}
    closeOnEscape={!stays}
  >
    <Opened.Target>{button}</Opened.Target>
    <Opened.Dropdown aria-label={label}>{children}</Opened.Dropdown>
  </Opened>
);
