import type { ComponentPropsWithRef, ReactNode } from 'react';
import './tabs.css';

/** One of several ways to look at the same thing. */
export const Tab = ({ pressed, ...rest }: ComponentPropsWithRef<'button'> & { pressed: boolean }) => (
  <button type="button" className="tab" aria-pressed={pressed} {...rest} />
);

/** What they show is said to those who cannot see it. */
export const Tabs = ({ legend, children }: { legend: string; children: ReactNode }) => (
  <fieldset className="tabs">
    <legend>{legend}</legend>
    {children}
  </fieldset>
);
