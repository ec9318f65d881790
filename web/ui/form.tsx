import { useEffect, useRef, type FormEvent, type ReactNode } from 'react';
import { Refused } from '../api.ts';
import './form.css';

/** What the service refused and no field can say. */
export const Fault = ({ error }: { error: Error | null }) =>
  error && (
    <p role="alert" className="fault">
      {error.message}
    </p>
  );

/** The faults that the fields with these labels can show, each as a sentence, until something else is written there. */
export function useFaults<Name extends string>(
  error: Error | null,
  labels: Partial<Record<Name, string>>,
  values: Partial<Record<Name, unknown>>,
): Partial<Record<Name, string>> {
  const refused = useRef({ error, values });
  if (refused.current.error !== error) refused.current = { error, values };
  const faults = Object.entries(faultsOf(error, labels as Record<string, string>));
  const isStill = (name: Name) => values[name] === refused.current.values[name];
  return Object.fromEntries(faults.filter(([name]) => isStill(name as Name))) as Partial<Record<Name, string>>;
}

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

/** What was written on since it was sent. */
export const writtenSince = <Values extends object>(sent: Partial<Values>, now: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(now).filter(([name, value]) => sent[name as keyof Values] !== value),
  ) as Partial<Values>;

/** So that a password manager knows whose password is asked for. */
export const Username = ({ email }: { email: string }) => (
  <input type="text" autoComplete="username" value={email} readOnly hidden />
);
