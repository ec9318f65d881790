import { useEffect, useReducer, useRef } from 'react';
import { flushSync } from 'react-dom';
import { LARGEST_PAGE, type LeadTable } from '../../../contract/lead-table.ts';
import { get, queries } from '../../api.ts';
import { useLeadsTold } from '../../live.ts';
import {
  beginRun,
  endOf,
  forget,
  givenUp,
  goBack,
  goOn,
  pagesWithin,
  placeOf,
  refresh,
  rowsOf,
  shiftBetween,
  type Run,
} from './run.ts';

const SIZE = LARGEST_PAGE / 2;
/** So many rows before an end comes in sight, more are asked for. */
const AHEAD = 50;
/** Farther than this from what was read, a new run begins. */
const FAR = 2 * SIZE;
/** Someone who drags the bar is still on the way. */
const STILL_MS = 80;
/** What changed is looked at so often at most. */
const REFRESH_MS = 3_000;

type Side = 'begin' | 'on' | 'back' | 'refresh';

/** Which leads, in which order, and which of their fields are told. */
export type Question = { matching: string; order: string; fields: string; lists: number[] };

const write = ({ matching, order, fields }: Question, more: Record<string, string | number>): string => {
  const asked = new URLSearchParams(matching);
  asked.set('order', order);
  if (fields) asked.set('fields', fields);
  asked.set('size', String(SIZE));
  for (const [name, value] of Object.entries(more)) asked.set(name, String(value));
  return `/leads?${asked}`;
};

const ask = (path: string): Promise<LeadTable> =>
  queries.fetchQuery({
    queryKey: ['leads', 'table', path],
    queryFn: () => get<LeadTable>(path),
    staleTime: 0,
    gcTime: 0,
  });

type Shown = {
  /** What the run is of. */
  of: Question | undefined;
  run: Run | undefined;
  error: Error | null;
  /** Leads that would come, go or change places. */
  changed: ReadonlySet<number>;
};
const NOTHING: ReadonlySet<number> = new Set();

type Hears = {
  /** The rows in sight now stand so many places further down. */
  moved: (by: number) => void;
  /** There are none in sight: those from this place on are. */
  seen: (first: number) => void;
  /** Others took their place: one begins with this one. */
  begun: (first: number) => void;
};

/** Where someone was, by the entry of the browser's history: whoever comes back is there again. */
const left = new Map<string, { matching: string; order: string; first: number }>();

/** Rows around those in sight, asked for as they come near. */
export function useRows(question: Question, entry: string) {
  const shown = useRef<Shown>({ of: undefined, run: undefined, error: null, changed: NOTHING });
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const asking = useRef(new Map<Side, symbol>());
  const sight = useRef({ first: 0, last: 0 });
  const still = useRef<ReturnType<typeof setTimeout>>(undefined);
  const current = useRef(question);
  current.current = question;
  const hears = useRef<Hears>(undefined);

  const show = (change: Partial<Shown>) => {
    shown.current = { ...shown.current, ...change };
    draw();
  };

  /** One question of a side at a time; an answer to what is not asked any more is not taken. */
  const inquire = async (side: Side, path: string, accept: (table: LeadTable) => void) => {
    const own = Symbol(side);
    asking.current.set(side, own);
    try {
      const table = await ask(path);
      if (asking.current.get(side) !== own) return;
      asking.current.delete(side);
      accept(table);
    } catch (error) {
      if (asking.current.get(side) !== own) return;
      asking.current.delete(side);
      // What is refreshed by itself is shown as it was.
      if (side !== 'refresh') show({ error: error as Error });
    }
  };

  /** From a place on. The first of all where other leads are asked for, else what is in sight. */
  const begin = (at: number, isOther = false) => {
    const asked = current.current;
    asking.current.clear();
    told.current.clear();
    if (shown.current.error) show({ error: null });
    // Some rows in front of those in sight, which may have come nearer.
    const path = write(asked, at > SIZE / 4 ? { at: at - SIZE / 4 } : {});
    void inquire('begin', path, (table) => {
      const run = beginRun(path, table);
      // At once: the table has to be as high as it will be before it is scrolled.
      flushSync(() => show({ of: asked, run, error: null, changed: NOTHING }));
      if (isOther) {
        hears.current?.begun(at);
        return;
      }
      // Whoever has gone on meanwhile is not called back; whoever waits is brought to what is there, should it be less than was thought.
      const { first, last } = sight.current;
      const isThere = first >= run.place && first < endOf(run);
      if (isThere || Math.abs(first - at) > FAR) look();
      else hears.current?.seen(Math.max(run.place, Math.min(first, endOf(run) - (last - first))));
    });
  };

  const extend = (side: 'on' | 'back') => {
    const { run, of } = shown.current;
    const mark = side === 'on' ? run?.pages.at(-1)!.after : run?.pages[0]!.before;
    if (!run || !of || mark == null || asking.current.has(side) || asking.current.has('begin')) return;
    const path = write(of, { [side === 'on' ? 'after' : 'before']: mark });
    void inquire(side, path, (table) => {
      const before = shown.current.run!;
      const after = (side === 'on' ? goOn : goBack)(before, path, table);
      const { first, last } = sight.current;
      const shift = shiftBetween(before, after);
      show({ run: forget(after, first + shift, last + shift), error: null });
      if (shift === 0) look();
      else hears.current?.moved(shift);
    });
  };

  /** Asks for what is missing of the rows in sight. */
  const look = () => {
    const { run, error } = shown.current;
    const { first, last } = sight.current;
    clearTimeout(still.current);
    if (!run || error) return;
    const end = endOf(run);
    if (first > end + FAR || last < run.place - FAR) {
      still.current = setTimeout(() => begin(sight.current.first), STILL_MS);
      return;
    }
    if (last + AHEAD >= end && end < rowsOf(run)) extend('on');
    // Where looking back was given up, it goes on as someone scrolls there, not by itself.
    if (first - AHEAD < run.place && run.place > 0 && (!run.pages[0]!.hint || first < run.place)) extend('back');
  };

  const { matching, order, fields } = question;
  const known = useRef({ matching, order });
  useEffect(() => {
    const isOther = known.current.matching !== matching || known.current.order !== order;
    known.current = { matching, order };
    // With another column the rows are the same.
    const before = left.get(entry);
    if (!isOther && shown.current.run) begin(sight.current.first);
    else begin(before?.matching === matching && before.order === order ? before.first : 0, true);
    return () => clearTimeout(still.current);
  }, [matching, order, fields]);

  const told = useRef(new Set<number>());
  const missed = useRef(false);
  const due = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(due.current);
      asking.current.clear();
    },
    [],
  );
  /** The pages in sight once more, one after the other: what their rows say is shown, where they would stand now is only counted. */
  const renew = async () => {
    due.current = undefined;
    // Where it is not known what changed, all that looks other than it did has.
    const leads = missed.current ? undefined : new Set(told.current);
    told.current.clear();
    missed.current = false;
    const { run, of } = shown.current;
    if (!run || !of || asking.current.has('begin')) return;
    const { first, last } = sight.current;
    for (const page of pagesWithin(run, first, last)) {
      // Where each page takes long to find, it is asked for again by hand alone.
      if (page.looked_at !== null) {
        const here = leads ? [...leads].filter((id) => placeOf(run, id) !== undefined) : [];
        show({ changed: new Set([...shown.current.changed, ...here]) });
        continue;
      }
      await inquire('refresh', page.asked, (table) => {
        const now = shown.current.run;
        if (!now?.pages.includes(page)) return;
        const { run: after, moved: others } = refresh(now, page, table, leads);
        show({ run: after, changed: new Set([...shown.current.changed, ...others]) });
      });
    }
  };
  useLeadsTold((lead) => {
    const { lists } = current.current;
    if (lead && lists.length > 0 && !lists.includes(lead.list_id) && !shows(shown.current.run, lead.lead_id)) return;
    if (lead) told.current.add(lead.lead_id);
    else missed.current = true;
    due.current ??= setTimeout(() => void renew(), REFRESH_MS);
  });

  const { of, run, error, changed } = shown.current;
  const isCurrent = of?.matching === matching && of.order === order;
  return {
    run,
    error,
    changed: changed.size,
    /** Whether the rows are those of what is asked for now, and not the ones before. */
    isCurrent,
    see: (first: number, last: number) => {
      sight.current = { first, last };
      if (isCurrent) left.set(entry, { matching, order, first });
      look();
    },
    /** All rows anew, at the same place. */
    reload: () => begin(sight.current.first),
    again: () => {
      show({ error: null });
      if (isCurrent) look();
      else begin(0, true);
    },
    hear: (own: Hears) => {
      hears.current = own;
    },
    /** Goes on where looking was given up. */
    lookOn: () => {
      extend('on');
      draw();
    },
    isLookingOn: asking.current.has('on') && run !== undefined && givenUp(run) !== undefined,
  };
}

export type Rows = ReturnType<typeof useRows>;

const shows = (run: Run | undefined, id: number) => run !== undefined && placeOf(run, id) !== undefined;
