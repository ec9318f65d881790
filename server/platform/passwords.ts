import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

export const SHORTEST_PASSWORD = 10;
export const LONGEST_PASSWORD = 200;

/** In characters as people count them; the same measure wherever a password is chosen. */
export const hasPasswordLength = (password: string) => {
  const { length } = Array.from(password);
  return length >= SHORTEST_PASSWORD && length <= LONGEST_PASSWORD;
};

const derive = promisify(argon2);

// OWASP's lower bound for argon2id: 19 MiB, two passes; about 50 ms.
const COST = { memory: 19_456, passes: 2, parallelism: 1 };

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await stretch(password, nonce, COST);
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
export async function checkPassword(password: string, hash: string | null | undefined): Promise<boolean> {
  const [, memory, passes, parallelism, nonce, tag] = (hash ?? NOBODY).split('$');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const found = await stretch(password, Buffer.from(nonce!, 'base64url'), cost);
  return timingSafeEqual(found, Buffer.from(tag!, 'base64url')) && hash !== null && hash !== undefined;
}

const NOBODY = [
  'argon2id',
  COST.memory,
  COST.passes,
  COST.parallelism,
  'AAAAAAAAAAAAAAAAAAAAAA',
  Buffer.alloc(32).toString('base64url'),
].join('$');

// Two at a time: it is work for the thread pool, which files and names need too.
let free = 2;
const waiting: (() => void)[] = [];

async function inTurn<T>(act: () => Promise<T>): Promise<T> {
  if (free > 0) free -= 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await act();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }
}

const stretch = (password: string, nonce: Buffer, cost: typeof COST): Promise<Buffer> =>
  inTurn(() => derive('argon2id', { message: password.normalize('NFKC'), nonce, tagLength: 32, ...cost }));
