import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import type { TableLead } from '../../../contract/lead-table.ts';
import { leadAt, placeOf, rowsOf, type Run } from './run.ts';

/** The row that has the keyboard: one that goes out of sight, or out of the run, stays. */
type Current = { lead: TableLead; place: number };

type Moves = {
  run: Run | undefined;
  box: RefObject<HTMLElement | null>;
  reach: (row: number) => void;
  firstInSight: () => number;
};

export function useCurrent({ run, box, reach, firstInSight }: Moves) {
  const [kept, keep] = useState<Current>();
  // Where the keyboard goes once the row is there.
  const wanted = useRef<number>(undefined);
  const focusing = useRef<number>(undefined);
  const place = kept && run ? (placeOf(run, kept.lead.id) ?? kept.place) : undefined;
  const current = kept && place !== undefined ? { lead: (run && leadAt(run, place)) ?? kept.lead, place } : undefined;

  const choose = (lead: TableLead, at: number) => {
    wanted.current = undefined;
    focusing.current = lead.id;
    keep({ lead, place: at });
  };
  const go = (to: number): TableLead | undefined => {
    if (!run || rowsOf(run) === 0) return undefined;
    const at = Math.max(0, Math.min(to, rowsOf(run) - 1));
    reach(at);
    const lead = leadAt(run, at);
    if (lead) choose(lead, at);
    else wanted.current = to === Infinity ? Infinity : at;
    return lead;
  };
  useLayoutEffect(() => {
    if (wanted.current === undefined || !run) return;
    const at = Math.min(wanted.current, rowsOf(run) - 1);
    const lead = leadAt(run, at);
    if (!lead) return;
    reach(at);
    choose(lead, at);
  }, [run]);
  useLayoutEffect(() => {
    if (focusing.current === undefined) return;
    const link = box.current?.querySelector<HTMLElement>(`[data-lead="${focusing.current}"] .lead-link`);
    if (!link) return;
    focusing.current = undefined;
    link.focus({ preventScroll: true });
  });
  return {
    current,
    go,
    step: (by: number) => go(current ? current.place + by : firstInSight()),
    choose,
    /** All rows have become others. */
    reset: () => {
      wanted.current = undefined;
      keep(undefined);
    },
    moved: (by: number) => keep((before) => before && { ...before, place: before.place + by }),
  };
}
