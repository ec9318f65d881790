import { ActionIcon, Menu } from '@mantine/core';
import { IconBan, IconDots, IconMailForward, IconMailOff, IconPencil, IconUserCheck } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Person } from '../../contract/users.ts';
import { ask } from '../api.ts';
import { nameOf } from '../../contract/names.ts';
import { useRight, useSession } from '../session.ts';
import { notice, tellFailure } from '../ui/notices.ts';
import { Confirm } from './parts.tsx';
import { refreshPeople } from './person-dialogs.tsx';

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
  return (
    <>
      <Menu position="bottom-end" width={270} classNames={{ dropdown: 'manage-menu' }}>
        <Menu.Target>
          <ActionIcon aria-label={`Actions for ${name}`}>
            <IconDots size={16} stroke={1.75} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Item icon={<IconPencil size={16} stroke={1.75} />} reason={ownerOnly} act={change}>
            {manages ? 'Change roles and lists' : 'Assign lists'}
          </Item>
          {person.status === 'invited' && (
            <>
              <Item
                icon={<IconMailForward size={16} stroke={1.75} />}
                reason={managersOnly}
                act={() => resend.mutate()}
              >
                Mail the invitation again
              </Item>
              <Item
                icon={<IconMailOff size={16} stroke={1.75} />}
                reason={managersOnly}
                act={() => setAsking('withdraw')}
              >
                Withdraw the invitation
              </Item>
            </>
          )}
          {person.status === 'active' && (
            <Item icon={<IconBan size={16} stroke={1.75} />} reason={notOneself} act={() => setAsking('disable')}>
              Disable
            </Item>
          )}
          {person.status === 'disabled' && (
            <Item icon={<IconUserCheck size={16} stroke={1.75} />} reason={managersOnly} act={() => enable.mutate()}>
              Let in again
            </Item>
          )}
        </Menu.Dropdown>
      </Menu>
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

type ItemProps = { icon: React.ReactNode; reason: string | undefined; act: () => void; children: string };

const Item = ({ icon, reason, act, children }: ItemProps) => (
  <Menu.Item className="menu-item" leftSection={icon} disabled={reason !== undefined} onClick={act}>
    {children}
    {reason && <span className="menu-reason">{reason}</span>}
  </Menu.Item>
);
