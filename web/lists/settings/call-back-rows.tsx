import { NativeSelect } from '@mantine/core';
import { IconDots, IconGripVertical } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { ListWithSettings } from '../../../contract/list-pages.ts';
import { sayMinutes } from '../../outcomes/coming-back.tsx';
import { sayCount } from '../../counts.ts';
import { AddCategory } from './add-category.tsx';
import type { CategoriesProps } from './category-chips.tsx';
import { CategoryMenu } from './category-menu.tsx';
import { RenameCategory } from './rename-category.tsx';
import { useReorder } from '../../ui/reorder.tsx';
import './call-back-rows.css';

type Retry = Required<ListWithSettings['retries'][string]>;
type After = NonNullable<Retry['comes_back_after']>;

const DELAYS: After[] = [15, 30, 60, 120, 240, 'next_day', 2_880, 10_080];
const TRIES = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20];
const NEVER = '';

const sayAfter = (after: After): string =>
  after === 'next_day' ? 'Next day at 9:00' : after === 10_080 ? '1 week' : sayMinutes(after);

/** Whatever is set stays among the choices. */
const delays = (set: After) =>
  [...new Set([...DELAYS, set])].map((after) => ({ value: String(after), label: sayAfter(after) }));

const tries = (set: number | null) => [
  { value: NEVER, label: 'Never' },
  ...[...new Set([...TRIES, ...(set === null ? [] : [set])])]
    .toSorted((a, b) => a - b)
    .map((most) => ({ value: String(most), label: sayCount(most, 'try', 'tries') })),
];

/** Its word stands over the column, or where there is no room for columns, over the choice. */
const When = ({ word, children }: { word: string; children: ReactNode }) => (
  <div className="call-back-when">
    <span className="meta" aria-hidden>
      {word}
    </span>
    {children}
  </div>
);

/** Those of call back: each says when a lead comes back, and when it is given up. */
export function CallBackRows({ kind, list, names, categories, leadsOf, choose }: CategoriesProps) {
  const [renamed, setRenamed] = useState<string>();
  const {
    order,
    said,
    dragged,
    list: container,
    grip,
  } = useReorder({
    ids: names,
    nameOf: (name) => name,
    move: (name, to) => categories.move(kind, name, to),
  });
  return (
    <div className="call-backs" {...container}>
      {names.length > 0 && (
        <div className="call-back-line call-back-head" aria-hidden>
          <span />
          <span>Category</span>
          <span>Comes back after</span>
          <span>Archived after</span>
          <span className="call-back-leads">Leads</span>
        </div>
      )}
      <ul>
        {order.map((name, index) => {
          const retry = list.retries[name];
          const after = retry?.comes_back_after ?? 60;
          const most = retry?.archived_after ?? null;
          const look = () => choose(name);
          const line = (shown: ReactNode) => (
            <div className="call-back-line" role="none" onFocus={look} onClick={look} onChange={look}>
              <span className="call-back-place">
                <button type="button" className="grip" aria-label={`Move ${name}`} {...grip(name)}>
                  <IconGripVertical size={14} stroke={1.75} aria-hidden />
                </button>
                <span className="meta">{index < 9 && index + 1}</span>
              </span>
              <span className="strong wrap">{shown}</span>
              <When word="Comes back after">
                <NativeSelect
                  size="xs"
                  aria-label={`${name} comes back after`}
                  data={delays(after)}
                  value={String(after)}
                  onChange={({ currentTarget: { value } }) =>
                    categories.retry(name, { comes_back_after: value === 'next_day' ? value : Number(value) })
                  }
                />
              </When>
              <When word="Archived after">
                <NativeSelect
                  size="xs"
                  className={most === null ? 'never' : ''}
                  aria-label={`${name} is archived after`}
                  data={tries(most)}
                  value={most === null ? NEVER : String(most)}
                  onChange={({ currentTarget: { value } }) =>
                    categories.retry(name, { archived_after: value === NEVER ? null : Number(value) })
                  }
                />
              </When>
              <span className="call-back-leads figures">
                {leadsOf(name)?.toLocaleString()}
                <span className="unseen"> leads</span>
              </span>
              <CategoryMenu
                kind={kind}
                category={name}
                leads={leadsOf(name)}
                categories={categories}
                rename={() => setRenamed(name)}
                className="icon-button"
                isIcon
              >
                <IconDots size={16} stroke={1.75} aria-hidden />
              </CategoryMenu>
            </div>
          );
          return (
            <li key={name} data-place={name} className={dragged === name ? 'dragged' : undefined}>
              {renamed === name ? (
                <RenameCategory
                  list={list}
                  kind={kind}
                  category={name}
                  others={names.filter((one) => one !== name)}
                  leads={leadsOf(name)}
                  close={() => setRenamed(undefined)}
                >
                  {line}
                </RenameCategory>
              ) : (
                line(name)
              )}
            </li>
          );
        })}
      </ul>
      <AddCategory kind={kind} names={names} categories={categories} />
      <p className="unseen" role="status">
        {said}
      </p>
    </div>
  );
}
