import type { ReactNode } from 'react';
import type { Total } from '../../../contract/lead-table.ts';
import { writeMatching, type Asking } from '../table/asked.ts';
import { CountLine } from './count-line.tsx';
import { SearchList } from './search-list.tsx';
import { StateTabs } from './state-tabs.tsx';
import { useSubjects } from './subjects.ts';
import { Faults, faultsOf, Tokens } from './tokens.tsx';
import { Views } from './views.tsx';
import { sayName, sayOrder } from './words.ts';
import './filter-bar.css';

type Props = {
  asked: Asking;
  /** How many match, once that is known. */
  total: Total | undefined;
  /** Why the service answered nothing for what the address asks. */
  error: Error | null;
  /** What else stands at the end of the line, such as the choice of columns. */
  children?: ReactNode;
};

/** Which leads are shown: by state, by words, by what they have in common; and how many these are. All of it is in the address. */
export function FilterBar({ asked, total, error, children }: Props) {
  const { lists, f, q, order, set } = asked;
  const known = useSubjects(lists);
  const matching = writeMatching(asked);
  const faults = faultsOf(f, known, error);
  return (
    <div className="filter-bar" role="search" aria-label="Which leads">
      <div className="filter-line">
        <StateTabs lists={lists} f={f} set={set} />
        <SearchList q={q} label={lists.length === 1 ? 'Search this list' : 'Search leads'} set={set} />
      </div>
      <div className="filter-line">
        <Views asked={asked} />
        <Tokens f={f} set={set} known={known} faults={faults} />
        <div className="filter-end">
          <CountLine
            key={matching}
            total={total}
            order={sayOrder(order, (name) => known.all.find((one) => one.name === name)?.label ?? sayName(name))}
            matching={matching}
          />
          {children}
        </div>
      </div>
      <Faults f={f} set={set} faults={faults} />
    </div>
  );
}
