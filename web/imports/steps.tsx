import { IconCheck } from '@tabler/icons-react';
import './steps.css';

export type StepOf = { is: 'done' | 'doing' | 'coming'; name: string; says: string };

const WORDS = { done: 'Done', doing: 'Under way', coming: 'To come' };

/** What an import does, and which of it is done. */
export const Steps = ({ steps }: { steps: StepOf[] }) => (
  <ol className="import-doing">
    {steps.map(({ is, name, says }) => (
      <li key={name} data-is={is}>
        <span className="import-doing-mark" role="img" aria-label={WORDS[is]}>
          {is === 'done' && <IconCheck size={14} stroke={2} aria-hidden />}
        </span>
        <div>
          <strong>{name}</strong>
          <p className="meta">{says}</p>
        </div>
      </li>
    ))}
  </ol>
);
