import { Type, type Static } from 'typebox';

/** The one shape of every error. `errors` is there only where parameters are at fault. */
export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'One sentence for a person.' }),
    code: Type.String({ description: 'A name for a program. It stays; the sentence may change.' }),
    errors: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Only where parameters are at fault: what is wrong with each, by its name.',
      }),
    ),
    request_id: Type.String({ description: 'The same as the header `X-Request-Id`; name it when you ask for help.' }),
  },
  { title: 'Error', description: 'The one shape of every answer that is not a success.' },
);
export type ErrorBody = Static<typeof ErrorBody>;
