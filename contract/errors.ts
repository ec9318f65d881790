import { Type, type Static } from 'typebox';

/** The one shape of every error. `errors` is there only where parameters are at fault. */
export const ErrorBody = Type.Object({
  error: Type.String({ description: 'One sentence for a person.' }),
  code: Type.String({ description: 'A name for a program.' }),
  errors: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
  request_id: Type.String(),
});
export type ErrorBody = Static<typeof ErrorBody>;
