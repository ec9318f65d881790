import { IconChevronDown, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { ListAtPages } from '../../contract/list-pages.ts';
import type { Ahead, Waiting } from '../../contract/queue.ts';
import { useNameOf } from '../colleagues.ts';
import { useKeys } from '../keys.ts';
import { nameLead } from '../leads/queries.ts';
import { useConnected, usePresence, useQueues, useStanding, type QueueDepth } from '../live.ts';
import { search } from '../search.ts';
import { useSession } from '../session.ts';
import { sayOverdue } from '../times.ts';
import { Menu } from '../ui/menu.tsx';
import { Initials, Key } from '../ui/parts.tsx';
import { Status } from './status.tsx';
import { dayQuery } from './queries.ts';
import { Badge, Tag } from '../ui/states.tsx';
import './strip.css';

type Props = {
  lists: ListAtPages[];
  listId: number;
  choose: (id: number) => void;
  ahead: Ahead | undefined;
  /** Goes on to the lead that is likely next; undefined where none is open. */
  next: (() => void) | undefined;
  /** Why no other lead comes. */
  stopped: string | undefined;
  /** Opens the form for a new lead, where one may write any. */
  add: (() => void) | undefined;
};

/** Where one is, what waits, who else is here. */
export function Strip({ lists, listId, choose, ahead, next, stopped, add }: Props) {
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
      {next && ahead?.next && !stopped && <Likely lead={ahead.next} next={next} />}
      <span className="grow" />
      {stopped && next && <Tag role="status">{stopped}. Finish this lead, no other comes.</Tag>}
      {!connected && (
        <Tag role="status">
          <span>
            Reconnecting<span className="wide-only">. What you do is kept.</span>
          </span>
        </Tag>
      )}
      {day && (
        <span className="day-figures wide-only">
          <b className="figures">{day.calls}</b> {day.calls === 1 ? 'call' : 'calls'},{' '}
          <b className="figures">{day.won}</b> won today
        </span>
      )}
      <button type="button" className="strip-button search narrow-hidden" aria-label="Search" onClick={search.open}>
        <IconSearch size={16} stroke={1.75} aria-hidden /> <span className="columns-only">Search</span> <Key>/</Key>
      </button>
      <Colleagues listId={listId} />
      <Status add={add} />
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
  const standing = useStanding();
  const saidOf = ({ id, paused }: ListAtPages) => {
    if (standing.find((one) => one.id === id)?.paused ?? paused) return 'paused';
    const own = queues.find(({ list_id }) => list_id === id);
    return own && `${own.due.toLocaleString()} due, ${own.new.toLocaleString()} new`;
  };
  return (
    <Menu
      ref={switcher}
      className="strip-button list"
      aria-label={`List: ${list?.name ?? ''}. Change`}
      label="Lists"
      seek="Type to filter"
      groups={[
        {
          items: lists.map((one) => ({
            id: one.id,
            name: one.name,
            end: saidOf(one),
            isCurrent: one.id === listId,
            act: () => choose(one.id),
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
      <b className="figures">{depth.due.toLocaleString()}</b> due <span className="columns-only">now</span>
    </li>
    <li>
      <b className="figures">{laterToday.toLocaleString()}</b> later <span className="columns-only">today</span>
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
    <div className="colleagues columns-only" role="group" aria-label="Colleagues on this list">
      {present.slice(0, 5).map(({ user_email, doing, reason }) => (
        <Initials key={user_email} name={nameOf(user_email)} doing={doing} reason={doing === 'away' ? reason : null} />
      ))}
      {present.length > 5 && <span className="dim">+{present.length - 5}</span>}
    </div>
  );
}
