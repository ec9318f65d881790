import { Checkbox, MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ROLES, type Role } from '../../contract/roles.ts';
import { nameOf } from '../../contract/names.ts';
import type { Person, User } from '../../contract/users.ts';
import { listsQuery } from '../leads/queries.ts';
import { Breakable } from '../ui/parts.tsx';

/** Roles as people call them, and what each adds. */
export const ROLE_WORDS: Record<Role, { word: string; may: string }> = {
  agent: { word: 'Agent', may: 'Calls the leads of the lists below.' },
  users_admin: { word: 'User manager', may: 'Invites, changes and disables people.' },
  lists_admin: { word: 'Data manager', may: 'Makes lists, imports, merges and deletes leads, keeps webhooks.' },
  analyst: { word: 'Analyst', may: 'Reads figures, call records and the live board.' },
  supervisor: { word: 'Supervisor', may: 'Works on every lead, hears recordings, watches the live board.' },
};

export const rolesOf = (person: Person): string[] => [
  ...(person.owner ? ['Owner'] : []),
  ...ROLES.filter((role) => person[role]).map((role) => ROLE_WORDS[role].word),
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

type RolesProps = { value: Role[]; change: (roles: Role[]) => void; disabled?: boolean; error?: string | undefined };

export const RolesField = ({ value, change, disabled = false, error }: RolesProps) => (
  <Checkbox.Group
    label="Roles"
    description="They add up."
    value={value}
    onChange={(roles) => change(roles)}
    error={error}
  >
    <div className="choices">
      {ROLES.map((role) => (
        <Checkbox
          key={role}
          value={role}
          disabled={disabled}
          label={ROLE_WORDS[role].word}
          description={ROLE_WORDS[role].may}
        />
      ))}
    </div>
  </Checkbox.Group>
);

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
