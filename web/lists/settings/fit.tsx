import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Field, Fit, ListJob } from '../../../contract/list-pages.ts';
import { paths } from '../../../contract/paths.ts';
import { ask } from '../../api.ts';
import { TextButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { isRunning } from '../queries.ts';
import { jobQuery } from './queries.ts';
import './fit.css';

type Asked = Pick<Field, 'kind' | 'options'>;

const SHOWN = 3;

/** What of a field's values would not fit a kind; undefined until the service has begun to look. */
export function useFit(listId: number, field: Field, asked: Asked | undefined) {
  const begun = useQuery({
    queryKey: ['fit', listId, field.id, asked?.kind, asked?.kind === 'options' ? asked.options.join('\n') : ''],
    queryFn: () =>
      ask<ListJob>('POST', `/lists/${listId}/fields/${field.id}/fit`, {
        field: { kind: asked!.kind, ...(asked!.kind === 'options' && { options: asked!.options }) },
      }),
    enabled: asked !== undefined && field.filled !== null,
    staleTime: 60_000,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const { data: now } = useQuery(jobQuery(listId, begun.data));
  const job = now ?? begun.data;
  const fit = job?.result as Fit | undefined;
  return asked && fit && 'misfits' in fit ? { ...fit, isCounting: isRunning(job!) } : undefined;
}

type Looked = ReturnType<typeof useFit>;

/** `312 of 17,940 values would not fit`, with three of them. */
export function FitNote({ fit }: { fit: Looked }) {
  if (!fit) return null;
  const { misfits, values, examples, isCounting } = fit;
  if (misfits === 0)
    return (
      <p role="status">{isCounting ? `All of ${values.toLocaleString()} values fit so far.` : 'Every value fits.'}</p>
    );
  return (
    <div className="fit">
      <p role="status">
        <span className="strong">
          {misfits.toLocaleString()} of {values.toLocaleString()} values would not fit{isCounting ? ' so far' : ''}.
        </span>{' '}
        They stay as they are and are marked.
      </p>
      <Examples examples={examples.slice(0, SHOWN)} />
    </div>
  );
}

/** All of them, where there are more. */
export function ShowMisfits({ fit, field }: { fit: Looked; field: Field }) {
  const [isOpen, setOpen] = useState(false);
  if (!fit || fit.misfits <= SHOWN) return null;
  const count = fit.misfits.toLocaleString();
  return (
    <>
      <TextButton onClick={() => setOpen(true)}>Show all {count}</TextButton>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={`${field.label}: what would not fit`} size={720}>
        <div className="stack">
          {fit.misfits > fit.examples.length && (
            <p className="meta">
              The first {fit.examples.length.toLocaleString()} of {count}.
            </p>
          )}
          <Examples examples={fit.examples} />
        </div>
      </Dialog>
    </>
  );
}

const Examples = ({ examples }: { examples: Fit['examples'] }) => (
  <ul className="fit-examples">
    {examples.map(({ lead_id, lead, value, reason }) => (
      <li key={lead_id}>
        <span className="strong">{value}</span>
        <a href={paths.lead(lead_id)} target="_blank" rel="noopener noreferrer">
          {lead || `Lead ${lead_id}`}
        </a>
        <span className="dim">{reason}</span>
      </li>
    ))}
  </ul>
);
