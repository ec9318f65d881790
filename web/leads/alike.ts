import { MOST_DUPLICATES } from '../../contract/duplicates.ts';
import type { Desk } from '../../contract/queue.ts';
import type { Lead } from './queries.ts';

const plain = (value: string) => value.replaceAll(/[\s().-]/g, '').toLowerCase();

/** So many look the same that it tells nothing: there is nobody to compare it with. */
export const sharesPlaceholder = ({ detected_duplicates }: Lead): boolean =>
  detected_duplicates.length >= MOST_DUPLICATES;

/** Why two leads look the same: `same office phone`. Empty where it is no field of both. */
export function sayAlike(columns: Desk['columns'], lead: Lead, other: Lead): string {
  const shared = columns.filter(({ key, kind }) => {
    const own = plain(lead.lead_data[key] ?? '');
    return (kind === 'phone' || kind === 'email') && own !== '' && own === plain(other.lead_data[key] ?? '');
  });
  return shared.length > 0 ? `same ${shared.map(({ label }) => label.toLowerCase()).join(' and ')}` : '';
}
