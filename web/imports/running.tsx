import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Import } from '../../contract/imports.ts';
import { paths } from '../../contract/paths.ts';
import { sayCount } from '../counts.ts';
import { percentOf } from '../importing.tsx';
import { useConnected } from '../live.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { FaultyFile } from './faulty-file.tsx';
import { ImportFrame } from './import-frame.tsx';
import { ProgressCard } from './progress-card.tsx';
import { act, stopAndUndo } from './queries.ts';
import { Steps, type StepOf } from './steps.tsx';
import { nameOfList, sayBy, sayHow, sayLeft } from './words.ts';
import './card.css';
import './running.css';

/** Leads are being stored. Whoever watches need not. */
export function Running({ import: one }: { import: Import }) {
  const { done, rows: total, a_second, state, counts } = one;
  const isConnected = useConnected();
  return (
    <ImportFrame
      title={`Import into ${nameOfList(one)}`}
      step={2}
      percent={percentOf(done, total)}
      className="import-alone"
    >
      <ProgressCard
        name="Import"
        label={`${one.file_name} is being imported`}
        done={done}
        total={total}
        says={sayHowLong(one, isConnected)}
        line={
          <>
            <strong className="strong">{done.toLocaleString()}</strong> of {total.toLocaleString()} rows
          </>
        }
        aSecond={state === 'running' ? a_second : 0}
      >
        <Steps steps={stepsOf(one)} />
      </ProgressCard>
      {counts.faulty > 0 && <FaultyFile import={one} />}
      <p className="import-says">You can leave this page. We go on.</p>
      <Acts import={one} />
    </ImportFrame>
  );
}

function sayHowLong({ state, done, seconds_left }: Import, isConnected: boolean): string {
  if (!isConnected) return 'No connection. It goes on without you.';
  if (state !== 'running') return 'The list has changed. Rows are looked at anew, then it goes on.';
  return done === 0 ? 'Waits for its turn' : sayLeft(seconds_left);
}

function stepsOf(one: Import): StepOf[] {
  const { plan, left_out, updated, made, matched_by } = one;
  const by = sayBy(matched_by);
  const duplicates: StepOf[] =
    plan?.duplicates === 'add'
      ? []
      : plan?.duplicates === 'skip'
        ? [{ is: 'doing', name: 'Duplicates left out', says: `${left_out.toLocaleString()} so far, ${by}` }]
        : [{ is: 'doing', name: 'Duplicates updated', says: `${updated.toLocaleString()} so far, ${by}` }];
  return [
    { is: 'done', name: 'File read', says: sayHow(one) },
    ...duplicates,
    {
      is: 'doing',
      name: 'Leads stored',
      says: `${made.toLocaleString()} so far, agents can call them already`,
    },
  ];
}

function Acts({ import: one }: { import: Import }) {
  const navigate = useNavigate();
  const [asks, setAsks] = useState<'stop' | 'undo'>();
  const close = () => setAsks(undefined);
  const kept = one.made + one.updated;
  return (
    <>
      <div className="import-acts">
        <Button variant="default" onClick={() => void navigate({ to: paths.lists })}>
          Go to lists
        </Button>
        <Button variant="default" onClick={() => setAsks('stop')}>
          Stop
        </Button>
        <Button variant="default" className="import-undo" onClick={() => setAsks('undo')}>
          Stop and undo
        </Button>
      </div>
      <Confirm
        opened={asks === 'stop'}
        close={close}
        title="Stop the import"
        safe="Go on importing"
        verb="Stop here"
        act={() => act(one.id, 'stop')}
      >
        What is in stays in: {kept.toLocaleString()} so far. The rest of {one.file_name} is left out, and would have to
        be uploaded again.
      </Confirm>
      <Confirm
        opened={asks === 'undo'}
        close={close}
        title="Stop and undo the import"
        safe="Go on importing"
        verb="Stop and undo"
        act={() => stopAndUndo(one.id)}
      >
        {sayUndo(one)}
      </Confirm>
    </>
  );
}

/** What an undo does, before it does so. */
export function sayUndo({ made, updated }: Pick<Import, 'made' | 'updated'>): string {
  if (made + updated === 0) return 'Nothing is in yet, so no lead goes away.';
  const gone = made === 0 ? '' : `${sayCount(made, 'lead')} that it made ${made === 1 ? 'goes' : 'go'} away. `;
  const back =
    updated === 0 ? '' : `${sayCount(updated, 'lead')} that it changed ${BECOME[Number(updated > 1)]} before. `;
  return `${gone}${back}What someone has worked on since stays, and is named.`;
}

const BECOME = ['becomes what it was', 'become what they were'];
