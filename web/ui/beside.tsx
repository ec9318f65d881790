import { Drawer } from '@mantine/core';
import type { ComponentProps, KeyboardEvent, ReactNode } from 'react';
import './dialog.css';
import './float.css';

type Props = {
  opened: boolean;
  close: () => void;
  className: string;
  bodyClassName: string;
  onKeyDown: (event: KeyboardEvent) => void;
  children: ReactNode;
};

/** A dialog beside the page, not over it: the page stays in use while it is open. */
export function Beside({ opened, close, className, bodyClassName, onKeyDown, children }: Props) {
  // The page beside it is not barred, so it must not be said to be.
  const unbar = (node: HTMLElement | null) => node?.closest('[role="dialog"]')?.removeAttribute('aria-modal');
  return (
    <Drawer.Root
      opened={opened}
      onClose={close}
      position="right"
      size={562}
      padding={0}
      trapFocus={false}
      lockScroll={false}
      closeOnClickOutside={false}
      returnFocus={false}
      classNames={{ content: `${className} float` }}
      transitionProps={{ duration: 120 }}
    >
      <Drawer.Content radius={0}>
        <Drawer.Body className={bodyClassName} ref={unbar} onKeyDown={onKeyDown}>
          {children}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

export const BesideTitle = ({ children }: { children: ReactNode }) => (
  <Drawer.Title className="dialog-title">{children}</Drawer.Title>
);

export const BesideClose = (props: ComponentProps<typeof Drawer.CloseButton>) => <Drawer.CloseButton {...props} />;
