import { Modal, type ModalProps } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { Refused } from '../api.ts';
import { sayWhen } from '../times.ts';
import { Button } from '../ui/button.tsx';

/** What the browser's tab says while the page is open. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Leadline`;
    return () => {
      document.title = 'Leadline';
    };
  }, [title]);
}

type PanelProps = {
  title: string;
  /** Beside the title, small. */
  aside?: ReactNode;
  action?: ReactNode;
  /** Rows reach from edge to edge. */
  flush?: boolean;
  children: ReactNode;
};

/** A white field with its name on top. */
export function Panel({ title, aside, action, flush = false, children }: PanelProps) {
  const id = useId();
  return (
    <section className={flush ? 'panel flush' : 'panel'} aria-labelledby={id}>
      <div className="box-head">
        <h2 id={id}>{title}</h2>
        {aside && <span className="meta">{aside}</span>}
        <span className="grow" />
        {action}
      </div>
      {children}
    </section>
  );
}

export const Dialog = (props: ModalProps) => (
  <Modal
    centered
    lockScroll={false}
    radius="lg"
    padding="lg"
    shadow="none"
    overlayProps={{ backgroundOpacity: 0.4 }}
    transitionProps={{ duration: 120 }}
    closeButtonProps={{ 'aria-label': 'Close' }}
    {...props}
    classNames={{ content: 'dialog float', header: 'dialog-head', title: 'dialog-title' }}
  />
);

type ConfirmProps = {
  opened: boolean;
  close: () => void;
  title: string;
  /** On the button that leaves everything as it is, and on the red one. */
  safe: string;
  verb: string;
  act: () => Promise<unknown>;
  children: ReactNode;
};

/** Only for what cannot be undone. */
export function Confirm({ opened, close, title, safe, verb, act, children }: ConfirmProps) {
  const acting = useMutation({ mutationFn: act, onSuccess: close });
  const leave = () => {
    acting.reset();
    close();
  };
  return (
    <Dialog opened={opened} onClose={leave} title={title}>
      <div className="stack">
        <div className="said-before">{children}</div>
        <Fault error={acting.error} />
        <div className="dialog-foot">
          <Button variant="default" data-autofocus onClick={leave}>
            {safe}
          </Button>
          <Button variant="danger" loading={acting.isPending} onClick={() => acting.mutate()}>
            {verb}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** What the service refused and no field can say. */
export const Fault = ({ error }: { error: Error | null }) =>
  error && (
    <p role="alert" className="fault">
      {error.message}
    </p>
  );

/** What was asked about is no more. */
export const isGone = (error: Error | null): boolean => error instanceof Refused && error.status === 404;

/** The faults that the fields with these labels can show, each as a sentence. */
export function faultsOf(error: Error | null, labels: Record<string, string>): Record<string, string> {
  if (!(error instanceof Refused)) return {};
  return Object.fromEntries(
    Object.entries(error.errors).flatMap(([name, [fault = 'is not valid']]) => {
      const label = labels[name];
      return label === undefined ? [] : [[name, `${label} ${fault}.`]];
    }),
  );
}

/** What is left of an error once the fields have said theirs. */
export function restOf(error: Error | null, labels: Record<string, string>): Error | null {
  const told = error instanceof Refused && Object.keys(error.errors).length > 0;
  return told && Object.keys(error.errors).every((name) => name in labels) ? null : error;
}

type Asking = { mutate: () => void; isPending: boolean; error: Error | null };

/** Keeps what was typed until the service has taken it, and goes to the field that it refused. */
export function Form({ asking, children }: { asking: Asking; children: ReactNode }) {
  const form = useFaultFocus(asking.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!asking.isPending) asking.mutate();
  };
  return (
    <form ref={form} className="stack" noValidate onSubmit={submit}>
      {children}
    </form>
  );
}

export function useFaultFocus(error: Error | null) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const field = error && form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    field?.focus();
    field?.scrollIntoView({ block: 'center' });
  }, [error]);
  return form;
}

/** So that a password manager knows whose password is asked for. */
export const Username = ({ email }: { email: string }) => (
  <input type="text" autoComplete="username" value={email} readOnly hidden />
);

type CopyProps = { text: string; what: string; compact?: boolean };

export function Copy({ text, what, compact = false }: CopyProps) {
  const clipboard = useClipboard({ timeout: 2_000 });
  const Icon = clipboard.copied ? IconCheck : IconCopy;
  return (
    <Button
      variant="default"
      size={compact ? 'compact' : 'sm'}
      aria-label={clipboard.copied ? 'Copied' : `Copy ${what}`}
      leftSection={<Icon size={16} stroke={1.75} aria-hidden />}
      onClick={() => clipboard.copy(text)}
    >
      <span aria-live="polite">{clipboard.copied ? 'Copied' : 'Copy'}</span>
    </Button>
  );
}

/** Within a sentence. */
export const sayWhenWithin = (at: Date | string): string =>
  sayWhen(at).replace(/^(Today|Tomorrow)/, (word) => word.toLowerCase());

/** `3 s ago`, `4 min ago`, `2 h ago`, then the day. */
export function sayAgo(at: Date | string, now = Date.now()): string {
  const seconds = Math.max(0, Math.floor((now - new Date(at).getTime()) / 1_000));
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return sayWhenWithin(at);
}

/** Says it anew while the page stays open. */
export function Ago({ at }: { at: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return <time dateTime={at}>{sayAgo(at, Math.max(now, new Date(at).getTime()))}</time>;
}
