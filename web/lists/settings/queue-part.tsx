import { Radio } from '@mantine/core';
import type { ListChange, ListWithSettings } from '../../../contract/list-pages.ts';
import { useChangeAtOnce, useMayChange } from './changing.ts';
import { Beside, Part } from './part.tsx';
import { ThreeWays } from './three-ways.tsx';
import '../../ui/form.css';
import './queue-part.css';

const EXACT = 'Call backs at an exact time, once it has come';
const PUT_OFF = 'Call backs put off, or without a time';
const NEW = 'New leads, oldest first';

/** Where new leads come in, and the order that makes. */
const ORDERS = {
  last: { label: 'After all call backs', order: [EXACT, PUT_OFF, NEW] },
  middle: { label: 'Before call backs that were put off', order: [EXACT, NEW, PUT_OFF] },
  first: { label: 'Before everything else', order: [NEW, EXACT, PUT_OFF] },
} as const;
type Order = keyof typeof ORDERS;

const orderOf = (list: ListWithSettings): Order =>
  list.queue_new_before_due ? 'first' : list.queue_new_before_call_backs ? 'middle' : 'last';

const CHANGES: Record<Order, ListChange> = {
  last: { queue_new_before_due: false, queue_new_before_call_backs: false },
  middle: { queue_new_before_due: false, queue_new_before_call_backs: true },
  first: { queue_new_before_due: true, queue_new_before_call_backs: true },
};

export function QueuePart({ list }: { list: ListWithSettings }) {
  const change = useChangeAtOnce(list);
  const may = useMayChange();
  const order = orderOf(list);
  return (
    <>
      <Part title="Queue and claims">
        <div className="stack">
          <Radio.Group label="New leads come" value={order} onChange={(chosen) => change.mutate(CHANGES[chosen])}>
            <div className="queue-orders">
              {Object.entries(ORDERS).map(([name, { label }]) => (
                <Radio key={name} value={name} label={label} disabled={!may} />
              ))}
            </div>
          </Radio.Group>
          <div className="queue-claims">
            <h3>Claims</h3>
            <p className="meta">
              A claim keeps a lead in one person’s queue. These act in this application, never through the API.
            </p>
          </div>
          <ThreeWays
            name="claim_on_schedule"
            label="Scheduling an exact time claims the lead"
            description="A call back at an exact time stays with whoever set it."
            value={list.claim_on_schedule}
            may={may}
            change={(value) => change.mutate({ claim_on_schedule: value })}
          />
          <ThreeWays
            name="claim_on_put_off"
            label="Putting off claims the lead"
            description="A call back for any time after, or without a time, stays with whoever set it."
            value={list.claim_on_put_off}
            may={may}
            change={(value) => change.mutate({ claim_on_put_off: value })}
          />
          <ThreeWays
            name="claim_on_win"
            label="Winning claims the lead"
            description="A won lead stays with whoever won it."
            value={list.claim_on_win}
            may={may}
            change={(value) => change.mutate({ claim_on_win: value })}
          />
        </div>
      </Part>
      <Beside>
        <section className="panel queue-order" aria-label="What an agent gets next">
          <h2>What an agent gets next</h2>
          <ol>
            <li>The lead that is open with them</li>
            {ORDERS[order].order.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          <p className="meta">
            Their own before anyone’s, most overdue first. Never: what others have claimed or open, what is not due yet,
            what is won, lost or archived.
          </p>
        </section>
      </Beside>
    </>
  );
}
