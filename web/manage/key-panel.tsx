import { Checkbox, PasswordInput } from '@mantine/core';
import { IconEye, IconEyeOff, IconKey, IconRefresh } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { ask, queries, isGone } from '../api.ts';
import { useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Failure, Loading, Time, Ago } from '../ui/parts.tsx';
import { keyQuery, type Facts, type Whose } from './queries.ts';
import { Copy } from '../ui/copy.tsx';
import { Dialog, DialogFoot } from '../ui/dialog.tsx';
import { Fault, useFaults, Form, restOf, Username } from '../ui/form.tsx';
import { sayAgo, sayWhenWithin } from '../times.ts';
import '../ui/panel.css';
import './key-panel.css';

const LABELS = { password: 'The password' };
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/** A key that can be read again and replaced, both after the password is given. */
export function KeyPanel({ whose, title, children }: { whose: Whose; title: string; children: string }) {
  const id = useId();
  const facts = useQuery(keyQuery(whose));
  const [asking, setAsking] = useState<'show' | 'replace' | undefined>();
  const [key, setKey] = useState<string | undefined>();
  const ended = isGone(facts.error);
  const learn = (shown: string) => {
    setKey(shown);
    setAsking(undefined);
    void queries.invalidateQueries({ queryKey: keyQuery(whose).queryKey });
  };
  return (
    <section className="panel" aria-labelledby={id}>
      <div className="box-head">
        <IconKey size={18} stroke={1.75} aria-hidden />
        <h2 id={id}>{title}</h2>
        <span className="grow" />
        {facts.data && (
          <span className="meta">
            {facts.data.last_used_at ? (
              <>
                last used <Ago at={facts.data.last_used_at} />
              </>
            ) : (
              'never used'
            )}
          </span>
        )}
      </div>
      <p className="key-note">{children}</p>
      {facts.isPending && <Loading rows={2} />}
      {facts.error && !ended && <Failure error={facts.error} again={() => void facts.refetch()} />}
      {ended && (
        <div className="key-row">
          <p className="grow">There is no key any more.</p>
          <Button onClick={() => setAsking('replace')}>Make a key</Button>
        </div>
      )}
      {facts.data && (
        <>
          <div className="key-row">
            {key ? (
              <code className="key-value grow">{key}</code>
            ) : (
              <code className="key-value grow" role="img" aria-label="Hidden until you give your password">
                {`ll_${whose === 'account' ? 'acct' : 'user'}_${'•'.repeat(16)}`}
              </code>
            )}
            {key ? (
              <>
                <Copy text={key} what="the key" />
                <Button
                  variant="default"
                  leftSection={<IconEyeOff size={16} stroke={1.75} aria-hidden />}
                  onClick={() => setKey(undefined)}
                >
                  Hide
                </Button>
              </>
            ) : (
              <Button
                variant="default"
                leftSection={<IconEye size={16} stroke={1.75} aria-hidden />}
                onClick={() => setAsking('show')}
              >
                Show
              </Button>
            )}
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} stroke={1.75} aria-hidden />}
              onClick={() => setAsking('replace')}
            >
              Replace
            </Button>
          </div>
          <p className="meta">
            Made on <time dateTime={facts.data.created_at}>{day.format(new Date(facts.data.created_at))}</time>.
            {facts.data.old_until && (
              <>
                {' '}
                The one before it works until <Time at={facts.data.old_until} say={sayWhenWithin} />.
              </>
            )}
          </p>
        </>
      )}
      <Dialog opened={asking === 'show'} onClose={() => setAsking(undefined)} title={`Show the ${whose} key`}>
        <ShowForm whose={whose} learn={learn} close={() => setAsking(undefined)} />
      </Dialog>
      <Dialog
        opened={asking === 'replace'}
        onClose={() => setAsking(undefined)}
        title={ended ? `Make a new ${whose} key` : `Replace the ${whose} key`}
      >
        <ReplaceForm whose={whose} facts={facts.data} learn={learn} close={() => setAsking(undefined)} />
      </Dialog>
    </section>
  );
}

type FormProps = { whose: Whose; learn: (key: string) => void; close: () => void };

function ShowForm({ whose, learn, close }: FormProps) {
  const [password, setPassword] = useState('');
  const showing = useMutation({
    mutationFn: () => ask<{ key: string }>('POST', `/keys/${whose}/show`, { password }),
    onSuccess: ({ key }) => learn(key),
  });
  return (
    <Form asking={showing}>
      <PasswordField value={password} change={setPassword} error={showing.error} />
      <Fault error={restOf(showing.error, LABELS)} />
      <DialogFoot>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" disabled={password === ''} loading={showing.isPending}>
          Show the key
        </Button>
      </DialogFoot>
    </Form>
  );
}

function ReplaceForm({ whose, facts, learn, close }: FormProps & { facts: Facts | undefined }) {
  const [password, setPassword] = useState('');
  const [keep, setKeep] = useState(false);
  const replacing = useMutation({
    mutationFn: () => ask<{ key: string }>('POST', `/keys/${whose}/replace`, { password, keep_old: keep }),
    onSuccess: ({ key }) => learn(key),
  });
  return (
    <Form asking={replacing}>
      {facts && (
        <>
          <p>
            This key {facts.last_used_at ? `was last used ${sayAgo(facts.last_used_at)}` : 'has never been used'} and
            ends {keep ? 'in 24 hours' : 'at once'}.{facts.last_used_at && ' Whatever uses it needs the new one.'}
          </p>
          <Checkbox
            label="Let the old key work for 24 more hours"
            checked={keep}
            onChange={(event) => setKeep(event.currentTarget.checked)}
          />
        </>
      )}
      <PasswordField value={password} change={setPassword} error={replacing.error} />
      <Fault error={restOf(replacing.error, LABELS)} />
      <DialogFoot>
        <Button variant="default" onClick={close}>
          {facts ? 'Keep the old key' : 'Cancel'}
        </Button>
        <Button
          type="submit"
          disabled={password === ''}
          loading={replacing.isPending}
          variant={facts ? 'danger' : 'filled'}
        >
          {facts ? 'Replace' : 'Make a key'}
        </Button>
      </DialogFoot>
    </Form>
  );
}

type PasswordProps = { value: string; change: (password: string) => void; error: Error | null };

function PasswordField({ value, change, error }: PasswordProps) {
  const { user } = useSession();
  const faults = useFaults(error, LABELS, { password: value });
  return (
    <>
      <Username email={user.email} />
      <PasswordInput
        label="Your password"
        description="The one you sign in with."
        autoComplete="current-password"
        data-autofocus
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
        error={faults.password}
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
      />
    </>
  );
}
