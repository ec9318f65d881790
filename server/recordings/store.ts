import type { Readable } from 'node:stream';

/** Both bytes are included. It has to lie within the recording. */
export type Range = { start: number; end: number };

/** Where recordings are kept. What a key holds never changes. */
export type Store = {
  /** Takes a finished local file in; it is gone from where it was. */
  take(key: string, file: string): Promise<void>;
  /** Undefined where there is none. */
  measure(key: string): Promise<number | undefined>;
  /** Undefined where there is none. `size` is that of the whole. A body that is not read to its end has to be destroyed. */
  open(key: string, range?: Range): Promise<{ body: Readable; size: number } | undefined>;
  /** Nothing where there is none. */
  remove(key: string): Promise<void>;
};

export const keyOf = ({ account_id, id }: { account_id: number; id: number }): string => `${account_id}/${id}.wav`;
