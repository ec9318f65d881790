import { Menu, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconSearch } from '@tabler/icons-react';
import { spotlight } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Day } from '../../contract/queue.ts';
import type { ListRow } from '../../contract/lists.ts';
import { get } from '../api.ts';
import { useKeys } from '../keys.ts';
import { useConnected, usePresence, useQueues } from '../live.ts';
import { useSession } from '../session.ts';
import { Initials, Key } from '../ui/parts.tsx';

type Props = { lists: ListRow[]; listId: number; choose: (id: number) => void; doing: string };

/** Where one is, what waits, who else is here. */
export function Strip({ lists, listId, choose, doing }: Props) {
  const { user } = useSession();
  const queues = useQueues();
  const depth = queues.find(({ list_id }) => list_id === listId);
  const present = usePresence().filter((one) => one.list_id === listId && one.user_email !== user.email);
  const connected = useConnected();
  const { data: day } = useQuery({ queryKey: ['day'], queryFn: () => get<Day>('/day') });
  const switcher = useRef<HTMLButtonElement>(null);
  useKeys({ g: () => switcher.current?.click() });
  const list = lists.find(({ id }) => id === listId);
  return (
    <header className="strip">
      <Menu withInitialFocusPlaceholder={false} position="bottom-start" width={320} classNames={{ dropdown: 'float' }}>
        <Menu.Target>
          <UnstyledButton ref={switcher} className="strip-button list" aria-label={`List: ${list?.name ?? ''}. Change`}>
            <span className="square" aria-hidden />
            {list?.name}
            <IconChevronDown size={16} stroke={1.75} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          {lists.map(({ id, name }) => {
            const own = queues.find(({ list_id }) => list_id === id);
            return (
              <Menu.Item
                key={id}
                onClick={() => choose(id)}
                aria-current={id === listId}
                rightSection={own && <span className="dim figures">{`${own.due} due, ${own.new} new`}</span>}
              >
                {name}
              </Menu.Item>
            );
          })}
        </Menu.Dropdown>
      </Menu>
      {depth && (
        <ul className="depths narrow-hidden" aria-label="What waits">
          <li className={depth.due > 0 ? 'due' : ''}>
            <b className="figures">{depth.due}</b> due now
          </li>
          <li>
            <b className="figures">{Math.max(0, depth.call_backs - depth.due).toLocaleString()}</b> later
          </li>
          <li>
            <b className="figures">{depth.new.toLocaleString()}</b> new
          </li>
        </ul>
      )}
      <span className="grow" />
      {!connected && <span className="tag">Connection lost. What you do is kept; we try again.</span>}
      {day && (
        <span className="dim wide-only">
          <b className="figures">{day.calls}</b> calls, <b className="figures">{day.won}</b> won today
        </span>
      )}
      <UnstyledButton className="strip-button narrow-hidden" onClick={() => spotlight.open()}>
        <IconSearch size={16} stroke={1.75} aria-hidden /> Search <Key>/</Key>
      </UnstyledButton>
      {present.length > 0 && (
        <div className="colleagues narrow-hidden" role="group" aria-label="Colleagues on this list">
          {present.slice(0, 5).map((one) => (
            <Initials key={one.user_email} name={one.user_email} doing="ready" />
          ))}
        </div>
      )}
      <span className="strip-button" role="status">
        {doing}
      </span>
    </header>
  );
}
