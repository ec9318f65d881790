import type { LeadTable, TableLead, Total } from '../../../contract/lead-table.ts';

/** Leads that were told to have changed; any may have where that is not known. */
export type Told = ReadonlySet<number> | 'any';
const NOBODY: Told = new Set();

/** One answer of the service, with what it was asked by, so that it can be asked for again. */
export type Page = Pick<LeadTable, 'leads' | 'before' | 'after' | 'hint' | 'looked_at'> & {
  asked: string;
  /** What was told since, and is not shown yet. */
  behind: Told;
};

/** Rows that follow each other without a gap, in pages. Where they were reached by a place, that place is about right, until an end is met. */
export type Run = {
  /** Of the first row, counted from 0. */
  place: number;
  pages: Page[];
  total: Total;
};

/** More than this many rows are not kept. */
export const MOST_ROWS = 2_000;

const take = (
  asked: string,
  { leads, before, after, hint, looked_at }: LeadTable,
  known: ReadonlySet<number>,
): Page => ({
  asked,
  // One that has moved meanwhile can come twice.
  leads: leads.filter(({ id }) => !known.has(id)),
  before,
  after,
  hint,
  looked_at,
  behind: NOBODY,
});

export const lengthOf = ({ pages }: Run): number => pages.reduce((sum, { leads }) => sum + leads.length, 0);
export const endOf = (run: Run): number => run.place + lengthOf(run);
const idsOf = ({ pages }: Run) => new Set(pages.flatMap(({ leads }) => leads.map(({ id }) => id)));

/** Whether looking for more was given up, and why. */
export const givenUp = ({ pages }: Run): Page | undefined => {
  const last = pages.at(-1);
  return last?.hint && last.after !== null ? last : undefined;
};

/** How many rows the table has: as many as there are, but none that nobody has looked for yet. */
export const rowsOf = (run: Run): number => (givenUp(run) ? endOf(run) : run.total.number);

export function leadAt({ place, pages }: Run, at: number): TableLead | undefined {
  let left = at - place;
  if (left < 0) return undefined;
  for (const { leads } of pages) {
    if (left < leads.length) return leads[left];
    left -= leads.length;
  }
  return undefined;
}

export function placeOf({ place, pages }: Run, id: number): number | undefined {
  let before = place;
  for (const { leads } of pages) {
    const at = leads.findIndex((lead) => lead.id === id);
    if (at >= 0) return before + at;
    before += leads.length;
  }
  return undefined;
}

/** At a true end nothing is about right any more. In between there is room for at least one row on either side that has more. */
function settle({ place, pages, total }: Run): Run {
  const rows = lengthOf({ place, pages, total });
  const isFirst = pages[0]!.before === null;
  const isLast = pages.at(-1)!.after === null;
  const first = isFirst ? 0 : Math.max(1, isLast ? total.number - rows : place);
  const end = first + rows;
  return {
    place: first,
    pages,
    total: {
      number: isLast ? end : Math.max(total.number, end + 1),
      about: total.about && !(isFirst && isLast),
    },
  };
}

export function beginRun(asked: string, table: LeadTable): Run {
  const { leads, place, total, after } = table;
  // A mark tells the place it had: those that have gone meanwhile are missing in front of it.
  const most = after === null || total.about ? Infinity : total.number - leads.length - 1;
  return settle({ place: Math.min(place, most), pages: [take(asked, table, new Set())], total });
}

// One estimate after the other would only make the scrollbar tremble.
const better = (before: Total, now: Total): Total => (now.about ? before : now);

export const goOn = (run: Run, asked: string, table: LeadTable): Run =>
  settle({
    place: run.place,
    pages: [...run.pages, take(asked, table, idsOf(run))],
    total: better(run.total, table.total),
  });

export function goBack(run: Run, asked: string, table: LeadTable): Run {
  const page = take(asked, table, idsOf(run));
  return settle({
    place: run.place - page.leads.length,
    pages: [page, ...run.pages],
    total: better(run.total, table.total),
  });
}

/** How far the rows that both have were moved by going on or back. */
export function shiftBetween(before: Run, after: Run): number {
  const kept = before.pages.find((page) => after.pages.includes(page));
  return kept ? startOf(after, kept) - startOf(before, kept) : 0;
}

export const startOf = ({ place, pages }: Run, page: Page): number =>
  pages.slice(0, pages.indexOf(page)).reduce((sum, { leads }) => sum + leads.length, place);

/** Without the pages that are farthest from those in sight, so that it never grows too long. */
export function forget(run: Run, first: number, last: number): Run {
  let { place, pages } = run;
  let rows = lengthOf(run);
  while (rows > MOST_ROWS && pages.length > 1) {
    const isFrontFarther = first - place > place + rows - last;
    const dropped = pages.at(isFrontFarther ? 0 : -1)!.leads.length;
    pages = isFrontFarther ? pages.slice(1) : pages.slice(0, -1);
    if (isFrontFarther) place += dropped;
    rows -= dropped;
  }
  return { ...run, place, pages };
}

/** The pages some of whose rows are in sight. */
export const pagesWithin = (run: Run, first: number, last: number): Page[] =>
  run.pages.filter((page) => {
    const start = startOf(run, page);
    return start <= last && start + page.leads.length > first;
  });

export const isBehind = ({ behind }: Page): boolean => behind === 'any' || behind.size > 0;

/** Pages are behind where a lead of theirs changed, or one that no page has: it may belong to any of them now. */
export function fallBehind(run: Run, told: Told): Run {
  const known = idsOf(run);
  const fall = (page: Page): Page => {
    if (told === 'any' || page.behind === 'any') return { ...page, behind: 'any' };
    const own = new Set(page.leads.map(({ id }) => id));
    const behind = new Set([...page.behind, ...[...told].filter((id) => own.has(id) || !known.has(id))]);
    return { ...page, behind: behind.size > MOST_ROWS ? 'any' : behind };
  };
  return told !== 'any' && told.size === 0 ? run : { ...run, pages: run.pages.map(fall) };
}

const put = (run: Run, page: Page, now: Page): Run => ({
  ...run,
  pages: run.pages.map((one) => (one === page ? now : one)),
});

/** A page is not asked for again: of what it is behind with, its own leads are told, and its rows stay as they are. */
export function passOver(run: Run, page: Page): { run: Run; moved: number[] } {
  const { behind } = page;
  const moved = page.leads.map(({ id }) => id).filter((id) => behind !== 'any' && behind.has(id));
  return { run: put(run, page, { ...page, behind: NOBODY }), moved };
}

/**
 * A page was asked for again. Its rows stay where they are and say what they say now; of the leads that it was behind with, `moved` are those that
 * would come, go or change places if the page were drawn anew.
 */
export function refresh(run: Run, page: Page, table: LeadTable): { run: Run; moved: number[] } {
  const { behind } = page;
  const now = new Map(table.leads.map((lead) => [lead.id, lead]));
  const stays = page.leads.filter(({ id }) => now.has(id)).map(({ id }) => id);
  const order = table.leads.filter(({ id }) => stays.includes(id)).map(({ id }) => id);
  const elsewhere = idsOf(run);
  const moved = [
    ...page.leads.filter(({ id }) => !now.has(id)).map(({ id }) => id),
    ...stays.filter((id, at) => order[at] !== id),
    ...table.leads.filter(({ id }) => !elsewhere.has(id)).map(({ id }) => id),
  ].filter((id) => behind === 'any' || behind.has(id));
  const leads = page.leads.map((lead) => now.get(lead.id) ?? lead);
  return { run: put(run, page, { ...page, leads, behind: NOBODY }), moved };
}

/** The pages around a lead, and how they go on, for a page that shows one lead after the other. */
export function amongOf(run: Run, id: number) {
  const at = run.pages.findIndex(({ leads }) => leads.some((lead) => lead.id === id));
  if (at < 0) return undefined;
  const pages = run.pages.slice(Math.max(0, at - 1), at + 2);
  const [first, last] = [pages[0]!, pages.at(-1)!];
  return {
    among: pages.flatMap(({ leads }) => leads.map((lead) => lead.id)),
    table: {
      asked: first.asked,
      place: startOf(run, first),
      total: run.total,
      before: first.before,
      after: last.after,
    },
  };
}
