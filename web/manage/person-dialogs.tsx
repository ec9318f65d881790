import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ROLES, type Role } from '../../contract/roles.ts';
import type { Invitation, Person, PersonChange, User } from '../../contract/users.ts';
import { ask, queries } from '../api.ts';
import { nameOf } from '../../contract/names.ts';
import { useRight, useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { notice } from '../ui/notices.ts';
import { ListsField, RolesField } from './people.tsx';
import { Dialog, DialogFoot } from '../ui/dialog.tsx';
import { Fault, faultsOf, restOf, Form } from '../ui/form.tsx';
import './person-dialogs.css';

const LABELS = {
  email: 'E-mail',
  first_name: 'First name',
  last_name: 'Last name',
  listing_ids: 'Lists',
};

/** Everything that shows people is asked for again. */
export const refreshPeople = () =>
  Promise.all(
    ['people', 'subscription', 'outbox', 'session'].map((key) => queries.invalidateQueries({ queryKey: [key] })),
  );

const asSwitches = (roles: Role[]) =>
  Object.fromEntries(ROLES.map((role) => [role, roles.includes(role)])) as Record<Role, boolean>;

export const InviteDialog = ({ opened, close }: { opened: boolean; close: () => void }) => (
  <Dialog opened={opened} onClose={close} title="Invite someone" size={520} closeOnClickOutside={false}>
    <InviteForm close={close} />
  </Dialog>
);

function InviteForm({ close }: { close: () => void }) {
  const [email, setEmail] = useState('');
  const [firstName, setFirstName] = useState('');
  const [lastName, setLastName] = useState('');
  const [roles, setRoles] = useState<Role[]>(['agent']);
  const [lists, setLists] = useState<number[]>([]);
  const inviting = useMutation({
    mutationFn: () =>
      ask<User>('POST', '/users', {
        accept_charge_upon_invitation_acceptance: '1',
        user: {
          email,
          first_name: firstName.trim(),
          last_name: lastName.trim(),
          ...asSwitches(roles),
          listing_ids: lists,
        },
      } satisfies Invitation),
    onSuccess: (user) => {
      notice(`The invitation is on its way to ${user.email}.`);
      close();
      return refreshPeople();
    },
  });
  const faults = faultsOf(inviting.error, LABELS);
  return (
    <Form asking={inviting}>
      <TextInput
        label="E-mail"
        type="email"
        autoComplete="off"
        data-autofocus
        required
        withAsterisk={false}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={faults.email}
      />
      <div className="side-by-side">
        <TextInput
          label="First name"
          autoComplete="off"
          value={firstName}
          onChange={(event) => setFirstName(event.currentTarget.value)}
          error={faults.first_name}
        />
        <TextInput
          label="Last name"
          autoComplete="off"
          value={lastName}
          onChange={(event) => setLastName(event.currentTarget.value)}
          error={faults.last_name}
        />
      </div>
      <RolesField value={roles} change={setRoles} />
      <ListsField value={lists} change={setLists} error={faults.listing_ids} />
      <p className="aside-note">
        The invitation counts in the subscription only once it is accepted. The link in the mail works for 72 hours.
      </p>
      <Fault error={restOf(inviting.error, LABELS)} />
      <DialogFoot>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={inviting.isPending}>
          Invite
        </Button>
      </DialogFoot>
    </Form>
  );
}

type ChangeProps = { person: Person | undefined; close: () => void };

export const ChangeDialog = ({ person, close }: ChangeProps) => (
  <Dialog
    opened={person !== undefined}
    onClose={close}
    title={person ? `Change ${nameOf(person)}` : ''}
    size={520}
    closeOnClickOutside={false}
  >
    {person && <ChangeForm key={person.id} person={person} close={close} />}
  </Dialog>
);

function ChangeForm({ person, close }: { person: Person; close: () => void }) {
  const manages = useRight('users.manage');
  const { user: own } = useSession();
  const [firstName, setFirstName] = useState(person.first_name);
  const [lastName, setLastName] = useState(person.last_name);
  const [roles, setRoles] = useState<Role[]>(ROLES.filter((role) => person[role]));
  const [lists, setLists] = useState<number[]>(person.listing_ids);
  const changing = useMutation({
    mutationFn: () => {
      const user: PersonChange['user'] = {
        ...(manages && { first_name: firstName.trim(), last_name: lastName.trim(), ...asSwitches(roles) }),
        listing_ids: lists,
      };
      return ask<Person>('PATCH', `/users/${person.id}`, { user } satisfies PersonChange);
    },
    onSuccess: () => {
      close();
      return refreshPeople();
    },
  });
  const faults = faultsOf(changing.error, LABELS);
  const closed = !manages
    ? 'User managers and owners change them.'
    : person.id === own.id
      ? 'Nobody changes their own roles.'
      : undefined;
  return (
    <Form asking={changing}>
      <p className="meta wrap">{person.email}</p>
      {!manages && <p className="aside-note">Your role assigns lists. Names and roles are for user managers.</p>}
      {person.owner && <p className="aside-note">An owner may do everything; roles add nothing to that.</p>}
      <div className="side-by-side">
        <TextInput
          label="First name"
          autoComplete="off"
          disabled={!manages}
          data-autofocus={manages || undefined}
          value={firstName}
          onChange={(event) => setFirstName(event.currentTarget.value)}
          error={faults.first_name}
        />
        <TextInput
          label="Last name"
          autoComplete="off"
          disabled={!manages}
          value={lastName}
          onChange={(event) => setLastName(event.currentTarget.value)}
          error={faults.last_name}
        />
      </div>
      <RolesField value={roles} change={setRoles} closed={closed} />
      <ListsField value={lists} change={setLists} error={faults.listing_ids} />
      <Fault error={restOf(changing.error, LABELS)} />
      <DialogFoot>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={changing.isPending}>
          Save
        </Button>
      </DialogFoot>
    </Form>
  );
}
