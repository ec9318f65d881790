import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { User } from '../../contract/users.ts';
import { nameOf } from '../../contract/names.ts';
import { sayCount } from '../counts.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Failure, Initials, Loading, Time } from '../ui/parts.tsx';
import { ManageFrame } from './manage-frame.tsx';
import { Named } from './people.tsx';
import { InviteDialog } from './person-dialogs.tsx';
import { subscriptionQuery } from './queries.ts';
import { Panel } from '../ui/panel.tsx';
import { sayWhenWithin } from '../times.ts';
import '../ui/panel.css';
import '../ui/rows.css';
import './subscription-page.css';

export const SubscriptionPage = () => (
  <ManageFrame title="Subscription" right="subscription.read">
    <Counted />
  </ManageFrame>
);

function Counted() {
  const { data, error, refetch } = useQuery(subscriptionQuery);
  const [inviting, setInviting] = useState(false);
  if (!data) {
    return (
      <section className="panel" aria-label="Who counts">
        {error ? <Failure error={error} again={() => void refetch()} /> : <Loading />}
      </section>
    );
  }
  const { counted, pending } = data;
  return (
    <div className="columns">
      <Panel title="Users that count" aside={sayCount(counted.length, 'person', 'people')} flush>
        <p className="box-note">
          They accepted their invitation and are not disabled. A subscription by the user goes by this number.
        </p>
        <People users={counted} none={<Empty title="Nobody counts yet." />} />
      </Panel>
      <Panel title="Invited, do not count yet" aside={sayCount(pending.length, 'person', 'people')} flush>
        <p className="box-note">They count from the moment they accept.</p>
        <People
          users={pending}
          when={({ created_at }) => <Time at={created_at} say={(at) => `Invited ${sayWhenWithin(at)}`} />}
          none={
            <Empty
              title="No invitation is open."
              action={
                <Button variant="default" onClick={() => setInviting(true)}>
                  Invite someone
                </Button>
              }
            >
              Whoever you invite stands here until they accept.
            </Empty>
          }
        />
      </Panel>
      <InviteDialog opened={inviting} close={() => setInviting(false)} />
    </div>
  );
}

type PeopleProps = { users: User[]; when?: (user: User) => ReactNode; none: ReactNode };

function People({ users, when, none }: PeopleProps) {
  if (users.length === 0) return none;
  return (
    <ul className="rows">
      {users.map((user) => (
        <li key={user.id} className="row">
          <Initials name={nameOf(user)} />
          <Named person={user} />
          {when && <span className="meta">{when(user)}</span>}
        </li>
      ))}
    </ul>
  );
}
