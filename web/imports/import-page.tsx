import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Import } from '../../contract/imports.ts';
import { isGone } from '../api.ts';
import { isRunning } from '../importing.tsx';
import { useRight } from '../session.ts';
import { Missing } from '../ui/missing.tsx';
import { Failure, Loading } from '../ui/parts.tsx';
import { Ended } from './ended.tsx';
import { ImportFrame } from './import-frame.tsx';
import { MatchStep } from './match/match-step.tsx';
import { NotYours } from './new-import-page.tsx';
import { importQuery, lookAtLeads } from './queries.ts';
import { RefusedFile } from './refused-file.tsx';
import { Running } from './running.tsx';
import { Undoing } from './undoing.tsx';
import { Uploading } from './uploading.tsx';

/** One import, in whichever of its steps it is. */
export function ImportPage() {
  const { id = '' } = useParams({ strict: false });
  const may = useRight('leads.import');
  if (!may)
    return (
      <ImportFrame title="Import a file" step={0}>
        <NotYours />
      </ImportFrame>
    );
  if (!/^\d{1,15}$/.test(id)) return <Missing />;
  return <Open key={id} id={Number(id)} />;
}

function Open({ id }: { id: number }) {
  const { data, error, refetch } = useQuery(importQuery(id));
  useEnd(data);
  if (isGone(error)) return <Missing />;
  if (!data) return error ? <Failure error={error} again={() => void refetch()} /> : <Loading rows={10} />;
  return <Step import={data} />;
}

function Step({ import: one }: { import: Import }) {
  if (isRunning(one)) return <Running import={one} />;
  switch (one.state) {
    case 'uploading':
      return <Uploading import={one} />;
    case 'refused':
      return <RefusedFile import={one} />;
    case 'undoing':
      return <Undoing import={one} />;
    case 'finished':
    case 'undone':
      return <Ended import={one} />;
    default:
      return <MatchStep import={one} />;
  }
}

/** What shows leads asks again once an import, or its undo, is through. */
function useEnd(one: Import | undefined): void {
  const before = useRef(one?.state);
  const state = one?.state;
  useEffect(() => {
    const was = before.current;
    before.current = state;
    if (was && was !== state && (state === 'finished' || state === 'undone')) lookAtLeads();
  }, [state]);
}
