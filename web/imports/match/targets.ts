import { LEAD_PARTS, type Import, type LeadPart, type Match } from '../../../contract/imports.ts';
import { DEFAULT_FIELDS } from '../../../contract/lists.ts';
import { freeLabel, isSame, PARTS, type KnownField, type Target } from './matching.ts';

/** What a column can become, as a list to choose from. Each has a value that says what it is. */

export const NONE = 'none';
export const NEW = 'new';
const FIELD = 'field ';
const USUAL = 'usual ';
const PART = 'part ';
const JOIN = 'join ';

const LONGEST_LABEL = 200;

type Choice = { value: string; label: string };
export type Choices = (Choice | { group: string; items: Choice[] })[];

const NOTHING: Choice = { value: NONE, label: 'Do not import' };

export const usualOf = (label: string) => DEFAULT_FIELDS.find((field) => field.label === label);

/** `company_name` → `Company name`, of a field that is not known yet. */
const sayKey = (key: string): string => `${key.slice(0, 1).toUpperCase()}${key.slice(1).replaceAll('_', ' ')}`;

export const sayTarget = ({ field, new_field, part }: Target, fields: KnownField[]): string =>
  part ? PARTS[part] : (new_field?.label ?? fields.find(({ key }) => key === field)?.label ?? sayKey(field ?? ''));

/** What a column is now. One that is joined to others says behind which it comes. */
export function choiceOf(
  column: number,
  match: Match | undefined,
  { fields, columns, isNewList }: Pick<Known, 'fields' | 'columns' | 'isNewList'>,
): Choice {
  if (!match) return NOTHING;
  const { field, new_field, part } = match;
  const place = match.columns.indexOf(column);
  const label = sayTarget(match, fields);
  if (place > 0)
    return {
      value: JOIN + match.columns[0],
      label: `${label}, after ${columns[match.columns[place - 1]!]?.name ?? ''}`,
    };
  if (part) return { value: PART + part, label };
  if (field !== undefined) return { value: FIELD + field, label };
  const isUsual = isNewList && new_field && usualOf(new_field.label)?.kind === new_field.kind;
  return isUsual ? { value: USUAL + label, label } : { value: NEW, label: 'New field' };
}

export type Known = {
  fields: KnownField[];
  columns: Import['columns'];
  matches: Match[];
  /** It has no fields but those that the file brings. */
  isNewList: boolean;
};

export function choicesOf(column: number, { fields, columns, matches, isNewList }: Known): Choices {
  const taken = (target: Target): string => {
    const match = matches.find((one) => !one.columns.includes(column) && isSame(one, target));
    return match ? `, now ${columns[match.columns[0]!]?.name ?? ''}` : '';
  };
  const own = matches.find((match) => match.columns.includes(column));
  const current = choiceOf(column, own, { fields, columns, isNewList });
  const others = matches.filter((match) => match.columns[0] !== column);
  const items = isNewList
    ? DEFAULT_FIELDS.map((new_field) => ({
        value: USUAL + new_field.label,
        label: new_field.label + taken({ new_field }),
      }))
    : fields.map(({ key, label }) => ({ value: FIELD + key, label: label + taken({ field: key }) }));
  return [
    NOTHING,
    current.value === NEW ? current : { value: NEW, label: 'New field …' },
    { group: isNewList ? 'Usual fields' : 'Fields', items },
    {
      group: 'Of the lead',
      items: LEAD_PARTS.map((part) => ({ value: PART + part, label: PARTS[part] + taken({ part }) })),
    },
    {
      group: 'Join with …',
      items: others
        .filter(({ part }) => part === undefined || part === 'comment')
        .map((match) =>
          match === own
            ? current
            : {
                value: JOIN + match.columns[0],
                label: `${sayTarget(match, fields)}, after ${columns[match.columns.at(-1)!]?.name ?? ''}`,
              },
        ),
    },
  ].filter((choice) => !('items' in choice) || choice.items.length > 0);
}

/** What was chosen: a target, nothing, or to join another column. */
export function readChoice(value: string, column: number, known: Known): { target?: Target; joins?: number } {
  if (value.startsWith(JOIN)) return { joins: Number(value.slice(JOIN.length)) };
  if (value.startsWith(FIELD)) return { target: { field: value.slice(FIELD.length) } };
  if (value.startsWith(PART)) return { target: { part: value.slice(PART.length) as LeadPart } };
  if (value.startsWith(USUAL)) {
    const usual = usualOf(value.slice(USUAL.length));
    return usual ? { target: { new_field: usual } } : {};
  }
  if (value !== NEW) return {};
  const { fields, columns, matches } = known;
  const label = freeLabel(columns[column]?.name.slice(0, LONGEST_LABEL) || 'Field', matches, fields);
  return { target: { new_field: { label, kind: 'none' } } };
}
