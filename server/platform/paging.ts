import { Type, type Static } from 'typebox';
import { LONGEST_ANSWER, tooLarge } from './large-answers.ts';
import { invalid, readId } from './read.ts';
import type { Asked } from './route.ts';
import type { Answer } from './work.ts';

/** Refused, not clamped: a silent clamp makes "stop when the page is short" lose data. */
export const Paging = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000_000, description: 'Default 1.' })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Default 50.' })),
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
  if (before === undefined) throw invalid({ after: ['must be taken from the Link header'] });
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
  total: number;
  /** The mark of the last row, where the page is full. */
  end: string | undefined;
};

const LONGEST_LINK = 6_000;

/** `Link` and `X-Total-Count`. Whoever follows `next` visits each row exactly once, whatever is added meanwhile. */
function pageHeaders({ baseUrl, path, page, total, end }: Extent): Record<string, string> {
  const last = Math.max(1, Math.ceil(total / page.size));
  const isLast = page.after === undefined && page.number >= last;
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
    ['prev', page.number > 1 ? at(page.number - 1) : undefined],
    ['next', end === undefined || isLast ? undefined : at(page.number + 1, end)],
    ['last', at(last)],
  ];
  const written = links.flatMap(([rel, url]) => (url ? [{ rel, text: `<${url}>; rel="${rel}"` }] : []));
  // A long question makes long links, and clients refuse long headers: what walks on goes before what jumps.
  const all = written.map(({ text }) => text).join(', ');
  const next = written.find(({ rel }) => rel === 'next')?.text ?? '';
  const link = [all, next].find((text) => text.length <= LONGEST_LINK);
  return { ...(link && { link }), 'x-total-count': String(total) };
}

type Written = Pick<Extent, 'total' | 'end'> & { json: string };

/** One page, written already, with the way to the others. */
export const answerPage = ({ actor, request }: Asked, page: Page, { json, total, end }: Written): Answer => ({
  status: 200,
  json,
  headers: pageHeaders({ baseUrl: actor.account.baseUrl, path: request.url, page, total, end }),
});
