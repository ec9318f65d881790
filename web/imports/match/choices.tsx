import { MultiSelect, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { MOST_SPREAD_OVER, type Import, type Plan } from '../../../contract/imports.ts';
import { STATES, type State } from '../../../contract/states.ts';
import { queries } from '../../api.ts';
import { useColleagues } from '../../colleagues.ts';
import { deskQuery } from '../../leads/queries.ts';
import { listsQuery } from '../../lists.ts';
import { fieldsQuery } from '../../lists/queries.ts';
import { tellFailure } from '../../ui/notices.ts';
import { STATES as WORDS } from '../../ui/states.tsx';
import { Panel } from '../../ui/panel.tsx';
import { forecast } from '../forecast.ts';
import { nameWithoutEnding } from '../words.ts';
import type { ChangePlan } from './change.ts';
import { carryOver } from './matching.ts';
import { SavedText } from './saved-text.tsx';
import '../../ui/form.css';
import './choices.css';

const NEW = 'new';
const NO_CATEGORY = '';

type Props = { import: Import; plan: Plan; change: ChangePlan };

/** Where the leads go, as what, and to whom. */
export function Choices({ import: one, plan, change }: Props) {
  return (
    <Panel title="Where they go">
      <div className="stack import-choices">
        <Into import={one} plan={plan} change={change} />
        <Standing plan={plan} change={change} />
        <People import={one} plan={plan} change={change} />
      </div>
    </Panel>
  );
}

function Into({ import: one, plan, change }: Props) {
  const lists = useQuery(listsQuery).data?.filter(({ id, archived }) => !archived || id === plan.list_id) ?? [];
  const chosen = plan.list_id === null ? NEW : String(plan.list_id);
  const choice = useRef<string>(undefined);
  const into = async (value: string) => {
    choice.current = value;
    const list_id = value === NEW ? null : Number(value);
    const [from, to] = await Promise.all([plan.list_id, list_id].map(readFields));
    // The fields of another list came first, and that is chosen since.
    if (choice.current !== value) return;
    const new_list = { name: nameWithoutEnding(one.file_name) };
    change(({ matches }) => ({
      list_id,
      category: null,
      matches: carryOver(matches, from!, to!),
      ...(list_id === null && { new_list }),
    }));
  };
  return (
    <>
      <NativeSelect
        label="List"
        value={chosen}
        data={[
          { value: NEW, label: 'A new list from this file' },
          ...lists.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        onChange={(event) => void into(event.currentTarget.value).catch(tellFailure)}
      />
      {plan.list_id === null && (
        <SavedText
          label="Name of the new list"
          value={plan.new_list?.name ?? ''}
          save={(name) => change({ new_list: { name } })}
        />
      )}
    </>
  );
}

const readFields = async (listId: number | null) =>
  listId === null ? [] : (await queries.ensureQueryData(fieldsQuery(listId))).fields;

/** The categories that its outcome has in the list; a new lead and a new list have none. */
function Standing({ plan, change }: Omit<Props, 'import'>) {
  const { data: desk } = useQuery({ ...deskQuery(plan.list_id ?? 0), enabled: plan.list_id !== null });
  const kind = STATES[plan.state];
  const categories = (kind && desk?.categories[kind]) ?? [];
  return (
    <div className="side-by-side">
      <NativeSelect
        label="State"
        value={plan.state}
        data={Object.entries(WORDS).map(([value, { word }]) => ({ value, label: word }))}
        onChange={(event) => change({ state: event.currentTarget.value as State, category: null })}
      />
      {categories.length > 0 && (
        <NativeSelect
          label="Category"
          value={plan.category ?? NO_CATEGORY}
          data={[{ value: NO_CATEGORY, label: 'None' }, ...categories]}
          onChange={(event) => change({ category: event.currentTarget.value || null })}
        />
      )}
    </div>
  );
}

function People({ import: one, plan, change }: Props) {
  const people = useColleagues().filter(({ id, active }) => active || plan.people.includes(id));
  const { made } = forecast(one.counts, plan);
  return (
    <MultiSelect
      label="To whom"
      placeholder={plan.people.length === 0 ? 'Whoever works the list' : ''}
      data={people.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={plan.people.map(String)}
      onChange={(chosen) => change({ people: chosen.map(Number) })}
      maxValues={MOST_SPREAD_OVER}
      hidePickedOptions
      searchable
      nothingFoundMessage="Nobody of that name."
      withScrollArea={false}
      classNames={{ options: 'choices-list' }}
      // Inside its landmark, unlike at the end of the page.
      comboboxProps={{ withinPortal: false }}
      description={plan.people.length > 0 && saySpread(made, plan.people.length)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    />
  );
}

/** `Claimed by them, in turn: 1,250 each`. */
function saySpread(leads: number, people: number): string {
  const each = `${Math.ceil(leads / people).toLocaleString()}${leads % people === 0 ? '' : ' at most'}`;
  return people === 1 ? 'Claimed by them, all new leads' : `Claimed by them, in turn: ${each} each`;
}
