import { IconGripVertical } from '@tabler/icons-react';
import { useState } from 'react';
import type { ListWithSettings } from '../../../contract/list-pages.ts';
import type { CategoryKind } from '../../../contract/lists.ts';
import { AddCategory } from './add-category.tsx';
import type { Categories } from './categories.ts';
import { CategoryMenu } from './category-menu.tsx';
import { RenameCategory } from './rename-category.tsx';
import { useReorder } from '../../ui/reorder.tsx';
import './category-chips.css';

export type CategoriesProps = {
  kind: CategoryKind;
  list: ListWithSettings;
  names: string[];
  categories: Categories;
  /** How many leads carry it; undefined until that is known. */
  leadsOf: (category: string) => number | undefined;
  /** To be looked at beside. */
  choose: (category: string) => void;
};

export function CategoryChips({ kind, list, names, categories, leadsOf, choose }: CategoriesProps) {
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
    <div className="category-chips" {...container}>
      {names.length === 0 && kind === 'skip' && <span className="meta">No categories: Skip saves at once.</span>}
      <ul>
        {order.map((name, index) => (
          <li key={name} data-place={name} className={dragged === name ? 'category dragged' : 'category'}>
            <button type="button" className="grip" aria-label={`Move ${name}`} {...grip(name)}>
              <IconGripVertical size={14} stroke={1.75} aria-hidden />
            </button>
            <CategoryMenu
              kind={kind}
              category={name}
              leads={leadsOf(name)}
              categories={categories}
              rename={() => {
                choose(name);
                setRenamed(name);
              }}
              className="category-open"
            >
              {index < 9 && <span className="meta">{index + 1}</span>}
              <span className="strong">{name}</span>
              <span className="dim figures">{leadsOf(name)?.toLocaleString()}</span>
            </CategoryMenu>
          </li>
        ))}
      </ul>
      <AddCategory kind={kind} names={names} categories={categories} />
      {renamed !== undefined && names.includes(renamed) && (
        <RenameCategory
          key={renamed}
          list={list}
          kind={kind}
          category={renamed}
          others={names.filter((one) => one !== renamed)}
          leads={leadsOf(renamed)}
          close={() => setRenamed(undefined)}
        />
      )}
      <span className="unseen" role="status">
        {said}
      </span>
    </div>
  );
}
