import { Type, type Static } from 'typebox';
import { MOST_TOKENS, Token } from './filters.ts';
import { COLUMN_KINDS, type ColumnKind } from './lists.ts';
import { STATES, type State } from './states.ts';
import { timestamp } from './users.ts';

/** The table of leads: of a list, of several, or of all that one sees. */

export const MOST_LISTS = 50;
export const MOST_FIELDS = 30;
export const LARGEST_PAGE = 200;
/** Up to here hits are counted, and can be put in the order of a field. */
export const COUNTED = 10_000;

/** Beside these there is `field.KEY`. A minus before it turns an order round. */
export const ORDERS = ['queue', 'created', 'updated', 'due'] as const;
export type Order = (typeof ORDERS)[number];

const listIds = Type.Optional(
  Type.Array(Type.Integer(), { maxItems: MOST_LISTS, description: 'Left out: all that one sees.' }),
);
const tokens = Type.Optional(Type.Array(Token, { maxItems: MOST_TOKENS, description: 'All have to hold.' }));
const query = Type.Optional(Type.String({ maxLength: 200, description: 'Words, as in the search.' }));

/** Which leads are meant, in a body. */
export const Matching = Type.Object({ list_ids: listIds, filter: tokens, query });
export type Matching = Static<typeof Matching>;

/** The same in an address. */
const several = (description: string, most: number) =>
  Type.Optional(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: most })], { description }));
export const MatchingAsked = Type.Object({
  lists: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'Ids, divided by commas. Left out: all one sees.' }),
  ),
  f: several('A token of the filter, such as `state:is:new`; as often as there are tokens.', MOST_TOKENS),
  q: query,
});
export type MatchingAsked = Static<typeof MatchingAsked>;

const mark = Type.Optional(Type.String({ maxLength: 500 }));
export const TableAsked = Type.Object({
  ...MatchingAsked.properties,
  order: Type.Optional(
    Type.String({ maxLength: 270, description: 'queue, created, updated, due or field.KEY; -created turns it round.' }),
  ),
  fields: Type.Optional(Type.String({ maxLength: 4_000, description: 'Keys of the fields to tell, by commas.' })),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: LARGEST_PAGE, default: 100 })),
  after: Type.Optional({ ...mark, description: 'What an answer called `after`: the rows that follow it.' }),
  before: Type.Optional({ ...mark, description: 'What an answer called `before`: the rows in front of it.' }),
  at: Type.Optional(Type.Integer({ minimum: 0, description: 'From about this place on, counted from 0.' })),
});
export type TableAsked = Static<typeof TableAsked>;

export const TableLead = Type.Object({
  id: Type.Integer(),
  list_id: Type.Integer(),
  identifiers: Type.Array(Type.String(), { description: 'Of its list, those that say something; up to three.' }),
  phone: Type.String({ description: 'The first there is; "" for none.' }),
  state: Type.Enum(Object.keys(STATES) as State[]),
  category: Type.Union([Type.String(), Type.Null()]),
  scheduled_for: Type.Union([timestamp('Of a call back: when it is due. Otherwise a reminder.'), Type.Null()]),
  exactly: Type.Boolean({ description: 'At that time, or any time after it.' }),
  claimed_by: Type.Union([Type.Object({ id: Type.Integer(), name: Type.String() }), Type.Null()]),
  held_by: Type.Union([Type.Object({ id: Type.Integer(), name: Type.String() }), Type.Null()], {
    description: 'Who has it open just now.',
  }),
  calls: Type.Integer({ description: 'Calls with it.' }),
  last_activity: Type.Union([timestamp('When something last happened to it, besides being created.'), Type.Null()]),
  created_at: timestamp('When it was created.'),
  last_updated: timestamp('When it last changed.'),
  fields: Type.Record(Type.String(), Type.String(), { description: 'Those that were asked for and say something.' }),
});
export type TableLead = Static<typeof TableLead>;

const Total = Type.Object({
  number: Type.Integer(),
  about: Type.Boolean({ description: 'True: an estimate; the exact number is at /leads/count.' }),
});
export type Total = Static<typeof Total>;

export const LeadTable = Type.Object({
  leads: Type.Array(TableLead),
  total: Total,
  place: Type.Integer({ description: 'Of the first row, counted from 0; about right where it was reached by `at`.' }),
  before: Type.Union([Type.String(), Type.Null()], { description: 'Null: nothing is in front of the first row.' }),
  after: Type.Union([Type.String(), Type.Null()], { description: 'Null: nothing follows the last row.' }),
  looked_at: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Where no index serves the filter: how many leads were looked at for this page before it was enough.',
  }),
  hint: Type.Union([Type.String(), Type.Null()], {
    description: 'Where that was too many: which token would make it quick.',
  }),
});
export type LeadTable = Static<typeof LeadTable>;

/** Of whole lists, whatever is filtered. */
export const StateCounts = Type.Object({
  total: Type.Integer(),
  ...(Object.fromEntries(Object.keys(STATES).map((state) => [state, Type.Integer()])) as Record<
    State,
    ReturnType<typeof Type.Integer>
  >),
});
export type StateCounts = Static<typeof StateCounts>;

/** What tokens, columns and orders can name besides what all leads have: the fields and categories of lists. */
export const SubjectsAsked = Type.Pick(MatchingAsked, ['lists']);
export const Subjects = Type.Object({
  fields: Type.Array(
    Type.Object({
      key: Type.String(),
      label: Type.String(),
      kind: Type.Enum(Object.keys(COLUMN_KINDS) as ColumnKind[]),
      options: Type.Array(Type.String()),
    }),
    { description: 'Those that most lists have first.' },
  ),
  categories: Type.Array(Type.String()),
  archive_categories: Type.Array(Type.String(), { description: 'Those of them that leads are archived with.' }),
});
export type Subjects = Static<typeof Subjects>;

export const ExactCount = Type.Object({ number: Type.Integer() });

/** A column: `lead`, `phone`, `state`, `due`, `claimed_by`, `last_activity`, `calls`, `created`, `updated`, `list` or `field.KEY`. */
export const Column = Type.Object({
  name: Type.String({ maxLength: 261 }),
  width: Type.Optional(Type.Integer({ minimum: 40, maximum: 1_000 })),
});
export type Column = Static<typeof Column>;

/** What a view shows. */
export const Shows = Type.Object({
  ...Matching.properties,
  order: Type.Optional(Type.String({ maxLength: 270 })),
  columns: Type.Optional(Type.Array(Column, { maxItems: MOST_FIELDS + 10 })),
});
export type Shows = Static<typeof Shows>;

export const NewView = Type.Object({
  view: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 100 }),
    shared: Type.Optional(Type.Boolean()),
    shows: Shows,
  }),
});
export const ViewChange = Type.Object({ view: Type.Partial(NewView.properties.view) });
export const View = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  shared: Type.Boolean(),
  own: Type.Boolean(),
  by: Type.String({ description: 'Whose it is, as people read it.' }),
  left: Type.Boolean({ description: 'Whose it is has left: whoever may share views looks after it.' }),
  shows: Shows,
});
export type View = Static<typeof View>;
