import { Type, type Static } from 'typebox';
import { COLUMN_KINDS, type ColumnKind } from './lists.ts';
import { STATES, type State } from './states.ts';
import { Timestamp } from './users.ts';

/** A file with leads: uploaded in chunks, read, matched, checked, run, undone. */

/** So few that a slow line (0.6 Mbit/s) brings them in the time that a request has. */
export const CHUNK_BYTES = 2 * 1024 * 1024;
export const MOST_FILE_COLUMNS = 500;
export const MOST_MATCHES = 500;
export const MOST_SPREAD_OVER = 100;
/** An import can be undone for so long after it ended. */
export const IMPORT_UNDONE_FOR_DAYS = 7;

/** `uploading` and `checked` wait for someone; `finished`, `undone` and `refused` are ends. */
export const IMPORT_STATES = [
  'uploading',
  'reading',
  'checking',
  'checked',
  'running',
  'finished',
  'undoing',
  'undone',
  'refused',
] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** As the decoder of the platform calls them, and as people do. */
export const ENCODINGS = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16, big endian',
  'windows-1252': 'Windows-1252, Western',
  'windows-1250': 'Windows-1250, Central European',
  'windows-1251': 'Windows-1251, Cyrillic',
  'windows-1253': 'Windows-1253, Greek',
  'windows-1254': 'Windows-1254, Turkish',
  'windows-1257': 'Windows-1257, Baltic',
  'iso-8859-2': 'ISO-8859-2, Central European',
  'iso-8859-15': 'ISO-8859-15, Western',
  macintosh: 'Mac Roman',
  'koi8-r': 'KOI8-R, Cyrillic',
  shift_jis: 'Shift JIS, Japanese',
  gb18030: 'GB18030, Chinese',
  big5: 'Big5, Chinese',
  'euc-kr': 'EUC-KR, Korean',
} as const;
export type Encoding = keyof typeof ENCODINGS;

export const DELIMITERS = { ',': 'Comma', ';': 'Semicolon', '\t': 'Tab', '|': 'Pipe' } as const;
export type Delimiter = keyof typeof DELIMITERS;

export const HowRead = Type.Object({
  format: Type.Enum(['csv', 'xlsx']),
  encoding: Type.Enum(Object.keys(ENCODINGS) as Encoding[], { description: 'Of no meaning for xlsx.' }),
  delimiter: Type.Enum(Object.keys(DELIMITERS) as Delimiter[], { description: 'Of no meaning for xlsx.' }),
  header: Type.Boolean({ description: 'Whether the first row holds names.' }),
  sheet: Type.Integer({ minimum: 0, description: 'Of xlsx, counted from 0.' }),
});
export type HowRead = Static<typeof HowRead>;

/** Besides its fields, what else of a lead a file can say. */
export const LEAD_PARTS = ['id', 'state', 'category', 'due', 'claimed_by', 'comment'] as const;
export type LeadPart = (typeof LEAD_PARTS)[number];

export const DATE_ORDERS = ['year_first', 'day_first', 'month_first'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** What becomes of one column of the file, or of several that are joined by a space. Columns that none names are left out. */
export const Match = Type.Object({
  columns: Type.Array(Type.Integer({ minimum: 0, maximum: MOST_FILE_COLUMNS - 1 }), { minItems: 1, maxItems: 10 }),
  field: Type.Optional(Type.String({ maxLength: 255, description: 'Key of a field of the list, or …' })),
  new_field: Type.Optional(
    Type.Object(
      {
        label: Type.String({ minLength: 1, maxLength: 255 }),
        kind: Type.Enum(Object.keys(COLUMN_KINDS) as ColumnKind[]),
      },
      { description: '… one that is made when it runs, or …' },
    ),
  ),
  part: Type.Optional(Type.Enum([...LEAD_PARTS], { description: '… something else of the lead.' })),
  dates: Type.Optional(Type.Enum([...DATE_ORDERS], { description: 'How dates are written, where it is not clear.' })),
  sure: Type.Optional(Type.Boolean({ description: 'False: guessed from little; someone should look.' })),
});
export type Match = Static<typeof Match>;

export const DUPLICATE_CHOICES = ['skip', 'fill', 'overwrite', 'add'] as const;
export type DuplicateChoice = (typeof DUPLICATE_CHOICES)[number];

export const Plan = Type.Object({
  list_id: Type.Union([Type.Integer(), Type.Null()], { description: 'Into which. Null: `new_list`.' }),
  new_list: Type.Optional(Type.Object({ name: Type.String({ minLength: 1, maxLength: 255 }) })),
  matches: Type.Array(Match, { maxItems: MOST_MATCHES }),
  duplicates: Type.Enum([...DUPLICATE_CHOICES], {
    description: 'Left out, or their empty fields are filled, or all are written over, or they are added anyway.',
  }),
  within: Type.Enum(['list', 'account'], { description: 'Where a duplicate counts.' }),
  state: Type.Enum(Object.keys(STATES) as State[]),
  category: Type.Union([Type.String({ maxLength: 255 }), Type.Null()]),
  people: Type.Array(Type.Integer(), {
    maxItems: MOST_SPREAD_OVER,
    description: 'Whose they become, in turn; none: nobody’s.',
  }),
});
export type Plan = Static<typeof Plan>;

/** Rows of each kind are in no other; `elsewhere_twice` are among `elsewhere`. */
export const ImportCounts = Type.Object({
  fresh: Type.Integer({ description: 'Like no other.' }),
  here: Type.Integer({ description: 'The same as a lead of the list.' }),
  elsewhere: Type.Integer({ description: 'The same as a lead of another list.' }),
  elsewhere_twice: Type.Integer(),
  twice: Type.Integer({ description: 'The same as a row before it.' }),
  faulty: Type.Integer(),
  reasons: Type.Array(Type.Object({ reason: Type.String(), number: Type.Integer() }), {
    description: 'Of the faulty ones, the most frequent first.',
  }),
});
export type ImportCounts = Static<typeof ImportCounts>;

const Maybe = Type.Union([Timestamp, Type.Null()]);

export const Import = Type.Object({
  id: Type.Integer(),
  state: Type.Enum([...IMPORT_STATES]),
  refusal: Type.Union([Type.String(), Type.Null()], { description: 'Why the file cannot be read.' }),
  by: Type.String({ description: 'Who uploaded it, as people read it.' }),
  file_name: Type.String(),
  bytes: Type.Integer(),
  received: Type.Integer({ description: 'Bytes that are here.' }),
  list: Type.Union([Type.Object({ id: Type.Integer(), name: Type.String() }), Type.Null()]),
  how_read: Type.Union([HowRead, Type.Null()]),
  sheets: Type.Array(Type.String()),
  columns: Type.Array(Type.Object({ name: Type.String(), samples: Type.Array(Type.String()) }), {
    description: 'Of the file: what stands above it, or "Column 3", and its first values that are not empty.',
  }),
  plan: Type.Union([Plan, Type.Null()]),
  version: Type.Integer(),
  rows: Type.Integer({ description: 'Read so far, without the heading.' }),
  checked: Type.Integer({ description: 'Of them, those that were looked at.' }),
  exact: Type.Boolean({ description: 'True: counts are of all rows, as the plan stands. It can be run.' }),
  counts: ImportCounts,
  matched_by: Type.Array(Type.String(), { description: 'By what rows are found to be the same: "phone", "e-mail", …' }),
  done: Type.Integer({ description: 'Rows that had their turn.' }),
  made: Type.Integer(),
  updated: Type.Integer(),
  left_out: Type.Integer({ description: 'As duplicates.' }),
  a_second: Type.Integer({ description: 'Rows, while it reads, checks, runs or is undone; 0 where it does not.' }),
  seconds_left: Type.Union([Type.Integer(), Type.Null()]),
  same_file: Type.Union([Type.Object({ at: Timestamp, by: Type.String(), file_name: Type.String() }), Type.Null()], {
    description: 'The same was imported before.',
  }),
  same_headings: Type.Boolean({ description: 'Matched as the last file with these headings was.' }),
  created_at: Timestamp,
  begun_at: Maybe,
  stopped_at: Maybe,
  finished_at: Maybe,
  undo_until: Type.Union([Timestamp, Type.Null()], { description: 'Null: it cannot be undone, or not any more.' }),
  undone: Type.Union(
    [
      Type.Object({
        removed: Type.Integer({ description: 'Leads that are gone again.' }),
        put_back: Type.Integer({ description: 'That are as they were.' }),
        kept: Type.Integer({ description: 'That someone had changed since.' }),
        at: Maybe,
      }),
      Type.Null(),
    ],
    { description: 'How far an undo has come, or how it ended.' },
  ),
  has_faulty: Type.Boolean({ description: 'Whether faulty rows can still be had as a file.' }),
});
export type Import = Static<typeof Import>;

export const NewImport = Type.Object({
  import: Type.Object({
    file_name: Type.String({ minLength: 1, maxLength: 255 }),
    bytes: Type.Integer({ minimum: 0 }),
    list_id: Type.Optional(Type.Integer({ description: 'Into which. Left out: into a new one.' })),
  }),
});

export const ImportChange = Type.Object({
  import: Type.Object({
    version: Type.Integer({ description: 'As it was seen.' }),
    how_read: Type.Optional(HowRead),
    plan: Type.Optional(Plan),
  }),
});

export const ImportStart = Type.Object({ import: Type.Object({ version: Type.Integer() }) });

export const ReceivedChunk = Type.Object({ received: Type.Integer(), state: Type.Enum([...IMPORT_STATES]) });

/** The first rows as the leads will look, and the first faulty ones. */
export const ImportSample = Type.Object({
  columns: Type.Array(Type.Object({ label: Type.String(), kind: Type.String() })),
  rows: Type.Array(
    Type.Object({
      row: Type.Integer(),
      values: Type.Array(Type.String()),
      fault: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  faulty: Type.Array(
    Type.Object({
      row: Type.Integer(),
      column: Type.Union([Type.String(), Type.Null()]),
      value: Type.String(),
      why: Type.String(),
    }),
  ),
});
export type ImportSample = Static<typeof ImportSample>;
