import { percentOf, shareOf } from '../importing.tsx';
import './bar.css';

type Props = { label: string; done: number; total: number };

/** How far something is. The numbers stand beside it. */
export const Bar = ({ label, done, total }: Props) => (
  <div
    className="import-bar"
    role="progressbar"
    aria-label={label}
    aria-valuenow={percentOf(done, total)}
    aria-valuemin={0}
    aria-valuemax={100}
  >
    <span style={{ width: `${100 * shareOf(done, total)}%` }} />
  </div>
);
