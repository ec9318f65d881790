import { useEffect, useState, type ReactNode } from 'react';
import type { Doing } from '../../contract/calls.ts';
import { sayAgo, sayDuration, sayWhen, useNow } from '../times.ts';
import { Button } from './button.tsx';
import './parts.css';

export const Key = ({ children }: { children: ReactNode }) => <kbd className="key">{children}</kbd>;

/** `Ann Lee` → `AL`, `ann.lee@example.com` too. */
export const initialsOf = (name: string): string =>
  name
    .replace(/@.*/, '')
    .split(/[\s.]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => word[0]!.toUpperCase())
    .join('');

const DOINGS = {
  calling: 'calling',
  on_call: 'on a call',
  wrapping_up: 'wrapping up',
  ready: 'has a lead open',
  away: 'away',
} satisfies Record<Doing, string>;

const TALKS = new Set<Doing>(['calling', 'on_call']);

/** Initials, with a dot that says what they are doing. */
export function Initials({ name, doing, reason }: { name: string; doing?: Doing; reason?: string | null }) {
  const said = doing ? `${name}, ${DOINGS[doing]}${reason ? `: ${reason}` : ''}` : name;
  return (
    <span className="initials" role="img" aria-label={said} title={said}>
      <span aria-hidden>{initialsOf(name)}</span>
      {doing && doing !== 'away' && <span className={TALKS.has(doing) ? 'doing calling' : 'doing'} />}
    </span>
  );
}

export const Mark = () => (
  <svg width={22} height={22} viewBox="0 0 22 22" aria-hidden>
    <path d="M11 2v8" stroke="#A9B4F6" strokeWidth={2} strokeLinecap="round" />
    <path d="M11 8.8c2.5 2.2 4.2 4.5 4.2 7a4.2 4.2 0 0 1-8.4 0c0-2.5 1.7-4.8 4.2-7Z" fill="#fff" />
  </svg>
);

export const Time = ({ at, say = sayWhen }: { at: string; say?: (at: string) => string }) => (
  <time dateTime={at}>{say(at)}</time>
);

/** Says it anew while the page stays open. */
export const Ago = ({ at }: { at: string }) => (
  <time dateTime={at}>{sayAgo(at, Math.max(useNow(10_000), new Date(at).getTime()))}</time>
);

/** Counts the seconds since a moment. */
export function Timer({ since }: { since: string | number }) {
  const now = useNow(250);
  return (
    <span role="timer" className="timer">
      {sayDuration((now - new Date(since).getTime()) / 1_000)}
    </span>
  );
}

type EmptyProps = {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** Where it is all that the page has to say. */
  isPage?: boolean;
};

/** One bold line, one line of what to do, one button. */
export function Empty({ title, children, action, isPage = false }: EmptyProps) {
  const Title = isPage ? 'h1' : 'strong';
  return (
    <div className="empty">
      <Title className="empty-title">{title}</Title>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

/** What failed, in its own panel; the rest works. */
export function Failure({ error, again }: { error: Error; again?: () => void }) {
  return (
    <div className="empty" role="alert">
      <strong>That did not work.</strong>
      <p>{error.message}</p>
      {again && (
        <Button variant="default" onClick={again}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Whether so many milliseconds have gone by since it was first shown. */
export function useLate(after: number): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), after);
    return () => clearTimeout(timer);
  }, [after]);
  return late;
}

/** A value once it has lasted so many milliseconds; that it is gone shows at once. */
export function useLasting<T>(value: T | undefined, after: number): T | undefined {
  const [lasting, setLasting] = useState<T>();
  useEffect(() => {
    if (value === undefined || after === 0) return undefined;
    const timer = setTimeout(() => setLasting(value), after);
    return () => {
      clearTimeout(timer);
      setLasting(undefined);
    };
  }, [value, after]);
  return after === 0 ? value : value === undefined ? undefined : lasting;
}

/** Nothing for a moment, then the shape of what comes. */
export function Loading({ rows = 6 }: { rows?: number }) {
  if (!useLate(150)) return null;
  return (
    <div className="loading" aria-busy>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} />
      ))}
    </div>
  );
}

/** Long addresses may break after @ and /; within a part only where it is longer than the line. */
export const Breakable = ({ children }: { children: string }) =>
  children.split(/(?<=@|[^:/]\/)/).map((part, index) => (
    <span key={index} className={/\s/.test(children) ? undefined : 'unbroken'}>
      {part}
      <wbr />
    </span>
  ));
