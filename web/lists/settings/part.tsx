import { useId, type ReactNode } from 'react';
import type { ListJob } from '../../../contract/list-pages.ts';
import { useMayChange, WHO } from './changing.ts';
import { JobLines } from './job-line.tsx';
import '../../ui/panel.css';
import './part.css';

type Props = {
  title: string;
  /** Beside the title, small. */
  aside?: ReactNode;
  action?: ReactNode;
  /** Of the list, where the part sets some off. */
  jobs?: ListJob[];
  /** Whether whoever looks may change it, and who may; unless it says otherwise, as with everything of a list. */
  may?: boolean;
  who?: string;
  children: ReactNode;
};

/** One part of the settings. Whoever may not change it can read all of it, and is told who may. */
export function Part({ title, aside, action, jobs = [], may, who = WHO, children }: Props) {
  const id = useId();
  const changes = useMayChange();
  const isOpen = may ?? changes;
  return (
    <section className="panel flush part" aria-labelledby={id}>
      <div className="box-head">
        <h2 id={id}>{title}</h2>
        {aside && <span className="meta">{aside}</span>}
        <span className="grow" />
        {action}
      </div>
      {!isOpen && <p className="box-note">{who}</p>}
      <fieldset className="part-body" disabled={!isOpen} aria-labelledby={id} title={isOpen ? undefined : who}>
        {children}
      </fieldset>
      <JobLines jobs={jobs} />
    </section>
  );
}

/** Beside the part: what will come of it. */
export const Beside = ({ children }: { children: ReactNode }) => <div className="part-beside">{children}</div>;
