import { crc32, deflateRawSync } from 'node:zlib';

/** Workbooks for tests, also such as no spreadsheet would write. */

export type ZipPart = { data: Buffer | string; encrypted?: boolean; saysSize?: number; stored?: boolean };

export function makeZip(parts: Record<string, Buffer | string | ZipPart>): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, given] of Object.entries(parts)) {
    const part = typeof given === 'string' || Buffer.isBuffer(given) ? { data: given } : given;
    const data = Buffer.from(part.data);
    const packed = part.stored ? data : deflateRawSync(data);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE((part.encrypted ? 1 : 0) | 0x800, 2);
    common.writeUInt16LE(part.stored ? 0 : 8, 4);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(part.saysSize ?? data.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, place, Buffer.from(name)]));
    files.push(file);
    offset += file.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, entries, Buffer.from('PK\x05\x06'), end]);
}

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relations = (targets: [type: string, target: string][]): string =>
  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets
    .map(([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

export type MadeSheet = { name?: string; hidden?: boolean; /** What stands within `sheetData`. */ rows: string };
export type MadeWorkbook = {
  sheets: MadeSheet[];
  /** Each as XML within `si`. */
  texts?: string[];
  /** Codes of formats, by the number of the style from 1 on. */
  formats?: string[];
  since1904?: boolean;
  more?: Record<string, Buffer | string | ZipPart>;
};

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';

export function makeWorkbook({ sheets, texts = [], formats = [], since1904 = false, more = {} }: MadeWorkbook): Buffer {
  const part = (at: number) => `worksheets/sheet${at + 1}.xml`;
  const styles = `<styleSheet ${MAIN}><numFmts>${formats
    .map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${escapeXml(code)}"/>`)
    .join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats
    .map((_, at) => `<xf numFmtId="${164 + at}"/>`)
    .join('')}<xf numFmtId="14"/></cellXfs></styleSheet>`;
  return makeZip({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relations([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="${OFFICE}"><workbookPr date1904="${since1904 ? 1 : 0}"/><sheets>${sheets
      .map(
        ({ name, hidden }, at) =>
          `<sheet name="${name ?? `Sheet${at + 1}`}" sheetId="${at + 1}" ${hidden ? 'state="hidden"' : ''} r:id="rId${at + 1}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...sheets.map((_, at): [string, string] => ['worksheet', part(at)]),
      ['styles', 'styles.xml'],
      ['sharedStrings', '/xl/sharedStrings.xml'],
    ]),
    'xl/styles.xml': styles,
    'xl/sharedStrings.xml': `<sst ${MAIN}>${texts.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    ...Object.fromEntries(
      sheets.map(({ rows }, at) => [
        `xl/${part(at)}`,
        `<?xml version="1.0"?><worksheet ${MAIN}><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
    ...more,
  });
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

export const cellOf = (text: string): string => `<c t="inlineStr"><is><t>${escapeXml(text)}</t></is></c>`;
export const rowOf = (...texts: string[]): string => `<row>${texts.map(cellOf).join('')}</row>`;
