import { Type, type Static } from 'typebox';

export const Timestamp = Type.String({ format: 'date-time', examples: ['2026-11-15T12:36:28.024Z'] });
/** A time, and what it says. */
export const timestamp = (description: string) => Type.String({ ...Timestamp, description });

export const User = Type.Object(
  {
    id: Type.Integer(),
    first_name: Type.String({ description: '`""` where none was given.' }),
    last_name: Type.String({ description: '`""` where none was given.' }),
    email: Type.String({ description: 'Unique in the account, whatever its case.' }),
    created_at: timestamp('When the user was invited.'),
    updated_at: timestamp('When name, roles, status or password changed last; a change of lists leaves it.'),
  },
  { title: 'User', description: 'Someone who works with the service.' },
);
export type User = Static<typeof User>;

const Name = Type.String({ maxLength: 255 });

const RoleSwitches = {
  agent: Type.Optional(Type.Boolean({ description: 'Works leads. Default true.' })),
  users_admin: Type.Optional(Type.Boolean({ description: 'User manager. Default false.' })),
  lists_admin: Type.Optional(Type.Boolean({ description: 'Data manager. Default false.' })),
  analyst: Type.Optional(Type.Boolean({ description: 'Reads figures and calls of all lists. Default false.' })),
  supervisor: Type.Optional(Type.Boolean({ description: 'Sees and works the leads of all lists. Default false.' })),
};

export const Invitation = Type.Object(
  {
    accept_charge_upon_invitation_acceptance: Type.Literal('1', {
      description: 'Says that the user counts toward the subscription once the invitation is accepted.',
    }),
    user: Type.Object({
      email: Type.String({ minLength: 1, maxLength: 254, description: 'Where the invitation is sent.' }),
      first_name: Type.Optional(Name),
      last_name: Type.Optional(Name),
      ...RoleSwitches,
      listing_ids: Type.Optional(
        Type.Array(Type.Integer(), { description: 'Lists the user can work when an agent.', maxItems: 10_000 }),
      ),
    }),
  },
  { title: 'Invitation' },
);
export type Invitation = Static<typeof Invitation>;

/** Of an invitation that cannot be mailed, to be handed over. */
export const InvitationLink = Type.Object({ link: Type.String() });

/** A user with what they may do. */
export const Person = Type.Object(
  {
    ...User.properties,
    location: Type.String({ description: 'Path of the user.', examples: ['/api/v2/users/1'] }),
    owner: Type.Boolean({ description: 'May do everything.' }),
    agent: Type.Boolean({ description: 'Works leads.' }),
    users_admin: Type.Boolean({ description: 'User manager.' }),
    lists_admin: Type.Boolean({ description: 'Data manager.' }),
    analyst: Type.Boolean({ description: 'Reads figures and calls of all lists.' }),
    supervisor: Type.Boolean({ description: 'Sees and works the leads of all lists.' }),
    status: Type.Enum(['invited', 'active', 'disabled'], { description: 'Only those who are active count.' }),
    listing_ids: Type.Array(Type.Integer(), { description: 'Lists the user can work when an agent.' }),
  },
  { title: 'Person', description: 'A user with roles, lists and status.' },
);
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

/** What keeps someone from working a list. */
export const LACKS = ['acceptance', 'role', 'list'] as const;
export type Lack = (typeof LACKS)[number];

/** Whom a lead of a list can be given to. */
export const Delegate = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  name: Type.String(),
  lacks: Type.Array(Type.Enum(LACKS as unknown as Lack[]), { description: 'Empty for those who can work the list.' }),
});
export type Delegate = Static<typeof Delegate>;

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
