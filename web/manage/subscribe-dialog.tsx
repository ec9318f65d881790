import { Select, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ACCOUNT_WEBHOOK_EVENTS, type Webhook, type WebhookEvent } from '../../contract/webhooks.ts';
import { paths } from '../../contract/paths.ts';
import { ask, doOnce, isGone, queries } from '../api.ts';
import { useSession } from '../session.ts';
import { Button, TextButton } from '../ui/button.tsx';
import { webhooksQuery } from './queries.ts';
import { Breakable } from '../ui/parts.tsx';
import { Copy } from '../ui/copy.tsx';
import { Dialog, DialogFoot, useIsHere } from '../ui/dialog.tsx';
import { Fault, useFaults, restOf, Form } from '../ui/form.tsx';
import { tellFailure } from '../ui/notices.ts';
import { saveSurely } from '../ui/saving.ts';
import { listsQuery } from '../lists.ts';
import '../ui/float.css';
import './subscribe-dialog.css';

const LABELS = { target_url: 'Address', event: 'Event' };

/** What each event is, in the order in which people look for them. */
const EVENTS: Record<WebhookEvent, string> = {
  winner: 'a lead was won',
  call_back: 'a call back was set',
  loser: 'a lead was lost',
  archive: 'a lead was archived',
  new_event: 'any event of a lead, except unclaim and migration',
  new_comment: 'a comment',
  lead_created: 'a new lead',
  lead_updated: 'changed data',
  new_call: 'a call has ended',
  new_recording: 'a recording is ready',
  text: 'a text message was sent',
  inbound_text: 'a text message came in',
};

const WHOLE = 'account';
const ofAccount = new Set<string>(ACCOUNT_WEBHOOK_EVENTS);

export function SubscribeDialog({ opened, close }: { opened: boolean; close: () => void }) {
  const [made, setMade] = useState<Made | undefined>();
  const { webhook } = made ?? {};
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={webhook ? (webhook.secret ? 'Subscribed' : 'Subscribed already') : 'Subscribe'}
      size={520}
      closeOnClickOutside={false}
      // The secret is told once: a slip of the finger must not lose it, nor one while another is on its way.
      closeOnEscape={!made}
      withCloseButton={!made}
      onExitTransitionEnd={() => setMade(undefined)}
    >
      {made ? <Told {...made} tell={setMade} close={close} /> : <SubscribeForm tell={setMade} close={close} />}
    </Dialog>
  );
}

/** Where and to what, as it is sent. */
type Subscribing = { path: string; body: { webhook: { event: string | null; target_url: string } } };
type Made = { webhook: Webhook; asked: Subscribing };

/** Its answer is the only one that has the secret: where it is lost it is asked for again, and is the same. */
const subscribe = async (asked: Subscribing): Promise<Made> => {
  const webhook = await doOnce<Webhook>(asked.path, asked.body, saveSurely);
  void queries.invalidateQueries({ queryKey: webhooksQuery.queryKey });
  return { webhook, asked };
};

type FormProps = { tell: (made: Made) => void; close: () => void };

function SubscribeForm({ tell, close }: FormProps) {
  const lists = useQuery(listsQuery);
  const { account } = useSession();
  const [where, setWhere] = useState<string | null>(null);
  const [event, setEvent] = useState<string | null>(null);
  const [target, setTarget] = useState('');
  const misfit = where === WHOLE && event !== null && !ofAccount.has(event);
  const isHere = useIsHere(true);
  const subscribing = useMutation({
    mutationFn: () =>
      subscribe({
        path: where === WHOLE ? '/webhooks' : `/lists/${where}/webhook`,
        body: { webhook: { event, target_url: target.trim() } },
      }),
    onSuccess: tell,
    onError: (error) => isHere() || tellFailure(error),
  });
  const faults = useFaults(subscribing.error, LABELS, { event, target_url: target });
  return (
    <Form asking={subscribing}>
      <Select
        withScrollArea={false}
        classNames={{ options: 'choices-list', dropdown: 'float' }}
        label="Where"
        description="The whole account tells of calls and recordings, a list of everything."
        placeholder="Choose a list, or the whole account"
        data={[
          { value: WHOLE, label: 'Whole account' },
          { group: 'Lists', items: (lists.data ?? []).map(({ id, name }) => ({ value: String(id), label: name })) },
        ]}
        value={where}
        onChange={setWhere}
        searchable
        allowDeselect={false}
        openOnFocus={false}
        data-autofocus
        nothingFoundMessage={lists.isPending ? 'Loading the lists' : 'No list by that name.'}
        error={lists.error?.message}
      />
      <Select
        withScrollArea={false}
        classNames={{ options: 'choices-list', dropdown: 'float' }}
        label="Event"
        placeholder="Choose what it hears of"
        data={Object.entries(EVENTS)
          .map(([name, what]) => ({
            value: name,
            label: `${name}, ${what}`,
            disabled: where === WHOLE && !ofAccount.has(name),
          }))
          .toSorted((a, b) => Number(a.disabled) - Number(b.disabled))}
        value={event}
        onChange={setEvent}
        allowDeselect={false}
        renderOption={({ option }) => (
          <span className="event-option">
            <code>{option.value}</code>
            <span className="meta">{EVENTS[option.value as WebhookEvent]}</span>
          </span>
        )}
        error={
          misfit
            ? 'The whole account tells of new_call and new_recording only. Choose a list for this one.'
            : faults.event
        }
      />
      <TextInput
        label="Address"
        description="Receives a POST that names the lead or call. It has to answer within 15 seconds."
        placeholder="https://example.com/leadline"
        type="url"
        autoComplete="off"
        className="mono-input"
        value={target}
        onChange={(change) => setTarget(change.currentTarget.value)}
        error={faults.target_url}
      />
      {target === '' && (
        <p className="meta">
          Nothing to receive it yet?{' '}
          <TextButton onClick={() => setTarget(`${account.base_url}${paths.receiver}`)}>
            Use the test receiver
          </TextButton>{' '}
          and read in the log what it was sent.
        </p>
      )}
      <Fault error={restOf(subscribing.error, LABELS)} />
      <DialogFoot>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button
          type="submit"
          disabled={where === null || event === null || misfit || target.trim() === ''}
          loading={subscribing.isPending}
        >
          Subscribe
        </Button>
      </DialogFoot>
    </Form>
  );
}

function Told({ webhook: { id, secret, target_url, event }, asked, tell, close }: Made & FormProps) {
  const renewing = useMutation({
    mutationFn: async () => {
      await ask('DELETE', `/webhook/${id}`).catch((error: Error) => {
        if (!isGone(error)) throw error;
      });
      return subscribe(asked);
    },
    onSuccess: tell,
    // It may be gone, and no other there.
    onError: () => queries.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  });
  const closing = useRef<HTMLButtonElement>(null);
  useEffect(() => closing.current?.focus(), [secret]);
  const target = (
    <code className="wrap">
      <Breakable>{target_url}</Breakable>
    </code>
  );
  return (
    <div className="stack">
      {secret ? (
        <>
          <p>
            <code>{event}</code> now goes to {target}. This secret signs what is sent (Standard Webhooks). It is shown
            this once, so copy it now.
          </p>
          <div className="key-row">
            <code className="key-value grow">{secret}</code>
            <Copy text={secret} what="the secret" />
          </div>
        </>
      ) : (
        <p>
          <code>{event}</code> already went to {target}, so nothing changed. Its secret was told when it was made. Where
          nobody has it, remove the webhook and subscribe anew: what still waits is not sent, the old secret ends, and
          you are shown another.
        </p>
      )}
      <Fault error={renewing.error} />
      <DialogFoot>
        {!secret && (
          <Button variant="danger" loading={renewing.isPending} onClick={() => renewing.mutate()}>
            Remove and subscribe anew
          </Button>
        )}
        <Button
          ref={closing}
          variant={secret ? 'filled' : 'default'}
          disabled={renewing.isPending}
          onClick={close}
          data-autofocus
        >
          {secret ? 'I have copied it' : 'Close'}
        </Button>
      </DialogFoot>
    </div>
  );
}
