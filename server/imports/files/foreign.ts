import { Unreadable, type FileSource } from './source.ts';

/** Files that hold no table, or one that is not read here, whatever their name says. */

const AS_WORKBOOK = 'save it as .xlsx or CSV there, and upload that';
const NOT_A_TABLE = 'Leads are read from CSV and .xlsx files.';
const PACKED = 'unpack it, and upload what is in it';

type Foreign = {
  is: string;
  advice?: string;
  starts: (string | number[])[];
  at?: number;
  also?: (head: Buffer) => boolean;
};

const FOREIGN: Foreign[] = [
  { is: 'a PDF', advice: 'ask for the same as a spreadsheet', starts: ['%PDF-'] },
  { is: 'a picture (PNG)', starts: [[0x89, 0x50, 0x4e, 0x47]] },
  { is: 'a picture (JPEG)', starts: [[0xff, 0xd8, 0xff]] },
  { is: 'a picture (GIF)', starts: ['GIF87a', 'GIF89a'] },
  {
    is: 'a picture (TIFF)',
    starts: [
      [0x49, 0x49, 0x2a, 0],
      [0x4d, 0x4d, 0, 0x2a],
    ],
  },
  { is: 'a picture or sound (RIFF)', starts: ['WEBP', 'WAVE', 'AVI '], at: 8 },
  { is: 'a picture or film', starts: ['ftyp'], at: 4 },
  // These two letters may begin a line: "BMW;Munich".
  { is: 'a picture (BMP)', starts: ['BM'], also: (head) => head.length > 10 && head.readUInt32LE(6) === 0 },
  { is: 'compressed (gzip)', advice: PACKED, starts: [[0x1f, 0x8b]] },
  { is: 'compressed (bzip2)', advice: PACKED, starts: ['1AY&SY'], at: 4 },
  { is: 'compressed (xz)', advice: PACKED, starts: [[0xfd, 0x37, 0x7a, 0x58, 0x5a]] },
  { is: 'compressed (Zstandard)', advice: PACKED, starts: [[0x28, 0xb5, 0x2f, 0xfd]] },
  { is: 'an archive (7z)', advice: PACKED, starts: [[0x37, 0x7a, 0xbc, 0xaf]] },
  { is: 'an archive (RAR)', advice: PACKED, starts: ['Rar!\x1a'] },
  { is: 'a database (SQLite)', advice: 'export its table as CSV', starts: ['SQLite format 3'] },
  { is: 'a Parquet file', advice: 'export it as CSV', starts: ['PAR1'] },
  { is: 'a document (RTF)', starts: ['{\\rtf'] },
  { is: 'a program', starts: [[0x7f, 0x45, 0x4c, 0x46]] },
];

const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

export const isZip = (head: Buffer): boolean =>
  head.subarray(0, 2).toString('latin1') === 'PK' &&
  [0x0304, 0x0506].includes(head.length > 3 ? head.readUInt16BE(2) : 0);

/** By what is in it: people rename files, and browsers guess by names. */
export async function refuseForeign(head: Buffer, file: FileSource): Promise<void> {
  if (head.subarray(0, OLE.length).equals(OLE)) await refuseOldWorkbook(head, file);
  const foreign = FOREIGN.find(
    ({ starts, at = 0, also }) => starts.some((start) => standsAt(head, at, start)) && (!also || also(head)),
  );
  if (foreign) throw new Unreadable(`This is ${foreign.is}. ${foreign.advice ? say(foreign.advice) : NOT_A_TABLE}`);
}

function standsAt(head: Buffer, at: number, start: string | number[]): boolean {
  const bytes = typeof start === 'string' ? Buffer.from(start, 'latin1') : Buffer.from(start);
  return head.subarray(at, at + bytes.length).equals(bytes);
}

const say = (what: string): string => `${what[0]!.toUpperCase()}${what.slice(1)}.`;

/** One with a password is wrapped the way workbooks of before 2007 are. */
async function refuseOldWorkbook(head: Buffer, file: FileSource): Promise<never> {
  const sector = 2 ** Math.min(head.length > 0x32 ? head.readUInt16LE(0x1e) : 9, 12);
  const from = head.length > 0x34 ? (head.readUInt32LE(0x30) + 1) * sector : 0;
  const directory = from < file.bytes ? await file.read(from, Math.min(4_096, file.bytes - from)) : head;
  if (directory.includes(Buffer.from('EncryptedPackage', 'utf16le'))) {
    throw new Unreadable(
      'This workbook is protected by a password. Open it, remove the password (File, Info), save it, and upload it again.',
    );
  }
  throw new Unreadable(`This is a workbook of the old kind (.xls). Open it and ${AS_WORKBOOK}.`);
}

const MARKED_UP = /^\s*<(!doctype\s+html|html|head|body|table|meta|div|style|script)\b/i;

/** What is text, but no table. */
export function refuseMarkedUp(text: string): void {
  const start = text.slice(0, 1_000);
  if (MARKED_UP.test(start)) {
    throw new Unreadable(
      `This is a web page (HTML), as some programs export under the name of a spreadsheet. Open it in a spreadsheet, ${AS_WORKBOOK}.`,
    );
  }
  if (/^\s*<\?xml\b/i.test(start))
    throw new Unreadable(`This is an XML file. Open it in a spreadsheet, ${AS_WORKBOOK}.`);
  if (/^\s*(\{\s*"|\[\s*[[{])/.test(start)) throw new Unreadable('This is a JSON file. Export the same as CSV.');
  if (/^\s*BEGIN:V(CARD|CALENDAR)\b/i.test(start))
    throw new Unreadable('These are visiting cards or appointments (vCard). Export the same as CSV.');
}

/** Archives that are no workbook of the kind that is read. */
export function refuseArchive(has: (name: string) => boolean, mimetype: string): never {
  if (mimetype.includes('opendocument.spreadsheet'))
    throw new Unreadable(`This is an OpenDocument spreadsheet (.ods). Open it and ${AS_WORKBOOK}.`);
  if (has('xl/workbook.bin')) throw new Unreadable(`This is a binary workbook (.xlsb). Open it and ${AS_WORKBOOK}.`);
  if (has('index/document.iwa'))
    throw new Unreadable(`This is a Numbers document. Open it, choose File, Export To, Excel or CSV, and upload that.`);
  if (has('word/document.xml') || mimetype.includes('opendocument'))
    throw new Unreadable(`This is a text document. ${NOT_A_TABLE}`);
  if (has('ppt/presentation.xml')) throw new Unreadable(`This is a presentation. ${NOT_A_TABLE}`);
  throw new Unreadable(`This is an archive (ZIP). ${say(PACKED)}`);
}
