import { useMutation } from '@tanstack/react-query';
import type { DeletedList } from '../../contract/list-pages.ts';
import { sayWhenWithin } from '../times.ts';
import { Button } from '../ui/button.tsx';
import { tellFailure } from '../ui/notices.ts';
import { Empty, Time } from '../ui/parts.tsx';
import { bringBack } from './list-acts.tsx';
import { sayLeads } from './queries.ts';
import '../ui/rows.css';

/** Those that can still be brought back. */
export const DeletedLists = ({ lists }: { lists: DeletedList[] }) =>
  lists.length === 0 ? (
    <Empty title="No deleted list of that name." />
  ) : (
    <ul className="rows">
      {lists.map((list) => (
        <li key={list.id} className="row">
          <div className="grow">
            <strong className="strong wrap">{list.name}</strong>
            <p className="meta">
              {sayLeads(list.leads_count)}. Deleted by {list.deleted_by},{' '}
              <Time at={list.deleted_at} say={sayWhenWithin} />; gone for good{' '}
              <Time at={list.removed_at} say={sayWhenWithin} />.
            </p>
          </div>
          <BringBack list={list} />
        </li>
      ))}
    </ul>
  );

export function BringBack({ list }: { list: Pick<DeletedList, 'id' | 'name'> }) {
  const bringing = useMutation({ mutationFn: () => bringBack(list), onError: tellFailure });
  return (
    <Button
      variant="default"
      aria-label={`Bring back ${list.name}`}
      loading={bringing.isPending}
      onClick={() => bringing.mutate()}
    >
      Bring back
    </Button>
  );
}
