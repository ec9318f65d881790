import { Type, type TOptional, type TProperties, type TSchema } from 'typebox';
import { CallerIdChange } from './calls.ts';

/**
 * Every setting of a list. Each is a column of its name in `lists`, and that is what it takes to add one: the column and its line here. What
 * clients may say of it, when, and what it is where nobody did, for the contract, the insert, the change and what is read.
 */

type Setting<Schema extends TSchema, When> = { schema: Schema; when: When; unset: unknown };

const atCreation = <Schema extends TSchema>(schema: Schema, unset: unknown): Setting<Schema, 'creation'> => ({
  schema,
  when: 'creation',
  unset,
});

const anyTime = <Schema extends TSchema>(schema: Schema, unset: unknown): Setting<Schema, 'any time'> => ({
  schema,
  when: 'any time',
  unset,
});

const Switch = Type.Boolean();

export const LIST_SETTINGS = {
  description: atCreation(Type.String({ maxLength: 100_000, description: 'Call script shown to agents.' }), ''),
  prepend_phone: atCreation(
    Type.Union([Type.Boolean(), Type.String({ pattern: '^\\+\\d{1,15}$' })], {
      description:
        "True: numbers without + get the account's dialling prefix; a string that starts with + is the prefix.",
    }),
    null,
  ),
  inline_identifiers: atCreation(Switch, false),
  show_avatars: atCreation(Switch, false),
  queue_new_before_call_backs: atCreation(Switch, false),
  queue_new_before_due: atCreation(Switch, false),
  duplicates_match_on_phone: atCreation(Switch, true),
  duplicates_match_on_email: atCreation(Switch, true),
  duplicates_match_on: atCreation(Type.String({ maxLength: 255, description: 'Key or label of one more column.' }), ''),
  caller_number: anyTime(CallerIdChange.caller_number, null),
  caller_name: anyTime(CallerIdChange.caller_name, null),
};

type Settings = typeof LIST_SETTINGS;
export type SettingName = keyof Settings;
type Given<When> = {
  [Name in SettingName as Settings[Name]['when'] extends When ? Name : never]: TOptional<Settings[Name]['schema']>;
};

const given = <When extends 'creation' | 'any time'>(moment: When): Given<When> =>
  Object.fromEntries(
    Object.entries(LIST_SETTINGS)
      .filter(([, { when }]) => when === moment)
      .map(([name, { schema }]) => [name, Type.Optional(schema)]),
  ) as unknown as Given<When>;

export const SettingsOfNew = given('creation');
export const SettingsChange = given('any time') satisfies TProperties;
export const SETTINGS_TO_CHANGE = Object.keys(SettingsChange) as (keyof typeof SettingsChange)[];
