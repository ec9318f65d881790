import { TextInput } from '@mantine/core';
import { IconBan, IconMail, IconSearch, IconUserCheck, IconUserPlus, type TablerIcon } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Person } from '../../contract/users.ts';
import { nameOf } from '../../contract/names.ts';
import { scopeOf } from '../../contract/roles.ts';
import { useRight, useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { GuardedButton } from '../ui/guarded.tsx';
import { Empty, Failure, Initials, Loading } from '../ui/parts.tsx';
import { ManageFrame } from './manage-frame.tsx';
import { Named, rolesOf } from './people.tsx';
import { ChangeDialog, InviteDialog } from './person-dialogs.tsx';
import { PersonMenu } from './person-menu.tsx';
import { peopleQuery } from './queries.ts';
import { listsQuery } from '../lists.ts';
import { Tab, Tabs } from '../ui/tabs.tsx';
import { Tag } from '../ui/states.tsx';
import '../ui/panel.css';
import '../ui/rows.css';
import './users-page.css';

type Status = Person['status'];

const STATUSES: Record<Status, { word: string; icon: TablerIcon }> = {
  active: { word: 'Active', icon: IconUserCheck },
  invited: { word: 'Invited', icon: IconMail },
  disabled: { word: 'Disabled', icon: IconBan },
};

export function UsersPage() {
  const manages = useRight('users.manage');
  const [inviting, setInviting] = useState(false);
  const invite = (
    <GuardedButton
      may={manages}
      who="User managers and owners invite people."
      leftSection={<IconUserPlus size={16} stroke={1.75} aria-hidden />}
      onClick={() => setInviting(true)}
    >
      Invite someone
    </GuardedButton>
  );
  return (
    <ManageFrame title="Users" right="users.read" action={invite}>
      <People />
      <InviteDialog opened={inviting} close={() => setInviting(false)} />
    </ManageFrame>
  );
}

function People() {
  const { data, error, refetch } = useQuery(peopleQuery);
  const [status, setStatus] = useState<Status | undefined>();
  const [typed, setTyped] = useState('');
  const [changed, setChanged] = useState<Person | undefined>();
  const wanted = typed.trim().toLowerCase();
  const found = (data ?? []).filter((person) => `${nameOf(person)} ${person.email}`.toLowerCase().includes(wanted));
  const shown = found.filter((person) => status === undefined || person.status === status);
  const count = (of: Status) => found.filter((person) => person.status === of).length;
  return (
    <section className="panel flush" aria-label="People">
      <div className="box-head">
        <Tabs legend="Status">
          <Tab pressed={status === undefined} onClick={() => setStatus(undefined)}>
            All <span className="figures">{found.length}</span>
          </Tab>
          {(Object.keys(STATUSES) as Status[]).map((one) => (
            <Tab key={one} pressed={status === one} onClick={() => setStatus(one)}>
              {STATUSES[one].word} <span className="figures">{count(one)}</span>
            </Tab>
          ))}
        </Tabs>
        <span className="grow" />
        <TextInput
          className="find"
          aria-label="Find a person"
          placeholder="Name or e-mail"
          type="search"
          leftSection={<IconSearch size={16} stroke={1.75} aria-hidden />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      {!data && (error ? <Failure error={error} again={() => void refetch()} /> : <Loading />)}
      {data && shown.length === 0 && (
        <Empty
          title="Nobody like that here."
          action={
            <Button
              variant="default"
              onClick={() => {
                setStatus(undefined);
                setTyped('');
              }}
            >
              Show everyone
            </Button>
          }
        >
          Change the status or the name you look for.
        </Empty>
      )}
      {shown.length > 0 && <Table people={shown} change={setChanged} />}
      <ChangeDialog person={changed} close={() => setChanged(undefined)} />
    </section>
  );
}

function Table({ people, change }: { people: Person[]; change: (person: Person) => void }) {
  const { user } = useSession();
  return (
    // Roles in full: on a narrow screen the rows are laid out as blocks.
    <table className="people" role="table">
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader">Person</th>
          <th role="columnheader">Roles</th>
          <th role="columnheader">Lists</th>
          <th role="columnheader">Status</th>
          <th role="columnheader">
            <span className="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {people.map((person) => (
          <tr key={person.id} role="row" className={person.status === 'disabled' ? 'resting' : ''}>
            <td role="cell">
              <div className="who">
                <Initials name={nameOf(person)} />
                <Named person={person} you={person.id === user.id} />
              </div>
            </td>
            <td role="cell">
              <div className="tags">
                {rolesOf(person).map((role) => (
                  <Tag key={role}>{role}</Tag>
                ))}
              </div>
            </td>
            <td role="cell">
              <Lists person={person} />
            </td>
            <td role="cell">
              <StatusWord status={person.status} />
            </td>
            <td role="cell">
              <PersonMenu person={person} change={() => change(person)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function StatusWord({ status }: { status: Status }) {
  const { word, icon: Icon } = STATUSES[status];
  return (
    <span className="standing">
      <Icon size={14} stroke={1.75} aria-hidden />
      {word}
    </span>
  );
}

const SHOWN = 2;

function Lists({ person }: { person: Person }) {
  const { listing_ids, agent } = person;
  const lists = useQuery(listsQuery);
  const nameOfList = (id: number) => lists.data?.find((list) => list.id === id)?.name ?? `List ${id}`;
  if (listing_ids.length === 0) {
    if (scopeOf(person, 'leads.read') === 'account') return <span className="dim untold">All</span>;
    return agent ? <span className="dim">No list yet</span> : <span className="dim untold">None</span>;
  }
  const names = listing_ids.map(nameOfList);
  const more = names.length - SHOWN;
  return (
    <span className="wrap" title={more > 0 ? names.join(' · ') : undefined}>
      {names.slice(0, SHOWN).join(' · ')}
      {more > 0 && <span className="meta"> and {more} more</span>}
    </span>
  );
}
