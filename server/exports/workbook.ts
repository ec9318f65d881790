import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { guardText } from '../../contract/formulas.ts';
import { openBreaths } from '../platform/breaths.ts';
import type { ExportColumn } from './columns.ts';
import { LONGEST_CELL, textOf, valueOf } from './cells.ts';
import { PIECE, type Pages } from './pages.ts';
import type { ExportedLead } from './rows.ts';

/**
 * A workbook that is written as it goes: every text stands in its cell, so that nothing of it has to be kept. What has no more room on a
 * sheet stands on the next.
 */

/** As spreadsheets have it, the heading among them. */
const MOST_ROWS = 1_048_576;
/** Of a sheet, before it is packed: beyond 4 GiB it takes a form of archive that not every spreadsheet opens. */
const MOST_CHARACTERS = 1024 ** 3;

const PACKED = { compressionLevel: 3 };
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

// It stands first, where programs look for what a file is; so all that is XML is a sheet, but what is named.
const TYPES = `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="${TYPE}.worksheet+xml"/>
<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>
<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>
</Types>`;

const ROOT = `${XML}<Relationships xmlns="${RELATIONS}">
<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/>
</Relationships>`;

/** Plain, a heading, and text that stays text when someone edits it, as telephone numbers must. */
const STYLE = { heading: 1, text: 2 };
const STYLES = `${XML}<styleSheet xmlns="${MAIN}">
<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>
<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>
<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>
</styleSheet>`;

const SHEET = `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" \
topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>\
<sheetFormatPr defaultColWidth="18" defaultRowHeight="15"/><sheetData>`;
const END = '</sheetData></worksheet>';

const workbookOf = (sheets: string[]): string => `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>
${sheets.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join('\n')}
</sheets></workbook>`;

const partsOf = (sheets: string[]): string => `${XML}<Relationships xmlns="${RELATIONS}">
${sheets.map((_, at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/worksheet" Target="${pathOf(at)}"/>`).join('\n')}
<Relationship Id="rId${sheets.length + 1}" Type="${OFFICE}/styles" Target="styles.xml"/>
</Relationships>`;

const pathOf = (at: number): string => `worksheets/sheet${at + 1}.xml`;

/** `most` rows on a sheet, the heading among them. */
export async function* writeWorkbook(
  columns: ExportColumn[],
  pages: Pages,
  most = MOST_ROWS,
): AsyncGenerator<Buffer, void> {
  const zip = new ZipFile();
  const out = zip.outputStream as Readable;
  const rows = new Rows(columns, pages);
  const sheets: string[] = [];
  let sheet: Readable | undefined;
  const add = (text: string, path: string) => zip.addBuffer(Buffer.from(text), path, PACKED);
  const addSheet = async (name: string, pieces: AsyncGenerator<string, void>) => {
    sheet = Readable.from(pieces, { objectMode: false });
    zip.addReadStream(sheet, `xl/${pathOf(sheets.length)}`, PACKED);
    sheets.push(name);
    await finished(sheet);
  };
  const write = async () => {
    add(TYPES, '[Content_Types].xml');
    add(ROOT, '_rels/.rels');
    add(STYLES, 'xl/styles.xml');
    do {
      const name = sheets.length === 0 ? 'Leads' : `Leads ${sheets.length + 1}`;
      await addSheet(name, rows.writeSheet(most));
    } while (await rows.hasNext());
    if (rows.cut > 0) await addSheet('Notes', rows.writeNotes());
    add(workbookOf(sheets), 'xl/workbook.xml');
    add(partsOf(sheets), 'xl/_rels/workbook.xml.rels');
    zip.end();
  };
  zip.on('error', (error: Error) => out.destroy(error));
  write().catch((error: Error) => out.destroy(error));
  try {
    for await (const chunk of out) yield chunk as Buffer;
  } finally {
    sheet?.destroy();
    await rows.end();
  }
}

/** Leads one after the other, as rows of XML. */
class Rows {
  readonly #columns: ExportColumn[];
  readonly #letters: string[];
  readonly #pages: AsyncIterator<ExportedLead[]>;
  #page: ExportedLead[] = [];
  #at = 0;
  /** Cells that were too long. */
  cut = 0;

  constructor(columns: ExportColumn[], pages: Pages) {
    this.#columns = columns;
    this.#letters = columns.map((_, at) => lettersOf(at));
    this.#pages = pages[Symbol.asyncIterator]();
  }

  async hasNext(): Promise<boolean> {
    while (this.#at === this.#page.length) {
      const { done, value } = await this.#pages.next();
      if (done) return false;
      [this.#page, this.#at] = [value, 0];
    }
    return true;
  }

  async *writeSheet(most: number): AsyncGenerator<string, void> {
    const breathe = openBreaths();
    let text = `${SHEET}${this.#write(1, (column, at) => this.#cell(column.heading, at, 1, STYLE.heading))}`;
    let characters = 0;
    for (let row = 2; row <= most && characters < MOST_CHARACTERS; row += 1) {
      if (this.#at === this.#page.length && !(await this.hasNext())) break;
      const lead = this.#page[this.#at]!;
      this.#at += 1;
      text += this.#write(row, (column, at) => this.#value(column, lead, at, row));
      if (text.length < PIECE) continue;
      characters += text.length;
      yield text;
      text = '';
      await breathe();
    }
    yield text + END;
  }

  async *writeNotes(): AsyncGenerator<string, void> {
    const said = `${this.cut} ${this.cut === 1 ? 'cell had' : 'cells had'} more than ${LONGEST_CELL} characters, which is all that \
a cell can hold, and ${this.cut === 1 ? 'ends' : 'end'} with an ellipsis. The same export as CSV has all of it.`;
    yield `${SHEET}<row r="1">${this.#cell(said, 0, 1, STYLE.text)}</row>${END}`;
  }

  async end(): Promise<void> {
    await this.#pages.return?.();
  }

  #write(row: number, cell: (column: ExportColumn, at: number) => string): string {
    return `<row r="${row}">${this.#columns.map(cell).join('')}</row>`;
  }

  #value(column: ExportColumn, lead: ExportedLead, at: number, row: number): string {
    const text = guardText(column.text(lead));
    const number = column.isNumber ? valueOf(text) : undefined;
    if (number !== undefined) return `<c r="${this.#letters[at]}${row}"><v>${number}</v></c>`;
    return this.#cell(text, at, row, STYLE.text);
  }

  #cell(text: string, at: number, row: number, style: number): string {
    if (text === '') return '';
    if (text.length > LONGEST_CELL) this.cut += 1;
    return `<c r="${this.#letters[at] ?? 'A'}${row}" s="${style}" t="inlineStr"><is>${textOf(text)}</is></c>`;
  }
}

/** A, B, … Z, AA, AB, … */
export const lettersOf = (at: number): string =>
  (at < 26 ? '' : lettersOf(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26));
