import { IconChevronDown, IconChevronRight, IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import type { Delivery } from '../../contract/webhooks.ts';
import { ask, queries } from '../api.ts';
import { sayWhen } from '../times.ts';
import { Button } from '../ui/button.tsx';
import { DeliveryDetails } from './delivery-details.tsx';
import { deliveryQuery } from './queries.ts';
import { Fault } from '../ui/form.tsx';
import { howOf } from './hooks.ts';
import { Badge } from '../ui/states.tsx';
import '../ui/rows.css';
import './delivery-row.css';

type RowProps = { delivery: Delivery; open: boolean; toggle: () => void };

/** One line of the log, which opens to what was sent and answered, and can be sent again. */
export function DeliveryRow({ delivery, open, toggle }: RowProps) {
  const id = useId();
  const Chevron = open ? IconChevronDown : IconChevronRight;
  const redelivering = useMutation({
    mutationFn: () => ask('POST', `/deliveries/${delivery.id}/redeliver`),
    onSuccess: () => {
      const { webhook_id, id: own } = delivery;
      const sent: Delivery = { ...delivery, state: 'waiting', next_at: new Date().toISOString() };
      queries.setQueryData(deliveryQuery(webhook_id, own).queryKey, sent);
      return queries.invalidateQueries({ queryKey: ['deliveries', webhook_id] });
    },
  });
  return (
    <li>
      <div className="delivery">
        <button
          type="button"
          className="delivery-button opens"
          aria-expanded={open}
          aria-controls={id}
          onClick={toggle}
        >
          <Chevron size={16} stroke={1.75} aria-hidden />
          <Chip delivery={delivery} />
          <time dateTime={delivery.created_at} className="strong">
            {sayMoment(delivery.created_at)}
          </time>
          <span className="meta grow">{sayHow(delivery)}</span>
          {!open && <code className="meta">{resourceOf(delivery)}</code>}
        </button>
        {open && (
          <Button
            size="xs"
            variant={howOf(delivery) === 'failed' ? 'filled' : 'default'}
            leftSection={<IconRefresh size={14} stroke={1.75} aria-hidden />}
            loading={redelivering.isPending}
            onClick={() => redelivering.mutate()}
          >
            Redeliver
          </Button>
        )}
      </div>
      <Fault error={redelivering.error} />
      {open && <DeliveryDetails id={id} delivery={delivery} />}
    </li>
  );
}

/** Green for what arrived, red for what did not, grey for what is on its way. */
function Chip({ delivery }: { delivery: Delivery }) {
  const how = howOf(delivery);
  const last = delivery.log[0];
  const tone = how === 'failed' ? 'lost' : how === 'waiting' ? 'archived' : 'won';
  const word = last?.status ?? (last ? 'No answer' : 'Waiting');
  return (
    <Badge tone={tone} className="figures" aria-live="polite">
      {word}
    </Badge>
  );
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** To the second today, which is how one compares with another log. */
const sayMoment = (at: string): string =>
  new Date(at).toDateString() === new Date().toDateString() ? clock.format(new Date(at)) : sayWhen(at);

function sayHow({ state, log, next_at }: Delivery): string {
  const last = log[0];
  if (state === 'waiting') return next_at && last ? sayNext(next_at) : 'on its way';
  if (!last) return state === 'failed' ? 'not sent' : '';
  const tries = log.length > 1 ? `${log.length} tries, ` : '';
  return `${tries}${last.ms} ms`;
}

function sayNext(at: string): string {
  const minutes = Math.round((Date.parse(at) - Date.now()) / 60_000);
  if (minutes < 1) return 'Next try in a moment';
  return minutes < 90 ? `Next try in ${minutes} min` : `Next try in ${Math.round(minutes / 60)} h`;
}

/** `…/api/v2/leads/48213` is lead 48213. */
const resourceOf = ({ resource_url }: Delivery): string => {
  const [kind = '', id = ''] = resource_url.split('/').slice(-2);
  return `${kind.replace(/s$/, '')} ${id}`;
};
