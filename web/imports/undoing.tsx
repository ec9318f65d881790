import type { Import } from '../../contract/imports.ts';
import { percentOf } from '../importing.tsx';
import { ImportFrame } from './import-frame.tsx';
import { ProgressCard } from './progress-card.tsx';
import { nameOfList, sayLeft } from './words.ts';
import './card.css';

/** What it made goes away again. */
export function Undoing({ import: one }: { import: Import }) {
  const { removed = 0, put_back = 0, kept = 0 } = one.undone ?? {};
  const done = removed + put_back + kept;
  const total = one.made + one.updated;
  return (
    <ImportFrame
      title={`Undo the import into ${nameOfList(one)}`}
      step={2}
      percent={percentOf(done, total)}
      className="import-alone"
    >
      <ProgressCard
        name="Undo"
        label={`The import of ${one.file_name} is being undone`}
        done={done}
        total={total}
        says={sayLeft(one.seconds_left)}
        line={
          <>
            <strong className="strong">{done.toLocaleString()}</strong> of {total.toLocaleString()} leads
          </>
        }
        aSecond={one.a_second}
      />
      <p className="import-says">You can leave this page. We go on.</p>
    </ImportFrame>
  );
}
