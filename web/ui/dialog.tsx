import { Modal, type ModalProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Fault } from './form.tsx';
import { tellFailure } from './notices.ts';
import './float.css';
import './dialog.css';

export const Dialog = (props: ModalProps) => (
  <Modal
    centered
    lockScroll={false}
    radius="lg"
    padding="lg"
    shadow="none"
    overlayProps={{ backgroundOpacity: 0.4 }}
    // Gone at once: the next key is the page's.
    transitionProps={{ duration: 120, exitDuration: 0 }}
    closeButtonProps={{ 'aria-label': 'Close' }}
    {...props}
    classNames={{ content: 'dialog float', header: 'dialog-head', title: 'dialog-title' }}
  />
);

/** In reach however long the form above it is. */
export const DialogFoot = ({ children }: { children: ReactNode }) => <div className="dialog-foot">{children}</div>;

type ConfirmProps = {
  opened: boolean;
  close: () => void;
  title: string;
  /** On the button that leaves everything as it is, and on the red one. */
  safe: string;
  verb: string;
  /** Whoever closed it before the answer came is somewhere else by then, and is taken nowhere. */
  act: (isHere: () => boolean) => Promise<unknown>;
  children: ReactNode;
};

/** Whether the question of a dialog is still on the screen as its answer comes. */
export function useIsHere(opened: boolean): () => boolean {
  const isStill = useIsStill(opened);
  return () => isStill(true);
}

/** Whether it is still about what it was about when something was asked for. */
export function useIsStill<T>(value: T): (then: T) => boolean {
  const now = useRef<T | undefined>(value);
  useEffect(() => {
    now.current = value;
    return () => {
      now.current = undefined;
    };
  }, [value]);
  return (then) => now.current === then;
}

/** Only for what cannot be undone. Asked for, it is not taken back: to close the question then only leaves it, and what fails is told all the same. */
export function Confirm({ opened, close, title, safe, verb, act, children }: ConfirmProps) {
  const isHere = useIsHere(opened);
  const acting = useMutation({
    mutationFn: () => act(isHere),
    onSuccess: () => isHere() && close(),
    onError: (error) => {
      if (isHere()) return;
      tellFailure(error);
      // Asked again, the question does not begin with it.
      acting.reset();
    },
  });
  const leave = () => {
    if (!acting.isPending) acting.reset();
    close();
  };
  return (
    <Dialog opened={opened} onClose={leave} title={title}>
      <div className="stack">
        <div className="said-before">{children}</div>
        <Fault error={acting.error} />
        <DialogFoot>
          <Button variant="default" data-autofocus disabled={acting.isPending} onClick={leave}>
            {safe}
          </Button>
          <Button variant="danger" loading={acting.isPending} onClick={() => acting.mutate()}>
            {verb}
          </Button>
        </DialogFoot>
      </div>
    </Dialog>
  );
}
