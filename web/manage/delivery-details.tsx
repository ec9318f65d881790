import { useState } from 'react';
import type { Delivery } from '../../contract/webhooks.ts';
import './delivery-details.css';

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

type Attempt = Delivery['log'][number];

/** The tries, what was sent, what was answered. */
export function DeliveryDetails({ id, delivery }: { id: string; delivery: Delivery }) {
  const [chosen, setChosen] = useState<number | undefined>();
  const tries = delivery.log.toReversed();
  const attempt = tries.find((one) => one.attempt === chosen) ?? tries.at(-1);
  return (
    <div id={id} className="details">
      {tries.length === 1 && (
        <p className={tries[0]!.error ? 'only-try failing' : 'only-try'}>
          <Try attempt={tries[0]!} number={1} />
        </p>
      )}
      {tries.length > 1 && (
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
              <Try attempt={one} number={index + 1} />
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
        <p className="meta">Tries follow after 1 min, 5 min, 30 min, 2 h, 5 h and 10 h, under the same webhook-id.</p>
      )}
    </div>
  );
}

const Try = ({ attempt: { at, status }, number }: { attempt: Attempt; number: number }) => (
  <>
    <b>Try {number}</b> <time dateTime={at}>{clock.format(new Date(at))}</time>, {status ?? 'no answer'}
  </>
);

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
