import { Type, type Static } from 'typebox';
import { HttpError } from './errors.ts';
import { LONGEST_ANSWER, tooLarge } from './large-answers.ts';
import { invalid, readId } from './read.ts';
import type { Asked } from './route.ts';
import type { Answer } from './work.ts';

/** Refused, not clamped: a silent clamp makes "stop when the page is short" lose data. */
export const Paging = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000_000, default: 1, description: 'Which page.' })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 50, description: 'How many on a page.' })),
  after: Type.Optional(
    Type.String({ maxLength: 200, description: 'Where the page before ended; take it from the Link header.' }),
  ),
});

export type Page = { number: number; size: number; after: string | undefined };

export const readPage = ({ page = 1, per_page = 50, after }: Static<typeof Paging>): Page => ({
  number: page,
  size: per_page,
  after,
});

/** Where a row stands in an order by time: pages continue after it. */
export type Mark = { at: Date; id: number };

export const writeMark = ({ at, id }: Mark): string => `${at.getTime()}.${id}`;

export function readMark(after: string): Mark {
  const [, at, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(after) ?? [];
  const mark = { at: new Date(Number(at)), id: Number(id) };
  if (!id || Number.isNaN(mark.at.getTime())) throw notFromLink();
  return mark;
}

export const notFromLink = () => invalid({ after: ['must be taken from the Link header'] });

/**
 * How far rows are counted where no counter knows their number: to count on would be a walk over all of them. Where there are more, the answer
 * says no total, and what lies beyond is reached by following the links, not by its number.
 */
export const MOST_COUNTED = 10_000;

const isFar = ({ number, size, after }: Page) => after === undefined && (number - 1) * size >= MOST_COUNTED;

/** How many rows to pass over and to read. None where they could only be reached by counting too far: then the count alone tells. */
export function reachOf(page: Page): { offset: number; size: number } {
  if (isFar(page)) return { offset: 0, size: 0 };
  return { offset: page.after === undefined ? (page.number - 1) * page.size : 0, size: page.size };
}

/** The total, as far as it is told; `counted` goes up to one more than `MOST_COUNTED`. */
export function readTotal(page: Page, counted: number): number | undefined {
  if (counted <= MOST_COUNTED) return counted;
  if (!isFar(page)) return undefined;
  const most = MOST_COUNTED.toLocaleString('en');
  throw invalid({ page: [`lies beyond the first ${most}; follow rel="next" of the Link header instead`] });
}

/**
 * Rows, in their order, until the answer is full: what is beyond does not reach us. `bytes` is a column of theirs, about as many as they
 * have in the answer.
 */
export const fillAnswer = (rows: string, order: string): string => `
  select * from (select page.*, sum(page.bytes) over (order by ${order} rows unbounded preceding) as filled
    from (${rows}) page) filled
   where filled.filled - filled.bytes <= ${LONGEST_ANSWER} order by ${order}`;

export type Filling = { filled: number };

export function refuseTooLarge(rows: Filling[]): void {
  if ((rows.at(-1)?.filled ?? 0) > LONGEST_ANSWER) throw tooLarge();
}

/** Where a page begins of what is told newest first, by falling ids. */
export function beginOf({ number, size, after }: Page): { before: number | null; offset: number } {
  if (after === undefined) return { before: null, offset: (number - 1) * size };
  const before = readId(after);
  if (before === undefined) throw notFromLink();
  return { before, offset: 0 };
}

/** The mark of its last row, where it is full. */
export const endOf = (rows: { id: number }[], { size }: Page): string | undefined =>
  rows.length === size ? String(rows.at(-1)!.id) : undefined;

type Extent = {
  /** The account's own address. */
  baseUrl: string;
  /** Path and query of the request. */
  path: string;
  page: Page;
  /** Unset where there are more than are counted. */
  total: number | undefined;
  /** The mark of the last row, where the page is full. */
  end: string | undefined;
};

const LONGEST_LINK = 6_000;
/** Programs take no more than 16 KiB of headers, and there are others. */
const LONGEST_NEXT = 10_000;

/** `Link` and `X-Total-Count`. Whoever follows `next` visits each row exactly once, whatever is added meanwhile. */
function pageHeaders({ baseUrl, path, page, total, end }: Extent): Record<string, string> {
  const last = total === undefined ? Infinity : Math.max(1, Math.ceil(total / page.size));
  const isLast = page.after === undefined && page.number >= last;
  const before = { ...page, number: page.number - 1, after: undefined };
  const hasNumberBefore = page.number > 1 && !(total === undefined && isFar(before));
  const at = (number: number, after?: string) => {
    const url = new URL(path, baseUrl);
    url.searchParams.set('page', String(number));
    url.searchParams.set('per_page', String(page.size));
    if (after === undefined) url.searchParams.delete('after');
    else url.searchParams.set('after', after);
    return url.href;
  };
  const links: [rel: string, url: string | undefined][] = [
    ['first', at(1)],
    ['prev', hasNumberBefore ? at(page.number - 1) : undefined],
    ['next', end === undefined || isLast ? undefined : at(page.number + 1, end)],
    ['last', total === undefined ? undefined : at(last)],
  ];
  const written = links.flatMap(([rel, url]) => (url ? [{ rel, text: `<${url}>; rel="${rel}"` }] : []));
  // A long question makes long links, and clients refuse long headers: what walks on goes before what jumps.
  const all = written.map(({ text }) => text).join(', ');
  const next = written.find(({ rel }) => rel === 'next')?.text ?? '';
  // Left out, it would say that this is the end.
  if (next.length > LONGEST_NEXT)
    throw new HttpError(
      422,
      'validation_failed',
      'The address is too long to be asked page by page: ask for less at once.',
    );
  const link = all.length <= LONGEST_LINK ? all : next;
  return { ...(link && { link }), ...(total !== undefined && { 'x-total-count': String(total) }) };
}

type Written = Pick<Extent, 'total' | 'end'> & { json: string };

/** One page, written already, with the way to the others. */
export const answerPage = (
  { actor, request }: Asked,
  page: Page,
  { json, total, end }: Written,
  more: Record<string, string> = {},
): Answer => ({
  status: 200,
  json,
  headers: { ...pageHeaders({ baseUrl: actor.account.baseUrl, path: request.url, page, total, end }), ...more },
});
