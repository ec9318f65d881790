import { topicsOf } from './known-names.ts';
import { lookOf } from './looks.ts';

/** Whether the first row names the columns, or is a lead already. */
export function hasHeading(first: string[] | undefined): boolean {
  if (!first) return false;
  if (first.some((cell) => cell.length > 255)) return false;
  const filled = first.filter((cell) => cell.trim() !== '');
  const known = filled.filter((cell) => topicsOf(cell).length > 0).length;
  // "No" is short for number as often as it is an answer.
  const values = filled.filter((cell) => ![undefined, 'boolean'].includes(lookOf(cell))).length;
  // Years and numbers name columns too, beside others.
  return values === 0 || (known > 0 && known >= values);
}
