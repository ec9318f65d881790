import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasOwner, isAlone, lockFirstRun, setUp } from '../accounts/accounts.ts';
import { findAccount } from '../accounts/find.ts';
import type { Account } from '../platform/actor.ts';
import { HttpError } from '../platform/errors.ts';
import { invalid, type Faults } from '../platform/read.ts';
import type { House, Reading, Work } from '../platform/work.ts';
import { visitorOf } from '../sessions/cookie.ts';
import { startSession } from '../sessions/sessions.ts';
import { EMAIL, enter, NEW_PASSWORD, refusePassword, sendPage, tellFault, valuesOf, type Values } from './forms.ts';
import { form, type Field } from './html.ts';
import { hostAsked, readOrigin, refuseForeignOrigin } from '../platform/origin.ts';
import { hashPassword } from '../platform/passwords.ts';

/**
 * Of an account without an owner. The same on every node and after a restart, and for the first account the same before and after it is
 * made, so that a printed link stays good until it is used; of no use once there is an owner.
 */
async function firstRunCode({ db, secrets }: Reading, account: Account | undefined): Promise<string> {
  const first = await findAccount({ db }, '');
  return secrets.sign(`first run ${account && account.id !== first?.id ? account.id : ''}`).slice(0, 16);
}

export const firstRunLink = async (reading: Reading, account: Account | undefined, baseUrl: string): Promise<string> =>
  `${account?.baseUrl ?? baseUrl}/first-run?code=${await firstRunCode(reading, account)}`;

const CODE: Field = { name: 'code', label: 'Code from the console' };
const FIELDS: Field[] = [
  { name: 'account', label: 'Name of your company', autocomplete: 'organization' },
  { name: 'base_url', label: 'Address of this service', type: 'url', hint: 'As your people and clients reach it.' },
  { name: 'first_name', label: 'Your first name', autocomplete: 'given-name', optional: true },
  { name: 'last_name', label: 'Your last name', autocomplete: 'family-name', optional: true },
  EMAIL,
  NEW_PASSWORD,
];

/** The page behind the link in the console: it makes the account and its owner, once. */
export function addFirstRun(scope: FastifyInstance, { reading, transact }: House, baseUrl: string): void {
  const show = async (request: FastifyRequest, reply: FastifyReply, values: Values, error?: unknown) => {
    const account = await findAccount(reading, hostAsked(request));
    if (await hasOwner(reading.db, account)) return reply.redirect('/sign-in', 303);
    const { filled, status } = error
      ? tellFault(error, values)
      : { filled: { values: { base_url: account?.baseUrl ?? baseUrl } }, status: 200 };
    const { code = '' } = { ...valuesOf(request.query), ...values };
    // The link carries the code. Without it, or with a wrong one, it can be typed.
    const asks = code === '' || Boolean(filled.errors?.code);
    // Beside other accounts the address is the operator's to decide.
    const settled = account && !(await isAlone(reading, account));
    const own = FIELDS.map((field) => (field.name === 'base_url' && settled ? { ...field, fixed: true } : field));
    const fields = asks ? [CODE, ...own] : own;
    return sendPage(
      reply,
      status,
      'Set up Leadline',
      form('/first-run', fields, 'Make the account and enter', filled, asks ? {} : { code }),
    );
  };
  scope.get('/first-run', (request, reply) => show(request, reply, {}));
  scope.post('/first-run', async (request, reply) => {
    refuseForeignOrigin(request);
    const values = valuesOf(request.body);
    try {
      // Hashing is slow: only for those who have the code, and before the transaction.
      const existing = await findAccount(reading, hostAsked(request));
      const right = values.code?.trim() === (await firstRunCode(reading, existing));
      const passwordHash = right ? await hashPassword(values.password ?? '') : '';
      const { account, token } = await transact((work) => begin(work, request, values, passwordHash));
      return await enter(reply, token, account.baseUrl);
    } catch (error) {
      return show(request, reply, values, error);
    }
  });
}

async function begin(work: Work, request: FastifyRequest, values: Values, passwordHash: string) {
  await lockFirstRun(work);
  const existing = await findAccount(work, hostAsked(request));
  const {
    code = '',
    account: name = '',
    base_url = '',
    first_name: firstName = '',
    last_name: lastName = '',
    email = '',
    password = '',
  } = values;
  const faults: Faults = {};
  const baseUrl = readOrigin(base_url.trim());
  if (code.trim() !== (await firstRunCode(work, existing))) faults.code = ['is not the one in the console'];
  if (name.trim() === '' || name.length > 255) faults.account = ['must have 1 to 255 characters'];
  if (firstName.length > 255) faults.first_name = ['must have at most 255 characters'];
  if (lastName.length > 255) faults.last_name = ['must have at most 255 characters'];
  if (!baseUrl) faults.base_url = ['must be an http(s) address without a path'];
  if (!baseUrl || Object.keys(faults).length > 0) throw invalid(faults);
  refusePassword(password);
  if (await hasOwner(work.db, existing))
    throw new HttpError(409, 'not_first', 'The account was made already. Sign in.');
  const owner = { email, passwordHash, firstName, lastName };
  const { account, user } = await setUp(work, existing, { name: name.trim(), baseUrl }, owner, request.ip);
  return { account, token: await startSession(work, visitorOf(request, account), user) };
}
