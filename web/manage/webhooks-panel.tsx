import { useInViewport } from '@mantine/hooks';
import { IconListDetails, IconPlus, IconSend, IconTrash } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState, type KeyboardEvent } from 'react';
import type { Delivery, Webhook } from '../../contract/webhooks.ts';
import { ask, queries } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { tellFailure } from '../ui/notices.ts';
import { Breakable, Empty, Failure, Loading, Ago } from '../ui/parts.tsx';
import { Actions } from '../ui/actions.tsx';
import { howOf, sendTest, useReach, type How, type Look, type Looking } from './hooks.ts';
import { deliveriesQuery, PER_PAGE, webhooksQuery } from './queries.ts';
import { SubscribeDialog } from './subscribe-dialog.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { Panel } from '../ui/panel.tsx';
import '../ui/rows.css';
import './webhooks-panel.css';

export function WebhooksPanel({ looking, look }: { looking: Looking | undefined; look: Look }) {
  const { data, error, refetch } = useQuery(webhooksQuery);
  const [subscribing, setSubscribing] = useState(false);
  const rows = useRef<HTMLUListElement>(null);
  const isEmpty = data?.length === 0;
  const subscribe = (
    <Button
      variant={isEmpty ? 'filled' : 'default'}
      leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />}
      onClick={() => setSubscribing(true)}
    >
      Subscribe
    </Button>
  );

  // Arrows walk through the hooks, and an open log walks along.
  const walk = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const buttons = [...(rows.current?.querySelectorAll<HTMLElement>('.hook') ?? [])];
    const next = by !== 0 && buttons[buttons.indexOf(event.target as HTMLElement) + by];
    if (!next || !buttons.includes(event.target as HTMLElement)) return;
    event.preventDefault();
    next.focus();
    if (looking) look({ webhookId: Number(next.dataset.id) });
  };

  return (
    <Panel
      title="Webhooks"
      aside={data && data.length > 0 && `${data.length} active`}
      action={!isEmpty && subscribe}
      flush
    >
      {!data && (error ? <Failure error={error} again={() => void refetch()} /> : <Loading rows={6} />)}
      {isEmpty && (
        <Empty title="No address is subscribed yet." action={subscribe}>
          Subscribe one, and it hears of winners, call backs, calls and more as they happen.
        </Empty>
      )}
      {data && data.length > 0 && (
        <>
          <ul className="rows" ref={rows} onKeyDown={walk}>
            {data.map((webhook) => (
              <HookRow key={webhook.id} webhook={webhook} shown={looking?.webhookId === webhook.id} look={look} />
            ))}
          </ul>
          <p className="legend">
            <span className="dot delivered" /> Delivered
            <span className="dot retried" /> After a retry
            <span className="dot failed" /> Failed
            <span className="dot waiting" /> Waiting
            <span className="grow" />
            Last {PER_PAGE}
          </p>
        </>
      )}
      <SubscribeDialog opened={subscribing} close={() => setSubscribing(false)} />
    </Panel>
  );
}

function HookRow({ webhook, shown, look }: { webhook: Webhook; shown: boolean; look: Look }) {
  const { id, event, target_url, last_error, refused } = webhook;
  const reachOf = useReach();
  // Asked for once the row is seen: there may be many.
  const { ref, inViewport } = useInViewport<HTMLLIElement>();
  const recent = useInfiniteQuery({ ...deliveriesQuery(id), enabled: inViewport || shown, refetchInterval: 15_000 });
  const last = recent.data?.pages[0] ?? [];
  const failing = refused ?? (last.length > 0 ? sayFailing(last) : last_error);
  return (
    <li ref={ref} className={shown ? 'hook-row shown' : 'hook-row'}>
      <button
        type="button"
        className="hook opens"
        data-id={id}
        aria-expanded={shown}
        onClick={() => look(shown ? undefined : { webhookId: id })}
      >
        <span className="hook-what">
          <span className="wrap block">
            <code className="strong">{event}</code> <span className="meta">{reachOf(webhook)}</span>
          </span>
          <code className="hook-target">
            <Breakable>{target_url}</Breakable>
          </code>
        </span>
        <span className="hook-how">
          <Bars deliveries={last} />
          {failing ? (
            <span className="failing">{failing}</span>
          ) : (
            <span className="meta">{last[0] ? <Ago at={last[0].created_at} /> : recent.data && 'nothing yet'}</span>
          )}
        </span>
      </button>
      <HookMenu webhook={webhook} look={look} />
    </li>
  );
}

/** Since when nothing has arrived, where that is within what was asked for. */
function sayFailing(deliveries: Delivery[]): string | undefined {
  const errorOf = ({ log }: Delivery) => log[0]?.error;
  const tried = deliveries.filter(({ log }) => log.length > 0);
  const firstGood = tried.findIndex((delivery) => !errorOf(delivery));
  const failing = firstGood < 0 ? tried : tried.slice(0, firstGood);
  const since = failing.at(-1)?.log.at(-1)?.at;
  return since && `Failing since ${sayShort(since)}`;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const sayShort = (at: string) => (Date.now() - Date.parse(at) < 12 * 3_600_000 ? clock : date).format(new Date(at));

const SAID: [How, string][] = [
  ['delivered', 'delivered'],
  ['retried', 'after a retry'],
  ['failed', 'failed'],
  ['waiting', 'waiting'],
];

/** The newest on the right. */
function Bars({ deliveries }: { deliveries: Delivery[] }) {
  const hows = deliveries.slice(0, PER_PAGE).map(howOf);
  const said = SAID.map(([how, word]) => [hows.filter((one) => one === how).length, word] as const)
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`);
  if (hows.length === 0) return null;
  return (
    <span className="bars" role="img" aria-label={`Last ${hows.length}: ${said.join(', ')}.`}>
      {hows.toReversed().map((how, index) => (
        <span key={index} className={`bar ${how}`} />
      ))}
    </span>
  );
}

function HookMenu({ webhook, look }: { webhook: Webhook; look: Look }) {
  const [removing, setRemoving] = useState(false);
  const reachOf = useReach();
  const { id, event, target_url } = webhook;
  const testing = useMutation({
    mutationFn: () => sendTest(id),
    onSuccess: (delivery) => look({ webhookId: id, delivery }),
    onError: tellFailure,
  });
  const remove = async (isHere: () => boolean) => {
    await ask('DELETE', `/webhook/${id}`);
    if (isHere()) look(undefined);
    await queries.invalidateQueries({ queryKey: webhooksQuery.queryKey });
  };
  return (
    <>
      <Actions
        className="hook-menu"
        of={`${event} to ${target_url}`}
        items={[
          { name: 'Delivery log', icon: IconListDetails, act: () => look({ webhookId: id }) },
          { name: 'Send test', icon: IconSend, act: () => testing.mutate() },
          { name: 'Remove', icon: IconTrash, act: () => setRemoving(true) },
        ]}
      />
      <Confirm
        opened={removing}
        close={() => setRemoving(false)}
        title="Remove the webhook"
        safe="Keep it"
        verb="Remove"
        act={remove}
      >
        <p>
          <code className="wrap">
            <Breakable>{target_url}</Breakable>
          </code>{' '}
          no longer hears of <code>{event}</code> on {reachOf(webhook)}. What still waits is not sent, and the secret
          ends.
        </p>
      </Confirm>
    </>
  );
}
