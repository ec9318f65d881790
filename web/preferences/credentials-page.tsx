import '../manage/manage.css';
import { KeyPanel } from '../manage/key-panel.tsx';
import { KeyUsePanel } from '../manage/key-use.tsx';
import { Breakable, Panel, useTitle } from '../manage/parts.tsx';
import { rolesOf } from '../manage/people.tsx';
import { nameOf } from '../../contract/names.ts';
import { useSession } from '../session.ts';
import { Initials } from '../ui/parts.tsx';
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
        <Own />
        <KeyPanel whose="personal" title="Personal key">
          May do all that you may, through the API. Keep it to yourself.
        </KeyPanel>
        <KeyUsePanel whose="personal" />
        <PasswordPanel />
        <SessionsPanel />
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
        {user.owner ? 'Your name is changed under Manage, Users.' : 'A user manager changes your name and roles.'}
      </p>
    </Panel>
  );
}
