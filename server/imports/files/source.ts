/** A file as it lies somewhere: any part of it can be had, none of it has to be held. */
export type FileSource = { name: string; bytes: number; read(from: number, length: number): Promise<Buffer> };

/** The file as a whole cannot be read. The message is the sentence for people: what it is, and what to do. */
export class Unreadable extends Error {}

/** Its bytes could not be had just now, which says nothing of the file. */
export class Unavailable extends Error {}

const BLOCK = 256 * 1024;

/** The next block is on its way while one is looked at. */
export async function* readBlocks(file: FileSource, from = 0, to = file.bytes): AsyncGenerator<Buffer> {
  const ask = (at: number): Promise<Buffer> => {
    const asked = file.read(at, Math.min(BLOCK, to - at)).catch((cause: unknown) => {
      throw new Unavailable(`${file.name} cannot be read from byte ${at} on`, { cause });
    });
    // Whoever stops reading does not wait for it any more.
    asked.catch(() => undefined);
    return asked;
  };
  let coming = from < to ? ask(from) : undefined;
  for (let at = from; coming;) {
    const block = await coming;
    if (block.length === 0) throw new Unavailable(`${file.name} ends after ${at} of ${file.bytes} bytes`);
    at += block.length;
    coming = at < to ? ask(at) : undefined;
    yield block;
  }
}

export const sayNumber = (number: number): string => number.toLocaleString('en');
