import { Type } from 'typebox';
import { Person, Timestamp } from './users.ts';

export const SignIn = Type.Object({
  email: Type.String({ maxLength: 254 }),
  password: Type.String({ maxLength: 1000 }),
});

export const Me = Type.Object({
  user: Person,
  account: Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    base_url: Type.String(),
    sends_mail: Type.Boolean({ description: 'Whether the service has a mail server.' }),
  }),
});

export const Session = Type.Object({
  id: Type.Integer(),
  address: Type.String(),
  browser: Type.String(),
  created_at: Timestamp,
  seen_at: Timestamp,
  current: Type.Boolean(),
});

const NewPassword = Type.String({
  minLength: 10,
  maxLength: 200,
  description: 'One that is easily guessed is refused: use a few unrelated words.',
});

const replace_key = Type.Optional(
  Type.Boolean({
    description: 'Also replace the personal key: the old one ends at once. Default false.',
  }),
);

export const PasswordChange = Type.Object({
  password: Type.String({ maxLength: 1000 }),
  new_password: NewPassword,
  replace_key,
});
export const PasswordForgotten = Type.Object({ email: Type.String({ maxLength: 254 }) });
/** Accepting an invitation and resetting a password are nearly the same act: a link from a mail, and a new password. */
export const Acceptance = Type.Object({ token: Type.String({ maxLength: 200 }), password: NewPassword });
export const PasswordReset = Type.Object({ ...Acceptance.properties, replace_key });
