import { useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { readToken, writeToken, type Token } from '../../../contract/filters.ts';
import type { Column, Matching } from '../../../contract/lead-table.ts';
import { paths } from '../../../contract/paths.ts';
import { writeSearch } from '../../addresses.ts';
import { keepColumns, useColumns } from './columns.ts';

/** What the table is asked for, as its address says it: the same for the table, its filters, its views and acts on many. */
export type Asked = {
  /** Empty: all that one sees. */
  lists: number[];
  tokens: Token[];
  q: string;
  /** `queue`, or with a minus before it, as the service takes it. */
  order: string;
  /** The saved view it came from. */
  view: number | undefined;
  /** Not in the address: this browser remembers them. */
  columns: Column[];
};

type Change = Partial<Omit<Asked, 'columns'>> & { columns?: Column[] | null | undefined; f?: string[] };

export const FIRST_ORDER = 'queue';

/** Nothing is asked for, unless by a view. */
export const isBare = ({ lists, f, q, order }: Pick<Asking, 'lists' | 'f' | 'q' | 'order'>): boolean =>
  lists.length === 0 && f.length === 0 && q === '' && order === FIRST_ORDER;

const some = (value: string | string[] | undefined): string[] => (value === undefined ? [] : [value].flat());
const ids = (text: string | undefined): number[] =>
  (text ?? '')
    .split(',')
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0);

export function useAsked() {
  const navigate = useNavigate();
  const { id } = useParams({ strict: false });
  const atList = useLocation({ select: ({ pathname }) => pathname.startsWith(`${paths.lists}/`) });
  const search = useSearch({ strict: false }) as Record<string, string | string[]>;
  const own = atList ? Number(id) : undefined;
  const asked = useMemo(() => {
    const f = some(search.f);
    return {
      lists: own === undefined ? ids(some(search.lists).join(',')) : [own],
      /** As they stand in the address, those that can be read and those of which the service says why not. */
      f,
      tokens: f.flatMap((text) => readToken(text) ?? []),
      q: some(search.q)[0] ?? '',
      order: some(search.order)[0] ?? FIRST_ORDER,
      view: ids(some(search.view)[0])[0],
    };
  }, [search, own]);
  const columns = useColumns(asked);
  /** `columns` of null are those there usually are; `f` are tokens as they stand in the address. */
  const set = (change: Change): void => {
    const to = { ...asked, ...change, ...(change.tokens && { f: change.tokens.map(writeToken) }) };
    if (change.columns !== undefined) keepColumns(to, change.columns);
    if (Object.keys(change).every((name) => name === 'columns')) return;
    // A view with nothing left of it is not open any more: its bare address would open it anew.
    if (isBare(to) && !('view' in change)) to.view = undefined;
    const isOwn = own !== undefined && to.lists.length === 1 && to.lists[0] === own;
    void navigate({
      to: isOwn ? paths.listLeads(own) : paths.leads,
      search: {
        lists: isOwn || to.lists.length === 0 ? undefined : to.lists.join(','),
        f: to.f,
        q: to.q || undefined,
        order: to.order === FIRST_ORDER ? undefined : to.order,
        view: to.view,
      } as never,
      // Each letter typed is no step that one would go back.
      replace: Object.keys(change).every((name) => name === 'q'),
    });
  };
  return {
    ...asked,
    columns,
    /** The list whose page it is, else none: what is shown where nothing is asked for. */
    pageLists: own === undefined ? [] : [own],
    set,
  };
}

export type Asking = ReturnType<typeof useAsked>;

/** In the order of what is due nothing is shown that has no time, and nothing else is meant. */
const HAS_TIME: Token = { name: 'due', operator: 'is_set', values: [] };
export const isByDue = (order: string): boolean => order === 'due' || order === '-due';

/** Which leads, as a query: `?lists=…&f=…&q=…`, or nothing. */
export const writeMatching = ({ lists, f, q, order }: Pick<Asking, 'lists' | 'f' | 'q' | 'order'>): string =>
  writeSearch({ lists: lists.join(','), f: isByDue(order) ? [...f, writeToken(HAS_TIME)] : f, q });

/** All that are shown, for an act on them. */
export const meantBy = (asked: Asked): Matching =>
  matchingOf(isByDue(asked.order) ? { ...asked, tokens: [...asked.tokens, HAS_TIME] } : asked);

/** What is asked for, as a body. */
export const matchingOf = ({ lists, tokens, q }: Pick<Asked, 'lists' | 'tokens' | 'q'>): Matching => ({
  ...(lists.length > 0 && { list_ids: lists }),
  ...(tokens.length > 0 && { filter: tokens }),
  ...(q !== '' && { query: q }),
});
