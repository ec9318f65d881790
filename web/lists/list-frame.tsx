import { IconChevronDown, IconPencil, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useRef, useState, type ReactNode } from 'react';
import type { ListWithSettings } from '../../contract/list-pages.ts';
import { paths } from '../../contract/paths.ts';
import { ImportButton } from '../importing.tsx';
import { useKeys } from '../keys.ts';
import { listsQuery } from '../lists.ts';
import { useRight } from '../session.ts';
import { Actions } from '../ui/actions.tsx';
import { GuardedButton } from '../ui/guarded.tsx';
import { Menu } from '../ui/menu.tsx';
import { Tag } from '../ui/states.tsx';
import { useTitle } from '../ui/title.ts';
import { pause, resume, useListActs, WHO_CHANGES } from './list-acts.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import '../ui/page.css';
import '../ui/tabs.css';
import './list-frame.css';

/** Which list it is, whether it is worked, and the ways to look at it. */
export function ListFrame({ list, children }: { list: ListWithSettings; children: ReactNode }) {
  useTitle(list.name);
  const navigate = useNavigate();
  const writes = useRight('lists.write');
  const readsLeads = useRight('leads.read');
  const [renaming, setRenaming] = useState(false);
  const acts = useListActs(() => void navigate({ to: paths.lists }));
  const standing = useMutation({ mutationFn: () => (list.paused ? resume(list) : pause(list)) });
  const Icon = list.paused ? IconPlayerPlay : IconPlayerPause;
  return (
    <div className="page list-page">
      <div className="page-head">
        <Switcher list={list} />
        {list.paused && <Tag>Paused</Tag>}
        {list.archived && <Tag>Archived</Tag>}
        <p className="grow list-purpose">{list.purpose}</p>
        <ImportButton listId={list.id}>Import</ImportButton>
        <GuardedButton
          variant="default"
          may={writes}
          who={WHO_CHANGES}
          loading={standing.isPending}
          leftSection={<Icon size={16} stroke={1.75} aria-hidden />}
          onClick={() => standing.mutate()}
        >
          {list.paused ? 'Resume' : 'Pause'}
        </GuardedButton>
        <Actions
          of={list.name}
          className="default list-menu"
          items={[
            {
              name: 'Rename',
              icon: IconPencil,
              reason: writes ? undefined : WHO_CHANGES,
              act: () => setRenaming(true),
            },
            ...acts.ofAll(list),
          ]}
        />
      </div>
      <nav className="tabs list-tabs" aria-label="This list">
        <ListTab to={paths.list(list.id)}>Overview</ListTab>
        {readsLeads && <ListTab to={paths.listLeads(list.id)}>Leads</ListTab>}
        <ListTab to={paths.listSettings(list.id, 'fields')} within={paths.listSettings(list.id, '')}>
          Settings
        </ListTab>
      </nav>
      {children}
      {renaming && <RenameDialog list={list} close={() => setRenaming(false)} />}
      {acts.question}
    </div>
  );
}

/** One of the page's parts. `within`: what all of its addresses begin with. */
function ListTab({ to, within = to, children }: { to: string; within?: string; children: ReactNode }) {
  const isHere = useLocation({
    select: ({ pathname }) => (within === to ? pathname.replace(/\/$/, '') === to : pathname.startsWith(within)),
  });
  return (
    <Link to={to} className="tab" aria-current={isHere ? 'page' : false} activeOptions={{ exact: true }}>
      {children}
    </Link>
  );
}

/** The name of the list, which opens the others. */
function Switcher({ list }: { list: ListWithSettings }) {
  const navigate = useNavigate();
  const button = useRef<HTMLButtonElement>(null);
  useKeys({ g: () => button.current?.click() });
  const lists = useQuery(listsQuery).data?.filter(({ id, archived }) => !archived || id === list.id) ?? [];
  return (
    <h1 className="list-switcher">
      <Menu
        ref={button}
        className="list-button"
        aria-label={`${list.name}. Change the list`}
        label="Lists"
        seek="Type to filter"
        groups={[
          {
            items: lists.map(({ id, name, paused, leads_count }) => ({
              id,
              name,
              end: paused ? 'paused' : leads_count.toLocaleString(),
              isCurrent: id === list.id,
              act: () => void navigate({ to: paths.list(id) }),
            })),
          },
        ]}
      >
        <span className="name">{list.name}</span>
        <IconChevronDown size={18} stroke={1.75} aria-hidden />
      </Menu>
    </h1>
  );
}
