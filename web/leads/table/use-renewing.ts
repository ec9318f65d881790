import { useEffect, useRef, type RefObject } from 'react';
import type { LeadTable } from '../../../contract/lead-table.ts';
import { useLeadsTold } from '../../live.ts';
import { isByPlace, writeQuestion, type Question } from './question.ts';
import {
  beginRun,
  fallBehind,
  givenUp,
  isBehind,
  lengthOf,
  pagesWithin,
  passOver,
  placeOf,
  refresh,
  type Page,
  type Run,
} from './run.ts';

/** What changed is looked at so often at most. */
const REFRESH_MS = 3_000;
/** Pages that someone only scrolls past are not asked for. */
const STILL_MS = 80;

export type Side = 'begin' | 'on' | 'back' | 'refresh';

export type Shown = {
  /** What the run is of. */
  of: Question | undefined;
  run: Run | undefined;
  error: Error | null;
  /** Leads that would come, go or change places. */
  changed: ReadonlySet<number>;
};
export const NOTHING: ReadonlySet<number> = new Set();

type Rows = {
  shown: RefObject<Shown>;
  sight: RefObject<{ first: number; last: number }>;
  lists: number[];
  show: (change: Partial<Shown>) => void;
  inquire: (side: Side, path: string, accept: (table: LeadTable) => void) => Promise<void>;
  isAsking: (side: Side) => boolean;
};

/**
 * While leads change, the pages in sight are asked for once more, one after the other: what their rows say is shown, where they would stand now is
 * only counted. Those out of sight follow when they come into it.
 */
export function useRenewing({ shown, sight, lists, show, inquire, isAsking }: Rows) {
  const told = useRef(new Set<number>());
  const missed = useRef(false);
  const due = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(due.current), []);

  const renewIn = (ms: number) => {
    due.current ??= setTimeout(() => void renew(), ms);
  };
  const findBehind = (): Page | undefined => {
    const { first, last } = sight.current;
    return shown.current.run && pagesWithin(shown.current.run, first, last).find(isBehind);
  };
  const showRenewed = ({ run, moved }: { run: Run; moved: number[] }) =>
    show({ run, changed: new Set([...shown.current.changed, ...moved]) });

  const renew = async () => {
    due.current = undefined;
    const { run } = shown.current;
    if (isAsking('begin')) renewIn(REFRESH_MS);
    if (!run || isAsking('begin')) return;
    const news = missed.current ? 'any' : new Set(told.current);
    forget();
    if (lengthOf(run) === 0) await lookForFirst();
    else show({ run: fallBehind(run, news) });
    for (let page = findBehind(); page; page = findBehind()) {
      await renewPage(page);
      // Not answered, or not asked for any more.
      if (shown.current.run?.pages.includes(page)) return;
    }
  };
  const forget = () => {
    told.current.clear();
    missed.current = false;
  };
  /** Where there are no rows, none can move. Where looking for them was given up, it goes on by hand alone. */
  const lookForFirst = async () => {
    const { of, run } = shown.current;
    if (!of || !run || givenUp(run)) return;
    const path = writeQuestion(of, {});
    await inquire('refresh', path, (table) => {
      if (shown.current.run === run && table.leads.length > 0) show({ run: beginRun(path, table), changed: NOTHING });
    });
  };
  const renewPage = async (page: Page) => {
    const { of, run } = shown.current;
    if (!of || !run) return;
    // Where each page takes long to find, it is asked for again by hand alone.
    if (page.looked_at !== null) {
      showRenewed(passOver(run, page));
      return;
    }
    // A place would be guessed anew, and be another.
    const after = isByPlace(page.asked) ? run.pages[run.pages.indexOf(page) - 1]?.after : undefined;
    await inquire('refresh', after ? writeQuestion(of, { after }) : page.asked, (table) => {
      const now = shown.current.run;
      if (now?.pages.includes(page)) showRenewed(refresh(now, page, table));
    });
  };

  useLeadsTold((lead) => {
    const { run } = shown.current;
    const isKnown = lead && run && placeOf(run, lead.lead_id) !== undefined;
    if (lead && lists.length > 0 && !lists.includes(lead.list_id) && !isKnown) return;
    if (lead) told.current.add(lead.lead_id);
    else missed.current = true;
    renewIn(REFRESH_MS);
  });

  return {
    /** All rows are asked for anew. */
    forget,
    /** Other rows are in sight. */
    catchUp: () => {
      if (!isAsking('refresh') && findBehind()) renewIn(STILL_MS);
    },
  };
}
