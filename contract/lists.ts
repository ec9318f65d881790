import { Type, type Static } from 'typebox';
import { SettingsOfNew } from './list-settings.ts';
import { timestamp } from './users.ts';

/** Kinds of event that can have categories, in the order in which a list names them. */
export const CATEGORY_KINDS = ['call_back', 'winner', 'loser', 'archive', 'skip'] as const;
export type CategoryKind = (typeof CATEGORY_KINDS)[number];
export type Categories = { [kind in CategoryKind]?: string[] };

/** What a column holds → how clients see it. */
export const COLUMN_KINDS = {
  none: { type: 'unicode', input_type: 'string' },
  phone: { type: 'unicode', input_type: 'tel' },
  email: { type: 'unicode', input_type: 'email' },
  url: { type: 'unicode', input_type: 'url' },
  boolean: { type: 'boolean', input_type: 'boolean' },
  integer: { type: 'integer', input_type: 'integer' },
  date: { type: 'datetime', input_type: 'date' },
  text: { type: 'unicode', input_type: 'text' },
  options: { type: 'unicode', input_type: 'select' },
  address: { type: 'unicode', input_type: 'text' },
} as const;
export type ColumnKind = keyof typeof COLUMN_KINDS;

/** What a list has that is made without saying what it is to have. */
export const DEFAULT_FIELDS: { label: string; kind: ColumnKind }[] = [
  { label: 'Company name', kind: 'none' },
  { label: 'First name', kind: 'none' },
  { label: 'Last name', kind: 'none' },
  { label: 'Title', kind: 'none' },
  { label: 'Work/Office phone', kind: 'phone' },
  { label: 'Mobile phone', kind: 'phone' },
  { label: 'E-mail', kind: 'email' },
  { label: 'Website', kind: 'url' },
];

export const ListRow = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    location: Type.String({ description: 'Path of the list.', examples: ['/api/v2/lists/1'] }),
    created_at: timestamp('When the list was created.'),
    locked_on_defaults: Type.Boolean({ description: 'True when the list guarantees the default fields.' }),
    leads_count: Type.Integer({ description: 'How many leads it has now.' }),
  },
  { title: 'ListSummary', description: 'A list as it stands in the index: without its categories.' },
);
export type ListRow = Static<typeof ListRow>;

export const List = Type.Object(
  {
    ...ListRow.properties,
    categories: Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'Kind of event → names; only kinds that have any. `{}` where the list has none.',
    }),
  },
  { title: 'List', description: 'What leads belong to: its fields, its categories, its agents.' },
);
export type List = Static<typeof List>;

const Counts = Type.Record(Type.String(), Type.Integer(), {
  title: 'Counts',
  description:
    'How many leads, per category (its name folded as column keys are: `Bad time` is `bad_time`), plus `uncategorised` and `total`.',
});

export const ListStats = Type.Object(
  {
    ...ListRow.properties,
    leads_counts: Type.Object({
      new: Counts,
      call_back: Counts,
      won: Counts,
      lost: Counts,
      archived: Counts,
      total: Type.Integer({ description: 'All of them: the same as `leads_count`.' }),
    }),
  },
  { title: 'ListStats', description: 'A list with how many leads are in which state and category.' },
);

export const Column = Type.Object(
  {
    id: Type.Integer(),
    key: Type.String({
      description: 'Names the field in `lead_data`, when a lead is created or changed, and in `find`.',
    }),
    label: Type.String({ description: 'What people read.' }),
    type: Type.String({ description: 'What is stored: `unicode`, `datetime`, `boolean` or `integer`.' }),
    input_type: Type.String({
      description:
        'How it is put in: `string`, `tel`, `email`, `url`, `boolean`, `integer`, `date`, `text` or `select`.',
    }),
    required: Type.Boolean({ description: 'A lead is not created without it.' }),
  },
  { title: 'Column', description: 'A field of a list.' },
);
export type Column = Static<typeof Column>;

export const ColumnAttributes = Type.Object(
  {
    label: Type.String({ minLength: 1, maxLength: 255, description: 'What people read; the key comes from it.' }),
    kind: Type.Optional(
      Type.Enum(Object.keys(COLUMN_KINDS) as ColumnKind[], {
        description: 'What it holds. Default `none`: standard text; `text` has several lines.',
      }),
    ),
    visible: Type.Optional(Type.Boolean({ description: 'Whether agents see it. Default true.' })),
    required: Type.Optional(Type.Boolean({ description: 'Whether a lead needs it. Default false.' })),
    options: Type.Optional(
      Type.Union(
        [Type.String({ maxLength: 100_000 }), Type.Array(Type.String({ maxLength: 255 }), { maxItems: 1000 })],
        {
          description: 'Of kind options: comma-separated, or an array.',
        },
      ),
    ),
  },
  { title: 'NewColumn' },
);
export type ColumnAttributes = Static<typeof ColumnAttributes>;

const names = (outcome: string) =>
  Type.Optional(Type.String({ maxLength: 100_000, description: `Categories of ${outcome}, separated by commas.` }));

export const NewList = Type.Object(
  {
    list: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 255 }),
      columns_attributes: Type.Optional(
        Type.Union([Type.Record(Type.String(), ColumnAttributes), Type.Array(ColumnAttributes)], {
          description: 'The fields, keyed by position (`"0"`, `"1"`, …) or as an array. None: the default fields.',
        }),
      ),
      user_ids: Type.Optional(Type.Array(Type.Integer(), { maxItems: 10_000, description: 'Agents given access.' })),
      call_back_categories: names('call backs'),
      winner_categories: names('winners'),
      loser_categories: names('losers'),
      archive_categories: names('archived leads'),
      skip_categories: names('skips'),
      lock_on_defaults: Type.Optional(
        Type.Boolean({ description: 'The default fields come first and cannot be changed. Default false.' }),
      ),
      ...SettingsOfNew,
    }),
  },
  { title: 'NewList' },
);
export type NewList = Static<typeof NewList>;
