import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { HttpError } from './errors.ts';
import { networkOf } from './limits.ts';
import { inLane, openLanes } from './lanes.ts';

export const SHORTEST_PASSWORD = 10;
export const LONGEST_PASSWORD = 200;

/** In characters as people count them; the same measure wherever a password is chosen. */
export const hasPasswordLength = (password: string) => {
  if (!isReadable(password)) return false;
  const { length } = Array.from(password);
  return length >= SHORTEST_PASSWORD && length <= LONGEST_PASSWORD;
};

/** Looked at before anything is done with it; a character takes two units at most. */
const isReadable = ({ length }: string) => length <= 2 * LONGEST_PASSWORD;

const derive = promisify(argon2);

// OWASP's lower bound for argon2id: 19 MiB, two passes; about 50 ms.
const COST = { memory: 19_456, passes: 2, parallelism: 1 };

/** `address`: where it comes from; those who wait are served by turns. */
export async function hashPassword(password: string, address = ''): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await stretch(password, nonce, COST, address);
  return [
    'argon2id',
    COST.memory,
    COST.passes,
    COST.parallelism,
    nonce.toString('base64url'),
    tag.toString('base64url'),
  ].join('$');
}

/** Takes as long for a user who does not exist (`undefined`), so that the time tells nobody who does. */
export async function checkPassword(password: string, hash: string | null | undefined, address = ''): Promise<boolean> {
  const [, memory, passes, parallelism, nonce, tag] = (hash ?? NOBODY).split('$');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  // None is longer, and neither is what is hashed for one that is.
  const message = isReadable(password) ? password : '';
  const found = await stretch(message, Buffer.from(nonce!, 'base64url'), cost, address);
  const fits = timingSafeEqual(found, Buffer.from(tag!, 'base64url'));
  return fits && hash !== null && hash !== undefined && isReadable(password);
}

const NOBODY = [
  'argon2id',
  COST.memory,
  COST.passes,
  COST.parallelism,
  'AAAAAAAAAAAAAAAAAAAAAA',
  Buffer.alloc(32).toString('base64url'),
].join('$');

const tooMany = () =>
  new HttpError(429, 'too_many_requests', 'Too many passwords are looked at just now. Try again in a moment.', {
    retryAfter: 5,
  });

// Two at a time: it is work for the thread pool, which files and names need too. The last of those who wait are through in some five seconds.
const lanes = openLanes({ most: 2, each: 2, waiting: 200, tooMany });

const stretch = (password: string, nonce: Buffer, cost: typeof COST, address: string): Promise<Buffer> =>
  inLane(lanes, networkOf(address), () =>
    derive('argon2id', { message: password.normalize('NFKC'), nonce, tagLength: 32, ...cost }),
  );
