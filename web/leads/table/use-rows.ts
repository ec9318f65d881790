import { useEffect, useReducer, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { LeadTable } from '../../../contract/lead-table.ts';
import { get, queries } from '../../api.ts';
import { afterSpot, SIZE, writeQuestion, type Begin, type Question } from './question.ts';
import { beginRun, endOf, forget, givenUp, goBack, goOn, rowsOf, shiftBetween, type Run } from './run.ts';
import { shiftByMark, shiftByRows, spotOf, type Spot } from './spot.ts';
import { NOTHING, useRenewing, type Shown, type Side } from './use-renewing.ts';

/** So many rows before an end comes in sight, more are asked for. */
const AHEAD = 50;
/** Farther than this from what was read, a new run begins. */
const FAR = 2 * SIZE;
/** Someone who drags the bar is still on the way. */
const STILL_MS = 80;

const ask = (path: string): Promise<LeadTable> =>
  queries.fetchQuery({
    queryKey: ['leads', 'table', path],
    queryFn: () => get<LeadTable>(path),
    staleTime: 0,
    gcTime: 0,
  });

type Hears = {
  /** The rows in sight now stand so many places further down. */
  moved: (by: number) => void;
  /** There are none in sight: those from this place on are. */
  seen: (first: number) => void;
  /** Others took their place: one begins with this one. */
  begun: (first: number) => void;
};

/** Where someone was, by the entry of the browser's history: whoever comes back is there again. */
const left = new Map<string, { matching: string; order: string; first: number; spot: Spot | undefined }>();

/** Rows around those in sight, asked for as they come near. */
export function useRows(question: Question, entry: string) {
  const shown = useRef<Shown>({ of: undefined, run: undefined, error: null, changed: NOTHING });
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const asking = useRef(new Map<Side, symbol>());
  const sight = useRef({ first: 0, last: 0 });
  const still = useRef<ReturnType<typeof setTimeout>>(undefined);
  const current = useRef(question);
  current.current = question;
  const here = useRef(entry);
  here.current = entry;
  const hears = useRef<Hears>(undefined);

  /** Whether the rows are those of what is asked for now, and not the ones before. */
  const isShown = () => {
    const { of } = shown.current;
    return of?.matching === current.current.matching && of.order === current.current.order;
  };
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

  const renewing = useRenewing({
    shown,
    sight,
    lists: question.lists,
    show,
    inquire,
    isAsking: (side) => asking.current.has(side),
  });

  /** A new run in place of the one before; `take` shows it. */
  const replace = (from: Begin, take: (run: Run, showRun: () => void) => void) => {
    const asked = current.current;
    asking.current.clear();
    renewing.forget();
    if (shown.current.error) show({ error: null });
    const path = writeQuestion(asked, from);
    void inquire('begin', path, (table) => {
      const run = beginRun(path, table);
      take(run, () => show({ of: asked, run, error: null, changed: NOTHING }));
    });
  };

  /** From a place on. The first of all where other leads are asked for, else what is in sight. */
  const begin = (at: number, isOther = false) =>
    // Some rows in front of those in sight, which may have come nearer.
    replace(at > SIZE / 4 ? { at: at - SIZE / 4 } : {}, (run, showRun) => {
      // At once: the table has to be as high as it will be before it is scrolled.
      flushSync(showRun);
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

  /** Whoever was here before sees what they saw. */
  const comeBack = (spot: Spot) =>
    replace(afterSpot(spot), (run, showRun) => {
      flushSync(showRun);
      hears.current?.begun(Math.max(0, spot.first + shiftByRows(spot, run)));
    });

  /** The rows in sight once more. */
  const beginAgain = (shiftBy: (spot: Spot, run: Run) => number) => {
    const { first, last } = sight.current;
    // A mark is of one order and refused in others.
    const spot = isShown() ? spotOf(shown.current.run!, first, last) : undefined;
    if (!spot) begin(first);
    else
      replace(afterSpot(spot), (run, showRun) => {
        showRun();
        const shift = shiftBy(spot, run);
        if (shift === 0) look();
        else hears.current?.moved(shift);
      });
  };

  const extend = (side: 'on' | 'back') => {
    const { run, of } = shown.current;
    const mark = side === 'on' ? run?.pages.at(-1)!.after : run?.pages[0]!.before;
    if (!run || !of || mark == null || asking.current.has(side) || asking.current.has('begin')) return;
    const path = writeQuestion(of, side === 'on' ? { after: mark } : { before: mark });
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
    const { matching, order } = current.current;
    if (isShown()) left.set(here.current, { matching, order, first, spot: spotOf(run, first, last) });
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
  useEffect(() => {
    const before = left.get(entry);
    const isBack = before?.matching === matching && before.order === order;
    // With another column the rows are the same.
    if (isShown()) beginAgain(shiftByRows);
    else if (isBack && before.spot) comeBack(before.spot);
    else begin(isBack ? before.first : 0, true);
    return () => clearTimeout(still.current);
  }, [matching, order, fields]);

  useEffect(() => () => asking.current.clear(), []);

  const { run, error, changed } = shown.current;
  const isCurrent = isShown();
  return {
    run,
    error,
    changed: changed.size,
    isCurrent,
    see: (first: number, last: number) => {
      sight.current = { first, last };
      look();
      renewing.catchUp();
    },
    /** All rows anew, at the same place. */
    reload: () => beginAgain(shiftByMark),
    again: () => {
      show({ error: null });
      // Rows without the column that was asked for last would show it empty.
      if (!isCurrent) begin(0, true);
      else if (shown.current.of?.fields !== current.current.fields) beginAgain(shiftByRows);
      else look();
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
