import { Type, type Static } from 'typebox';
import { CATEGORY_KINDS, COLUMN_KINDS, ColumnAttributes, List, NewList, type ColumnKind } from './lists.ts';
import { ASPECTS, LIST_SETTINGS, type Aspect, type SettingName } from './list-settings.ts';
import { STATES, type State } from './states.ts';
import { Timestamp, timestamp } from './users.ts';

/** Lists as people set them up and change them, at `/app` alone. */

const Version = Type.Integer({ minimum: 0 });
const Aspects = Type.Partial(
  Type.Object(
    Object.fromEntries(Object.keys(ASPECTS).map((aspect) => [aspect, Version])) as Record<Aspect, typeof Version>,
  ),
  { description: 'Aspect → its version. What is not named is as it was made.' },
);

/** A change names what it saw: where that has changed since, it is 409 `list_changed` and says who did. Without it nothing is compared. */
const seen = { seen: Type.Optional(Aspects) };

const MOST_CATEGORIES = 1_000;
const MOST_PEOPLE = 10_000;

const Kinds = Type.Enum([...CATEGORY_KINDS]);
const CategoriesGiven = Type.Partial(
  Type.Object(
    Object.fromEntries(
      CATEGORY_KINDS.map((kind) => [kind, Type.Array(Type.String({ maxLength: 255 }), { maxItems: MOST_CATEGORIES })]),
    ) as Record<(typeof CATEGORY_KINDS)[number], ReturnType<typeof Type.Array<ReturnType<typeof Type.String>>>>,
  ),
);

type Schemas = { [Name in SettingName]: (typeof LIST_SETTINGS)[Name]['schema'] };

/** Everything about a list that one change can say. */
const settings = {
  name: Type.String({ minLength: 1, maxLength: 255 }),
  paused: Type.Boolean({ description: 'In nobody’s queue.' }),
  archived: Type.Boolean({ description: 'In nobody’s queue, and out of sight.' }),
  categories: CategoriesGiven,
  ...(Object.fromEntries(Object.entries(LIST_SETTINGS).map(([name, { schema }]) => [name, schema])) as Schemas),
  prepend_phone: Type.Union([LIST_SETTINGS.prepend_phone.schema, Type.Null()]),
};

/** Of which aspect each is. */
export const ASPECT_OF = {
  name: 'name',
  paused: 'standing',
  archived: 'standing',
  categories: 'outcomes',
  ...(Object.fromEntries(Object.entries(LIST_SETTINGS).map(([name, { aspect }]) => [name, aspect])) as Record<
    SettingName,
    Aspect
  >),
} satisfies Record<keyof typeof settings, Aspect>;

export const ListChange = Type.Object({ list: Type.Partial(Type.Object(settings)), ...seen });
export type ListChange = Static<typeof ListChange>['list'];

/** Something that is done to all leads of a list in the background. */
export const ListJob = Type.Object({
  id: Type.Integer(),
  kind: Type.Enum(['settle', 'rename_category', 'fit', 'remove'], {
    description:
      'settle: values, search and duplicates follow a change of fields or matching. rename_category: leads take the new name. fit: values are counted that would not fit a kind. remove: a deleted list goes for good.',
  }),
  what: Type.String({ description: 'A sentence that says what changed: “Switchboard is a phone field now.”' }),
  total: Type.Integer({ description: 'Leads there were when it began.' }),
  done: Type.Integer(),
  seconds_left: Type.Union([Type.Integer(), Type.Null()], { description: 'Null: not known yet.' }),
  result: Type.Unknown({ description: 'Of fit: a Fit.' }),
  finished_at: Type.Union([Timestamp, Type.Null()]),
});
export type ListJob = Static<typeof ListJob>;

/** Of a `fit`: how many values a kind would not fit, so far while the job runs. */
export const Fit = Type.Object({
  values: Type.Integer({ description: 'That are not empty.' }),
  misfits: Type.Integer(),
  examples: Type.Array(
    Type.Object({ lead_id: Type.Integer(), lead: Type.String(), value: Type.String(), reason: Type.String() }),
    { description: 'The first thousand.' },
  ),
});
export type Fit = Static<typeof Fit>;

/** A list with all that can be changed about it. */
export const ListWithSettings = Type.Object({
  ...List.properties,
  ...Type.Required(Type.Object(settings)).properties,
  versions: Aspects,
  jobs: Type.Array(ListJob, { description: 'Under way, or finished within the last minute.' }),
});
export type ListWithSettings = Static<typeof ListWithSettings>;

/** A list in the index of the pages: the contract’s, with how it stands. */
export const ListAtPages = Type.Object({
  ...Type.Omit(List, ['categories']).properties,
  purpose: settings.purpose,
  paused: settings.paused,
  archived: settings.archived,
});
export type ListAtPages = Static<typeof ListAtPages>;

const Count = Type.Integer({ minimum: 0 });

/** How a campaign stands. */
export const ListProgress = Type.Object({
  ...ListAtPages.properties,
  counts: Type.Object(
    Object.fromEntries(Object.keys(STATES).map((state) => [state, Count])) as Record<State, typeof Count>,
    { description: 'Leads by state.' },
  ),
  due: Type.Integer({ description: 'Call backs whose time has come; 1,000 at most are counted.' }),
  people: Type.Array(Type.Object({ email: Type.String(), first_name: Type.String(), last_name: Type.String() }), {
    description: 'Who works it; the first eight.',
  }),
  people_count: Type.Integer(),
  last_activity: Type.Union([Timestamp, Type.Null()], { description: 'When a lead of it last changed.' }),
  job: Type.Union([ListJob, Type.Null()], { description: 'The one that is under way.' }),
});
export type ListProgress = Static<typeof ListProgress>;

/** One list's, with its categories by their own names. */
export const ListOverview = Type.Object({
  ...ListProgress.properties,
  categories: Type.Array(
    Type.Object({
      kind: Kinds,
      category: Type.String({ description: 'Empty: leads without one.' }),
      leads: Count,
    }),
    { description: 'How many leads carry which; those that were removed and are still carried, too.' },
  ),
});
export type ListOverview = Static<typeof ListOverview>;

/** A deleted list that can still be brought back. */
export const DeletedList = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  leads_count: Type.Integer(),
  deleted_at: Timestamp,
  deleted_by: Type.String(),
  removed_at: timestamp('When it goes for good.'),
});
export type DeletedList = Static<typeof DeletedList>;

export const ListDeletion = Type.Object({
  list: Type.Object({ name: Type.String({ maxLength: 255, description: 'Its name, to be sure which one is meant.' }) }),
  ...seen,
});

export const NewListAtPages = Type.Object({
  list: Type.Object({ ...NewList.properties.list.properties, purpose: Type.Optional(settings.purpose) }),
});
export type NewListAtPages = Static<typeof NewListAtPages>['list'];

export const ListCopy = Type.Object({
  list: Type.Object({ name: settings.name, purpose: Type.Optional(settings.purpose) }),
});
export type ListCopy = Static<typeof ListCopy>['list'];

export const Field = Type.Object({
  id: Type.Integer(),
  key: Type.String({ description: 'Clients rely on it: it never changes.' }),
  label: Type.String(),
  kind: Type.Enum(Object.keys(COLUMN_KINDS) as ColumnKind[]),
  visible: Type.Boolean(),
  required: Type.Boolean(),
  options: Type.Array(Type.String()),
  locked: Type.Boolean({ description: 'A default field that the list guarantees: it can only be hidden.' }),
  filled: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], {
    description: 'Share of leads that have a value, of those looked at. Null: there are no leads.',
  }),
});
export type Field = Static<typeof Field>;

export const Fields = Type.Object({
  version: Type.Integer({ description: 'Of the aspect `fields`.' }),
  looked_at: Type.Integer({
    description: 'Of how many leads `filled` was taken: all, or some of the newest and oldest.',
  }),
  fields: Type.Array(Field),
});
export type Fields = Static<typeof Fields>;

export const NewField = Type.Object({ field: ColumnAttributes, ...seen });

export const FieldChange = Type.Object({
  field: Type.Partial(
    Type.Object({
      ...Type.Required(ColumnAttributes).properties,
      position: Type.Integer({ minimum: 0, description: 'Its new place, from 0, among all fields of the list.' }),
    }),
  ),
  ...seen,
});
export type FieldChange = Static<typeof FieldChange>['field'];

/** A kind that a field might get, to see what would not fit. */
export const FitAsked = Type.Object({
  field: Type.Object({
    kind: Field.properties.kind,
    options: Type.Optional(ColumnAttributes.properties.options),
  }),
});

export const Renaming = Type.Object({
  category: Type.Object({ kind: Kinds, from: Type.String({ maxLength: 255 }), to: Type.String({ maxLength: 255 }) }),
  ...seen,
});

export const ListPeople = Type.Object({
  version: Type.Integer({ description: 'Of the aspect `people`.' }),
  user_ids: Type.Array(Type.Integer()),
});
export type ListPeople = Static<typeof ListPeople>;

export const ListPeopleChange = Type.Object({
  list: Type.Object({ user_ids: Type.Array(Type.Integer(), { maxItems: MOST_PEOPLE }) }),
  ...seen,
});

/** Leads that a new one with these values might be. */
export const AlikeAsked = Type.Object({ lead: Type.Record(Type.String(), Type.Unknown()) });
export const Alike = Type.Object({
  lead_id: Type.Integer(),
  primary_identifier: Type.String(),
  secondary_identifier: Type.String(),
  list_name: Type.String(),
  state: Type.Enum(Object.keys(STATES) as State[]),
  by: Type.Array(Type.String(), { description: 'Keys of the fields whose values they share.' }),
});
export type Alike = Static<typeof Alike>;
