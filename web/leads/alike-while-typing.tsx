import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Alike } from '../../contract/list-pages.ts';
import { paths } from '../../contract/paths.ts';
import { ask } from '../api.ts';
import { STATES } from '../ui/states.tsx';
import './alike-while-typing.css';

const PAUSE_MS = 300;

/** Leads that the one that is being written may be. Nobody is kept from writing it: an answer that fails is none. */
export function useAlike(listId: number, values: Record<string, string>): Alike[] {
  const [settled] = useDebouncedValue(values, PAUSE_MS);
  const given = Object.fromEntries(Object.entries(settled).filter(([, value]) => value.trim() !== ''));
  const { data } = useQuery({
    queryKey: ['alike', listId, given],
    queryFn: () => ask<Alike[]>('POST', `/lists/${listId}/alike`, { lead: given }),
    enabled: Object.keys(given).length > 0,
    placeholderData: (before) => before,
    retry: false,
    gcTime: 60_000,
  });
  return Object.keys(given).length > 0 ? (data ?? []) : [];
}

const SHOWN = 3;

/** Under the field that they share; each once. They open beside the form, which stays as it is. */
export function AlikeUnder({ alike, column }: { alike: Alike[]; column: string }) {
  const own = alike.filter(({ by }) => by[0] === column);
  if (own.length === 0) return null;
  return (
    <ul className="alike-list" aria-label="Possible duplicates" aria-live="polite">
      {own.slice(0, SHOWN).map((lead) => (
        <li key={lead.lead_id}>
          <Link to={paths.lead(lead.lead_id)} target="_blank">
            {[lead.primary_identifier || `Lead ${lead.lead_id}`, lead.list_name].join(', ')}
          </Link>{' '}
          <span className="dim">· {STATES[lead.state].word}</span>
        </li>
      ))}
      {own.length > SHOWN && <li className="dim">and {own.length - SHOWN} more</li>}
    </ul>
  );
}
