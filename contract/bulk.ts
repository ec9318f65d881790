import { Type, type Static } from 'typebox';
import { Matching } from './lead-table.ts';
import { Timestamp } from './users.ts';

/** What can be done to many leads; `undo` is asked for by its own route. */
export const BULK_KINDS = ['delegate', 'release', 'migrate', 'archive', 'renew', 'change', 'delete'] as const;
export type BulkKind = (typeof BULK_KINDS)[number];

export const MOST_NAMED = 50_000;
export const MOST_PEOPLE = 100;
/** An act can be undone for so long after it ended. */
export const UNDONE_FOR_DAYS = 7;

/** What each kind takes as `lead`. */
export const Spread = Type.Object({
  lead: Type.Object({
    delegate_to: Type.Array(Type.Union([Type.Integer(), Type.String()]), {
      minItems: 1,
      maxItems: MOST_PEOPLE,
      description: 'Ids or e-mails. Of several each gets as many as the others, in the order of the leads’ ids.',
    }),
  }),
});
export const FieldChange = Type.Object({
  lead: Type.Object({
    field: Type.String({ maxLength: 255, description: 'Key of the field.' }),
    value: Type.Union([Type.String({ maxLength: 10_000 }), Type.Null()], { description: 'null or "" clears it.' }),
  }),
});

export const NewBulkAct = Type.Object({
  bulk: Type.Object({
    kind: Type.Enum([...BULK_KINDS]),
    lead_ids: Type.Optional(
      Type.Array(Type.Integer(), {
        maxItems: MOST_NAMED,
        description: 'These leads, or … Ids that name no lead one sees are refused.',
      }),
    ),
    matching: Type.Optional({ ...Matching, description: '… those that match, as the table tells them.' }),
    except_ids: Type.Optional(
      Type.Array(Type.Integer(), {
        maxItems: MOST_NAMED,
        description: 'Of those that match: not these.',
      }),
    ),
    lead: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'delegate: delegate_to; migrate: to_list_id, give_back_leads; archive: category, comment; change: field, value.',
      }),
    ),
  }),
});
export type NewBulkAct = Static<typeof NewBulkAct>['bulk'];

/** What an act would do, before it is done. */
export const BulkQuestion = Type.Object({
  number: Type.Integer({ description: 'Leads that it is about, counted exactly.' }),
  tells: Type.Array(Type.Object({ target: Type.String(), times: Type.Integer() }), {
    description: 'Subscribers that hear of it, and how often at most.',
  }),
  left_out: Type.Array(Type.Object({ reason: Type.String(), number: Type.Integer() }), {
    description: 'Leads to which nothing would be done as things stand, and why.',
  }),
  undo_until: Timestamp,
  seconds: Type.Integer({ description: 'About how long it takes.' }),
});
export type BulkQuestion = Static<typeof BulkQuestion>;

const Maybe = Type.Union([Timestamp, Type.Null()]);

export const BulkAct = Type.Object({
  id: Type.Integer(),
  kind: Type.Enum([...BULK_KINDS, 'undo']),
  says: Type.String({ description: 'What it does, in words: "Moved to Southern depots".' }),
  by: Type.String({ description: 'Who asked for it, as people read it.' }),
  gathering: Type.Boolean({ description: 'The leads are still being gathered: `total` grows.' }),
  total: Type.Integer(),
  done: Type.Integer({ description: 'How many have had their turn, refused ones among them.' }),
  refusals: Type.Integer(),
  reasons: Type.Array(Type.Object({ reason: Type.String(), number: Type.Integer() }), {
    description: 'Why not, the most frequent first.',
  }),
  a_second: Type.Integer({ description: 'How many had their turn in each second so far; 0 where it has not begun.' }),
  created_at: Timestamp,
  stopped_at: Maybe,
  finished_at: Maybe,
  undoes: Type.Union([Type.Integer(), Type.Null()]),
  undone_by: Type.Union([Type.Integer(), Type.Null()]),
  undo_until: Type.Union([Timestamp, Type.Null()], { description: 'Null: it cannot be undone, or not any more.' }),
});
export type BulkAct = Static<typeof BulkAct>;
