import { leadAt, pagesWithin, placeOf, startOf, type Run } from './run.ts';

/** Where someone is, so that the same rows are found again: a place alone is a guess, what follows a mark is not. */
export type Spot = {
  /** The mark that the page in sight follows; null: it is the first of all. */
  after: string | null;
  /** Of the row that follows the mark. */
  start: number;
  /** Those in sight, from this place on. */
  first: number;
  leads: number[];
};

/** Undefined where nothing was read yet of what is in sight. */
export function spotOf(run: Run, first: number, last: number): Spot | undefined {
  const [page] = pagesWithin(run, first, first);
  if (!page) return undefined;
  const before = run.pages[run.pages.indexOf(page) - 1]?.after;
  const start = startOf(run, page);
  const leads = [];
  for (let at = first; at <= last; at += 1) {
    const lead = leadAt(run, at);
    if (lead) leads.push(lead.id);
  }
  return {
    after: before ?? page.before,
    // The mark at its own beginning is its first row.
    start: !before && page.before !== null ? start + 1 : start,
    first,
    leads,
  };
}

/** How far all rows were moved when those that follow the mark were asked for anew. */
export const shiftByMark = ({ start }: Spot, run: Run): number => run.place - start;

/** The same by the rows in sight: they stay there, whatever came or went in front of them. At the very beginning one sees what comes first. */
export function shiftByRows(spot: Spot, run: Run): number {
  const { first, leads } = spot;
  const shifts = leads.flatMap((id, index) => {
    const place = first === 0 ? undefined : placeOf(run, id);
    return place === undefined ? [] : [place - (first + index)];
  });
  // As the one in the middle was: those that changed themselves may have gone far.
  return shifts.toSorted((one, other) => one - other)[Math.floor(shifts.length / 2)] ?? shiftByMark(spot, run);
}
