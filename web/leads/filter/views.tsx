import { IconBookmark, IconChevronDown, IconDeviceFloppy, IconPencil, IconShare, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { View } from '../../../contract/lead-table.ts';
import { paths } from '../../../contract/paths.ts';
import { useRight } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { tellFailure } from '../../ui/notices.ts';
import { FIRST_ORDER, isBare, type Asking } from '../table/asked.ts';
import { DeleteView, ViewDialog, WHO_SHARES } from './view-dialogs.tsx';
import { changeView, differs, openView, showsOf, viewsQuery } from './view-queries.ts';
import './views.css';

const icon = { size: 16, stroke: 1.75, 'aria-hidden': true } as const;
const NOT_YOURS = (view: View) => `It is ${view.by}’s. Save it as your own.`;

/** What someone looks at again and again, under its name. */
export function Views({ asked }: { asked: Asking }) {
  const { data: views = [], isFetched, error } = useQuery(viewsQuery);
  const [asking, setAsking] = useState<'new' | 'rename' | 'delete'>();
  const shares = useRight('leads.bulk');
  const manages = useRight('leads.manage');
  const navigate = useNavigate();
  const view = views.find(({ id }) => id === asked.view);
  const { f, q, lists, pageLists } = asked;
  // An address that names a view and nothing else opens it.
  useEffect(() => {
    if (view && isBare(asked) && differs(view, asked)) asked.set(openView(view));
  }, [view?.id]);
  // What someone who has left does not share any more is seen by nobody.
  const leaveUnseen = ({ own: isOwn, shared: isShared }: View) => {
    if (!isOwn && !isShared) asked.set({ view: undefined });
  };
  const saving = useMutation({
    mutationFn: (change: Parameters<typeof changeView>[1]) => changeView(view!.id, change),
    onSuccess: leaveUnseen,
    onError: tellFailure,
  });
  const isChanged = view !== undefined && differs(view, asked);
  const close = () => setAsking(undefined);
  const item = (one: View) => ({
    id: one.id,
    name: one.name,
    isCurrent: one.id === view?.id,
    act: () => asked.set(openView(one)),
    end: one.own ? (one.shared ? 'shared' : undefined) : one.by,
  });
  const tends = view && (view.own || (view.left && shares));
  const reason = view && !tends ? NOT_YOURS(view) : undefined;
  const own = views.filter((one) => one.own);
  const shared = views.filter((one) => !one.own);
  const ofOpen = view
    ? [
        { name: 'Rename', icon: <IconPencil {...icon} />, reason, act: () => setAsking('rename') },
        {
          name: view.shared ? 'Stop sharing' : 'Share',
          icon: <IconShare {...icon} />,
          reason: reason ?? (shares || view.shared ? undefined : WHO_SHARES),
          act: () => saving.mutate({ shared: !view.shared }),
        },
        { name: 'Delete', icon: <IconTrash {...icon} />, reason, act: () => setAsking('delete') },
      ]
    : [];
  return (
    <>
      <Menu
        className="views-button"
        label="Views"
        aria-label={view ? `${view.name}. Change the view` : 'Views'}
        groups={[
          {
            items: [
              {
                id: 0,
                name: 'All leads',
                isCurrent: !view && f.length === 0 && q === '' && lists.length === pageLists.length,
                act: () => asked.set({ lists: pageLists, f: [], q: '', order: FIRST_ORDER, view: undefined }),
              },
              ...own.map(item),
              ...(error && views.length === 0
                ? [{ name: 'Your views', reason: error.message, act: () => undefined }]
                : []),
            ],
          },
          ...(shared.length > 0 ? [{ title: 'Shared with you', items: shared.map(item) }] : []),
          {
            items: [
              { name: 'Save as a view', icon: <IconDeviceFloppy {...icon} />, act: () => setAsking('new') },
              ...ofOpen,
            ],
          },
          {
            items: [
              {
                name: 'Deleted leads',
                icon: <IconTrash {...icon} />,
                reason: manages ? undefined : 'Data managers and owners bring leads back.',
                act: () => void navigate({ to: paths.deletedLeads }),
              },
            ],
          },
        ]}
      >
        <IconBookmark size={14} stroke={1.75} aria-hidden />
        <span className="name">{view?.name ?? 'Views'}</span>
        <IconChevronDown size={14} stroke={1.75} aria-hidden />
      </Menu>
      {isChanged && tends && (
        <Button
          size="compact"
          variant="default"
          loading={saving.isPending}
          onClick={() => saving.mutate({ shows: showsOf(asked) })}
        >
          Save changes
        </Button>
      )}
      {isChanged && (
        <Button size="compact" variant="default" onClick={() => asked.set(openView(view))}>
          As saved
        </Button>
      )}
      {asked.view !== undefined && !view && isFetched && !error && (
        <span className="meta" role="status">
          The view of this address is not there any more.
        </span>
      )}
      {asking === 'new' && (
        <ViewDialog
          shows={showsOf(asked)}
          close={close}
          done={({ id }) => asked.set({ view: id, columns: asked.columns })}
        />
      )}
      {asking === 'rename' && view && <ViewDialog view={view} shows={view.shows} close={close} done={leaveUnseen} />}
      {asking === 'delete' && view && (
        <DeleteView view={view} close={close} done={() => asked.set({ view: undefined })} />
      )}
    </>
  );
}
