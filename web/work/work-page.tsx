import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ask, queries } from '../api.ts';
import { useColleagues } from '../colleagues.ts';
import { useLive } from '../live.ts';
import { useRight } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { tellFailure } from '../ui/notices.ts';
import { Empty, Failure, Loading } from '../ui/parts.tsx';
import { useTitle } from '../ui/title.ts';
import { Desk } from './desk.tsx';
import { keepChosen, pickList, readChosen } from './queries.ts';
import { listsQuery } from '../lists.ts';
import './work-page.css';

/** The agent's desk: a list, and its leads one after the other. */
export function WorkPage() {
  const lists = useQuery({
    ...listsQuery,
    // A first list may be on its way.
    refetchInterval: ({ state }) => (state.data?.length === 0 ? 1_500 : false),
  });
  const [chosen, choose] = useState(readChosen);
  const listId = pickList(lists.data, chosen);
  useLive(lists.data?.map(({ id }) => id) ?? []);
  useEffect(() => {
    if (listId !== undefined) keepChosen(listId);
  }, [listId]);
  useTitle('Work');
  if (lists.error) return <Failure error={lists.error} again={() => void lists.refetch()} />;
  if (!lists.data) return <Loading />;
  if (listId === undefined) return <NoList />;
  return <Desk key={listId} lists={lists.data} listId={listId} choose={choose} />;
}

/** Nothing to work on yet: owners can begin, others have someone to ask. */
function NoList() {
  const owns = useRight('account.manage');
  const begin = useMutation({ mutationFn: () => ask('POST', '/demo'), onError: tellFailure });
  const create = useMutation({
    mutationFn: () => ask('POST', '/lists', { list: { name: 'My first list' } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['lists'] }),
    onError: tellFailure,
  });
  const managers = useColleagues().filter(({ assigns_lists }) => assigns_lists);
  if (!owns) {
    const names = new Intl.ListFormat('en', { type: 'disjunction' }).format(
      managers.slice(0, 4).map(({ name }) => name),
    );
    return (
      <Empty title="No list is yours yet.">Ask {names || 'whoever manages your lists'} to assign you to one.</Empty>
    );
  }
  const filling = begin.isPending || begin.isSuccess;
  return (
    <Empty
      title={filling ? 'People, lists and leads are on their way.' : 'Nothing here yet.'}
      action={
        <div className="pair-acts">
          <Button loading={filling} onClick={() => begin.mutate()}>
            Fill with a demo call centre
          </Button>
          <Button variant="default" disabled={filling} loading={create.isPending} onClick={() => create.mutate()}>
            Start with an empty list
          </Button>
        </div>
      }
    >
      {filling
        ? 'It takes about half a minute until a month of calls has been made. The first lead opens by itself.'
        : 'Look around with five people, four lists and five thousand made-up leads, or begin with your own.'}
    </Empty>
  );
}
