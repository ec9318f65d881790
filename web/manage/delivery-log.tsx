import { IconSend } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, type InfiniteData } from '@tanstack/react-query';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { MOST_COUNTED, type Delivery, type Webhook } from '../../contract/webhooks.ts';
import { queries } from '../api.ts';
import { Beside, BesideClose, BesideTitle } from '../ui/beside.tsx';
import { Button } from '../ui/button.tsx';
import { Breakable, Empty, Failure, Loading } from '../ui/parts.tsx';
import { DeliveryRow } from './delivery-row.tsx';
import { deliveriesQuery, deliveryCountsQuery, deliveryQuery, type Filter } from './queries.ts';
import { sendTest, useReach, type Look } from './hooks.ts';
import { Fault } from '../ui/form.tsx';
import { Tab, Tabs } from '../ui/tabs.tsx';
import '../ui/rows.css';
import './delivery-log.css';

type Props = {
  webhook: Webhook | undefined;
  delivery: number | undefined;
  look: Look;
  step: (by: number) => void;
};

/** The list stays in use while the log is open. */
export function DeliveryLog({ webhook, delivery, look, step }: Props) {
  const close = () => {
    look(undefined);
    document.querySelector<HTMLElement>(`.hook[data-id="${webhook?.id}"]`)?.focus();
  };
  const walk = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by === 0 || (event.target as HTMLElement).closest('pre')) return;
    event.preventDefault();
    // What had the focus goes with the hook it belonged to.
    event.currentTarget.querySelector<HTMLElement>('.log-close')?.focus();
    step(by);
  };
  return (
    <Beside opened={webhook !== undefined} close={close} className="log" bodyClassName="log-body" onKeyDown={walk}>
      {webhook && <Log key={webhook.id} webhook={webhook} delivery={delivery} />}
      <CloseLog />
    </Beside>
  );
}

const FILTERS: Record<Filter, string> = { all: 'All', failed: 'Failed', waiting: 'Waiting' };
const NONE: Record<Filter, [title: string, next: string]> = {
  all: ['Nothing was sent yet.', 'Send a test to see whether it arrives.'],
  failed: ['None of them failed.', 'What is not taken in the end is kept here for 30 days, to be sent again.'],
  waiting: ['None is waiting.', 'What was not taken at first waits here for its next try.'],
};

type LogProps = { webhook: Webhook; delivery: number | undefined };

function Log({ webhook, delivery }: LogProps) {
  const { id, event, target_url } = webhook;
  const reachOf = useReach();
  const [filter, setFilter] = useState<Filter>('all');
  const [open, setOpen] = useState<number | undefined>(delivery);
  const log = useInfiniteQuery({
    ...deliveriesQuery(id, filter),
    refetchInterval: (query) => pace(query.state.data),
    placeholderData: keepPreviousData,
  });
  const counts = useQuery(deliveryCountsQuery(id));
  // Counted again with every look at the log, or they would say that something waits which is shown as delivered.
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: deliveryCountsQuery(id).queryKey });
  }, [id, log.dataUpdatedAt]);
  const deliveries = log.data?.pages.flat() ?? [];
  // Those of another state, kept until the right ones are there, are not shown under its name.
  const fitting = deliveries.filter(({ state }) => filter === 'all' || state === filter);
  // The one that is looked at stays, though it has become another state by being sent again.
  const isListed = fitting.some((one) => one.id === open);
  const opened = useQuery({
    ...deliveryQuery(id, open),
    enabled: open !== undefined && log.isSuccess && !log.isPlaceholderData && !isListed,
    refetchInterval: 1_500,
  });
  const shown =
    open === undefined || isListed || !opened.data
      ? fitting
      : [...fitting, opened.data].toSorted((a, b) => b.id - a.id);
  const testing = useMutation({ mutationFn: () => sendTest(id), onSuccess: setOpen });
  useEffect(() => {
    if (delivery !== undefined) setOpen(delivery);
  }, [delivery]);
  return (
    <>
      <header className="log-head">
        <BesideTitle>Delivery log</BesideTitle>
        <Button
          variant="default"
          leftSection={<IconSend size={16} stroke={1.75} aria-hidden />}
          loading={testing.isPending}
          onClick={() => {
            setFilter('all');
            testing.mutate();
          }}
        >
          Send test
        </Button>
        <p className="wrap">
          <code className="strong">{event}</code> on {reachOf(webhook)}
        </p>
        <code className="wrap">
          <Breakable>{target_url}</Breakable>
        </code>
      </header>
      <Fault error={testing.error} />
      <div className="log-tabs">
        <Tabs legend="Show">
          {(Object.keys(FILTERS) as Filter[]).map((one) => (
            <Tab
              key={one}
              pressed={filter === one}
              onClick={() => {
                setFilter(one);
                setOpen(undefined);
              }}
            >
              {FILTERS[one]} {counts.data && <span className="figures">{sayCount(counts.data[one])}</span>}
            </Tab>
          ))}
        </Tabs>
        <span className="grow" />
        <Pulse lost={log.isError || counts.isError} />
      </div>
      <div className="log-rows">
        {!log.data && (log.error ? <Failure error={log.error} again={() => void log.refetch()} /> : <Loading />)}
        {log.data && !log.isPlaceholderData && shown.length === 0 && (
          <Empty title={NONE[filter][0]}>{NONE[filter][1]}</Empty>
        )}
        <ol className="rows">
          {shown.map((one) => (
            <DeliveryRow
              key={one.id}
              delivery={one}
              open={open === one.id}
              toggle={() => setOpen(open === one.id ? undefined : one.id)}
            />
          ))}
        </ol>
        {log.hasNextPage && (
          <div className="log-more">
            <Button variant="default" loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
              Older
            </Button>
          </div>
        )}
      </div>
    </>
  );
}

/** Opening the log puts the keyboard into it, once: whoever then walks through the hooks stays where they walk. */
function CloseLog() {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return <BesideClose ref={button} className="log-close" aria-label="Close the log" />;
}

const sayCount = (count: number): string => `${count.toLocaleString()}${count === MOST_COUNTED ? '+' : ''}`;

/** Whether what is shown still follows what happens. */
const Pulse = ({ lost }: { lost: boolean }) => (
  <span className={lost ? 'pulse lost' : 'pulse'} role="status">
    {lost ? 'Not reached, trying again' : 'Live'}
  </span>
);

const SOON = 60_000;

/** Quickly while something is about to be tried. */
function pace(data: InfiniteData<Delivery[]> | undefined): number {
  const soon = data?.pages[0]?.some(({ next_at }) => next_at && Date.parse(next_at) - Date.now() < SOON);
  return soon ? 1_500 : 5_000;
}
