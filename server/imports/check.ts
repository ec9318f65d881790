import { fold } from '../../contract/fold.ts';
import type { DateOrder, HowRead, LeadPart } from '../../contract/imports.ts';
import type { Categories, CategoryKind } from '../../contract/lists.ts';
import { STATES, type State } from '../../contract/states.ts';
import { store, type Shape } from '../leads/stored.ts';
import { saidVector } from '../leads/words.ts';
import type { ListColumn } from '../lists/columns.ts';
import { whenIn } from '../platform/times.ts';
import { cleanCell, readCell, readDate } from './cells.ts';

/** What a row of a file becomes. Needs nothing but what it is given, and so runs on any thread; what it imports every thread has to load. */

export type Target = { columns: number[]; dates?: DateOrder | undefined } & (
  | { field: ListColumn; part?: undefined }
  | { part: LeadPart; field?: undefined }
);

/** All that a row is checked by. */
export type Checking = {
  targets: Target[];
  list: Shape;
  categories: Categories;
  /** Names that categories had, with those that they have now. */
  renamed: Partial<Record<CategoryKind, Record<string, string>>>;
  /** A list that is made has whatever categories its leads have. */
  isNewList: boolean;
  state: State;
  /** Of people, by their address in small letters. */
  people: Record<string, number>;
  timeZone: string;
  format: HowRead['format'];
};

/** Besides its fields. Members are named as the parts are, but for `said`: what search finds of the comment. */
export type Besides = {
  id?: number;
  state?: State;
  category?: string | null;
  due?: string;
  claimed_by?: number;
  comment?: string;
  said?: string;
};

export type CheckedRow =
  | { data: string; words: string; marks: string[]; besides: Besides | undefined; fault?: undefined }
  | { fault: string; faultyAt: number | null };

// As in a lead that is made by hand.
const LONGEST_DATA = 1_000_000;

export function checkRow(checking: Checking, cells: string[], fault: string | null): CheckedRow {
  if (fault !== null) return { fault, faultyAt: null };
  const data = new Map<string, string>();
  const said = new Map<LeadPart, { text: string; target: Target }>();
  let characters = 0;
  for (const target of checking.targets) {
    const text = joinCells(target.columns, cells);
    characters += text.length;
    if (target.part) {
      if (text !== '') said.set(target.part, { text, target });
      continue;
    }
    const read = readCell(target.field, text, { dates: target.dates, format: checking.format });
    if ('fault' in read) return { fault: `${target.field.label}${read.fault}`, faultyAt: target.columns[0]! };
    data.set(target.field.key, read.text);
  }
  if (characters > LONGEST_DATA) return { fault: 'The row has more than 1,000,000 characters', faultyAt: null };
  if (characters === 0) return { fault: 'Nothing stands in the columns that are matched', faultyAt: null };
  const missing = checking.list.columns.find(({ key, required }) => required && (data.get(key) ?? '') === '');
  if (missing) return { fault: `${missing.label} is required`, faultyAt: columnOf(checking, missing) };
  const besides = readBesides(checking, said);
  if ('fault' in besides) return besides;
  const stored = store(checking.list, data, new Map());
  const { words, marks } = stored;
  return { data: stored.data, words, marks, besides: said.size > 0 ? besides : undefined };
}

const joinCells = (columns: number[], cells: string[]): string =>
  columns.length === 1
    ? cleanCell(cells[columns[0]!] ?? '')
    : columns
        .map((column) => cleanCell(cells[column] ?? ''))
        .filter((text) => text !== '')
        .join(' ');

const columnOf = ({ targets }: Checking, field: ListColumn): number | null =>
  targets.find((target) => target.field?.key === field.key)?.columns[0] ?? null;

type Said = Map<LeadPart, { text: string; target: Target }>;
type Fault = { fault: string; faultyAt: number };

const LONGEST_COMMENT = 10_000;

const STATE_WORDS: Record<string, State> = {
  new: 'new',
  call_back: 'call_back',
  callback: 'call_back',
  won: 'won',
  winner: 'won',
  lost: 'lost',
  loser: 'lost',
  archived: 'archived',
  archive: 'archived',
};

function readBesides(checking: Checking, said: Said): Besides | Fault {
  const besides: Besides = {};
  // A category is one of a state, so that is read first.
  for (const part of ['id', 'state', 'category', 'due', 'claimed_by', 'comment'] as const) {
    const { text, target } = said.get(part) ?? {};
    if (text === undefined) continue;
    const fault = READERS[part](checking, text, besides, target!);
    if (fault) return { fault, faultyAt: target!.columns[0]! };
  }
  return besides;
}

type Reader = (checking: Checking, text: string, besides: Besides, target: Target) => string | undefined;

const READERS: Record<LeadPart, Reader> = {
  id: (_, text, besides) => {
    if (!/^[1-9]\d{0,14}$/.test(text)) return 'The number of the lead must be a number such as 4711';
    besides.id = Number(text);
    return undefined;
  },
  state: (_, text, besides) => {
    const state = Object.hasOwn(STATE_WORDS, fold(text)) ? STATE_WORDS[fold(text)]! : undefined;
    if (!state) return 'The state must be new, call back, won, lost or archived';
    besides.state = state;
    return undefined;
  },
  category: ({ categories, renamed, isNewList, state }, text, besides) => {
    const of = besides.state ?? state;
    const kind = STATES[of];
    const known = (kind && categories[kind]) || [];
    const folded = text.toLowerCase();
    const now = kind && renamed[kind] && Object.hasOwn(renamed[kind], text) ? renamed[kind][text] : undefined;
    const meant = known.find((name) => name === text) ?? now ?? known.find((name) => name.toLowerCase() === folded);
    if (meant === undefined && (!kind || !isNewList || text.length > 255 || text.includes(',')))
      return `The category is none that the list has for leads that are ${of.replace('_', ' ')}`;
    besides.category = meant ?? text;
    return undefined;
  },
  due: ({ timeZone }, text, besides, { dates }) => {
    const read = readDate(text, dates);
    if ('fault' in read) return `The due time${read.fault}`;
    const time = read.zoned ? read.time : whenIn(timeZone, read.time.getTime());
    besides.due = time.toISOString();
    return undefined;
  },
  claimed_by: ({ people }, text, besides) => {
    const id = Object.hasOwn(people, text.toLowerCase()) ? people[text.toLowerCase()]! : undefined;
    if (id === undefined) return 'Claimed by must be the e-mail address of someone who works here';
    besides.claimed_by = id;
    return undefined;
  },
  comment: ({ list }, text, besides) => {
    if (text.length > LONGEST_COMMENT) return 'The comment must have at most 10,000 characters';
    besides.comment = text;
    besides.said = saidVector([text], list.country);
    return undefined;
  },
};

/** Rows as they stand in import_rows. */
export type GivenRow = [row: number, cells: string[], fault: string | null];

/** As import_checked takes them in one text, and what can be told of them without the database. */
export type CheckedRows = {
  json: string;
  faulty: number;
  /** How many can be recognised. */
  marked: number;
  reasons: [reason: string, number: number][];
  /** Numbers of the first faulty ones. */
  faultyRows: number[];
};

export const MOST_FAULTY_TOLD = 100;

export function checkRows(checking: Checking, rows: GivenRow[]): CheckedRows {
  const reasons = new Map<string, number>();
  const faultyRows: number[] = [];
  let [faulty, marked] = [0, 0];
  const lines = rows.map(([row, cells, given]) => {
    const checked = checkRow(checking, cells, given);
    if (checked.fault === undefined) {
      if (checked.marks.length > 0) marked += 1;
      const { data, words, marks, besides } = checked;
      return `[${row},${data},${JSON.stringify(words)},${JSON.stringify(marks)},${besides ? JSON.stringify(besides) : 'null'},null,null]`;
    }
    faulty += 1;
    if (faultyRows.length < MOST_FAULTY_TOLD) faultyRows.push(row);
    reasons.set(checked.fault, (reasons.get(checked.fault) ?? 0) + 1);
    return `[${row},{},"",[],null,${JSON.stringify(checked.fault)},${checked.faultyAt}]`;
  });
  return { json: `[${lines.join(',')}]`, faulty, marked, reasons: [...reasons], faultyRows };
}
