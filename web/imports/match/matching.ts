import type { DateOrder, LeadPart, Match, Plan } from '../../../contract/imports.ts';
import type { ColumnKind } from '../../../contract/lists.ts';

/** What a column can become. */
export type Target = Pick<Match, 'field' | 'new_field' | 'part'>;
export type KnownField = { key: string; label: string; kind: ColumnKind; required: boolean };
type Matches = Plan['matches'];

export const PARTS: Record<LeadPart, string> = {
  id: 'Lead id',
  state: 'State',
  category: 'Category',
  due: 'Due',
  claimed_by: 'Claimed by',
  comment: 'Comment',
};

export const matchOf = (matches: Matches, column: number): Match | undefined =>
  matches.find(({ columns }) => columns.includes(column));

const targetOf = ({ field, new_field, part }: Target): Target => ({
  ...(field !== undefined && { field }),
  ...(new_field !== undefined && { new_field }),
  ...(part !== undefined && { part }),
});

const plain = (label: string): string => label.trim().toLowerCase();

/** A list has no two fields of one label. */
export const isSame = (one: Target, other: Target): boolean =>
  (one.field !== undefined && one.field === other.field) ||
  (one.part !== undefined && one.part === other.part) ||
  (one.new_field !== undefined &&
    other.new_field !== undefined &&
    plain(one.new_field.label) === plain(other.new_field.label));

const inOrder = (matches: Matches): Matches => matches.toSorted((a, b) => a.columns[0]! - b.columns[0]!);

/** Without a column, wherever it was. */
const without = (matches: Matches, column: number): Matches =>
  matches
    .map((match) =>
      match.columns.includes(column) ? { ...match, columns: match.columns.filter((one) => one !== column) } : match,
    )
    .filter(({ columns }) => columns.length > 0);

/** How the dates of a column are written, for a target that holds dates. */
type Dating = (target: Target, columns: number[]) => DateOrder | undefined;

const make = (columns: number[], target: Target, dating: Dating): Match => {
  const dates = dating(target, columns);
  return { columns, ...targetOf(target), ...(dates && { dates }) };
};

/** A column becomes something, or is left out. What it takes from another, that one gets in exchange for its own. */
export function aim(matches: Matches, column: number, target: Target | undefined, dating: Dating): Matches {
  const before = matchOf(matches, column);
  const rest = without(matches, column);
  if (!target) return inOrder(rest);
  if (before && before.columns.length === 1 && isSame(before, target)) return matches;
  const robbed = rest.find((match) => isSame(match, target));
  const isSwap = robbed && before?.columns.length === 1;
  return inOrder([
    ...rest.filter((match) => match !== robbed),
    ...(isSwap ? [make(robbed.columns, before, dating)] : []),
    make([column], target, dating),
  ]);
}

/** A column is added at the end of what another has become, with a space between them. */
export function join(matches: Matches, column: number, head: number): Matches {
  return inOrder(
    without(matches, column).map((match) =>
      match.columns.includes(head) ? { ...matchAsSure(match), columns: [...match.columns, column] } : match,
    ),
  );
}

/** Someone has looked at it. */
export function matchAsSure(match: Match): Match {
  const { sure: _, ...rest } = match;
  return rest;
}

export const change = (matches: Matches, column: number, changed: Partial<Match>): Matches =>
  matches.map((match) => (match.columns.includes(column) ? { ...matchAsSure(match), ...changed } : match));

/** `Notes`, or `Notes 2` where there is such a field already. */
export function freeLabel(label: string, matches: Matches, fields: KnownField[]): string {
  const taken = new Set(
    [...fields.map((field) => field.label), ...matches.flatMap(({ new_field }) => new_field?.label ?? [])].map(plain),
  );
  let free = label;
  for (let number = 2; taken.has(plain(free)); number += 1) free = `${label} ${number}`;
  return free;
}

/** The same for another list: fields of one label are the same, those that it lacks are made. No fields: it is made itself. */
export function carryOver(matches: Matches, from: KnownField[], to: KnownField[]): Matches {
  const taken = new Set<string>();
  return matches.map((match) => {
    if (match.part) return match;
    const before = from.find(({ key }) => key === match.field);
    const { label, kind } = match.new_field ?? {
      label: before?.label ?? match.field ?? '',
      kind: before?.kind ?? 'none',
    };
    const there = to.find((field) => plain(field.label) === plain(label) && !taken.has(field.key));
    if (there) taken.add(there.key);
    const { field: _, new_field: __, ...rest } = match;
    // What there is to choose from would have to be said first.
    return there
      ? { ...rest, field: there.key }
      : { ...rest, new_field: { label, kind: kind === 'options' ? 'none' : kind } };
  });
}

export function kindOf({ field, new_field, part }: Target, fields: KnownField[]): ColumnKind | undefined {
  if (part) return part === 'due' ? 'date' : undefined;
  return new_field?.kind ?? fields.find(({ key }) => key === field)?.kind;
}

/** `2027-03-31`, `31.3.2027`, `03/31/27`. */
const DATE = /^(\d{1,4})\D(\d{1,2})\D(\d{1,4})/;

/** By what stands in it; where both are possible, as most of the world writes. */
export function orderOfDates(samples: string[]): DateOrder {
  const dates = samples.flatMap((sample) => {
    const found = DATE.exec(sample.trim());
    return found ? [found] : [];
  });
  if (dates.some(([, first]) => first!.length > 2)) return 'year_first';
  if (dates.some(([, first]) => Number(first) > 12)) return 'day_first';
  return dates.some(([, , second]) => Number(second) > 12) ? 'month_first' : 'day_first';
}
