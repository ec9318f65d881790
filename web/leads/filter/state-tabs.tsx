import { queryOptions, useQuery } from '@tanstack/react-query';
import { useRef, type KeyboardEvent } from 'react';
import { readToken } from '../../../contract/filters.ts';
import type { StateCounts } from '../../../contract/lead-table.ts';
import { STATES, type State } from '../../../contract/states.ts';
import { get } from '../../api.ts';
import { Tab, Tabs } from '../../ui/tabs.tsx';
import { STATES as WORDS } from '../../ui/states.tsx';
import './state-tabs.css';

const countsQuery = (lists: number[]) =>
  queryOptions({
    queryKey: ['leads', 'counts', lists.join(',')],
    queryFn: () => get<StateCounts>(`/leads/counts${lists.length > 0 ? `?lists=${lists.join(',')}` : ''}`),
    refetchInterval: 30_000,
  });

const NAMES = Object.keys(STATES) as State[];
const isOfState = (text: string) => readToken(text)?.name === 'state';

/** The tab that stands for a token: the only one about states, of the form `state:is:…`. */
export function tabOf(f: string[]): State | 'all' | undefined {
  const [only, ...more] = f.filter(isOfState);
  if (only === undefined) return 'all';
  const token = readToken(only)!;
  const [state] = token.values;
  return more.length === 0 && token.operator === 'is' && token.values.length === 1 && NAMES.includes(state as State)
    ? (state as State)
    : undefined;
}

type Props = { lists: number[]; f: string[]; set: (change: { f: string[] }) => void };

/** The whole of the lists by state; a tab is a token like any other. */
export function StateTabs({ lists, f, set }: Props) {
  const { data: counts } = useQuery(countsQuery(lists));
  const tabs = useRef<HTMLDivElement>(null);
  const chosen = tabOf(f);
  const others = f.filter((text) => !isOfState(text));
  const walk = (event: KeyboardEvent) => {
    const all = [...(tabs.current?.querySelectorAll('button') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    all.at(to % all.length)?.focus();
  };
  return (
    <div ref={tabs} className="state-tabs" role="none" onKeyDown={walk}>
      <Tabs legend="State">
        {(['all', ...NAMES] as const).map((name) => (
          <Tab
            key={name}
            pressed={name === chosen}
            // One stop for Tab; arrows go on from there.
            tabIndex={name === (chosen ?? 'all') ? 0 : -1}
            onClick={() => set({ f: name === 'all' ? others : [`state:is:${name}`, ...others] })}
          >
            {name !== 'all' && <span className={`state-dot ${name}`} aria-hidden />}
            {name === 'all' ? 'All' : WORDS[name].word}{' '}
            <span className="figures dim">{counts?.[name === 'all' ? 'total' : name].toLocaleString()}</span>
          </Tab>
        ))}
      </Tabs>
    </div>
  );
}
