import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { Call } from '../../contract/calls.ts';
import type { Activity, LeadWithEvents } from '../../contract/leads.ts';
import type { Desk } from '../../contract/queue.ts';
import { ask, get, queries, Refused } from '../api.ts';
import { asks } from '../asks.ts';

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

export const activityQuery = (id: number) =>
  queryOptions({
    queryKey: ['lead', id, 'activity'],
    queryFn: () => get<ActivityEvent[]>(asks.activity(id)),
  });

export const callsQuery = (id: number) =>
  queryOptions({ queryKey: ['lead', id, 'calls'], queryFn: () => get<Call[]>(asks.calls(id)) });

/** The script, fields and categories of a list. */
export const deskQuery = (listId: number) =>
  queryOptions({ queryKey: ['desk', listId], queryFn: () => get<Desk>(asks.desk(listId)), staleTime: 60_000 });

/** A lead, and what its list needs to be worked on screen. */
export function useLead(leadId: number) {
  const { data: lead, error, refetch } = useQuery(leadQuery(leadId));
  const { data: desk } = useQuery({ ...deskQuery(lead ? listIdOf(lead) : 0), enabled: lead !== undefined });
  return { lead, desk, error, refetch };
}

const AGAIN_MS = 2_000;
const PATIENCE_MS = 5 * 60_000;
const AWAY = new Set([0, 502, 503, 504]);

const stay = (event: BeforeUnloadEvent) => event.preventDefault();

/** While the service cannot be reached, what was asked waits for it, and whoever closes the page is asked whether they mean it. */
async function keepAsking(act: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  try {
    for (;;) {
      try {
        await act();
        return;
      } catch (error) {
        if (!(error instanceof Refused) || !AWAY.has(error.status) || Date.now() > deadline) throw error;
        addEventListener('beforeunload', stay);
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  } finally {
    removeEventListener('beforeunload', stay);
  }
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
      keepAsking(() => ask('PATCH', asks.lead(lead.id), { lead: { [key]: value } })),
    );
  } catch (error) {
    change(before);
    throw error;
  } finally {
    void queries.invalidateQueries({ queryKey: ['lead', lead.id] });
  }
}
