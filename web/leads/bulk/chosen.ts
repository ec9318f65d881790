import type { NewBulkAct } from '../../../contract/bulk.ts';
import { meantBy, useAsked } from '../table/asked.ts';
import { useSelection } from '../table/selection.ts';

/** Leads that are chosen in the table, as an act names them: one by one, or all that match but some. */
export type Chosen = Pick<NewBulkAct, 'lead_ids' | 'matching' | 'except_ids'>;

export function useChosen() {
  const asked = useAsked();
  const { all, ids, count, clear } = useSelection();
  const some = [...ids];
  const which: Chosen = all
    ? { matching: meantBy(asked), ...(some.length > 0 && { except_ids: some }) }
    : { lead_ids: some };
  return { which, count, clear, isAll: all && some.length === 0, lists: asked.lists };
}

export const sayChosen = ({ count, isAll }: ReturnType<typeof useChosen>): string => {
  const number = count.number.toLocaleString();
  if (isAll) return count.about ? `All that match, about ${number}` : `All ${number} that match`;
  return `${count.about ? 'About ' : ''}${number} selected`;
};
