import { fold } from '../../contract/fold.ts';
import {
  COLUMN_KINDS,
  DEFAULT_FIELDS,
  type ColumnAttributes,
  type ColumnKind,
  type NewList,
} from '../../contract/lists.ts';
import { invalid } from '../platform/read.ts';

export type NewColumn = {
  key: string;
  label: string;
  kind: ColumnKind;
  visible: boolean;
  required: boolean;
  options: string[];
  locked: boolean;
};

/** What the values of a lead are read by. */
export type ListColumn = Pick<NewColumn, 'key' | 'label' | 'kind' | 'required' | 'options'>;

/** The same, of `list_columns c`. */
export const LIST_COLUMN = `
  json_build_object('key', c.key, 'label', c.label, 'kind', c.kind, 'required', c.required, 'options', c.options)`;

// They are parameters of `find` and of pages, so a column of that name could not be asked for.
const RESERVED = new Set(['matchall', 'page', 'per_page', 'order', 'after']);

export const MOST_COLUMNS = 500;
const LONGEST_KEY = 100;
const LONGEST_NAME = 255;

/** The columns of a new list: the default fields where none are given, and before those given where the list is locked on them. */
export function planColumns(given: NewList['list']['columns_attributes'], locked: boolean): NewColumn[] {
  const wanted = inOrder(given);
  refuseTooMany(wanted.length);
  const defaults = DEFAULT_FIELDS.map(({ label, kind }) => planColumn({ label, kind }, locked));
  if (wanted.length === 0) return defaults;
  if (!locked) return nameApart(wanted.map((column) => planColumn(column)));
  // One whose key equals a default's is that default.
  const own = new Set(defaults.map(({ key }) => key));
  const others = wanted.map((column) => planColumn(column)).filter(({ key }) => !own.has(key));
  refuseTooMany(defaults.length + others.length, ', those that every list has among them');
  return nameApart([...defaults, ...others]);
}

function refuseTooMany(columns: number, counted = ''): void {
  if (columns > MOST_COLUMNS)
    throw invalid({ columns_attributes: [`must have at most ${MOST_COLUMNS} columns${counted}`] });
}

function inOrder(given: NewList['list']['columns_attributes']): ColumnAttributes[] {
  if (!given) return [];
  if (Array.isArray(given)) return given;
  const positions = Object.keys(given);
  const stray = positions.find((position) => !/^\d{1,9}$/.test(position));
  if (stray !== undefined) throw invalid({ [`columns_attributes.${stray}`]: ['must be a position such as "0"'] });
  return positions.toSorted((a, b) => Number(a) - Number(b)).map((position) => given[position]!);
}

export function planColumn(
  { label, kind = 'none', visible = true, required = false, options = [] }: ColumnAttributes,
  locked = false,
): NewColumn {
  const key = keyOf(label);
  return {
    key,
    label: label.trim() || label,
    kind,
    visible,
    required,
    options: kind === 'options' ? splitNames('options', options) : [],
    locked,
  };
}

export function keyOf(label: string): string {
  // Other scripts grow when they are written in ASCII.
  const key = fold(label).slice(0, LONGEST_KEY).replace(/_$/, '') || 'field';
  return RESERVED.has(key) ? `${key}_field` : key;
}

/** Repeats get _2, _3, and so on, past those that are labelled so already. */
export function nameApart<Column extends { key: string }>(columns: Column[]): Column[] {
  const taken = new Set<string>();
  return columns.map((column) => {
    let key = column.key;
    for (let number = 2; taken.has(key); number += 1) key = `${column.key}_${number}`;
    taken.add(key);
    return { ...column, key };
  });
}

/** Split at commas, trimmed, empties and repeats dropped, order kept. */
export function splitNames(parameter: string, names: string | string[]): string[] {
  const all = typeof names === 'string' ? names.split(',') : names;
  const trimmed = all.map((name) => name.trim()).filter((name) => name !== '');
  if (trimmed.some((name) => name.length > LONGEST_NAME)) {
    throw invalid({ [parameter]: [`must name each with at most ${LONGEST_NAME} characters`] });
  }
  return [...new Set(trimmed)];
}

export const describeKind = (kind: string) => COLUMN_KINDS[kind as ColumnKind];
