import { Type, type Static } from 'typebox';
import { Timestamp } from './users.ts';

export const BULK_KINDS = ['delegate', 'migrate', 'archive', 'delete'] as const;
export type BulkKind = (typeof BULK_KINDS)[number];

export const NewBulkAct = Type.Object({
  bulk: Type.Object({
    kind: Type.Enum([...BULK_KINDS]),
    lead_ids: Type.Optional(
      Type.Array(Type.Integer(), {
        maxItems: 50_000,
        description: 'These leads, or … Ids that name no lead are refused at once; the others have their turns.',
      }),
    ),
    list_id: Type.Optional(Type.Integer({ description: '… all of a list, or …' })),
    state: Type.Optional(
      Type.Enum(['new', 'call_back', 'won', 'lost', 'archived'], { description: '… those of a list in this state.' }),
    ),
    lead: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'What the act takes, as for one lead.' }),
    ),
  }),
});
export type NewBulkAct = Static<typeof NewBulkAct>['bulk'];

export const BulkAct = Type.Object({
  id: Type.Integer(),
  kind: Type.Enum([...BULK_KINDS]),
  total: Type.Integer(),
  done: Type.Integer({ description: 'How many have had their turn, refused ones among them.' }),
  refusals: Type.Integer(),
  refused: Type.Array(Type.Object({ lead_id: Type.Integer(), error: Type.String() }), {
    description: 'Which and why, of the first hundred.',
  }),
  created_at: Timestamp,
  finished_at: Type.Union([Timestamp, Type.Null()]),
});
export type BulkAct = Static<typeof BulkAct>;
