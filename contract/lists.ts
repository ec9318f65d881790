import { Type, type Static } from 'typebox';
import { SettingsChange, SettingsOfNew } from './list-settings.ts';
import { Timestamp } from './users.ts';

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

export const ListRow = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  location: Type.String({ examples: ['/api/v2/lists/1'] }),
  created_at: Timestamp,
  locked_on_defaults: Type.Boolean({ description: 'True when the list guarantees the default fields.' }),
  leads_count: Type.Integer(),
});
export type ListRow = Static<typeof ListRow>;

export const List = Type.Object({
  ...ListRow.properties,
  categories: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: 'Kind of event → names; only kinds that have any.',
  }),
});
export type List = Static<typeof List>;

const Counts = Type.Record(Type.String(), Type.Integer(), {
  description: 'Per category, plus `uncategorised` and `total`.',
});

export const ListStats = Type.Object({
  ...ListRow.properties,
  leads_counts: Type.Object({
    new: Counts,
    call_back: Counts,
    won: Counts,
    lost: Counts,
    archived: Counts,
    total: Type.Integer(),
  }),
});

export const Column = Type.Object({
  id: Type.Integer(),
  key: Type.String(),
  label: Type.String(),
  type: Type.String(),
  input_type: Type.String(),
  required: Type.Boolean(),
});
export type Column = Static<typeof Column>;

export const ColumnAttributes = Type.Object({
  label: Type.String({ minLength: 1, maxLength: 255 }),
  kind: Type.Optional(Type.Enum(Object.keys(COLUMN_KINDS) as ColumnKind[])),
  visible: Type.Optional(Type.Boolean()),
  required: Type.Optional(Type.Boolean()),
  options: Type.Optional(
    Type.Union([Type.String({ maxLength: 100_000 }), Type.Array(Type.String({ maxLength: 255 }), { maxItems: 1000 })], {
      description: 'Of kind options: comma-separated, or an array.',
    }),
  ),
});
export type ColumnAttributes = Static<typeof ColumnAttributes>;

const Names = Type.Optional(Type.String({ maxLength: 100_000, description: 'Comma-separated.' }));

export const NewList = Type.Object({
  list: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 255 }),
    columns_attributes: Type.Optional(
      Type.Union([Type.Record(Type.String(), ColumnAttributes), Type.Array(ColumnAttributes)], {
        description: 'Keyed by position, or an array. None: the default fields.',
      }),
    ),
    user_ids: Type.Optional(Type.Array(Type.Integer(), { maxItems: 10_000, description: 'Agents given access.' })),
    call_back_categories: Names,
    winner_categories: Names,
    loser_categories: Names,
    archive_categories: Names,
    skip_categories: Names,
    lock_on_defaults: Type.Optional(Type.Boolean()),
    ...SettingsOfNew,
  }),
});
export type NewList = Static<typeof NewList>;

export const ListChange = Type.Object({ list: Type.Object(SettingsChange) });
export type ListChange = Static<typeof ListChange>['list'];

export const ListSettings = Type.Object({
  id: Type.Integer(),
  ...Type.Required(Type.Object(SettingsChange)).properties,
});
export type ListSettings = Static<typeof ListSettings>;
