import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { CategoryKind } from '../../../contract/lists.ts';
import { sayCount } from '../../counts.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { Categories } from './categories.ts';

type Props = {
  kind: CategoryKind;
  category: string;
  leads: number | undefined;
  categories: Categories;
  rename: () => void;
  className: string;
  /** Where what is inside does not name it. */
  isIcon?: boolean;
  children: ReactNode;
};

/** What can be done with one category. */
export function CategoryMenu({
  kind,
  category,
  leads = 0,
  categories,
  rename,
  className,
  isIcon = false,
  children,
}: Props) {
  const [isAsking, setAsking] = useState(false);
  const icon = { size: 16, stroke: 1.75, 'aria-hidden': true } as const;
  return (
    <>
      <Menu
        place="below-end"
        className={className}
        label={`Actions for ${category}`}
        {...(isIcon && { 'aria-label': `Actions for ${category}` })}
        groups={[
          {
            items: [
              { name: 'Rename', icon: <IconPencil {...icon} />, act: rename },
              { name: 'Remove', icon: <IconTrash {...icon} />, act: () => setAsking(true) },
            ],
          },
        ]}
      >
        {children}
      </Menu>
      <Confirm
        opened={isAsking}
        close={() => setAsking(false)}
        title={`Remove ${category}`}
        safe="Keep it"
        verb="Remove the category"
        // What was refused has been told.
        act={() => categories.remove(kind, category).catch(() => undefined)}
      >
        {leads === 0
          ? 'No lead carries it. Agents are not offered it any more.'
          : `${sayCount(leads, 'lead carries', 'leads carry')} it and ${leads === 1 ? 'keeps' : 'keep'} it. Agents are not offered it any more.`}
      </Confirm>
    </>
  );
}
