import { createHash } from 'node:crypto';
import { fold } from '../../contract/fold.ts';
import type { LeadPart, Match } from '../../contract/imports.ts';
import type { ColumnKind } from '../../contract/lists.ts';
import { STATES } from '../../contract/states.ts';
import { MOST_COLUMNS } from '../lists/columns.ts';
import { topicsOf, type Topic } from './files/known-names.ts';
import { commonLook, dateOrderOf, type Look } from './files/looks.ts';

/** Which column of a file is which field of the list. Someone looks at it before anything is stored, first at what is not sure. */

export type FileColumn = { name: string; samples: string[] };
export type Field = { key: string; label: string; kind: ColumnKind; options: string[] };

/** By it a file is known to have the headings of another. */
export const headingsDigest = (names: string[]): string =>
  createHash('sha256')
    .update(JSON.stringify(names.map((name) => name.trim().toLowerCase())))
    .digest('base64url');

export function guessMatches(columns: FileColumn[], fields: Field[], isNewList: boolean): Match[] {
  const read = columns.map((column, place) => readColumn(column, place));
  const isOurs = read.some(({ key }) => key === OUR_ID);
  const matches = isNewList ? planFields(read, isOurs) : matchFields(read, fields, isOurs);
  return matches.toSorted((one, other) => one.columns[0]! - other.columns[0]!);
}

type ReadColumn = FileColumn & { place: number; key: string; topics: Topic[]; look: Look | undefined };

const readColumn = ({ name, samples }: FileColumn, place: number): ReadColumn => ({
  name,
  samples,
  place,
  key: fold(name),
  topics: topicsOf(name),
  look: commonLook(samples),
});

const OUR_ID = fold('Lead id');

/** What our own files say besides the fields; null is for people to read and comes from nowhere else. */
const OUR_HEADINGS: Record<string, LeadPart | null> = {
  [OUR_ID]: 'id',
  state: 'state',
  category: 'category',
  due: 'due',
  claimed_by: 'claimed_by',
  lead: null,
  list: null,
  calls: null,
  last_activity: null,
  reminder: null,
  created: null,
  updated: null,
};

// --- into a list that is there

function matchFields(columns: ReadColumn[], fields: Field[], isOurs: boolean): Match[] {
  const taken = new Set<string>();
  const matched = new Map<number, Match>();
  const free = () => columns.filter(({ place }) => !matched.has(place));
  const give = (given: ReadColumn[], field: Field, sure: boolean): void => {
    taken.add(field.key);
    const match = finish({ columns: given.map(({ place }) => place), field: field.key }, given[0]!, field.kind, sure);
    for (const { place } of given) matched.set(place, match);
  };
  // From what says most to what says least, so that no guess takes what another column is called.
  for (const { fits, sure } of WAYS) {
    for (const column of free()) {
      if (isOurs && OUR_HEADINGS[column.key] !== undefined && isOurPart(column)) continue;
      const field = fields.find((one) => !taken.has(one.key) && fits(column, one));
      if (field) give([column], field, sure && agrees(field, column));
    }
    if (fits === isSameTopic)
      joinColumns(
        free(),
        fields.filter(({ key }) => !taken.has(key)),
        give,
      );
  }
  for (const column of free()) {
    const part = partOf(column, isOurs);
    if (part && !matched.values().some((match) => match.part === part.part)) matched.set(column.place, part);
  }
  return [...new Set(matched.values())];
}

type Way = { fits: (column: ReadColumn, field: Field) => boolean; sure: boolean };

const isSameName = ({ key, name }: ReadColumn, field: Field): boolean =>
  key !== '' &&
  (key === field.key || key === fold(field.label) || name.trim().toLowerCase().endsWith(` (${field.key})`));

const isSameTopic = (column: ReadColumn, field: Field): boolean =>
  mayHold(field, column) && topicOfField(field).some((topic) => column.topics.includes(topic));

/** A "Telefon" is any number, and an office number or a mobile one goes where there is a number at all. */
const isSomePhone = (column: ReadColumn, field: Field): boolean =>
  field.kind === 'phone' && mayHold(field, column) && column.topics.some((topic) => PHONES.has(topic));

/** Where a list tells first names from last ones, and the file does not. */
const isPartOfName = ({ topics }: ReadColumn, field: Field): boolean =>
  topics.includes('full_name') && topicOfField(field).includes('first_name');

const isOfKind = ({ look }: ReadColumn, field: Field): boolean =>
  look !== undefined && look === field.kind && LOOKS_THAT_TELL.has(look);

const isOfOptions = ({ samples }: ReadColumn, { kind, options }: Field): boolean =>
  kind === 'options' && samples.length > 0 && samples.every((sample) => options.includes(sample.trim()));

const PHONES = new Set<Topic>(['phone', 'office_phone', 'mobile']);
/** Every number is a whole one, and many columns say yes or no. */
const LOOKS_THAT_TELL = new Set<Look>(['phone', 'email', 'url', 'date']);

const LOOKS = new Set<ColumnKind>(['phone', 'email', 'url', 'date', 'integer', 'boolean']);

const WAYS: Way[] = [
  { fits: isSameName, sure: true },
  { fits: isSameTopic, sure: true },
  { fits: isSomePhone, sure: true },
  { fits: isPartOfName, sure: false },
  { fits: isOfOptions, sure: false },
  { fits: isOfKind, sure: false },
];

const OF_KIND: Partial<Record<ColumnKind, Topic>> = { email: 'email', url: 'website', address: 'address' };

function topicOfField({ key, label, kind }: Field): Topic[] {
  const topics = new Set([...topicsOf(label), ...topicsOf(key)]);
  const ofKind = OF_KIND[kind];
  if (ofKind) topics.add(ofKind);
  return [...topics];
}

/** What looks like something else is not what its name says. */
function mayHold({ kind }: Field, { look }: ReadColumn): boolean {
  if (kind === 'phone') return look === undefined || look === 'phone' || look === 'integer';
  if (kind === 'email') return look === undefined || look === 'email';
  return kind === 'none' || kind === 'text' || look !== 'email';
}

/** Whether the values are as the kind of the field has them, as far as there are any. */
function agrees({ kind }: Field, { look, samples }: ReadColumn): boolean {
  if (samples.length === 0 || !LOOKS.has(kind)) return true;
  return look === kind || (kind === 'phone' && look === 'integer');
}

/** First and last name, or street and town, where the list has one field for both. */
function joinColumns(
  columns: ReadColumn[],
  fields: Field[],
  give: (given: ReadColumn[], field: Field, sure: boolean) => void,
): void {
  for (const [whole, parts, sure] of JOINED) {
    const field = fields.find((one) => topicOfField(one).includes(whole));
    const found = parts
      .map((part) => columns.find(({ topics }) => topics.includes(part)))
      .filter((column) => column !== undefined);
    if (field && found.length > 1 && found[0]!.topics.includes(parts[0]!)) give(found, field, sure);
  }
}

const JOINED: [Topic, Topic[], boolean][] = [
  ['full_name', ['first_name', 'last_name'], true],
  ['address', ['street', 'postcode', 'city'], false],
];

// --- something else of the lead

const PARTS: Partial<Record<Topic, LeadPart>> = {
  state: 'state',
  category: 'category',
  due: 'due',
  owner: 'claimed_by',
  comment: 'comment',
};

function partOf(column: ReadColumn, isOurs: boolean): Match | undefined {
  const ours = isOurs ? OUR_HEADINGS[column.key] : undefined;
  const part = ours ?? column.topics.map((topic) => PARTS[topic]).find((one) => one !== undefined);
  if (ours === null || !part || !mayBePart(part, column)) return undefined;
  const sure = ours !== undefined || part === 'comment';
  return finish({ columns: [column.place], part }, column, part === 'due' ? 'date' : 'none', sure);
}

const isOurPart = (column: ReadColumn): boolean => {
  const part = OUR_HEADINGS[column.key];
  return part === null || (part !== undefined && mayBePart(part, column));
};

/** An "Estado" is a part of Mexico more often than a state of a lead. */
function mayBePart(part: LeadPart, { samples, look }: ReadColumn): boolean {
  if (samples.length === 0) return true;
  if (part === 'state') return samples.every((sample) => fold(sample) in STATES);
  if (part === 'due') return look === 'date';
  if (part === 'claimed_by') return look === 'email';
  return part !== 'id' || samples.every((sample) => /^\d+$/.test(sample.trim()));
}

// --- into a new list

function planFields(columns: ReadColumn[], isOurs: boolean): Match[] {
  const matches: Match[] = [];
  for (const column of columns) {
    if (isOurs && OUR_HEADINGS[column.key] !== undefined && isOurPart(column)) {
      // A new list has none of the leads that a file speaks of.
      const part = column.key === OUR_ID ? undefined : partOf(column, true);
      if (part) matches.push(part);
      continue;
    }
    if (column.samples.length === 0 && (column.name.trim() === '' || /^Column \d+$/.test(column.name))) continue;
    const { kind, sure } = kindOf(column);
    const label = column.name.trim().slice(0, 255) || `Column ${column.place + 1}`;
    if (matches.length < MOST_COLUMNS)
      matches.push(finish({ columns: [column.place], new_field: { label, kind } }, column, kind, sure));
  }
  return matches;
}

const KIND_OF: Partial<Record<Topic, ColumnKind>> = {
  phone: 'phone',
  office_phone: 'phone',
  mobile: 'phone',
  email: 'email',
  website: 'url',
  address: 'address',
  comment: 'text',
};

/** By the name where values do not speak against it; by values alone with less certainty. Postcodes and the like are no numbers. */
function kindOf(column: ReadColumn): { kind: ColumnKind; sure: boolean } {
  const { topics, look, samples } = column;
  const named = topics.map((topic) => KIND_OF[topic]).find((kind) => kind !== undefined);
  if (named && mayHold({ key: '', label: '', kind: named, options: [] }, column)) return { kind: named, sure: true };
  const isName = topics.length > 0 && !topics.includes('date') && !topics.includes('due');
  if (!look || (isName && !LOOKS_THAT_TELL.has(look))) return { kind: 'none', sure: true };
  if (look === 'integer' && samples.some((sample) => !isAmount(sample))) return { kind: 'none', sure: true };
  return { kind: look, sure: look === 'date' || look === 'email' };
}

const isAmount = (sample: string): boolean => /^-?(0|[1-9]\d{0,8})$/.test(sample.trim());

/** With the order of its dates, where it holds any. */
function finish(match: Match, { samples }: ReadColumn, kind: ColumnKind, sure: boolean): Match {
  const dates = kind === 'date' ? dateOrderOf(samples) : undefined;
  const known = { ...match, ...(dates && { dates: dates.order }) };
  return sure && dates?.proven !== false ? known : { ...known, sure: false };
}
