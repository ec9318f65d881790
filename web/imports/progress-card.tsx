import type { ReactNode } from 'react';
import { percentOf } from '../importing.tsx';
import { Bar } from './bar.tsx';
import '../ui/panel.css';
import './card.css';

type Props = {
  /** What is under way, in a word, and in a sentence. */
  name: string;
  label: string;
  done: number;
  total: number;
  /** How long it takes, or why it does not go on. */
  says: ReactNode;
  /** How much there is of it. */
  line: ReactNode;
  aSecond?: number;
  children?: ReactNode;
};

/** How far it is, as all there is to see. */
export const ProgressCard = ({ name, label, done, total, says, line, aSecond = 0, children }: Props) => (
  <section className="panel import-card" aria-label={name}>
    <div className="import-card-head">
      <strong className="import-percent figures">{percentOf(done, total)} %</strong>
      <span>{says}</span>
    </div>
    <Bar label={label} done={done} total={total} />
    <div className="import-card-line figures">
      <span className="grow wrap">{line}</span>
      {aSecond > 0 && <span>{aSecond.toLocaleString()} a second</span>}
    </div>
    {children}
  </section>
);
