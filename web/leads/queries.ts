import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { Call } from '../../contract/calls.ts';
import type { Activity, LeadWithEvents } from '../../contract/leads.ts';
import type { Desk } from '../../contract/queue.ts';
import type { ComingBack } from '../../contract/retries.ts';
import { ask, get, queries } from '../api.ts';
import { asks } from '../asks.ts';
import { tellingOf } from '../ui/notices.ts';
import { saveSurely } from '../ui/saving.ts';

export type Lead = Static<typeof LeadWithEvents>;
export type ActivityEvent = Static<typeof Activity>;

export const listIdOf = ({ list_location }: Pick<Lead, 'list_location'>): number =>
  Number(list_location.split('/').at(-1));

/** Between the second identifier and the third: people have one name, everything else is two things. */
export const betweenOf = ({ lead_data, secondary_identifier, tertiary_identifier }: Omit<Lead, 'events'>): string => {
  if (!secondary_identifier || !tertiary_identifier) return '';
  const isName = lead_data.first_name === secondary_identifier && lead_data.last_name === tertiary_identifier;
  return isName ? ' ' : ', ';
};

export const nameLead = ({ primary_identifier, id }: Pick<Lead, 'primary_identifier' | 'id'>): string =>
  primary_identifier || `Lead ${id}`;

export const leadQuery = (id: number) =>
  queryOptions({ queryKey: ['lead', id, 'data'], queryFn: () => get<Lead>(asks.lead(id)) });

/** Of one that is open, or was. */
export const nameOpen = (id: number): string =>
  nameLead(queries.getQueryData<Lead>(leadQuery(id).queryKey) ?? { id, primary_identifier: '' });

/** How something is told of it. */
export const aboutLead = (id: number) => tellingOf({ id, name: nameOpen(id) });

export const activityQuery = (id: number) =>
  queryOptions({
    queryKey: ['lead', id, 'activity'],
    queryFn: () => get<ActivityEvent[]>(asks.activity(id)),
  });

export const callsQuery = (id: number) =>
  queryOptions({ queryKey: ['lead', id, 'calls'], queryFn: () => get<Call[]>(asks.calls(id)) });

/** What a call back without a time would mean now, which depends on how the call stands. */
export const comingBackQuery = (id: number, call: string) =>
  queryOptions({
    queryKey: ['lead', id, 'coming_back', call],
    queryFn: () => get<ComingBack>(asks.comingBack(id)),
    placeholderData: (before: ComingBack | undefined) => before,
  });

/** The script, fields and categories of a list. */
export const deskQuery = (listId: number) =>
  queryOptions({ queryKey: ['desk', listId], queryFn: () => get<Desk>(asks.desk(listId)), staleTime: 60_000 });

/** A lead, and what its list needs to be worked on screen. */
export function useLead(leadId: number) {
  const { data: lead, error, refetch } = useQuery(leadQuery(leadId));
  const { data: desk } = useQuery({ ...deskQuery(lead ? listIdOf(lead) : 0), enabled: lead !== undefined });
  return { lead, desk, error, refetch };
}

/** One change of a field after the other, in the order in which they were made. */
const changes = new Map<string, Promise<void>>();

async function takeTurn(field: string, act: () => Promise<void>): Promise<void> {
  const turn = (changes.get(field) ?? Promise.resolve()).catch(() => undefined).then(act);
  changes.set(field, turn);
  try {
    await turn;
  } finally {
    if (changes.get(field) === turn) changes.delete(field);
  }
}

/** Shows a changed field at once, and takes it back where the service refuses it. */
export async function saveField(lead: Lead, key: string, value: string): Promise<void> {
  const { queryKey } = leadQuery(lead.id);
  const change = (text: string) =>
    queries.setQueryData<Lead>(queryKey, (now) => now && { ...now, lead_data: { ...now.lead_data, [key]: text } });
  await queries.cancelQueries({ queryKey });
  const before = queries.getQueryData<Lead>(queryKey)?.lead_data[key] ?? '';
  change(value);
  try {
    await takeTurn(`${lead.id} ${key}`, () =>
      saveSurely(() => ask('PATCH', asks.lead(lead.id), { lead: { [key]: value } })),
    );
  } catch (error) {
    change(before);
    throw error;
  } finally {
    void queries.invalidateQueries({ queryKey: ['lead', lead.id] });
  }
}
