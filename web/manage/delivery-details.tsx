import { useState } from 'react';
import type { Delivery } from '../../contract/webhooks.ts';

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

type Attempt = Delivery['log'][number];

/** The tries, what was sent, what was answered. */
export function DeliveryDetails({ id, delivery }: { id: string; delivery: Delivery }) {
  const [chosen, setChosen] = useState<number | undefined>();
  const tries = delivery.log.toReversed();
  const attempt = tries.find((one) => one.attempt === chosen) ?? tries.at(-1);
  return (
    <div id={id} className="details">
      {tries.length > 0 && (
        <fieldset className="tries">
          <legend>Tries</legend>
          {tries.map((one, index) => (
            <button
              key={one.attempt}
              type="button"
              className={one.error ? 'try failing' : 'try'}
              aria-pressed={one === attempt}
              onClick={() => setChosen(one.attempt)}
            >
              <b>Try {index + 1}</b> <time dateTime={one.at}>{clock.format(new Date(one.at))}</time>,{' '}
              {one.status ?? 'no answer'}
            </button>
          ))}
        </fieldset>
      )}
      <h3>Sent</h3>
      <pre tabIndex={0} aria-label="Sent">
        {sentOf(delivery, attempt)}
      </pre>
      {attempt && (
        <>
          <h3>Answered</h3>
          <pre tabIndex={0} aria-label="Answered">
            {answeredOf(attempt)}
          </pre>
        </>
      )}
      {delivery.state === 'waiting' && attempt && (
        <p className="meta">Tried again after 1 min, 5 min, 30 min, 2 h, 5 h and 10 h, under the same webhook-id.</p>
      )}
    </div>
  );
}

function sentOf({ id, target_url, resource_url }: Delivery, attempt: Attempt | undefined): string {
  const { pathname = '/', search = '', host = '' } = URL.parse(target_url) ?? {};
  return [
    `POST ${pathname}${search}`,
    `host: ${host}`,
    'content-type: application/json',
    `webhook-id: msg_${id}`,
    ...(attempt ? [`webhook-timestamp: ${Math.floor(Date.parse(attempt.at) / 1_000)}`] : []),
    'webhook-signature: v1,…',
    '',
    JSON.stringify({ resource_url }),
  ].join('\n');
}

const answeredOf = ({ status, ms, answer, error }: Attempt): string =>
  [`${status ?? error ?? 'No answer'}   after ${ms} ms`, answer].filter(Boolean).join('\n');
