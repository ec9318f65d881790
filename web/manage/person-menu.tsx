import {
  IconBan,
  IconLink,
  IconMailForward,
  IconMailOff,
  IconPencil,
  IconRefresh,
  IconUserCheck,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Person } from '../../contract/users.ts';
import { mayGrant, ROLES } from '../../contract/roles.ts';
import { ask } from '../api.ts';
import { nameOf } from '../../contract/names.ts';
import { useRight, useSession } from '../session.ts';
import { notice, tellFailure } from '../ui/notices.ts';
import { Actions, type Action } from '../ui/actions.tsx';
import { HandOverDialog } from './hand-over.tsx';
import { refreshPeople } from './person-dialogs.tsx';
import { Confirm } from '../ui/dialog.tsx';

/** What can be done with someone. What the role may not is there, disabled, and says why. */
export function PersonMenu({ person, change }: { person: Person; change: () => void }) {
  const [asking, setAsking] = useState<'disable' | 'withdraw' | undefined>();
  const manages = useRight('users.manage');
  const [handing, setHanding] = useState(false);
  const { user, account } = useSession();
  const name = nameOf(person);
  const act = async (method: string, path: string) => {
    await ask(method, `/users/${person.id}/${path}`);
    await refreshPeople();
  };
  const resend = useMutation({
    mutationFn: () => act('POST', 'invitation'),
    onSuccess: () =>
      account.sends_mail ? notice(`Mailed again to ${person.email}. The earlier link has ended.`) : setHanding(true),
    onError: tellFailure,
  });
  const enable = useMutation({
    mutationFn: () => act('POST', 'enable'),
    onSuccess: () => notice(`${name} may sign in again, with a new personal key.`),
    onError: tellFailure,
  });
  const ownerOnly = person.owner && !user.owner ? 'Only an owner may change an owner' : undefined;
  const managersOnly = ownerOnly ?? (manages ? undefined : 'For user managers and owners');
  const notOneself = managersOnly ?? (person.id === user.id ? 'Nobody disables themselves' : undefined);
  // Whoever has the link becomes that person.
  const grants = ROLES.every((role) => !person[role] || mayGrant(user, role));
  const beyond = managersOnly ?? (grants ? undefined : 'For owners: it gives roles that you have not');
  const inStatus: Record<Person['status'], Action[]> = {
    invited: [
      { name: 'Show the invitation link', icon: IconLink, reason: beyond, act: () => setHanding(true) },
      {
        name: account.sends_mail ? 'Mail the invitation again' : 'Make a new link',
        icon: account.sends_mail ? IconMailForward : IconRefresh,
        reason: managersOnly,
        act: () => resend.mutate(),
      },
      { name: 'Withdraw the invitation', icon: IconMailOff, reason: managersOnly, act: () => setAsking('withdraw') },
    ],
    active: [{ name: 'Disable', icon: IconBan, reason: notOneself, act: () => setAsking('disable') }],
    disabled: [{ name: 'Let in again', icon: IconUserCheck, reason: managersOnly, act: () => enable.mutate() }],
  };
  return (
    <>
      <Actions
        of={name}
        items={[
          {
            name: manages ? 'Change roles and lists' : 'Assign lists',
            icon: IconPencil,
            reason: ownerOnly,
            act: change,
          },
          ...inStatus[person.status],
        ]}
      />
      <HandOverDialog person={handing ? person : undefined} close={() => setHanding(false)} />
      <Confirm
        opened={asking === 'withdraw'}
        close={() => setAsking(undefined)}
        title={`Withdraw the invitation of ${name}`}
        safe="Keep it"
        verb="Withdraw"
        act={() => act('DELETE', 'invitation')}
      >
        The link ends, and {person.email} is taken off this list. You can invite them anew later.
      </Confirm>
      <Confirm
        opened={asking === 'disable'}
        close={() => setAsking(undefined)}
        title={`Disable ${name}`}
        safe="Leave as is"
        verb="Disable"
        act={() => act('POST', 'disable')}
      >
        Sessions and the personal key end at once, and the leads {name} holds go back to everyone. What {name} did stays
        on record, and they no longer count as a user of the subscription.
      </Confirm>
    </>
  );
}
