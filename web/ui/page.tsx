import type { ReactNode } from 'react';
import { useTitle } from './title.ts';
import './page.css';

type Props = { title: string; action?: ReactNode; className?: string; children: ReactNode };

/** Its name on top and in the browser's tab, and panels below. */
export function Page({ title, action, className = '', children }: Props) {
  useTitle(title);
  return (
    <div className={`page ${className}`}>
      <div className="page-head">
        <h1 className="grow">{title}</h1>
        {action}
      </div>
      {children}
    </div>
  );
}
