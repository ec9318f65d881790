import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

export const SHORTEST_PASSWORD = 10;
// Longer ones would let anybody keep the machine busy hashing them.
export const LONGEST_PASSWORD = 200;

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
  const found = await stretch(password.slice(0, LONGEST_PASSWORD), Buffer.from(nonce!, 'base64url'), cost);
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

const stretch = (password: string, nonce: Buffer, cost: typeof COST): Promise<Buffer> =>
  derive('argon2id', { message: password.normalize('NFKC'), nonce, tagLength: 32, ...cost });
