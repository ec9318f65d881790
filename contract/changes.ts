/**
 * What the changes of an event tell of besides fields. A field of such a name, which anybody who has a key can make up, is told of as
 * `field.state`: whoever reads a part can rely on it.
 */
const PARTS = new Set([
  'state',
  'category',
  'scheduled_for',
  'claimed_by',
  'list_id',
  'comment',
  'merged',
  'undone',
  '__proto__',
]);

const FIELD = 'field.';

export const nameOfField = (key: string): string => (PARTS.has(key) ? `${FIELD}${key}` : key);

/** Undefined for a part. */
export function fieldOf(name: string): string | undefined {
  if (PARTS.has(name)) return undefined;
  const key = name.slice(FIELD.length);
  return name === nameOfField(key) ? key : name;
}
