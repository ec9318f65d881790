import { IconMoon } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import type { Whereabouts } from '../../contract/calls.ts';
import { Place } from '../outcomes/place.ts';
import { isDay, sayClock, sayIn, useNow } from '../times.ts';
import { endsAlike, numbersQuery } from './numbers.ts';
import { useLead } from './queries.ts';
import './local-time.css';

/** Where a lead is: by the number that is called, else by the first that tells. */
function useThere(leadId: number, isThere: boolean, dialled?: string): Whereabouts | undefined {
  const { data: numbers } = useQuery({ ...numbersQuery(leadId), enabled: isThere });
  const called = numbers?.find(({ number }) => dialled !== undefined && endsAlike(number, dialled));
  return called?.there ?? numbers?.find(({ there }) => there !== null)?.there ?? undefined;
}

/** Around whatever says or reads a time that concerns a lead. */
export function LeadPlace({ leadId, children }: { leadId: number; children: ReactNode }) {
  const { lead, desk } = useLead(leadId);
  // Of a lead that is none any more, or was merged, nobody asks where it is.
  const there = useThere(leadId, lead?.id === leadId);
  const country = desk?.country;
  return <Place value={useMemo(() => ({ country, there }), [country, there])}>{children}</Place>;
}

/** The time where a lead is: amber when it is too early or too late to call there. */
export function LocalTime({ leadId, dialled }: { leadId: number; dialled?: string | undefined }) {
  const there = useThere(leadId, true, dialled);
  const now = useNow(20_000);
  if (!there) return null;
  const { zone, place, others } = there;
  const isNight = !isDay(now, zone);
  const elsewhere = others.map((other) => `${sayClock(now, other)} ${sayIn(cityOf(other))}`);
  return (
    <div className="field">
      <dt>Local time</dt>
      <dd>
        <span
          className={isNight ? 'local-time night' : 'local-time'}
          title={others.length > 0 ? `Likely. It may be ${sayOr(elsewhere)}.` : undefined}
        >
          {isNight && <IconMoon size={14} stroke={1.75} role="img" aria-label="Before 8 or after 21 there:" />}
          <time className="figures">
            {others.length > 0 && '~ '}
            {sayClock(now, zone)}
          </time>{' '}
          <span className="dim">
            {sayIn(place)}
            {others.length > 0 && ', likely'}
          </span>
        </span>
      </dd>
    </div>
  );
}

const cityOf = (zone: string) => zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');

/** Some of them: a country may have eleven. */
const sayOr = (times: string[]) =>
  [...times.slice(0, 4), ...(times.length > 4 ? [`${times.length - 4} others`] : [])].join(', or ');
