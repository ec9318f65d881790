import { LARGEST_PAGE } from '../../../contract/lead-table.ts';
import type { Spot } from './spot.ts';

export const SIZE = LARGEST_PAGE / 2;

/** Which leads, in which order, and which of their fields are told. */
export type Question = { matching: string; order: string; fields: string; lists: number[] };

/** From where on, and how many. */
export type Begin = { at?: number; after?: string; before?: string; size?: number };

export function writeQuestion({ matching, order, fields }: Question, begin: Begin): string {
  const asked = new URLSearchParams(matching);
  asked.set('order', order);
  if (fields) asked.set('fields', fields);
  asked.set('size', String(SIZE));
  for (const [name, value] of Object.entries(begin)) asked.set(name, String(value));
  return `/leads?${asked}`;
}

/** What follows the mark of a spot: so much that what is in sight is among it, wherever in its page that begins. */
export const afterSpot = ({ after }: Spot): Begin => ({ size: LARGEST_PAGE, ...(after !== null && { after }) });

export const isByPlace = (path: string): boolean => new URLSearchParams(path.split('?')[1]).has('at');
