import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { paths } from '../../contract/paths.ts';
import { countries, timeZones } from '../../contract/places.ts';
import { changeAccount, hasOwner, isAlone, lockFirstRun, setUp } from '../people/accounts/accounts.ts';
import { findAccount } from '../people/accounts/find.ts';
import { serviceActor, type Account } from '../platform/actor.ts';
import { HttpError } from '../platform/errors.ts';
import { invalid, type Faults } from '../platform/read.ts';
import type { House, Reading, Work } from '../platform/work.ts';
import { visitorOf } from '../people/sessions/cookie.ts';
import { startSession } from '../people/sessions/sessions.ts';
import { isEmail } from '../people/users/users.ts';
import { EMAIL, enter, NEW_PASSWORD, sendPage, tellFault, valuesOf, type Values } from './forms.ts';
import { form, OWN_SERVER, type Field } from './html.ts';
import { hostAsked, readOrigin, refuseForeignOrigin } from '../platform/origin.ts';
import { faultIn } from '../people/users/choose-password.ts';
import { hashPassword, hasPasswordLength, LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../platform/passwords.ts';

/**
 * Of an account without an owner. The same on every node and after a restart, and for the first account the same before and after it is
 * made, so that a printed link stays good until it is used; of no use once there is an owner.
 */
async function firstRunCode({ db, secrets }: Reading, account: Account | undefined): Promise<string> {
  const first = await findAccount({ db }, '');
  return secrets.sign(`first run ${account && account.id !== first?.id ? account.id : ''}`).slice(0, 16);
}

export const firstRunLink = async (reading: Reading, account: Account | undefined, baseUrl: string): Promise<string> =>
  `${account?.baseUrl ?? baseUrl}${paths.firstRun}?code=${await firstRunCode(reading, account)}`;

const fieldsOf = (proven: boolean, settled: boolean): Field[] => [
  {
    name: 'code',
    label: 'Set-up code',
    mono: true,
    proven,
    fixed: proven,
    hint: 'From the link in the server’s log. It works once.',
  },
  { name: 'account', label: 'Account name', autocomplete: 'organization' },
  {
    name: 'base_url',
    label: 'Address of this service',
    type: 'url',
    mono: true,
    // Beside other accounts the address is the operator's to decide.
    fixed: settled,
    hint: 'As your people and programs reach it.',
  },
  {
    name: 'country',
    label: 'Country',
    type: 'select',
    half: true,
    autocomplete: 'country',
    guess: 'country',
    choices: countries(undefined, 'en'),
  },
  {
    name: 'time_zone',
    label: 'Time zone',
    type: 'select',
    half: true,
    guess: 'time-zone',
    choices: timeZones().map((zone) => ({ value: zone, label: `${zone}, ${clockIn(zone)}` })),
  },
  { name: 'first_name', label: 'Your first name', autocomplete: 'given-name', optional: true, half: true },
  { name: 'last_name', label: 'Your last name', autocomplete: 'family-name', optional: true, half: true },
  { ...EMAIL, label: 'Your e-mail' },
  { ...NEW_PASSWORD, kept: true },
];

const clockIn = (timeZone: string): string =>
  new Date().toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });

const LEAD =
  'You are the first one here. Whoever fills this in becomes the owner, so we ask for the code from the server’s log.';

/** What the operator says of the first account: where it answers, and its key where that is chosen. */
export type First = { baseUrl: string; apiKey?: string | undefined };

/** The page behind the link in the console: it makes the account and its owner, once. */
export function addFirstRun(scope: FastifyInstance, { reading, transact }: House, { baseUrl, apiKey }: First): void {
  const show = async (request: FastifyRequest, reply: FastifyReply, values: Values, error?: unknown) => {
    const account = await findAccount(reading, hostAsked(request));
    if (await hasOwner(reading.db, account)) return reply.redirect(paths.signIn, 303);
    const { filled, status } = error
      ? tellFault(error, values)
      : { filled: { values: { base_url: account?.baseUrl ?? baseUrl } }, status: 200 };
    // The link carries the code. Without it, or with a wrong one, it can be typed.
    const { code = '' } = { ...valuesOf(request.query), ...values };
    const proven = code.trim() === (await firstRunCode(reading, account));
    const settled = account !== undefined && !(await isAlone(reading, account));
    // One that is refused itself has to be thought of anew.
    const password = filled.errors?.password ? '' : (filled.values.password ?? '');
    const shown = { ...filled, values: { ...filled.values, code, password } };
    return sendPage(reply, status, {
      title: 'Set up Leadline',
      lead: LEAD,
      motto: OWN_SERVER,
      wide: true,
      content: form(paths.firstRun, fieldsOf(proven, settled), 'Create account and sign in', shown, {}, true),
    });
  };
  scope.get(paths.firstRun, (request, reply) => show(request, reply, {}));
  scope.post(paths.firstRun, async (request, reply) => {
    refuseForeignOrigin(request);
    const values = valuesOf(request.body);
    try {
      const existing = await findAccount(reading, hostAsked(request));
      const { faults, given } = readGiven(values);
      // All that is wrong is said at once. Judging a password is slow, so that is for those who have the code.
      const stranger = await findStranger(reading, existing, values);
      if (stranger && !stranger.errors) throw stranger;
      Object.assign(faults, stranger?.errors);
      const { password = '', account = '' } = values;
      const chooser = { account, email: given.email, first_name: given.firstName, last_name: given.lastName };
      const fault = stranger ? undefined : await faultIn(password, chooser);
      if (fault) faults.password = [fault];
      if (Object.keys(faults).length > 0) throw invalid(faults);
      const passwordHash = await hashPassword(password, request.ip);
      const { account: made, token } = await transact((work) =>
        begin(work, request, values, { ...given, passwordHash, ...(apiKey && { apiKey }) }),
      );
      return await enter(reply, token, made.baseUrl);
    } catch (error) {
      return show(request, reply, values, error);
    }
  });
}

/** What there is to say to who has not the code, or comes when there is an owner already. */
async function findStranger(
  reading: Reading,
  account: Account | undefined,
  { code = '' }: Values,
): Promise<HttpError | undefined> {
  if (code.trim() !== (await firstRunCode(reading, account)))
    return invalid({ code: ['is not the one in the server’s log'] });
  if (await hasOwner(reading.db, account))
    return new HttpError(409, 'not_first', 'The account was made already. Sign in.');
  return undefined;
}

function readGiven(values: Values) {
  const { account = '', base_url = '', first_name: firstName = '', last_name: lastName = '' } = values;
  const name = account.trim();
  const faults: Faults = {};
  const baseUrl = readOrigin(base_url.trim());
  if (name === '' || name.length > 255) faults.account = ['must have 1 to 255 characters'];
  if (firstName.length > 255) faults.first_name = ['must have at most 255 characters'];
  if (lastName.length > 255) faults.last_name = ['must have at most 255 characters'];
  if (!baseUrl) faults.base_url = ['must be an http(s) address without a path'];
  // Left open in the form; a program may leave them out.
  for (const place of ['country', 'time_zone']) if (values[place] === '') faults[place] = ['must be chosen'];
  const email = (values.email ?? '').trim();
  if (!isEmail(email)) faults.email = ['is not a valid e-mail address'];
  if (!hasPasswordLength(values.password ?? ''))
    faults.password = [`must have ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters`];
  return { faults, given: { name, baseUrl: baseUrl ?? '', email, firstName, lastName } };
}

type Given = ReturnType<typeof readGiven>['given'] & { passwordHash: string; apiKey?: string };

async function begin(work: Work, request: FastifyRequest, values: Values, { name, baseUrl, apiKey, ...owner }: Given) {
  await lockFirstRun(work);
  const existing = await findAccount(work, hostAsked(request));
  const stranger = await findStranger(work, existing, values);
  if (stranger) throw stranger;
  const { account, user } = await setUp(
    work,
    existing,
    { name, baseUrl, ...(apiKey && { apiKey }) },
    owner,
    request.ip,
  );
  const { country = '', time_zone = '' } = values;
  const places = { ...(country && { country }), ...(time_zone && { time_zone }) };
  const settler = { ...serviceActor(account, owner.email), address: request.ip };
  if (country || time_zone) await changeAccount(work, settler, places);
  return { account, token: await startSession(work, visitorOf(request, account), user) };
}
