import { IconStack2, IconX } from '@tabler/icons-react';
import { useId } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Empty, Failure, Loading } from '../../ui/parts.tsx';
import { Act } from './act.tsx';
import { ACTS, isUnderWay, openActs, useActs, useActsOpen } from './queries.ts';
import '../../ui/panel.css';
import '../../ui/rows.css';
import './acts.css';

/** What is being done to many leads and what was, beside the table: while any is under way, or when it was opened. */
export function Acts() {
  const title = useId();
  const { data: acts, error, refetch } = useActs();
  const isOpen = useActsOpen();
  if (!isOpen) return null;
  const running = acts?.filter(isUnderWay).length ?? 0;
  const undoing = new Map(acts?.map((act) => [act.id, act]));
  // Undoing is told where that is told which it undoes.
  const shown = acts?.filter(({ undoes }) => undoes === null || !undoing.has(undoes));
  return (
    <section id={ACTS} className="panel flush acts" aria-labelledby={title} tabIndex={-1}>
      <div className="panel-head">
        <h2 id={title}>Bulk acts</h2>
        <span className="meta grow">{running > 0 && `${running.toLocaleString()} running`}</span>
        <IconButton label="Close" onClick={() => openActs(false)}>
          <IconX size={16} stroke={1.75} aria-hidden />
        </IconButton>
      </div>
      {!acts && (error ? <Failure error={error} again={() => void refetch()} /> : <Loading />)}
      {shown?.length === 0 && <Empty title="Nothing was done to many leads yet." />}
      {shown && shown.length > 0 && (
        <ul className="rows">
          {shown.map((act) => (
            <li key={act.id} className="act">
              <Act act={act} undoing={act.undone_by === null ? undefined : undoing.get(act.undone_by)} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Opens them, from the line that counts the leads. */
export function ActsButton() {
  const { may, data } = useActs();
  const isOpen = useActsOpen();
  if (!may) return null;
  return (
    <Button
      variant="default"
      size="xs"
      aria-expanded={isOpen}
      aria-controls={isOpen ? ACTS : undefined}
      leftSection={<IconStack2 size={16} stroke={1.75} aria-hidden />}
      onClick={() => openActs(!isOpen)}
    >
      {data?.some(isUnderWay) ? 'Acts, running' : 'Acts'}
    </Button>
  );
}
