import { useQuery } from '@tanstack/react-query';
import { sayTime } from '../times.ts';
import { Failure, Loading } from '../ui/parts.tsx';
import { keyUseQuery, type Use, type Whose } from './queries.ts';
import { isGone } from '../api.ts';
import { Panel } from '../ui/panel.tsx';
import './key-use.css';

/** How near a key is to being refused. */
export function KeyUsePanel({ whose }: { whose: Whose }) {
  const { data, error, refetch } = useQuery(keyUseQuery(whose));
  if (isGone(error)) return null;
  return (
    <Panel title="Requests with this key" action={data && <Refusing use={data} />}>
      {!data && (error ? <Failure error={error} again={() => void refetch()} /> : <Loading rows={2} />)}
      {data?.windows.length === 0 && <p className="meta">This installation sets no limits: RATE_LIMITS is off.</p>}
      {data && data.windows.length > 0 && (
        <ul className="uses">
          {data.windows.map((window) => (
            <WindowRow key={window.seconds} window={window} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function WindowRow({ window: { seconds, requests, limit } }: { window: Use['windows'][number] }) {
  const said = `${requests} of ${limit}`;
  return (
    <li className="use">
      <span>{sayLength(seconds)}</span>
      <span
        className={requests > limit ? 'use-bar over' : 'use-bar'}
        role="meter"
        aria-label={sayLength(seconds)}
        aria-valuenow={Math.min(requests, limit)}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuetext={said}
      >
        <span style={{ width: `${Math.min(100, (requests / limit) * 100)}%` }} />
      </span>
      <span className="figures">
        <b>{requests}</b> of {limit}
      </span>
    </li>
  );
}

/** Only the running windows are known, so nothing is said about the rest of the day. */
function Refusing({ use: { windows, refusing_until } }: { use: Use }) {
  if (refusing_until) return <span className="meta failing">refused until {sayTime(refusing_until)}</span>;
  const shortest = Math.min(...windows.map(({ seconds }) => seconds));
  return shortest === 60 && <span className="meta">nothing refused this minute</span>;
}

const LENGTHS: Record<number, string> = { 1: 'This second', 60: 'This minute', 300: 'Five minutes', 3600: 'This hour' };

const sayLength = (seconds: number): string =>
  LENGTHS[seconds] ?? (seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`);
