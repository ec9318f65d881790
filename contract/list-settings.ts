import { Type, type TOptional, type TSchema } from 'typebox';
import { CallerIdChange } from './calls.ts';
import { Retries } from './retries.ts';

/** What is changed by itself and has a version of its own, so that two who change different things do not meet. */
export const ASPECTS = {
  name: 'the name',
  standing: 'whether it is worked',
  fields: 'the fields',
  outcomes: 'the outcomes',
  script: 'the script',
  queue: 'the queue and claims',
  people: 'who works it',
  duplicates: 'what duplicates match on',
  calls: 'the caller ID and recording',
} as const;
export type Aspect = keyof typeof ASPECTS;

/**
 * Every setting of a list. Each is a column of its name in `lists`, and that is what it takes to add one: the column and its line here. What
 * may be said of it, whether clients of the API say it of a new list, what it is where nobody did, and of which aspect it is.
 */

type Setting<Schema extends TSchema, When> = { schema: Schema; when: When; unset: unknown; aspect: Aspect };

const atCreation = <Schema extends TSchema>(
  aspect: Aspect,
  schema: Schema,
  unset: unknown,
): Setting<Schema, 'creation'> => ({ schema, when: 'creation', unset, aspect });

/** On the pages alone. */
const later = <Schema extends TSchema>(aspect: Aspect, schema: Schema, unset: unknown): Setting<Schema, 'later'> => ({
  schema,
  when: 'later',
  unset,
  aspect,
});

const toggle = (description: string) => Type.Boolean({ description });
const orAsAccount = (description: string) =>
  Type.Union([Type.Boolean(), Type.Null()], { description: `${description} Null: as the account has it.` });

export const LIST_SETTINGS = {
  purpose: later('name', Type.String({ maxLength: 255, description: 'A line that says what it is for.' }), ''),
  description: atCreation(
    'script',
    Type.String({ maxLength: 100_000, description: 'Call script shown to agents.' }),
    '',
  ),
  prepend_phone: atCreation(
    'calls',
    Type.Union([Type.Boolean(), Type.String({ pattern: '^\\+\\d{1,15}$' })], {
      description:
        "True: numbers without + get the account's dialling prefix; a string that starts with + is the prefix.",
    }),
    null,
  ),
  inline_identifiers: atCreation(
    'fields',
    toggle('The first two identifiers stand on one line. Default false.'),
    false,
  ),
  show_avatars: atCreation('fields', toggle('Initials stand beside a lead. Default false.'), false),
  queue_new_before_call_backs: atCreation(
    'queue',
    toggle('New leads come before call backs put off. Default false.'),
    false,
  ),
  queue_new_before_due: atCreation(
    'queue',
    toggle('New leads come before call backs at an exact time. Default false.'),
    false,
  ),
  claim_on_win: later('queue', orAsAccount('Whoever wins a lead keeps it.'), null),
  claim_on_schedule: later('queue', orAsAccount('Whoever schedules a call back at an exact time keeps it.'), null),
  claim_on_put_off: later('queue', orAsAccount('Whoever puts a lead off keeps it.'), null),
  duplicates_match_on_phone: atCreation(
    'duplicates',
    toggle('Leads that share a phone number are duplicates. Default true.'),
    true,
  ),
  duplicates_match_on_email: atCreation(
    'duplicates',
    toggle('Leads that share an e-mail address are duplicates. Default true.'),
    true,
  ),
  duplicates_match_on: atCreation(
    'duplicates',
    Type.String({
      maxLength: 255,
      description: 'Key or label of one more column in which equal values make duplicates.',
    }),
    '',
  ),
  caller_number: later('calls', CallerIdChange.caller_number, null),
  caller_name: later('calls', CallerIdChange.caller_name, null),
  record_calls: later('calls', orAsAccount('Calls to its leads are recorded.'), null),
  retries: later('outcomes', Retries, {}),
};

type Settings = typeof LIST_SETTINGS;
export type SettingName = keyof Settings;
type OfNew = {
  [Name in SettingName as Settings[Name]['when'] extends 'creation' ? Name : never]: TOptional<
    Settings[Name]['schema']
  >;
};

/** What clients say of a new list. */
export const SettingsOfNew = Object.fromEntries(
  Object.entries(LIST_SETTINGS)
    .filter(([, { when }]) => when === 'creation')
    .map(([name, { schema }]) => [name, Type.Optional(schema)]),
) as unknown as OfNew;
