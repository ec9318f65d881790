import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { isGone } from '../api.ts';
import { seesAllLists, useRight, useSession } from '../session.ts';
import { Missing } from '../ui/missing.tsx';
import { Failure, Loading } from '../ui/parts.tsx';
import { WasDeleted } from '../ui/was-deleted.tsx';
import { paths } from '../../contract/paths.ts';
import { BringBack } from './deleted-lists.tsx';
import { ListFrame } from './list-frame.tsx';
import { Overview } from './overview.tsx';
import { deletedQuery, listQuery } from './queries.ts';

/** A list under its frame: Overview, or a part of its settings, which is read when it is opened. */
export function ListPage() {
  const { id = '' } = useParams({ strict: false });
  const { user } = useSession();
  if (!seesAllLists(user)) return <Missing />;
  return <Open key={id} listId={Number(id)} />;
}

function Open({ listId }: { listId: number }) {
  const { data: list, error, refetch } = useQuery(listQuery(listId));
  if (isGone(error)) return <Gone listId={listId} />;
  if (error && !list) return <Failure error={error} again={() => void refetch()} />;
  if (!list) return <Loading rows={10} />;
  return (
    <ListFrame list={list}>
      <Outlet />
    </ListFrame>
  );
}

/** Deleted, and for a week not for good. */
function Gone({ listId }: { listId: number }) {
  const writes = useRight('lists.write');
  const { data, isPending } = useQuery({ ...deletedQuery, enabled: writes });
  const list = data?.find(({ id }) => id === listId);
  if (writes && isPending) return <Loading />;
  if (!list) return <Missing />;
  return (
    <WasDeleted
      name={list.name}
      deleted={list}
      bringBack={<BringBack list={list} />}
      others={{ href: paths.lists, words: 'All lists' }}
    />
  );
}

export function OverviewPage() {
  const { id = '' } = useParams({ strict: false });
  const { data: list } = useQuery(listQuery(Number(id)));
  return list && <Overview list={list} />;
}
