import { Link } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { scopeOf, type Right } from '../../contract/roles.ts';
import { useRight, useSession } from '../session.ts';
import { Empty } from '../ui/parts.tsx';
import { PLACES } from './places.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import '../ui/panel.css';
import './manage-frame.css';

type Props = {
  title: string;
  /** Whoever lacks it is told so instead. */
  right: Right;
  action?: ReactNode;
  /** For what stands beside the page, such as an open log. */
  className?: string;
  children: ReactNode;
};

/** A second column with what the role may open, and the page beside it. */
export function ManageFrame({ title, right, action, className = '', children }: Props) {
  const allowed = useRight(right);
  return (
    <div className="manage">
      <Places />
      <Page title={title} action={allowed && action} className={className}>
        {allowed ? children : <Refusal title={title} />}
      </Page>
    </div>
  );
}

function Places() {
  const { user } = useSession();
  const groups = PLACES.map(([group, places]) => ({
    group,
    places: places.filter(({ right }) => scopeOf(user, right) !== undefined),
  })).filter(({ places }) => places.length > 0);
  const nav = useRef<HTMLElement>(null);
  // On a phone the places stand in one line that is longer than the screen.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, []);
  if (groups.length === 0) return null;
  return (
    <nav ref={nav} className="manage-nav" aria-label="Manage">
      <p className="manage-title">Manage</p>
      {groups.map(({ group, places }) => (
        <div key={group} role="group" aria-label={group}>
          <p className="manage-group">{group}</p>
          {places.map(({ to, word, icon: Icon }) => (
            <Link key={to} to={to} className="manage-item">
              <Icon size={18} stroke={1.75} aria-hidden />
              {word}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
}

const Refusal = ({ title }: { title: string }) => (
  <section className="panel" aria-label={title}>
    <Empty
      title="Your role does not open this page."
      action={
        <ButtonLink variant="default" href="/">
          Go to your desk
        </ButtonLink>
      }
    >
      Ask an owner of the account for what you need here.
    </Empty>
  </section>
);
