import '../manage/manage.css';
import { Link } from '@tanstack/react-router';
import { KeyPanel } from '../manage/key-panel.tsx';
import { KeyUsePanel } from '../manage/key-use.tsx';
import { Panel, useTitle } from '../manage/parts.tsx';
import { rolesOf } from '../manage/people.tsx';
import { nameOf } from '../../contract/names.ts';
import { paths } from '../paths.ts';
import { useSession } from '../session.ts';
import { Breakable, Initials } from '../ui/parts.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';

export function CredentialsPage() {
  useTitle('Credentials');
  return (
    <div className="page">
      <div className="page-head">
        <h1>Credentials</h1>
      </div>
      <div className="credentials">
        <div>
          <Own />
          <KeyPanel whose="personal" title="Personal key">
            May do all that you may, through the API. Keep it to yourself.
          </KeyPanel>
          <KeyUsePanel whose="personal" />
        </div>
        <div>
          <PasswordPanel />
          <SessionsPanel />
        </div>
      </div>
    </div>
  );
}

function Own() {
  const { user, account } = useSession();
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
            <span key={role} className="tag">
              {role}
            </span>
          ))}
        </div>
      </div>
      <p className="meta foot-line">
        {user.owner ? (
          <>
            Change your name under <Link to={paths.users}>Users</Link>.
          </>
        ) : (
          'A user manager changes your name and roles.'
        )}
      </p>
    </Panel>
  );
}
