import { spotlight } from '@mantine/spotlight';
import { IconChevronDown, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { ListRow } from '../../contract/lists.ts';
import type { Ahead, Waiting } from '../../contract/queue.ts';
import { useNameOf } from '../colleagues.ts';
import { useKeys } from '../keys.ts';
import { nameLead } from '../leads/queries.ts';
import { useConnected, usePresence, useQueues, type QueueDepth } from '../live.ts';
import { useSession } from '../session.ts';
import { sayOverdue } from '../times.ts';
import { Menu } from '../ui/menu.tsx';
import { Initials, Key } from '../ui/parts.tsx';
import { dayQuery } from './queries.ts';
import { Badge, Tag } from '../ui/states.tsx';
import './strip.css';

type Props = {
  lists: ListRow[];
  listId: number;
  choose: (id: number) => void;
  doing: string;
  ahead: Ahead | undefined;
  /** Goes on to the lead that is likely next; undefined where none is open. */
  next: (() => void) | undefined;
};

/** Where one is, what waits, who else is here. */
export function Strip({ lists, listId, choose, doing, ahead, next }: Props) {
  const queues = useQueues();
  const depth = queues.find(({ list_id }) => list_id === listId);
  const connected = useConnected();
  const { data: day } = useQuery(dayQuery);
  return (
    <header className="strip">
      <Switcher lists={lists} listId={listId} choose={choose} queues={queues} />
      {depth && depth.due > 0 && (
        <Badge tone="call_back" className="narrow-only">
          {depth.due} due
        </Badge>
      )}
      {depth && <Depths depth={depth} laterToday={ahead?.later_today ?? 0} />}
      {next && ahead?.next && <Likely lead={ahead.next} next={next} />}
      <span className="grow" />
      {!connected && <Tag role="status">Connection lost. What you do is kept; we try again.</Tag>}
      {day && (
        <span className="day-figures wide-only">
          <b className="figures">{day.calls}</b> calls, <b className="figures">{day.won}</b> won today
        </span>
      )}
      <button type="button" className="strip-button search narrow-hidden" onClick={() => spotlight.open()}>
        <IconSearch size={16} stroke={1.75} aria-hidden /> Search <Key>/</Key>
      </button>
      <Colleagues listId={listId} />
      <span className="strip-button" role="status">
        <span className={doing === 'Ready' ? 'dot' : 'dot calling'} aria-hidden />
        {doing}
      </span>
    </header>
  );
}

function Switcher({
  lists,
  listId,
  choose,
  queues,
}: Pick<Props, 'lists' | 'listId' | 'choose'> & { queues: QueueDepth[] }) {
  const switcher = useRef<HTMLButtonElement>(null);
  useKeys({ g: () => switcher.current?.click() });
  const list = lists.find(({ id }) => id === listId);
  const saidOf = (id: number) => {
    const own = queues.find(({ list_id }) => list_id === id);
    return own && `${own.due.toLocaleString()} due, ${own.new.toLocaleString()} new`;
  };
  return (
    <Menu
      ref={switcher}
      className="strip-button list"
      aria-label={`List: ${list?.name ?? ''}. Change`}
      label="Lists"
      groups={[
        {
          items: lists.map(({ id, name }) => ({
            id,
            name,
            end: saidOf(id),
            isCurrent: id === listId,
            act: () => choose(id),
          })),
        },
      ]}
    >
      <span className="square" aria-hidden />
      <span className="name">{list?.name}</span>
      <IconChevronDown size={16} stroke={1.75} aria-hidden />
    </Menu>
  );
}

const Depths = ({ depth, laterToday }: { depth: QueueDepth; laterToday: number }) => (
  <ul className="depths narrow-hidden" aria-label="What waits">
    <li className={depth.due > 0 ? 'due' : ''}>
      <b className="figures">{depth.due.toLocaleString()}</b> due now
    </li>
    <li>
      <b className="figures">{laterToday.toLocaleString()}</b> later today
    </li>
    <li>
      <b className="figures">{depth.new.toLocaleString()}</b> new
    </li>
  </ul>
);

function Likely({ lead, next }: { lead: Waiting; next: () => void }) {
  const overdue = lead.state === 'call_back' ? sayOverdue(lead.at) : undefined;
  return (
    <button type="button" className="likely narrow-hidden" onClick={next}>
      Next <Key>N</Key> <strong>{nameLead(lead)}</strong>
      {overdue && <span className="due wide-only">{overdue}</span>}
    </button>
  );
}

function Colleagues({ listId }: { listId: number }) {
  const { user } = useSession();
  const nameOf = useNameOf();
  const present = usePresence().filter((one) => one.list_id === listId && one.user_email !== user.email);
  if (present.length === 0) return null;
  return (
    <div className="colleagues narrow-hidden" role="group" aria-label="Colleagues on this list">
      {present.slice(0, 5).map(({ user_email, calling }) => {
        const doing = calling ? 'calling' : 'ready';
        return <Initials key={user_email} name={nameOf(user_email)} doing={doing} />;
      })}
      {present.length > 5 && <span className="dim">+{present.length - 5}</span>}
    </div>
  );
}
