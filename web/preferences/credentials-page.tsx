import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { queries } from '../api.ts';
import { KeyPanel } from '../manage/key-panel.tsx';
import { KeyUsePanel } from '../manage/key-use.tsx';
import { rolesOf } from '../manage/people.tsx';
import { keyQuery } from '../manage/queries.ts';
import { nameOf } from '../../contract/names.ts';
import { paths } from '../../contract/paths.ts';
import { useRight, useSession } from '../session.ts';
import { Breakable, Initials } from '../ui/parts.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { RingingPanel } from './ringing-panel.tsx';
import { SoundPanel } from './sound-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';
import { Panel } from '../ui/panel.tsx';
import { Tag } from '../ui/states.tsx';
import { Page } from '../ui/page.tsx';
import '../ui/rows.css';
import './credentials-page.css';

export function CredentialsPage() {
  const [keys, setKeys] = useState(1);
  const rings = useRight('calls.make');
  const forgetKey = () => {
    setKeys(keys + 1);
    void queries.invalidateQueries({ queryKey: keyQuery('personal').queryKey });
  };
  return (
    <Page title="Credentials">
      <div className="credentials">
        <div>
          <Own />
          {/* One that is shown is not the key any more once it was replaced elsewhere. */}
          <KeyPanel key={keys} whose="personal" title="Personal key">
            May do all that you may, through the API. Keep it to yourself.
          </KeyPanel>
          <KeyUsePanel whose="personal" />
        </div>
        <div>
          <PasswordPanel replaced={forgetKey} />
          {rings && <RingingPanel />}
          {rings && <SoundPanel />}
          <SessionsPanel />
        </div>
      </div>
    </Page>
  );
}

function Own() {
  const { user, account } = useSession();
  const manages = useRight('users.manage');
  const roles = rolesOf(user);
  return (
    <Panel title="You" aside={account.name}>
      <div className="who">
        <Initials name={nameOf(user)} />
        <div className="grow">
          <p className="strong wrap">{nameOf(user)}</p>
          <p className="meta wrap">
            <Breakable>{user.email}</Breakable>
          </p>
        </div>
        <div className="tags">
          {roles.map((role) => (
            <Tag key={role}>{role}</Tag>
          ))}
        </div>
      </div>
      <p className="meta foot-line">
        {manages ? (
          <>
            Change your name under <Link to={paths.users}>Users</Link>.{' '}
            {!user.owner && 'Your roles are for others to change.'}
          </>
        ) : (
          'A user manager changes your name and roles.'
        )}
      </p>
    </Panel>
  );
}
