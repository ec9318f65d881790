import { useId, type ReactNode } from 'react';
import './panel.css';

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
