import { queryOptions } from '@tanstack/react-query';
import type { ListRow } from '../contract/lists.ts';
import { get } from './api.ts';
import { asks } from './asks.ts';

/** Every list one may see. */
export const listsQuery = queryOptions({ queryKey: ['lists'], queryFn: () => get<ListRow[]>(asks.lists) });
