import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import {
  IconBook2,
  IconHeadset,
  IconLogout,
  IconSearch,
  IconUser,
  IconUserCircle,
  type TablerIcon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { Lead } from '../../contract/leads.ts';
import { scopeOf } from '../../contract/roles.ts';
import { get } from '../api.ts';
import { betweenOf, nameLead } from '../leads/queries.ts';
import { PLACES } from '../manage/places.ts';
import { paths } from '../../contract/paths.ts';
import { signOut, useRight, useSession } from '../session.ts';
import { Key } from '../ui/parts.tsx';
import { OUTCOME_NAMES, OUTCOMES, StateBadge } from '../ui/states.tsx';
import '../ui/float.css';
import './commands.css';

/** Ctrl-K, or / : pages and acts by name, leads by anything that is known of them. */
export function Commands() {
  const navigate = useNavigate();
  const atDesk = useLocation({ select: ({ pathname }) => pathname === paths.work });
  const [typed, setTyped] = useState('');
  const sought = typed.trim();
  const [asked] = useDebouncedValue(sought, 120);
  const { user } = useSession();
  const readsLeads = useRight('leads.read');
  const works = useRight('queue.work');
  const found = useQuery({
    queryKey: ['search', asked],
    queryFn: () => get<{ total: number; leads: Lead[] }>(`/leads/search?per_page=8&query=${encodeURIComponent(asked)}`),
    enabled: readsLeads && asked.length > 1,
    placeholderData: (before) => before,
  });
  const go = (to: string) => () => void navigate({ to });
  const isSought = ({ label }: { label: string }) => label.toLowerCase().includes(sought.toLowerCase());
  const places = PLACES.flatMap(([, group]) => group).filter(({ right }) => scopeOf(user, right) !== undefined);
  const pages = [
    ...(works ? [page('Work', IconHeadset, go(paths.work))] : []),
    ...places.map(({ word, icon, to }) => page(word, icon, go(to))),
    page('Preferences', IconUserCircle, go(paths.credentials)),
    page('API reference', IconBook2, () => location.assign(paths.reference)),
    page('Sign out', IconLogout, () => void signOut()),
  ].filter(isSought);
  const isOpen = atDesk && document.querySelector('#outcome-winner') !== null;
  const outcomes = (isOpen ? OUTCOME_NAMES : [])
    .map((name) => ({
      ...page(
        name === 'skip' ? 'Skip this lead' : `Mark as ${OUTCOMES[name].word.toLowerCase()}`,
        OUTCOMES[name].icon,
        () => document.querySelector<HTMLElement>(`#outcome-${name}`)?.click(),
      ),
      rightSection: <Key>{OUTCOMES[name].key.toUpperCase()}</Key>,
    }))
    .filter(isSought);
  const leads = (asked === '' ? [] : (found.data?.leads ?? [])).map((lead, index) => ({
    // By its place: the first one stays chosen while better ones come in.
    id: `lead-${index}`,
    label: nameLead(lead),
    description: [sayPerson(lead), lead.list_name].filter(Boolean).join(' · '),
    leftSection: <IconUser size={16} stroke={1.75} aria-hidden />,
    rightSection: <StateBadge state={lead.state} />,
    onClick: go(paths.lead(lead.id)),
  }));
  useFirstChosen(leads.length);
  const groups: { group: string; actions: SpotlightActionData[] }[] = [
    // First, where something is typed: an Enter that was meant for a lead must not give this one an outcome.
    { group: 'Leads', actions: leads },
    { group: 'This lead', actions: outcomes },
    { group: 'Go to', actions: pages },
  ];
  return (
    <Spotlight
      actions={groups.filter(({ actions }) => actions.length > 0)}
      filter={(_query, actions) => actions}
      query={typed}
      onQueryChange={setTyped}
      nothingFound={sought === asked && !found.isFetching && 'Nothing by that name.'}
      // The frame has the key, before this is there.
      shortcut={null}
      searchProps={{
        placeholder: 'Search leads, or go somewhere',
        'aria-label': 'Search',
        leftSection: <IconSearch size={18} stroke={1.75} aria-hidden />,
      }}
      classNames={{
        content: 'float commands',
        search: 'commands-search',
        actionsList: 'commands-list',
        actionsGroup: 'commands-group',
        action: 'command',
        actionBody: 'grow',
        actionLabel: 'strong',
        actionDescription: 'command-more',
        empty: 'commands-none',
      }}
      attributes={{ content: { 'aria-label': 'Commands' } }}
      overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
      shadow="none"
      radius="lg"
      scrollable
      maxHeight="min(34rem, 100dvh - 7rem)"
    />
  );
}

const page = (label: string, Icon: TablerIcon, onClick: () => void) => ({
  id: label,
  label,
  leftSection: <Icon size={16} stroke={1.75} aria-hidden />,
  onClick,
});

const sayPerson = (lead: Lead): string =>
  `${lead.secondary_identifier ?? ''}${betweenOf(lead)}${lead.tertiary_identifier ?? ''}`;

/** Leads come later than the typing after which the kit chooses the first line; Enter is to open one all the same. */
function useFirstChosen(count: number): void {
  useEffect(() => {
    const list = document.querySelector('.commands');
    if (count === 0 || !list || list.querySelector('[data-selected]')) return;
    list.querySelector('input')?.dispatchEvent(new KeyboardEvent('keydown', { code: 'ArrowDown', bubbles: true }));
  }, [count]);
}
