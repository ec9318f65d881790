import { invalid } from '../platform/read.ts';
import { LONGEST_KEY, type Order } from './orders.ts';
import type { Put } from './conditions.ts';

/** Where a lead stands in an order: what it is ordered by, and which place that was when it was told. Pages go on from there. */
export type Mark = { keys: (number | string)[]; id: number; place: number };

export const writeMark = ({ letter }: Order, { keys, id, place }: Mark): string =>
  `${letter}${Buffer.from(JSON.stringify([...keys, id, place])).toString('base64url')}`;

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);
// Times that the database knows, too.
const isMoment = (value: unknown) => isWhole(value) && Math.abs(value) < 1e14;
const isSmall = (value: unknown) => isWhole(value) && value >= 0 && value < 100;
const isText = (value: unknown) =>
  typeof value === 'string' && value.length <= 2 * LONGEST_KEY && value.isWellFormed() && !value.includes('\0');
const isDigits = (value: unknown) => typeof value === 'string' && /^-?\d{1,31}$/.test(value);

const SHAPES: Record<string, ((value: unknown) => boolean)[]> = {
  q: [isSmall, isMoment],
  c: [isMoment],
  u: [isMoment],
  d: [isMoment],
  t: [isSmall, isText],
  n: [isSmall, isDigits],
};

/** `name`: of the parameter that it was given as. */
export function readMark({ letter }: Order, name: 'after' | 'before', text: string): Mark {
  const shape = SHAPES[letter]!;
  const parts = text.startsWith(letter) ? parse(text.slice(1)) : undefined;
  const known = parts?.length === shape.length + 2 && shape.every((fits, index) => fits(parts[index]));
  const [id, place] = parts?.slice(-2) ?? [];
  if (!known || !isWhole(id) || id < 0 || !isWhole(place))
    throw invalid({ [name]: ['must be taken from an answer in the same order'] });
  return { keys: parts.slice(0, -2) as Mark['keys'], id, place };
}

function parse(text: string): unknown[] | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

/** Its keys and its id, in SQL. */
export const placeSql = ({ keys }: Order, mark: Mark, put: Put): string[] => [
  ...keys.map(({ from }, index) => from(put(mark.keys[index]))),
  `${put(mark.id)}::bigint`,
];
