import { Checkbox, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, queries } from '../api.ts';
import { useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { notice } from '../ui/notices.ts';
import { Fault, useFaults, restOf, Form, Username } from '../ui/form.tsx';
import { Panel } from '../ui/panel.tsx';
import './password-panel.css';

const LABELS = { password: 'The password', new_password: 'The new password' };
const SHORTEST = 10;

/** `replaced`: the personal key is another from now on. */
export function PasswordPanel({ replaced }: { replaced: () => void }) {
  const { user } = useSession();
  const [password, setPassword] = useState('');
  const [fresh, setFresh] = useState('');
  const [replaceKey, setReplaceKey] = useState(true);
  const changing = useMutation({
    mutationFn: () => ask('POST', '/password', { password, new_password: fresh, replace_key: replaceKey }),
    onSuccess: () => {
      setPassword('');
      setFresh('');
      notice(
        replaceKey
          ? 'The password and your key are new, and your other sessions have ended.'
          : 'The password is changed, and your other sessions have ended.',
      );
      if (replaceKey) replaced();
      return queries.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  const faults = useFaults(changing.error, LABELS, { password, new_password: fresh });
  return (
    <Panel title="Password">
      <Form asking={changing}>
        <Username email={user.email} />
        <div className="side-by-side">
          <PasswordInput
            label="Current password"
            description="The one you sign in with."
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={faults.password}
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
          />
          <PasswordInput
            label="New password"
            description={`At least ${SHORTEST} characters, a few words.`}
            autoComplete="new-password"
            value={fresh}
            onChange={(event) => setFresh(event.currentTarget.value)}
            error={faults.new_password}
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the new password' }}
          />
        </div>
        <Checkbox
          label="Also replace my API key"
          description="Programs that use the old one stop at once. The new one is under Personal key."
          checked={replaceKey}
          onChange={(event) => setReplaceKey(event.currentTarget.checked)}
        />
        <Fault error={restOf(changing.error, LABELS)} />
        <div className="form-foot">
          <p className="meta grow">Your other sessions end with it.</p>
          <Button
            type="submit"
            variant="default"
            disabled={password === '' || fresh === ''}
            loading={changing.isPending}
          >
            Change the password
          </Button>
        </div>
      </Form>
    </Panel>
  );
}
