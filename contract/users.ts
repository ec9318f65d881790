import { Type, type Static } from 'typebox';

export const Timestamp = Type.String({ format: 'date-time', examples: ['2026-11-15T12:36:28.024Z'] });

export const User = Type.Object({
  id: Type.Integer(),
  first_name: Type.String(),
  last_name: Type.String(),
  email: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type User = Static<typeof User>;

const Name = Type.String({ maxLength: 255 });

const RoleSwitches = {
  agent: Type.Optional(Type.Boolean({ description: 'Works leads. Default true.' })),
  users_admin: Type.Optional(Type.Boolean({ description: 'User manager. Default false.' })),
  lists_admin: Type.Optional(Type.Boolean({ description: 'Data manager. Default false.' })),
  analyst: Type.Optional(Type.Boolean({ description: 'Default false.' })),
  supervisor: Type.Optional(Type.Boolean({ description: 'Default false.' })),
};

export const Invitation = Type.Object({
  accept_charge_upon_invitation_acceptance: Type.Literal('1'),
  user: Type.Object({
    email: Type.String({ minLength: 1, maxLength: 254 }),
    first_name: Type.Optional(Name),
    last_name: Type.Optional(Name),
    ...RoleSwitches,
    listing_ids: Type.Optional(
      Type.Array(Type.Integer(), { description: 'Lists the user can work when an agent.', maxItems: 10_000 }),
    ),
  }),
});
export type Invitation = Static<typeof Invitation>;

/** What the pages for managing people show. */
export const Person = Type.Object({
  ...User.properties,
  owner: Type.Boolean(),
  agent: Type.Boolean(),
  users_admin: Type.Boolean(),
  lists_admin: Type.Boolean(),
  analyst: Type.Boolean(),
  supervisor: Type.Boolean(),
  status: Type.Enum(['invited', 'active', 'disabled']),
  listing_ids: Type.Array(Type.Integer()),
});
export type Person = Static<typeof Person>;

/** As much as everyone may know of those they work with. */
export const Colleague = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  name: Type.String({ description: 'Their e-mail address where they gave none.' }),
  active: Type.Boolean({ description: 'Accepted their invitation, and not disabled.' }),
  assigns_lists: Type.Boolean({ description: 'Whom to ask for a list.' }),
});
export type Colleague = Static<typeof Colleague>;

export const PersonChange = Type.Object({
  user: Type.Object({
    first_name: Type.Optional(Name),
    last_name: Type.Optional(Name),
    ...RoleSwitches,
    listing_ids: Type.Optional(Type.Array(Type.Integer(), { maxItems: 10_000 })),
  }),
});
export type PersonChange = Static<typeof PersonChange>;

export const Subscription = Type.Object({
  counted: Type.Array(User, { description: 'People who accepted their invitation and are not disabled.' }),
  pending: Type.Array(User, { description: 'Invited; they count from acceptance on.' }),
});
