import { IconBan, IconMailForward, IconMailOff, IconPencil, IconUserCheck } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Person } from '../../contract/users.ts';
import { ask } from '../api.ts';
import { nameOf } from '../../contract/names.ts';
import { useRight, useSession } from '../session.ts';
import { notice, tellFailure } from '../ui/notices.ts';
import { Actions, type Action } from '../ui/actions.tsx';
import { refreshPeople } from './person-dialogs.tsx';
import { Confirm } from '../ui/dialog.tsx';

/** What can be done with someone. What the role may not is there, disabled, and says why. */
export function PersonMenu({ person, change }: { person: Person; change: () => void }) {
  const [asking, setAsking] = useState<'disable' | 'withdraw' | undefined>();
  const manages = useRight('users.manage');
  const { user } = useSession();
  const name = nameOf(person);
  const act = async (method: string, path: string) => {
    await ask(method, `/users/${person.id}/${path}`);
    await refreshPeople();
  };
  const resend = useMutation({
    mutationFn: () => act('POST', 'invitation'),
    onSuccess: () => notice(`Mailed again to ${person.email}. The earlier link has ended.`),
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
  const inStatus: Record<Person['status'], Action[]> = {
    invited: [
      { name: 'Mail the invitation again', icon: IconMailForward, reason: managersOnly, act: () => resend.mutate() },
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
      <Confirm
        opened={asking === 'withdraw'}
        close={() => setAsking(undefined)}
        title={`Withdraw the invitation of ${name}`}
        safe="Keep it"
        verb="Withdraw"
        act={() => act('DELETE', 'invitation')}
      >
        The link in the mail ends, and {person.email} is taken off this list. You can invite them anew later.
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
        on record, and they no longer count in the subscription.
      </Confirm>
    </>
  );
}
