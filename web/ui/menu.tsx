import { IconSearch } from '@tabler/icons-react';
import { useRef, useState, type ComponentPropsWithRef, type KeyboardEvent, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { Float } from './float.tsx';
import './menu.css';

export type Item = {
  /** Where items come and go while it is open. */
  id?: number;
  name: ReactNode;
  act: () => void;
  icon?: ReactNode;
  /** At the far end, in figures. */
  end?: ReactNode;
  isCurrent?: boolean;
  /** Why it is not for this one: then it only says so. */
  reason?: string | undefined;
  className?: string;
};

type Groups = { title?: ReactNode; items: Item[] }[];

type Props = Omit<ComponentPropsWithRef<typeof Float>, 'kind' | 'panel'> & {
  groups: Groups;
  /** Typing narrows the items to those whose names have it in them; this says so while nothing is typed. Their names are texts then. */
  seek?: string | undefined;
};

/** A button that opens a list of things to do or places to go to. */
export const Menu = ({ groups, seek, ...rest }: Props) => (
  <Float
    {...rest}
    kind="menu"
    panel={(close) =>
      seek === undefined ? (
        <Items groups={groups} close={close} />
      ) : (
        <Narrowed groups={groups} seek={seek} close={close} />
      )
    }
  />
);

const Items = ({ groups, close }: { groups: Groups; close: () => void }) =>
  groups.map(({ title, items }, index) => (
    <div key={index} role="group">
      {title && <div className="menu-title">{title}</div>}
      {items.map(({ id, name, act, icon, end, isCurrent = false, reason, className = '' }, place) => (
        <button
          key={id ?? place}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className={`menu-item ${className}`}
          aria-current={isCurrent}
          // Not out of reach, so that the keyboard comes to the reason.
          aria-disabled={reason !== undefined}
          onClick={() => {
            if (reason !== undefined) return;
            close();
            act();
          }}
        >
          {icon}
          <span className="grow">
            {name}
            {reason && <span className="menu-reason">{reason}</span>}
          </span>
          {end && <span className="dim figures">{end}</span>}
        </button>
      ))}
    </div>
  ));

const has = (name: ReactNode, sought: string) =>
  typeof name === 'string' && name.toLowerCase().includes(sought.toLowerCase());

/** The focus stays on the items, so that arrows and Enter are what they always are. */
function Narrowed({ groups, seek, close }: { groups: Groups; seek: string; close: () => void }) {
  const [sought, setSought] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const fits = (text: string) => groups.some(({ items }) => items.some(({ name }) => has(name, text)));
  const hear = (event: KeyboardEvent) => {
    const isLetter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    // Space presses an item, unless it is within a name.
    if (!isLetter && event.key !== 'Backspace') return;
    if (event.key === ' ' && sought === '') return;
    event.preventDefault();
    const text = isLetter ? sought + event.key : sought.slice(0, -1);
    // A letter that no name has there is not taken: the list is never empty.
    if (!fits(text)) return;
    flushSync(() => setSought(text));
    list.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
  };
  return (
    <div
      ref={list}
      role="none"
      onKeyDown={hear}
      // Some browsers press a button when the space bar goes up.
      onKeyUp={(event) => event.key === ' ' && sought !== '' && event.preventDefault()}
    >
      {/* Whoever hears the page hears the item that each letter leads to. */}
      <p className="menu-sought" aria-hidden>
        <IconSearch size={14} stroke={1.75} />
        {sought || <span className="dim">{seek}</span>}
      </p>
      <Items
        groups={groups.map((group) => ({ ...group, items: group.items.filter(({ name }) => has(name, sought)) }))}
        close={close}
      />
    </div>
  );
}
