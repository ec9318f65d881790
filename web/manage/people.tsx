import { Checkbox, MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { mayGrant, ROLE_NAMES, ROLES, type Role } from '../../contract/roles.ts';
import { nameOf } from '../../contract/names.ts';
import type { Person, User } from '../../contract/users.ts';
import { useSession } from '../session.ts';
import { Breakable } from '../ui/parts.tsx';
import { listsQuery } from '../lists.ts';
import './people.css';

/** What each role adds. */
const ROLE_ADDS: Record<Role, string> = {
  agent: 'Calls the leads of the lists below.',
  users_admin: 'Invites, changes and disables people.',
  lists_admin: 'Makes lists, imports, merges and deletes leads, keeps webhooks.',
  analyst: 'Reads figures, call records and the live board.',
  supervisor: 'Works on every lead, hears recordings, watches the live board.',
};

export const rolesOf = (person: Person): string[] => [
  ...(person.owner ? ['Owner'] : []),
  ...ROLES.filter((role) => person[role]).map((role) => ROLE_NAMES[role]),
];

/** Name over address; the address alone where there is no name yet. */
export const Named = ({ person, you = false }: { person: Person | User; you?: boolean }) => (
  <div className="grow">
    <p className="strong wrap">
      {nameOf(person)}
      {you && <span className="meta"> (you)</span>}
    </p>
    {nameOf(person) !== person.email && (
      <p className="meta wrap">
        <Breakable>{person.email}</Breakable>
      </p>
    )}
  </div>
);

type RolesProps = {
  value: Role[];
  change: (roles: Role[]) => void;
  /** Why none of them can be changed. */
  closed?: string | undefined;
};

/** What one may not give or take is there, disabled, and says who may. */
export function RolesField({ value, change, closed }: RolesProps) {
  const { user } = useSession();
  const mayAll = ROLES.every((role) => mayGrant(user, role));
  const who = mayAll ? '' : ' Those in grey are given and taken by owners, and by those who have them.';
  return (
    <Checkbox.Group
      label="Roles"
      description={closed ?? `Someone can have several, and may do what any of them allows.${who}`}
      value={value}
      onChange={(roles) => change(roles)}
    >
      <div className="choices">
        {ROLES.map((role) => (
          <Checkbox
            key={role}
            value={role}
            disabled={closed !== undefined || !mayGrant(user, role)}
            label={ROLE_NAMES[role]}
            description={ROLE_ADDS[role]}
          />
        ))}
      </div>
    </Checkbox.Group>
  );
}

type ListsProps = { value: number[]; change: (ids: number[]) => void; error?: string | undefined };

export function ListsField({ value, change, error }: ListsProps) {
  const lists = useQuery(listsQuery);
  const known = lists.data ?? [];
  const ids = new Set(known.map(({ id }) => id));
  // One that is not told to this role is kept, not dropped.
  const unknown = value.filter((id) => !ids.has(id)).map((id) => ({ value: String(id), label: `List ${id}` }));
  return (
    <MultiSelect
      withScrollArea={false}
      classNames={{ options: 'choices-list' }}
      label="Lists"
      description="Whose leads they call as an agent. More can be added at any time."
      placeholder={value.length === 0 ? 'Choose lists' : ''}
      data={[...known.map(({ id, name }) => ({ value: String(id), label: name })), ...unknown]}
      value={value.map(String)}
      onChange={(chosen) => change(chosen.map(Number))}
      searchable
      clearable
      hidePickedOptions
      nothingFoundMessage={lists.isPending ? 'Loading the lists' : 'No list by that name.'}
      clearButtonProps={{ 'aria-label': 'Take all lists away' }}
      error={error ?? lists.error?.message}
    />
  );
}
