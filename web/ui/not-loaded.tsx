import type { CSSProperties } from 'react';
import { createPortal } from 'react-dom';
import { Button } from './button.tsx';
import { useFootHeight } from './foot.ts';
import './not-loaded.css';

type Props = {
  /** A sentence. */
  children: string;
  /** In a corner of the window, and not above what is there. */
  isOver?: boolean;
  close?: () => void;
};

/** In place of what fails to come. It stays away for as long as the page does: a browser remembers of a script that it did not come. */
export function NotLoaded({ children, isOver = false, close }: Props) {
  const height = useFootHeight();
  const said = (
    <div
      className={isOver ? 'not-loaded over' : 'not-loaded'}
      role="alert"
      style={{ '--foot': `${height}px` } as CSSProperties}
    >
      <p>{children} Reload the page once there is a connection.</p>
      <div className="not-loaded-acts">
        {close && (
          <Button variant="default" onClick={close}>
            Close
          </Button>
        )}
        <Button variant="default" onClick={() => location.reload()}>
          Reload
        </Button>
      </div>
    </div>
  );
  return isOver ? createPortal(said, document.body) : said;
}
