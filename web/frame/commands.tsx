import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { Lead } from '../../contract/leads.ts';
import { get } from '../api.ts';
import { nameLead } from '../leads/queries.ts';
import { paths } from '../paths.ts';
import { signOut, useRight } from '../session.ts';
import { Key } from '../ui/parts.tsx';
import { OUTCOME_NAMES, OUTCOMES, STATES } from '../ui/states.tsx';

/** Ctrl-K, or / : pages and acts by name, leads by anything that is known of them. */
export function Commands() {
  const navigate = useNavigate();
  const atDesk = useLocation({ select: ({ pathname }) => pathname === paths.work });
  const [typed, setTyped] = useState('');
  const [asked] = useDebouncedValue(typed.trim(), 120);
  const readsLeads = useRight('leads.read');
  const works = useRight('queue.work');
  const manages = useRight('users.read');
  const hooks = useRight('webhooks.manage');
  const owns = useRight('account.manage');
  const found = useQuery({
    queryKey: ['search', asked],
    queryFn: () => get<{ total: number; leads: Lead[] }>(`/leads/search?per_page=8&query=${encodeURIComponent(asked)}`),
    enabled: readsLeads && asked.length > 1,
    placeholderData: (before) => before,
  });
  const go = (to: string) => () => void navigate({ to });
  const pages: SpotlightActionData[] = [
    ...(works ? [{ id: 'work', label: 'Work', onClick: go(paths.work) }] : []),
    ...(manages ? [{ id: 'users', label: 'Users', onClick: go(paths.users) }] : []),
    ...(hooks ? [{ id: 'integrations', label: 'Integrations', onClick: go(paths.integrations) }] : []),
    ...(owns ? [{ id: 'account', label: 'Account', onClick: go(paths.account) }] : []),
    { id: 'credentials', label: 'Preferences', onClick: go(paths.credentials) },
    { id: 'reference', label: 'API reference', onClick: () => location.assign('/docs') },
    { id: 'sign-out', label: 'Sign out', onClick: () => void signOut() },
  ].filter(({ label }) => label.toLowerCase().includes(typed.trim().toLowerCase()));
  const isOpen = atDesk && document.querySelector('#outcome-winner') !== null;
  const outcomes: SpotlightActionData[] = (isOpen ? OUTCOME_NAMES : [])
    .map((name) => ({
      name,
      label: name === 'skip' ? 'Skip this lead' : `Mark as ${OUTCOMES[name].word.toLowerCase()}`,
    }))
    .filter(({ label }) => label.toLowerCase().includes(typed.trim().toLowerCase()))
    .map(({ name, label }) => ({
      id: name,
      label,
      rightSection: <Key>{OUTCOMES[name].key.toUpperCase()}</Key>,
      onClick: () => document.querySelector<HTMLElement>(`#outcome-${name}`)?.click(),
    }));
  const leads: SpotlightActionData[] = (asked === '' ? [] : (found.data?.leads ?? [])).map((lead) => ({
    id: `lead-${lead.id}`,
    label: nameLead(lead),
    description: [lead.secondary_identifier, lead.list_name, STATES[lead.state].word].filter(Boolean).join(' · '),
    onClick: go(paths.lead(lead.id)),
  }));
  return (
    <Spotlight
      actions={[
        { group: 'Leads', actions: leads },
        { group: 'This lead', actions: outcomes },
        { group: 'Go to', actions: pages },
      ]}
      filter={(_query, actions) => actions}
      query={typed}
      onQueryChange={setTyped}
      nothingFound="Nothing by that name."
      // The frame has the key, before this is there.
      shortcut={null}
      searchProps={{ placeholder: 'Search leads, or go somewhere', 'aria-label': 'Search' }}
      scrollable
      maxHeight={420}
    />
  );
}
