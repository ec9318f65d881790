import { createHash } from 'node:crypto';
import type { Actor } from '../platform/actor.ts';
import type { Filter } from './conditions.ts';

/** What a node found out of a filter a moment ago: so many, for so long, the oldest go first. Only how a page is found depends on it, never which leads are on it. */
export class Remembered<T> {
  readonly #known = new Map<string, { until: number; value: T }>();
  readonly #milliseconds: number;
  readonly #most: number;

  constructor(milliseconds: number, most: number) {
    this.#milliseconds = milliseconds;
    this.#most = most;
  }

  get(name: string): T | undefined {
    const known = this.#known.get(name);
    return known && known.until > performance.now() ? known.value : undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  set(name: string, value: T): void {
    this.#known.delete(name);
    this.#known.set(name, { until: performance.now() + this.#milliseconds, value });
    if (this.#known.size > this.#most) this.#known.delete(this.#known.keys().next().value!);
  }

  forget(name: string): void {
    this.#known.delete(name);
  }
}

/** What is found once for all who ask meanwhile; what fails is looked for again. */
export function askOnce<T>(kept: Remembered<Promise<T>>, name: string, find: () => Promise<T>): Promise<T> {
  const known = kept.get(name);
  if (known) return known;
  const asked = find();
  kept.set(name, asked);
  asked.catch(() => kept.forget(name));
  return asked;
}

/** By which a filter is known again; short, whatever was asked. */
export const nameOf = ({ account }: Actor, { having, ...filter }: Filter): string =>
  createHash('sha256')
    .update(
      JSON.stringify([account.id, [...having], filter], (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      ),
    )
    .digest('base64url');
