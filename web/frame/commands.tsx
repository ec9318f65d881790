import { Spotlight, useSpotlight } from '@mantine/spotlight';
import {
  IconBook2,
  IconHeadset,
  IconLogout,
  IconSearch,
  IconHistory,
  IconStack2,
  IconUpload,
  IconUser,
  IconUserCircle,
  IconUserPlus,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { Lead } from '../../contract/leads.ts';
import { scopeOf } from '../../contract/roles.ts';
import { addLead, canAddLead } from '../adding.ts';
import { get } from '../api.ts';
import { betweenOf, nameLead } from '../leads/queries.ts';
import { listsQuery } from '../lists.ts';
import { PLACES } from '../manage/places.ts';
import { paths } from '../../contract/paths.ts';
import { search, searchStore } from '../search.ts';
import { seesAllLeads, seesAllLists, signOut, useRight, useSession } from '../session.ts';
import { Key } from '../ui/parts.tsx';
import { OUTCOME_NAMES, OUTCOMES, StateBadge, type OutcomeName } from '../ui/states.tsx';
import '../ui/float.css';
import './commands.css';

type Command = {
  id: string;
  label: string;
  description?: string;
  leftSection: ReactNode;
  rightSection?: ReactNode;
  onClick: () => void;
};

/** Ctrl-K, or / : leads by anything that is known of them, lists and pages by name, and outcomes by their own words. */
export function Commands() {
  const navigate = useNavigate();
  const atDesk = useLocation({ select: ({ pathname }) => pathname === paths.work });
  const { query: typed, opened } = useSpotlight(searchStore);
  const sought = typed.trim();
  const [asked] = useDebouncedValue(sought, 120);
  const { user } = useSession();
  const readsLeads = useRight('leads.read');
  const works = useRight('queue.work');
  const imports = useRight('leads.import');
  const found = useQuery({
    queryKey: ['search', asked],
    queryFn: () => get<{ total: number; leads: Lead[] }>(`/leads/search?per_page=8&query=${encodeURIComponent(asked)}`),
    enabled: readsLeads && asked.length > 1,
    // Those of fewer letters stand until those of more are there.
    placeholderData: (before, query) => (asked.startsWith(query?.queryKey[1] ?? ' ') ? before : undefined),
  });
  const isLooking = sought !== asked || found.isFetching;
  const go = (to: string) => () => void navigate({ to });
  const openLead = (id: number) => () =>
    void navigate({ to: paths.lead(id), state: { among: found.data?.leads.map((lead) => lead.id) ?? [] } });
  const places = PLACES.flatMap(([, group]) => group).filter(({ right }) => scopeOf(user, right) !== undefined);
  const seesLists = seesAllLists(user);
  const lists = useQuery({ ...listsQuery, enabled: opened && seesLists }).data ?? [];
  const words = sought.toLowerCase();
  // By name only: all of them would hide what else there is.
  const byName = lists.filter(({ name, archived }) => words !== '' && !archived && name.toLowerCase().includes(words));
  const pages = [
    ...(opened && canAddLead() ? [page('Add a lead', IconUserPlus, addLead)] : []),
    ...(works ? [page('Work', IconHeadset, go(paths.work))] : []),
    ...(seesAllLeads(user) ? [page('Leads', IconUsers, go(paths.leads))] : []),
    ...(seesLists ? [page('Lists', IconStack2, go(paths.lists))] : []),
    ...(imports ? [page('Import a file', IconUpload, go(paths.newImport))] : []),
    ...(imports ? [page('Imports', IconHistory, go(paths.imports))] : []),
    ...places.map(({ word, icon, to }) => page(word, icon, go(to))),
    page('Preferences', IconUserCircle, go(paths.credentials)),
    page('API reference', IconBook2, () => location.assign(paths.reference)),
    page('Sign out', IconLogout, () => void signOut()),
  ].filter(({ label }) => label.toLowerCase().includes(words));
  const campaigns = (seesLists ? byName.slice(0, MOST_LISTS) : []).map(({ id, name }) => ({
    ...page(name, IconStack2, go(paths.list(id))),
    id: `list ${id}`,
  }));
  const isOpen = atDesk && document.querySelector('#outcome-winner') !== null;
  const outcomes = (isOpen ? OUTCOME_NAMES : []).filter(isMeant(sought)).map((name) => ({
    ...page(
      name === 'skip' ? 'Skip this lead' : `Mark as ${OUTCOMES[name].word.toLowerCase()}`,
      OUTCOMES[name].icon,
      () => document.querySelector<HTMLElement>(`#outcome-${name}`)?.click(),
    ),
    rightSection: <Key>{OUTCOMES[name].key.toUpperCase()}</Key>,
  }));
  const hasAsked = asked.length > 1 && sought.startsWith(asked);
  const leads = (hasAsked ? (found.data?.leads ?? []) : []).map((lead) => ({
    id: `lead ${lead.id}`,
    label: nameLead(lead),
    description: [sayPerson(lead), lead.list_name].filter(Boolean).join(' · '),
    leftSection: <IconUser size={16} stroke={1.75} aria-hidden />,
    rightSection: <StateBadge state={lead.state} />,
    onClick: openLead(lead.id),
  }));
  // Never an outcome: an Enter that was meant for a lead must not give the open one any.
  const first = sought === '' || isLooking ? undefined : (leads[0] ?? campaigns[0] ?? pages[0]);
  const { chosen, walk } = useChosen(sought, [...leads, ...outcomes, ...campaigns, ...pages], first, isLooking);
  const groups: [title: string, commands: Command[]][] = [
    ['Leads', leads],
    ['This lead', outcomes],
    ['Lists', campaigns],
    ['Go to', pages],
  ];
  const shown = groups.filter(([, commands]) => commands.length > 0);
  return (
    <Spotlight.Root
      store={searchStore}
      // The frame has the key, before this is there.
      shortcut={null}
      // Gone at once: the next key is the desk's.
      transitionProps={{ duration: 120, exitDuration: 0 }}
      classNames={{ content: 'float commands' }}
      attributes={{ content: { 'aria-label': 'Commands' } }}
      overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
      shadow="none"
      radius="lg"
      scrollable
      maxHeight="min(34rem, 100dvh - 7rem)"
    >
      <div onKeyDownCapture={walk}>
        <Spotlight.Search
          className="commands-search"
          placeholder="Search leads, or go somewhere"
          aria-label="Search"
          leftSection={<IconSearch size={18} stroke={1.75} aria-hidden />}
        />
      </div>
      {shown.length > 0 && (
        <div className="commands-list">
          {shown.map(([title, commands]) => (
            <Spotlight.ActionsGroup key={title} label={title} className="commands-group">
              {commands.map(({ id, ...command }) => (
                <Spotlight.Action
                  key={id}
                  {...command}
                  className="command"
                  classNames={{ actionBody: 'grow', actionLabel: 'strong', actionDescription: 'command-more' }}
                  data-selected={chosen?.id === id || undefined}
                />
              ))}
            </Spotlight.ActionsGroup>
          ))}
        </div>
      )}
      {shown.length === 0 && !isLooking && (
        <Spotlight.Empty className="commands-none">
          {found.error ? 'Leads could not be looked for. Try again in a moment.' : 'Nothing by that name.'}
        </Spotlight.Empty>
      )}
    </Spotlight.Root>
  );
}

const MOST_LISTS = 6;

const page = (label: string, Icon: TablerIcon, onClick: () => void): Command => ({
  id: label,
  label,
  leftSection: <Icon size={16} stroke={1.75} aria-hidden />,
  onClick,
});

const sayPerson = (lead: Lead): string =>
  `${lead.secondary_identifier ?? ''}${betweenOf(lead)}${lead.tertiary_identifier ?? ''}`;

const plain = (words: string) => words.toLowerCase().replaceAll(/\s/g, '');

/** By its own word: `win`, `call back`; not by what all of them begin with. */
const isMeant = (sought: string) => (name: OutcomeName) => {
  const words = plain(sought.replace(/^mark as\s+/i, ''));
  return words !== '' && plain(OUTCOMES[name].word).startsWith(words);
};

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

/** Arrows go from line to line and round. Enter takes the chosen line; while leads are being looked for it waits for them. */
function useChosen(sought: string, commands: Command[], first: Command | undefined, isLooking: boolean) {
  const [moved, setMoved] = useState({ sought, to: '' });
  const [waiting, setWaiting] = useState<string>();
  const own = moved.sought === sought ? commands.find(({ id }) => id === moved.to) : undefined;
  const chosen = own ?? first;
  const take = (command: Command | undefined) => {
    if (!command) return;
    command.onClick();
    search.close();
  };
  useEffect(() => {
    if (waiting === undefined || isLooking) return;
    setWaiting(undefined);
    if (waiting === sought) take(chosen);
  });
  useEffect(() => {
    document.querySelector('.command[data-selected]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen?.id]);
  const walk = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (event.nativeEvent.isComposing || (step === undefined && event.key !== 'Enter')) return;
    // The kit would take a line of its own choice.
    event.preventDefault();
    event.stopPropagation();
    if (step !== undefined) {
      // An Enter that waited was for what would be found, not for what is walked to since.
      setWaiting(undefined);
      const at = chosen ? commands.indexOf(chosen) + step : step > 0 ? 0 : -1;
      setMoved({ sought, to: commands.at(at % commands.length)?.id ?? '' });
    } else if (!chosen && isLooking) setWaiting(sought);
    else take(chosen);
  };
  return { chosen, walk };
}
