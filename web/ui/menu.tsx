import type { ComponentPropsWithRef, ReactNode } from 'react';
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

type Props = Omit<ComponentPropsWithRef<typeof Float>, 'kind' | 'panel'> & {
  groups: { title?: ReactNode; items: Item[] }[];
};

/** A button that opens a list of things to do or places to go to. */
export const Menu = ({ groups, ...rest }: Props) => (
  <Float
    {...rest}
    kind="menu"
    panel={(close) =>
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
      ))
    }
  />
);
