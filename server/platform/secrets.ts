import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { conflict } from './errors.ts';

const NONCE = 12;
const TAG = 16;

/** What is kept under SECRET_KEY: a copy of the database alone opens none of it. */
export class Secrets {
  readonly #sealing: Buffer;
  readonly #signing: Buffer;

  constructor(secretKey: string) {
    const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secretKey, 'leadline', purpose, 32));
    this.#sealing = derive('seal');
    this.#signing = derive('sign');
  }

  seal(text: string): Buffer {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv('aes-256-gcm', this.#sealing, nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  open(sealed: Buffer): string {
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#sealing, sealed.subarray(0, NONCE));
      decipher.setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
      return decipher.update(sealed.subarray(NONCE + TAG), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      throw conflict(
        'unreadable_secret',
        'This was sealed under a SECRET_KEY that is lost, or it is damaged. Make a new one.',
      );
    }
  }

  sign(text: string): string {
    return createHmac('sha256', this.#signing).update(text).digest('base64url');
  }
}

/** 256 random bits as text. */
export const makeToken = () => randomBytes(32).toString('base64url');

/** Random keys and tokens need no slow hash: nobody can guess their way to them. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();
