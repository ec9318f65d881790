import { Type, type Static } from 'typebox';

/**
 * What leads have in common, said in tokens that all have to hold: `state:is:new`, `field.city:in:Ghent,Bruges`. One language for the table
 * of leads, its address, acts on many and exports; docs/filters.md is its description.
 */

export const OPERATORS = [
  'is',
  'is_not',
  'in',
  'contains',
  'starts_with',
  'is_set',
  'empty',
  'at_least',
  'at_most',
  'between',
] as const;
export type Operator = (typeof OPERATORS)[number];

/** What a token can be about besides the fields of a list, which are written `field.KEY`. */
export const SUBJECTS = {
  state: 'choice',
  category: 'text',
  claimed_by: 'person',
  due: 'time',
  created: 'time',
  updated: 'time',
  attempts: 'number',
  last_outcome: 'time',
  duplicate: 'yes_or_no',
  imported_by: 'person',
  import: 'id',
} as const;
export type Subject = keyof typeof SUBJECTS;
export type SubjectKind = (typeof SUBJECTS)[Subject] | 'field';

const TEXTS = ['is', 'is_not', 'in', 'contains', 'starts_with', 'is_set', 'empty'] as const;
const RANGES = ['at_least', 'at_most', 'between'] as const;

/** What can be asked of each kind. Of a field the ranges compare whole numbers, or times where it is a date or a time. */
export const OPERATORS_OF: Record<SubjectKind, readonly Operator[]> = {
  choice: ['is', 'is_not', 'in'],
  text: ['is', 'is_not', 'in', 'is_set', 'empty'],
  person: ['is', 'is_not', 'in', 'is_set', 'empty'],
  time: [...RANGES, 'is_set', 'empty'],
  number: ['is', ...RANGES],
  yes_or_no: ['is'],
  id: ['is'],
  field: [...TEXTS, ...RANGES],
};

export const MOST_TOKENS = 20;
/** Of one token. */
export const MOST_VALUES = 100;
export const LONGEST_VALUE = 500;

export const Token = Type.Object({
  name: Type.String({ maxLength: 261, description: 'What it is about: `state`, `claimed_by`, …, or `field.KEY`.' }),
  operator: Type.Enum([...OPERATORS]),
  values: Type.Array(Type.String({ maxLength: LONGEST_VALUE }), {
    maxItems: MOST_VALUES,
    description: 'None for `is_set` and `empty`, two for `between`, one or more for `in`, otherwise one.',
  }),
});
export type Token = Static<typeof Token>;

export const FIELD = 'field.';
export const isField = (name: string): boolean => name.startsWith(FIELD);

/** How many values an operator takes: at least and at most. */
export const valuesOf = (operator: Operator): [least: number, most: number] =>
  operator === 'is_set' || operator === 'empty'
    ? [0, 0]
    : operator === 'between'
      ? [2, 2]
      : operator === 'in'
        ? [1, MOST_VALUES]
        : [1, 1];

/** As it stands in an address: values are divided by commas; a comma of their own, and a backslash, has a backslash before it. */
export const writeToken = ({ name, operator, values }: Token): string =>
  [name, operator, ...(values.length > 0 ? [values.map(escape).join(',')] : [])].join(':');

const escape = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll(',', '\\,');

/** Reads what `writeToken` wrote. Undefined: it is none, for want of a name or of an operator. */
export function readToken(text: string): Token | undefined {
  const [name = '', operator = '', ...rest] = text.split(':');
  if (!name || !(OPERATORS as readonly string[]).includes(operator)) return undefined;
  const values = rest.length > 0 ? divide(rest.join(':')) : [];
  return { name, operator: operator as Operator, values };
}

function divide(text: string): string[] {
  const values = [''];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]!;
    if (letter === ',') values.push('');
    else values[values.length - 1] += letter === '\\' && at + 1 < text.length ? text[(at += 1)]! : letter;
  }
  return values;
}
