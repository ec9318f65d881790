import { Type, type Static } from 'typebox';
import { MOST_NAMED } from './bulk.ts';
import { Matching, MOST_FIELDS } from './lead-table.ts';

/** Leads as a file: those that the table shows, or those that were chosen in it. */

export const EXPORT_FORMATS = ['csv', 'xlsx'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** It can be fetched for so long after it was asked for. */
export const FETCHED_WITHIN_MINUTES = 60;

export const NewExport = Type.Object({
  export: Type.Object({
    lead_ids: Type.Optional(
      Type.Array(Type.Integer(), {
        minItems: 1,
        maxItems: MOST_NAMED,
        description: 'These leads, in the order of their ids, or … Ids that name no lead one sees are left out.',
      }),
    ),
    matching: Type.Optional({ ...Matching, description: '… those that match, as the table tells them.' }),
    except_ids: Type.Optional(
      Type.Array(Type.Integer(), { maxItems: MOST_NAMED, description: 'Of those that match: not these.' }),
    ),
    order: Type.Optional(
      Type.String({ maxLength: 270, description: 'As the table has it; where it cannot be walked, by their ids.' }),
    ),
    columns: Type.Optional(
      Type.Array(Type.String({ maxLength: 261 }), {
        minItems: 1,
        maxItems: MOST_FIELDS + 10,
        description: 'As the table names them: `lead`, `phone`, …, `field.KEY`. Left out: everything.',
      }),
    ),
    format: Type.Enum([...EXPORT_FORMATS]),
    bom: Type.Optional(Type.Boolean({ description: 'Of CSV: with a byte order mark, by which Excel knows UTF-8.' })),
  }),
});
export type NewExport = Static<typeof NewExport>['export'];

/** What was asked for is kept for an hour, for whoever asked: /exports/:id is the file. */
export const Export = Type.Object({ id: Type.Integer() });
export type Export = Static<typeof Export>;
