import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { BulkAct } from '../../../contract/bulk.ts';
import { scopeOf } from '../../../contract/roles.ts';
import { get, queries } from '../../api.ts';
import { useSession } from '../../session.ts';

export const isUnderWay = ({ finished_at }: BulkAct): boolean => finished_at === null;

/** What was done to many leads, the newest first. */
const actsQuery = queryOptions({
  queryKey: ['bulk'],
  queryFn: () => get<BulkAct[]>('/bulk'),
  refetchOnWindowFocus: 'always',
});

/** Begun, stopped or undone in this tab. */
const own = new Set<number>();

/** Shows an act of one's own as the service has just told it, and asks what else is so now. */
export function tellAct(told: BulkAct): void {
  own.add(told.id);
  queries.setQueryData(actsQuery.queryKey, (acts = []) =>
    acts.some(({ id }) => id === told.id) ? acts.map((act) => (act.id === told.id ? told : act)) : [told, ...acts],
  );
  void queries.invalidateQueries({ queryKey: actsQuery.queryKey });
}

/** Not asked for by those who may not do anything to many leads. */
export function useActs() {
  const { user } = useSession();
  const may = scopeOf(user, 'leads.bulk') !== undefined;
  return { may, ...useQuery({ ...actsQuery, enabled: may }) };
}

/** The panel they stand in. */
export const ACTS = 'bulk-acts';

/** Opened when an act is seen under way, and from then on by hand: with its end, what came of it does not go out of sight. */
let opened: boolean | undefined;
const hearers = new Set<() => void>();
const watch = (hear: () => void) => {
  hearers.add(hear);
  return () => hearers.delete(hear);
};

export function openActs(now: boolean): void {
  opened = now;
  for (const hear of hearers) hear();
}

/** Whether the acts stand beside the table. */
export function useActsOpen(): boolean {
  const { may } = useActs();
  const isOpen = useSyncExternalStore(watch, () => opened);
  return may && isOpen === true;
}

/**
 * For the one who shows leads. While an act is under way its progress is asked for every second, if the page is looked at; when it has
 * ended, while one was away, too, all that it may have changed is asked for again. `hear` is told whether it was one's own.
 */
export function useActsEnded(hear: (isOwn: boolean) => void): void {
  const { may } = useActs();
  const { data: acts } = useQuery({
    ...actsQuery,
    enabled: may,
    refetchInterval: ({ state: { data } }) => (data?.some(isUnderWay) ? 1_000 : false),
  });
  const before = useRef(new Set<number>());
  useEffect(() => {
    if (!acts) return;
    const ended = acts.filter((act) => before.current.has(act.id) && !isUnderWay(act));
    before.current = new Set(acts.filter(isUnderWay).map(({ id }) => id));
    if (before.current.size > 0 && opened === undefined) openActs(true);
    if (ended.length === 0) return;
    for (const what of ['leads', 'lead', 'lists']) void queries.invalidateQueries({ queryKey: [what] });
    hear(ended.some(({ id }) => own.has(id)));
  }, [acts]);
}
