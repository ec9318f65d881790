import {
  IconArchive,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconPlayerSkipForward,
  IconTrophy,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ComponentPropsWithRef } from 'react';
import type { State } from '../../contract/states.ts';
import './states.css';

/** Always colour + icon + word. */
export const STATES: Record<State, { word: string; icon: TablerIcon }> = {
  new: { word: 'New', icon: IconCircleDashed },
  call_back: { word: 'Call back', icon: IconClock },
  won: { word: 'Won', icon: IconTrophy },
  lost: { word: 'Lost', icon: IconCircleX },
  archived: { word: 'Archived', icon: IconArchive },
};

export const OUTCOMES = {
  winner: { word: 'Winner', key: 'w', state: 'won', icon: IconTrophy },
  call_back: { word: 'Call back', key: 'c', state: 'call_back', icon: IconClock },
  loser: { word: 'Loser', key: 'l', state: 'lost', icon: IconCircleX },
  archive: { word: 'Archive', key: 'a', state: 'archived', icon: IconArchive },
  skip: { word: 'Skip', key: 's', state: 'archived', icon: IconPlayerSkipForward },
} as const satisfies Record<string, { word: string; key: string; state: State; icon: TablerIcon }>;
export type OutcomeName = keyof typeof OUTCOMES;
export const OUTCOME_NAMES = Object.keys(OUTCOMES) as OutcomeName[];

type BadgeProps = ComponentPropsWithRef<'span'> & { tone: State };

/** What became of something, in its colour. */
export const Badge = ({ tone, className = '', ...rest }: BadgeProps) => (
  <span className={`badge toned ${tone} ${className}`} {...rest} />
);

/** What else is worth knowing, without one. */
export const Tag = (props: ComponentPropsWithRef<'span'>) => <span className="tag" {...props} />;

export function StateBadge({ state, category }: { state: State; category?: string | null }) {
  const { word, icon: Icon } = STATES[state];
  return (
    <Badge tone={state}>
      <Icon size={14} stroke={1.75} aria-hidden />
      {category ? `${word}, ${category}` : word}
    </Badge>
  );
}
