import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ListAtPages } from '../../contract/list-pages.ts';
import { paths } from '../../contract/paths.ts';
import { ask } from '../api.ts';
import { useManagers } from '../colleagues.ts';
import { seesAllLists, useRight, useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { tellFailure } from '../ui/notices.ts';
import { Empty, Failure, Loading } from '../ui/parts.tsx';
import { useTitle } from '../ui/title.ts';
import { Desk } from './desk.tsx';
import { keepChosen, listsQuery, readChosen } from '../lists.ts';
import { pickList } from './queries.ts';
import './work-page.css';

/** The agent's desk: a list, and its leads one after the other. */
export function WorkPage() {
  const begin = useMutation({ mutationFn: () => ask('POST', '/demo'), onError: tellFailure });
  const isFilling = begin.isPending || begin.isSuccess;
  const lists = useQuery({
    ...listsQuery,
    // A first list may be on its way, or the first leads of the demo.
    refetchInterval: ({ state }) =>
      state.data?.length === 0 || (isFilling && hasNothing(state.data ?? [])) ? 1_500 : false,
  });
  const [chosen, choose] = useState(readChosen);
  const listId = pickList(lists.data, chosen);
  const { gone, isLeft, leave, goOn } = useGone(lists.data, listId);
  useEffect(() => {
    if (listId === undefined || gone) return;
    keepChosen(listId);
    // The first one that was found is the one that is worked on, also where another would be found by now.
    choose(listId);
  }, [listId, gone]);
  useTitle('Work');
  // What is there stays there: a call may be under way.
  if (lists.error && !lists.data) return <Failure error={lists.error} again={() => void lists.refetch()} />;
  if (!lists.data) return <Loading />;
  if (gone && isLeft) return <Gone list={gone} next={lists.data.find(({ id }) => id === listId)} goOn={goOn} />;
  const worked = gone?.id ?? listId;
  if (worked === undefined || (isFilling && hasNothing(lists.data)))
    return <NoList fill={() => begin.mutate()} isFilling={isFilling} />;
  const open = lists.data.filter(({ archived }) => !archived);
  return (
    <Desk
      key={worked}
      lists={gone ? [gone, ...open] : open}
      listId={worked}
      choose={(id) => {
        choose(id);
        if (id !== worked) goOn();
      }}
      gone={gone}
      leave={leave}
    />
  );
}

/**
 * The list that was worked on until now, when it is not there any more. Its lead stays in hand until it is finished, or left; then it is told
 * before another list takes its place.
 */
function useGone(lists: ListAtPages[] | undefined, listId: number | undefined) {
  const [worked, setWorked] = useState<ListAtPages>();
  const [isLeft, setLeft] = useState(false);
  const now = lists?.find(({ id }) => id === worked?.id);
  const gone = lists && worked && (!now || now.archived) ? (now ?? worked) : undefined;
  const current = gone ? undefined : lists?.find(({ id }) => id === listId);
  useEffect(() => {
    if (!current) return;
    setWorked(current);
    setLeft(false);
  }, [current]);
  return { gone, isLeft, leave: () => setLeft(true), goOn: () => setWorked(undefined) };
}

function Gone({ list, next, goOn }: { list: ListAtPages; next: ListAtPages | undefined; goOn: () => void }) {
  const { user } = useSession();
  const why = list.archived
    ? 'It was archived.'
    : seesAllLists(user)
      ? 'This list was deleted.'
      : 'This list was deleted, or is not yours any more.';
  return (
    <Empty
      isPage
      title={`${list.name} is gone.`}
      action={next && <Button onClick={goOn}>Go on with {next.name}</Button>}
    >
      {why} What you wrote is kept.
    </Empty>
  );
}

const hasNothing = (lists: ListAtPages[]) => lists.every(({ leads_count }) => leads_count === 0);

/** Nothing to work on yet: owners can begin, others have someone to ask. */
function NoList({ fill, isFilling }: { fill: () => void; isFilling: boolean }) {
  const owns = useRight('account.manage');
  const writes = useRight('lists.write');
  const imports = useRight('leads.import');
  const managers = useManagers();
  const begin = (
    <>
      {imports && (
        <Link to={paths.newImport} className="button default">
          Upload a file with leads
        </Link>
      )}
      <Link to={paths.newList} className="button default">
        Start with an empty list
      </Link>
    </>
  );
  if (writes && !owns) {
    return (
      <Empty isPage title="There is no list yet." action={<div className="pair-acts">{begin}</div>}>
        A list holds the leads of one campaign, its script, and what can come of a call.
      </Empty>
    );
  }
  if (!owns) {
    return (
      <Empty isPage title="No list is yours yet.">
        Ask {managers} to assign you to one.
      </Empty>
    );
  }
  return (
    <Empty
      isPage
      title={isFilling ? 'People, lists and leads are on their way.' : 'Nothing here yet.'}
      action={
        <div className="pair-acts">
          <Button loading={isFilling} onClick={fill}>
            Fill with a demo call centre
          </Button>
          {!isFilling && begin}
        </div>
      }
    >
      {isFilling
        ? 'It takes about half a minute until a month of calls has been made. The first lead opens by itself.'
        : 'Look around with five people, four lists and five thousand made-up leads, or begin with your own.'}
    </Empty>
  );
}
