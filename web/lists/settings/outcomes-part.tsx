import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ListWithSettings } from '../../../contract/list-pages.ts';
import type { CategoryKind } from '../../../contract/lists.ts';
import { sayCount } from '../../counts.ts';
import { useRight } from '../../session.ts';
import { Key } from '../../ui/parts.tsx';
import { OUTCOME_NAMES, OUTCOMES } from '../../ui/states.tsx';
import { overviewQuery } from '../queries.ts';
import { CategoryChips } from './category-chips.tsx';
import { CallBackRows } from './call-back-rows.tsx';
import { useCategories, type Categories, type Chosen } from './categories.ts';
import { Beside, Part } from './part.tsx';
import { OutcomePreview, TryingAgain } from './outcome-preview.tsx';
import './outcomes-part.css';

export function OutcomesPart({ list }: { list: ListWithSettings }) {
  const [chosen, choose] = useState<Chosen>({
    kind: 'call_back',
    category: list.categories.call_back?.find((name) => /no answer/i.test(name)) ?? list.categories.call_back?.[0],
  });
  const categories = useCategories(list);
  return (
    <>
      <Part
        title="Categories"
        aside={<span className="narrow-hidden">The number beside each is how many leads carry it now</span>}
        jobs={list.jobs}
        action={
          <span className="move-hint meta narrow-hidden">
            Move <Key>Alt</Key> <Key>↑</Key> <Key>↓</Key>
          </span>
        }
      >
        {OUTCOME_NAMES.map((kind) => (
          <Outcome key={kind} kind={kind} list={list} categories={categories} choose={choose} />
        ))}
      </Part>
      <Beside>
        <OutcomePreview list={list} chosen={chosen} choose={choose} />
        <TryingAgain />
      </Beside>
    </>
  );
}

type OutcomeProps = {
  kind: CategoryKind;
  list: ListWithSettings;
  categories: Categories;
  choose: (chosen: Chosen) => void;
};

function Outcome({ kind, list, categories, choose }: OutcomeProps) {
  const { word, icon: Icon, state, key } = OUTCOMES[kind];
  const reads = useRight('stats.read');
  const { data: overview } = useQuery({ ...overviewQuery(list.id), enabled: reads });
  const names = list.categories[kind] ?? [];
  const carried = new Map(
    overview?.categories.filter((one) => one.kind === kind).map((one) => [one.category, one.leads]),
  );
  const leadsOf = (category: string) => (overview ? (carried.get(category) ?? 0) : undefined);
  const choices = { kind, list, names, categories, leadsOf, choose: (category: string) => choose({ kind, category }) };
  return (
    <section className="outcome-section" aria-label={word}>
      <div className="outcome-name">
        <Icon size={18} stroke={1.9} className={kind === 'skip' ? undefined : `tone-${state}`} aria-hidden />
        <div>
          <h3>
            {word} <Key>{key.toUpperCase()}</Key>
          </h3>
          <p className="meta">
            {kind === 'skip' ? 'Goes to the back' : overview ? sayCount(overview.counts[state], 'lead') : ''}
          </p>
        </div>
      </div>
      {kind === 'call_back' ? <CallBackRows {...choices} /> : <CategoryChips {...choices} />}
    </section>
  );
}
