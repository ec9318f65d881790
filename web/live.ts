import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queries } from './api.ts';

export type QueueDepth = { list_id: number; new: number; call_backs: number; due: number };
export type Present = { user_email: string; lead_id: number; list_id: number; calling: boolean };

// What was heard is no question that could be asked again, and the next lead is one that gives another.
const KEPT = new Set<unknown>(['next', 'queues', 'presence', 'connected']);

/** Listens for as long as the page is open: one stream a browser. What changed is asked for again. */
export function useLive(lists: number[]): void {
  const shown = lists.join(',');
  useEffect(() => {
    const source = new EventSource(`/app/live?lists=${shown}`);
    const on = (name: string, hear: (data: never) => void) =>
      source.addEventListener(name, (event) => hear(JSON.parse((event as MessageEvent<string>).data) as never));
    on('lead', ({ lead_id }: { lead_id: number }) => {
      void queries.invalidateQueries({ queryKey: ['lead', lead_id] });
    });
    on('much', () => void queries.invalidateQueries({ predicate: ({ queryKey }) => !KEPT.has(queryKey[0]) }));
    on('queues', (depths: QueueDepth[]) => {
      queries.setQueryData(['queues'], depths);
      // Where many work, the queues move all the time: the forecast need not run after each step.
      const isOld = ({ state }: { state: { dataUpdatedAt: number } }) => Date.now() - state.dataUpdatedAt > 3_000;
      void queries.invalidateQueries({ queryKey: ['ahead'], predicate: isOld });
    });
    on('presence', (present: Present[]) => queries.setQueryData(['presence'], present));
    on('line', () => void queries.invalidateQueries({ queryKey: ['line'] }));
    source.addEventListener('open', () => queries.setQueryData(['connected'], true));
    source.addEventListener('error', () => queries.setQueryData(['connected'], false));
    return () => source.close();
  }, [shown]);
}

const heard = <T>(key: string, initial: T) => ({
  queryKey: [key],
  queryFn: () => initial,
  initialData: initial,
  staleTime: Infinity,
});

/** What the stream told last. */
export const useQueues = () => useQuery(heard<QueueDepth[]>('queues', [])).data;
export const usePresence = () => useQuery(heard<Present[]>('presence', [])).data;
export const useConnected = () => useQuery(heard('connected', true)).data;
