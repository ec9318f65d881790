import { createContext, use, useMemo, useState } from 'react';
import type { Total } from '../../../contract/lead-table.ts';

type Chosen = { all: boolean; ids: ReadonlySet<number> };
const NONE: Chosen = { all: false, ids: new Set() };

/** Leads chosen one by one, or all that match but some. */
export type Selection = {
  /** All that match, but `ids`. */
  all: boolean;
  /** Those that were chosen; where all are, those that were taken out again. */
  ids: ReadonlySet<number>;
  count: Total;
  has: (id: number) => boolean;
  /** Chooses these, or takes them out. */
  choose: (ids: readonly number[], on: boolean) => void;
  chooseAll: () => void;
  clear: () => void;
};

/** For the one who shows the table: `matching` is which leads it is about, and `total` how many; undefined while it still shows others. */
export function useChoosing(matching: string, total: Total | undefined): Selection {
  const [{ of, chosen }, keep] = useState({ of: matching, chosen: NONE });
  // What was chosen of other leads is not chosen of these.
  const { all, ids } = of === matching ? chosen : NONE;
  return useMemo(() => {
    const set = (next: Chosen) => keep({ of: matching, chosen: next });
    // Nobody chooses of leads that they do not see yet.
    const choose = (next: Chosen) => total && set(next);
    return {
      all,
      ids,
      count: all
        ? { number: Math.max(0, (total?.number ?? 0) - ids.size), about: total?.about ?? false }
        : { number: ids.size, about: false },
      has: (id) => ids.has(id) !== all,
      choose: (some, on) => {
        const next = new Set(ids);
        for (const id of some)
          if (on === all) next.delete(id);
          else next.add(id);
        choose({ all, ids: next });
      },
      chooseAll: () => choose({ all: true, ids: new Set() }),
      clear: () => set(NONE),
    };
  }, [all, ids, matching, total?.number, total?.about]);
}

const nobodys: Selection = {
  ...NONE,
  count: { number: 0, about: false },
  has: () => false,
  choose: () => undefined,
  chooseAll: () => undefined,
  clear: () => undefined,
};
const Context = createContext(nobodys);
export const SelectionProvider = Context.Provider;
export const useSelection = (): Selection => use(Context);
