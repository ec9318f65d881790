import { IconCheck, IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { paths } from '../../contract/paths.ts';
import { foot as standsAtFoot } from '../ui/foot.ts';
import { useTitle } from '../ui/title.ts';
import '../ui/button.css';
import '../ui/page.css';
import './import-frame.css';

const STEPS = ['File', 'Match and check', 'Import'] as const;

type Props = {
  title: string;
  /** Counted from 0. */
  step: number;
  /** In the browser's tab, before the title. */
  percent?: number | undefined;
  foot?: ReactNode;
  className?: string;
  children: ReactNode;
};

/** Where an import stands among its three steps, and the way out. */
export function ImportFrame({ title, step, percent, foot, className = '', children }: Props) {
  useTitle(percent === undefined ? title : `${percent} % · ${title}`);
  return (
    <>
      <div className={`page import-page ${className}`}>
        <div className="page-head">
          <h1>{title}</h1>
          <Steps at={step} />
          <Link to={paths.lists} className="icon-button import-close" aria-label="Close">
            <IconX size={18} stroke={1.75} aria-hidden />
          </Link>
        </div>
        {children}
      </div>
      {foot && (
        <div className="import-foot" ref={standsAtFoot}>
          {foot}
        </div>
      )}
    </>
  );
}

const Steps = ({ at }: { at: number }) => (
  <ol className="import-steps" aria-label="Steps">
    {STEPS.map((name, place) => (
      <li key={name} className={place < at ? 'done' : undefined} aria-current={place === at ? 'step' : undefined}>
        <span className="import-step-mark" aria-hidden>
          {place < at ? <IconCheck size={14} stroke={2} /> : place + 1}
        </span>
        {name}
        {place < at && <span className="unseen">, done</span>}
      </li>
    ))}
  </ol>
);
