import { LONGEST_ROW } from '../csv.ts';
import { Unreadable } from '../source.ts';
import { walkXml, type Handlers } from './xml.ts';

/** The texts that cells of a workbook share, by number. */
export type Texts = (number: number) => string | undefined;

const MOST_TEXTS = 2 ** 24;
const MOST_BYTES = 256 * 1024 * 1024;
const PAGE = 4 * 1024 * 1024;

/** As many as are asked for; all where nobody says how many. */
export async function openTexts(pieces: AsyncIterable<Buffer> | undefined, upTo = Infinity): Promise<Texts> {
  const { add, at, count } = keepTexts();
  if (!pieces) return at;
  for await (const _ of walkXml(pieces, listenForText('si', add))) if (count() > upTo) break;
  return at;
}

/** What stands in the runs of an element, without how it is pronounced, which stands beside Japanese names. */
export function listenForText(element: string, tell: (text: string) => void): Required<Handlers> {
  let text = '';
  let isText = false;
  let isReading = false;
  return {
    open(name) {
      if (name === element) text = '';
      else if (name === 't') isText = true;
      else if (name === 'rPh') isReading = true;
    },
    text(more) {
      if (isText && !isReading) text += more;
      if (text.length > LONGEST_ROW) throw new Error('a text is too long');
    },
    close(name) {
      if (name === 't') isText = false;
      else if (name === 'rPh') isReading = false;
      else if (name === element) tell(unescapeText(text));
    },
  };
}

/** Millions of texts as objects of their own would take several times their length. */
function keepTexts(): { add: (text: string) => void; at: Texts; count: () => number } {
  const pages: Buffer[] = [];
  let used = PAGE;
  let starts = new Uint32Array(1_024);
  let lengths = new Uint32Array(1_024);
  let count = 0;
  const add = (text: string): void => {
    const length = Buffer.byteLength(text);
    if (used + length > PAGE) {
      if ((pages.length + 1) * PAGE > MOST_BYTES) throw tooManyTexts();
      pages.push(Buffer.allocUnsafeSlow(PAGE));
      used = 0;
    }
    if (count === starts.length) {
      if (count * 2 > MOST_TEXTS) throw tooManyTexts();
      starts = grown(starts);
      lengths = grown(lengths);
    }
    starts[count] = (pages.length - 1) * PAGE + used;
    lengths[count] = length;
    pages.at(-1)!.write(text, used);
    used += length;
    count += 1;
  };
  const at: Texts = (number) => {
    if (!(number >= 0 && number < count)) return undefined;
    const start = starts[number]!;
    const inPage = start % PAGE;
    return pages[(start - inPage) / PAGE]!.toString('utf8', inPage, inPage + lengths[number]!);
  };
  return { add, at, count: () => count };
}

function grown(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(numbers.length * 2);
  more.set(numbers);
  return more;
}

const tooManyTexts = (): Unreadable =>
  new Unreadable(
    'This workbook holds more different texts than can be kept at hand. Save the sheet as CSV, and upload that.',
  );

/** Characters that XML cannot hold are written as `_x000D_`. What would be none at all stays as it is written. */
export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  const read = text.replaceAll(/_x([\da-f]{4})_/gi, (written, code: string) =>
    code === '0000' ? written : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return read.isWellFormed() ? read : text;
}
