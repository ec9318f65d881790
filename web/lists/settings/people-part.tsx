import { Checkbox, TextInput } from '@mantine/core';
import { IconSearch, IconUserPlus } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ListPeople, ListWithSettings } from '../../../contract/list-pages.ts';
import { nameOf } from '../../../contract/names.ts';
import type { Person } from '../../../contract/users.ts';
import { ask, queries } from '../../api.ts';
import { useColleagues } from '../../colleagues.ts';
import { rolesOf } from '../../manage/people.tsx';
import { InviteDialog } from '../../manage/person-dialogs.tsx';
import { peopleQuery } from '../../manage/queries.ts';
import { useRight } from '../../session.ts';
import { GuardedButton } from '../../ui/guarded.tsx';
import { tellFailure } from '../../ui/notices.ts';
import { Empty, Failure, Initials, Loading } from '../../ui/parts.tsx';
import { Tag } from '../../ui/states.tsx';
import { lookAgain } from '../change-list.ts';
import { Beside, Part } from './part.tsx';
import { peopleOfQuery } from './queries.ts';
import './people-part.css';

const WHO_ASSIGNS = 'Data managers, user managers and owners say who works a list.';
/** More than these are found by typing. */
const SHOWN = 100;

/** As much of someone as every role that comes here may know. */
type Known = { id: number; name: string; email: string; person?: Person };

function usePeople(): { people: Known[] | undefined; error: Error | null; again: () => void } {
  const reads = useRight('users.read');
  const { data, error, refetch } = useQuery({ ...peopleQuery, enabled: reads });
  const colleagues = useColleagues();
  const people = reads
    ? data?.map((person) => ({ id: person.id, name: nameOf(person), email: person.email, person }))
    : colleagues;
  return { people, error, again: () => void refetch() };
}

const sayWorkers = (count: number): string =>
  count === 0 ? 'Nobody works it yet' : count === 1 ? 'One works it' : `${count.toLocaleString()} work it`;

export function PeoplePart({ list }: { list: ListWithSettings }) {
  const assigns = useRight('users.assign');
  const invites = useRight('users.manage');
  const [isInviting, setInviting] = useState(false);
  const { data: given, error, refetch } = useQuery(peopleOfQuery(list.id));
  const { people, error: unknown, again } = usePeople();
  return (
    <>
      <Part
        title="People"
        aside={given && sayWorkers(given.user_ids.length)}
        may={assigns}
        who={WHO_ASSIGNS}
        action={
          <GuardedButton
            variant="default"
            may={invites}
            who="User managers and owners invite people."
            leftSection={<IconUserPlus size={16} stroke={1.75} aria-hidden />}
            onClick={() => setInviting(true)}
          >
            Invite someone
          </GuardedButton>
        }
      >
        {given && people ? (
          <Choices list={list} given={given} people={people} />
        ) : (error ?? unknown) ? (
          <Failure error={(error ?? unknown)!} again={() => void (error ? refetch() : again())} />
        ) : (
          <Loading />
        )}
      </Part>
      <Beside>
        <section className="panel trying-again" aria-label="What it means">
          <h2>Who works a list</h2>
          <p>Agents get its leads at their desk from the next one on, and see its leads and scripts.</p>
          <p>
            Whoever is taken off may finish the lead that is open. Those they hold a claim on stay theirs and come up at
            nobody’s desk: release them, or give them to others, in the table of leads.
          </p>
          <p>Data managers and supervisors see every list, named here or not; only agents call.</p>
        </section>
      </Beside>
      <InviteDialog
        opened={isInviting}
        lists={[list.id]}
        close={() => {
          setInviting(false);
          lookAgain(list.id);
        }}
      />
    </>
  );
}

type ChoicesProps = { list: ListWithSettings; given: ListPeople; people: Known[] };

function Choices({ list, given, people }: ChoicesProps) {
  const [typed, setTyped] = useState('');
  // Those who were on it when one came stay on top, so that nobody moves from under the pointer.
  const [first] = useState(() => new Set(given.user_ids));
  const assigned = new Set(given.user_ids);
  const changing = usePeopleChange(list);
  const sought = typed.trim().toLowerCase();
  const found = people
    .filter(({ id, person }) => person?.status !== 'disabled' || assigned.has(id))
    .filter(({ name, email }) => `${name} ${email}`.toLowerCase().includes(sought))
    .toSorted((a, b) => Number(first.has(b.id)) - Number(first.has(a.id)) || a.name.localeCompare(b.name));
  return (
    <>
      <div className="people-seek">
        <TextInput
          aria-label="Find a person"
          placeholder="Name or e-mail"
          type="search"
          leftSection={<IconSearch size={16} stroke={1.75} aria-hidden />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      {found.length === 0 && <Empty title="Nobody like that here.">Look for another name, or invite someone.</Empty>}
      <ul className="people-rows">
        {found.slice(0, SHOWN).map((one) => (
          <PersonRow
            key={one.id}
            one={one}
            works={assigned.has(one.id)}
            change={(works) => changing.mutate({ id: one.id, works })}
          />
        ))}
      </ul>
      {found.length > SHOWN && (
        <p className="people-more meta">{(found.length - SHOWN).toLocaleString()} more: type a part of the name.</p>
      )}
    </>
  );
}

type RowProps = { one: Known; works: boolean; change: (works: boolean) => void };

function PersonRow({ one: { name, email, person }, works, change }: RowProps) {
  const callsNobody = works && person && !person.agent;
  return (
    <li>
      <Initials name={name} />
      <Checkbox
        className="grow"
        label={name}
        description={[
          name === email ? '' : email,
          person?.status === 'invited' ? 'Invited' : '',
          person?.status === 'disabled' ? 'Disabled' : '',
          callsNobody ? 'Not an agent: calls nobody' : '',
        ]
          .filter(Boolean)
          .join(' · ')}
        checked={works}
        onChange={(event) => change(event.currentTarget.checked)}
      />
      {person && (
        <span className="tags narrow-hidden">
          {rolesOf(person).map((role) => (
            <Tag key={role}>{role}</Tag>
          ))}
        </span>
      )}
    </li>
  );
}

/** One after the other, each on top of what holds by then. */
function usePeopleChange(list: ListWithSettings) {
  const { queryKey } = peopleOfQuery(list.id);
  const withOne = (now: ListPeople, { id, works }: { id: number; works: boolean }): ListPeople => ({
    ...now,
    user_ids: [...now.user_ids.filter((one) => one !== id), ...(works ? [id] : [])],
  });
  return useMutation({
    scope: { id: `people ${list.id}` },
    mutationFn: async (change: { id: number; works: boolean }) => {
      const now = withOne(queries.getQueryData<ListPeople>(queryKey)!, change);
      const people = await ask<ListPeople>('PUT', `/lists/${list.id}/people`, {
        list: { user_ids: now.user_ids },
        seen: { people: now.version },
      });
      queries.setQueryData(queryKey, people);
    },
    onMutate: async (change) => {
      await queries.cancelQueries({ queryKey });
      queries.setQueryData<ListPeople>(queryKey, (now) => now && withOne(now, change));
    },
    onError: tellFailure,
    onSettled: () => {
      lookAgain(list.id);
      void queries.invalidateQueries({ queryKey: ['people'] });
    },
  });
}
