import { isGuessable } from '../../platform/guessable.ts';
import { hashPassword, hasPasswordLength, LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../platform/passwords.ts';
import { invalid } from '../../platform/read.ts';

/** Who chooses a password, as far as it could be made of that. */
export type Chooser = { account: string; email: string; first_name?: string; last_name?: string };

/** What is wrong with a password that someone chooses, if anything is. Those that are in use are never judged. */
export async function faultIn(password: string, chooser: Chooser): Promise<string | undefined> {
  if (!hasPasswordLength(password)) return `must have ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters`;
  const { account, email, first_name = '', last_name = '' } = chooser;
  const guessable = await isGuessable(password, [email, first_name, last_name, account, 'leadline']);
  return guessable ? 'is easily guessed: use a few unrelated words' : undefined;
}

/** Judged and hashed before a transaction begins: both are slow. */
export async function hashChosen(
  password: string,
  chooser: Chooser,
  address: string,
  parameter = 'password',
): Promise<string> {
  const fault = await faultIn(password, chooser);
  if (fault) throw invalid({ [parameter]: [fault] });
  return hashPassword(password, address);
}
