import type { ReactNode } from 'react';
import { sayWhenWithin } from '../times.ts';
import { ButtonLink } from './button.tsx';
import { Empty, Time } from './parts.tsx';

type Props = {
  name: string;
  deleted: { deleted_by: string; deleted_at: string; removed_at: string };
  bringBack: ReactNode;
  /** Where the others are. */
  others: { href: string; words: string };
};

/** At the address of something that was deleted, and for a week not for good. */
export const WasDeleted = ({ name, deleted, bringBack, others }: Props) => (
  <Empty
    isPage
    title={`${name} was deleted.`}
    action={
      <div className="tags">
        {bringBack}
        <ButtonLink variant="default" href={others.href}>
          {others.words}
        </ButtonLink>
      </div>
    }
  >
    {deleted.deleted_by} did it, <Time at={deleted.deleted_at} say={sayWhenWithin} />. It can be brought back until{' '}
    <Time at={deleted.removed_at} say={sayWhenWithin} />.
  </Empty>
);
