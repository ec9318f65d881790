import assert from 'node:assert/strict';
import type { Answer, Ask, House } from '../house.ts';

export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The documented members of a lead, and no others. */
export const LEAD_KEYS = [
  'id',
  'location',
  'url',
  'list_name',
  'list_location',
  'primary_identifier',
  'secondary_identifier',
  'tertiary_identifier',
  'state',
  'category',
  'scheduled_for',
  'claimed_by',
  'claimed_at',
  'detected_duplicates',
  'ignored_duplicates',
  'created_at',
  'last_updated',
  'lead_data',
].toSorted();

export const keysOf = (object: object): string[] => Object.keys(object).toSorted();
export const idsOf = (rows: { id: number }[]): number[] => rows.map(({ id }) => id);

/** Status and the parameters that an answer blames. */
export const blame = ({ status, body }: Answer): [number, string[]] => [status, keysOf(body.errors ?? {})];

/** What most sentences begin with: a list, and leads in it. */
export function stepsOf(ask: Ask) {
  const made = async (answer: Promise<Answer>) => {
    const { status, body } = await answer;
    assert.equal(status, 201, JSON.stringify(body));
    return body;
  };
  return {
    addList: (list: Record<string, unknown> = {}) => made(ask('POST', '/lists', { list: { name: 'Autumn', ...list } })),
    addLead: (list: { id: number }, lead: Record<string, unknown> = {}) =>
      made(ask('POST', `/lists/${list.id}/leads`, { lead })),
    readLead: async ({ id }: { id: number }) => (await ask('GET', `/leads/${id}`)).body,
  };
}

/** Another account. It is told apart by its host: ours is reached as 127.0.0.1, theirs as localhost. */
export async function addNeighbour(house: House) {
  const address = house.address.replace('127.0.0.1', 'localhost');
  const { key, account } = await house.addAccount('Neighbour', address);
  return { account, key, address, ask: house.withKey(key, address) };
}
