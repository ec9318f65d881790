import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Doing } from '../contract/calls.ts';
import type { ListAtPages, ListJob } from '../contract/list-pages.ts';
import { get, queries } from './api.ts';
import { asks } from './asks.ts';

export type QueueDepth = { list_id: number; new: number; call_backs: number; due: number };
export type Present = {
  user_email: string;
  /** Null of those who are away. */
  lead_id: number | null;
  list_id: number;
  doing: Doing;
  reason: string | null;
};

/** How the lists that are shown stand, and when any list of the account changed last. */
type ListsHeard = { changed_at: string | null; lists: { id: number; changed_at: string; paused: boolean }[] };
/** Null: none is shown, or none is left of those. */
type ListsTold = Omit<ListsHeard, 'lists'> & { lists: ListsHeard['lists'] | null };
export type JobHeard = ListJob & { list_id: number };

type LeadTold = { lead_id: number; list_id: number; merged?: number | null };
const hearers = new Set<(told: LeadTold | undefined) => void>();

const tellHearers = (told: LeadTold | undefined) => {
  for (const hear of hearers) hear(told);
};

/** Hears of each lead that something happened to; of none by name where that was much, or was missed. */
export function useLeadsTold(hear: (told: LeadTold | undefined) => void): void {
  const current = useRef(hear);
  useEffect(() => {
    current.current = hear;
  });
  useEffect(() => {
    const own = (told: LeadTold | undefined) => current.current(told);
    hearers.add(own);
    return () => {
      hearers.delete(own);
    };
  }, []);
}

// What was heard is no question that could be asked again, the next lead is one that gives another, `fit` begins a job, and what an act
// would do is counted at length.
const KEPT = new Set<unknown>([
  'next',
  'fit',
  'bulk question',
  'queues',
  'presence',
  'connected',
  'session',
  'standing',
  'jobs',
]);

function askAllAgain(): void {
  void queries.invalidateQueries({ predicate: ({ queryKey }) => !KEPT.has(queryKey[0]) });
  tellHearers(undefined);
}

const askAgain = (...queryKey: unknown[]) => void queries.invalidateQueries({ queryKey });

let isCounting = false;
/** How lists stand moves with every call: asked for once in a while, and after the last of them. */
function countSoon(): void {
  if (isCounting) return;
  isCounting = true;
  setTimeout(() => {
    isCounting = false;
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey.some((part) => COUNTED.has(part)) });
  }, 1_000);
}
const COUNTED = new Set<unknown>(['progress', 'overview', 'counts', 'bulk']);

/** What pages show of lists that have changed is asked for again. What a stream says first only tells how they stand. */
function hearLists(before: ListsHeard | undefined, now: ListsHeard): void {
  queries.setQueryData(['standing'], now);
  const known = queries.getQueryData<ListAtPages[]>(['lists']);
  const isOther = now.lists.some(({ id, paused }) => known?.find((list) => list.id === id)?.paused !== paused);
  const isChanged = before !== undefined && before.changed_at !== now.changed_at;
  if (before ? isChanged : known && isOther) askAgain('lists');
  // A lead that is open by itself is of a list that is not told of one by one.
  const isTold = (id: unknown) => now.lists.some((list) => list.id === id);
  if (isChanged)
    void queries.invalidateQueries({ predicate: ({ queryKey: [what, id] }) => what === 'desk' && !isTold(id) });
  const versions = new Map(before?.lists.map(({ id, changed_at }) => [id, changed_at]));
  for (const { id, changed_at } of now.lists) {
    if (!before || versions.get(id) === changed_at) continue;
    askAgain('list', id);
    askAgain('desk', id);
  }
  const left = new Set(now.lists.map(({ id }) => id));
  for (const id of versions.keys()) {
    if (left.has(id)) continue;
    askAgain('list', id);
    // No list changes where one is taken off it.
    askAgain('lists');
  }
}

/** Shown as they are told; what they have changed is asked for when they are through. */
function hearJobs(before: JobHeard[], now: JobHeard[]): void {
  queries.setQueryData(['jobs'], now);
  const running = new Set(now.filter(({ finished_at }) => finished_at === null).map(({ id }) => id));
  const through = before.filter(({ id, finished_at }) => finished_at === null && !running.has(id));
  for (const { list_id } of through) {
    askAgain('list', list_id);
    askAgain('lists', 'progress');
    askAgain('lead');
  }
}

/** The service gives a beat every second. A frozen one keeps its connections, so only silence tells. */
const SILENCE_MS = 2_500;
/** Then the stream is opened anew every so often: of some connections nobody ever hears that they are dead. */
const OPEN_AGAIN_MS = 6_000;
/** One that was refused is over. With another the wire of the telephone is opened anew: ten seconds without both end its call. */
const REFUSED_AGAIN_MS = 2_000;

/** What is told is looked for so often at least; between two looks there are beats that say nothing of it. */
const LOOK_MS = 2_000;
/** When any stream was heard last; at first when the page began, and its first questions were asked. */
let heardAt = 0;

/** Listens for as long as the page is open: one stream a browser tab. What changed is asked for again. */
export function useLive(lists: number[]): void {
  const shown = lists.join(',');
  useEffect(() => {
    let source: EventSource;
    let openedAt = 0;
    const hear = () => {
      heardAt = performance.now();
      if (readConnected()) return;
      queries.setQueryData(['connected'], true);
      // What was told meanwhile is not told again.
      askAllAgain();
    };
    const open = () => {
      openedAt = performance.now();
      let told: ListsHeard | undefined;
      // Whoever has lost the connection asks for everything with its first sign of life.
      const unheard = readConnected() ? Math.round(openedAt - Math.max(heardAt - LOOK_MS, 0)) : 0;
      source = new EventSource(`/app/live?lists=${shown}&unheard=${unheard}`);
      const on = (name: string, take: (data: never) => void) =>
        source.addEventListener(name, (event) => {
          hear();
          take(JSON.parse((event as MessageEvent<string>).data) as never);
        });
      source.addEventListener('beat', hear);
      on('lead', (lead: LeadTold) => {
        askAgain('lead', lead.lead_id);
        // Who has the other open is to follow. Its calls and texts are the survivor's.
        if (lead.merged) askAgain('lead', lead.merged, 'data');
        tellHearers(lead);
        countSoon();
      });
      on('much', askAllAgain);
      on('queues', (depths: QueueDepth[]) => {
        queries.setQueryData(['queues'], depths);
        countSoon();
        // Where many work, the queues move all the time: the forecast need not run after each step.
        const isOld = ({ state }: { state: { dataUpdatedAt: number } }) => Date.now() - state.dataUpdatedAt > 3_000;
        void queries.invalidateQueries({ queryKey: ['ahead'], predicate: isOld });
      });
      on('presence', (present: Present[]) => queries.setQueryData(['presence'], present));
      on('lists', ({ changed_at, lists: standing }: ListsTold) => {
        const now = { changed_at, lists: standing ?? [] };
        hearLists(told, now);
        told = now;
      });
      on('jobs', (now: JobHeard[]) => hearJobs(queries.getQueryData<JobHeard[]>(['jobs']) ?? [], now));
      const lookAtLine = () => void queries.invalidateQueries({ queryKey: ['line'] });
      on('line', lookAtLine);
      on('own', lookAtLine);
      source.addEventListener('error', () => {
        queries.setQueryData(['connected'], false);
        // Refused, and so not tried again by the browser: whose session has ended is led to the door.
        if (source.readyState === EventSource.CLOSED) get(asks.me).catch(() => undefined);
      });
    };
    open();
    const watch = setInterval(() => {
      const now = performance.now();
      if (now - Math.max(heardAt, openedAt) > SILENCE_MS) queries.setQueryData(['connected'], false);
      const wait = source.readyState === EventSource.CLOSED ? REFUSED_AGAIN_MS : OPEN_AGAIN_MS;
      if (readConnected() || now - openedAt < wait) return;
      source.close();
      open();
    }, 250);
    return () => {
      clearInterval(watch);
      source.close();
    };
  }, [shown]);
}

const readConnected = () => queries.getQueryData<boolean>(['connected']) ?? true;

const heard = <T>(key: string, initial: T) => ({
  queryKey: [key],
  queryFn: () => initial,
  initialData: initial,
  staleTime: Infinity,
});

/** What the stream told last. */
export const useQueues = () => useQuery(heard<QueueDepth[]>('queues', [])).data;
export const usePresence = () => useQuery(heard<Present[]>('presence', [])).data;
/** Of the lists that are shown. */
export const useStanding = () => useQuery(heard<ListsHeard>('standing', { changed_at: null, lists: [] })).data.lists;
export const useJobs = () => useQuery(heard<JobHeard[]>('jobs', [])).data;
export const useConnected = () => useQuery(heard('connected', true)).data;
