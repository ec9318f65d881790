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
import { HandOver, handOverTitle } from './hand-over.tsx';
import { ListsField, RolesField } from './people.tsx';
import { peopleQuery } from './queries.ts';
import { Dialog, DialogFoot } from '../ui/dialog.tsx';
import { Fault, useFaults, restOf, Form } from '../ui/form.tsx';
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

type InviteProps = {
  opened: boolean;
  close: () => void;
  /** Those that they are to work, to begin with. */
  lists?: number[];
};

export function InviteDialog({ opened, close, lists = [] }: InviteProps) {
  // Where no mail leaves, the link is what one goes on with.
  const [invited, setInvited] = useState<User | undefined>();
  const leave = () => {
    setInvited(undefined);
    close();
  };
  const title = invited ? handOverTitle(invited) : 'Invite someone';
  return (
    <Dialog opened={opened} onClose={leave} title={title} size={520} closeOnClickOutside={false}>
      {invited ? (
        <HandOver person={invited} close={leave} />
      ) : (
        <InviteForm lists={lists} close={leave} handOver={setInvited} />
      )}
    </Dialog>
  );
}

type InviteFormProps = { lists: number[]; close: () => void; handOver: (user: User) => void };

function InviteForm({ lists: chosen, close, handOver }: InviteFormProps) {
  const { sends_mail } = useSession().account;
  const [email, setEmail] = useState('');
  const [firstName, setFirstName] = useState('');
  const [lastName, setLastName] = useState('');
  const [roles, setRoles] = useState<Role[]>(['agent']);
  const [lists, setLists] = useState<number[]>(chosen);
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
      if (sends_mail) {
        notice(`The invitation is on its way to ${user.email}.`);
        close();
      } else handOver(user);
      return refreshPeople();
    },
  });
  const faults = useFaults(inviting.error, LABELS, {
    email,
    first_name: firstName,
    last_name: lastName,
    listing_ids: lists,
  });
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
        {sends_mail
          ? 'They get a mail with a link, which works for 72 hours.'
          : 'No mail is sent from here, so you get the link to hand over. It works for 72 hours.'}{' '}
        They count as a user of the subscription once they have accepted.
      </p>
      <Fault error={restOf(inviting.error, LABELS)} />
      <DialogFoot>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={inviting.isPending}>
          {sends_mail ? 'Invite' : 'Invite, show the link'}
        </Button>
      </DialogFoot>
    </Form>
  );
}

type Wanted = Pick<Person, 'first_name' | 'last_name' | 'listing_ids'> & Record<Role, boolean>;

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

/** What was changed here and nothing else: the rest may be another by now, and stays so. */
async function differences(shown: Person, { listing_ids: lists, ...wanted }: Wanted): Promise<PersonChange['user']> {
  const changed = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== shown[name as keyof typeof wanted]),
  );
  const added = lists.filter((id) => !shown.listing_ids.includes(id));
  const removed = shown.listing_ids.filter((id) => !lists.includes(id));
  if (added.length + removed.length === 0) return changed;
  const people = await queries.fetchQuery({ ...peopleQuery, staleTime: 0 });
  const now = people.find(({ id }) => id === shown.id)?.listing_ids ?? shown.listing_ids;
  const listing_ids = [...new Set([...now, ...added])].filter((id) => !removed.includes(id));
  return { ...changed, listing_ids };
}

function ChangeForm({ person, close }: { person: Person; close: () => void }) {
  const manages = useRight('users.manage');
  const { user: own } = useSession();
  const [firstName, setFirstName] = useState(person.first_name);
  const [lastName, setLastName] = useState(person.last_name);
  const [roles, setRoles] = useState<Role[]>(ROLES.filter((role) => person[role]));
  const [lists, setLists] = useState<number[]>(person.listing_ids);
  const changing = useMutation({
    mutationFn: async () => {
      const user = await differences(person, {
        first_name: firstName.trim(),
        last_name: lastName.trim(),
        ...asSwitches(roles),
        listing_ids: lists,
      });
      if (Object.keys(user).length > 0)
        await ask<Person>('PATCH', `/users/${person.id}`, { user } satisfies PersonChange);
    },
    onSuccess: () => {
      close();
      return refreshPeople();
    },
  });
  const faults = useFaults(changing.error, LABELS, {
    first_name: firstName,
    last_name: lastName,
    listing_ids: lists,
  });
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
