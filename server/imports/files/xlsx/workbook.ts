import { refuseArchive } from '../foreign.ts';
import { sayNumber, Unreadable, type FileSource } from '../source.ts';
import { readFormats, type Format } from './formats.ts';
import { openTexts, type Texts } from './texts.ts';
import { readXml } from './xml.ts';
import { damaged, openArchive, type Archive } from './zip.ts';

export type Sheet = { name: string; part: string; hidden: boolean };

/** More than anyone looks through, and of each as much of its name as a program allows several times over: both are kept with the import. */
const MOST_SHEETS = 1_000;
const LONGEST_NAME = 255;

/** What must be known of a workbook before its sheets can be read. */
export type Workbook = {
  archive: Archive;
  packed: number;
  sheets: Sheet[];
  since1904: boolean;
  /** Of each style that a cell can have. */
  formats: Format[];
  /** Texts that cells refer to by number: all of them, or as many as are needed. */
  texts(upTo?: number): Promise<Texts>;
};

export async function openWorkbook(file: FileSource): Promise<Workbook> {
  const archive = await openArchive(file);
  const main = await findMain(archive);
  const relations = await readRelations(archive, main);
  const related = (kind: string) => relations.values().find(({ type }) => type.endsWith(`/${kind}`))?.part;
  const sheets: Sheet[] = [];
  let since1904 = false;
  await readXml(archive.read(main), {
    open(name, attributes) {
      if (name === 'workbookPr') since1904 = isTrue(attributes.date1904);
      if (name !== 'sheet') return;
      const relation = relations.get(attributes['r:id'] ?? byEnding(attributes, ':id') ?? '');
      // Sheets of charts have no cells.
      if (!relation?.type.endsWith('/worksheet')) return;
      const hidden = (attributes.state ?? 'visible') !== 'visible';
      if (sheets.length === MOST_SHEETS)
        throw new Unreadable(
          `This workbook has more than ${sayNumber(MOST_SHEETS)} sheets. Save the one with the leads by itself.`,
        );
      const sheetName = (attributes.name ?? `Sheet ${sheets.length + 1}`).slice(0, LONGEST_NAME).toWellFormed();
      sheets.push({ name: sheetName, part: relation.part, hidden });
    },
  });
  const styles = related('styles');
  const texts = related('sharedStrings');
  return {
    archive,
    packed: file.bytes,
    sheets,
    since1904,
    formats: styles && archive.has(styles) ? await readFormats(archive.read(styles)) : [],
    texts: (upTo) => openTexts(texts && archive.has(texts) ? archive.read(texts) : undefined, upTo),
  };
}

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

const byEnding = (attributes: Record<string, string>, ending: string): string | undefined =>
  Object.entries(attributes).find(([name]) => name.endsWith(ending))?.[1];

async function findMain(archive: Archive): Promise<string> {
  const relations = archive.has('_rels/.rels') ? await readRelations(archive, '') : new Map<string, Relation>();
  const main = relations.values().find(({ type }) => type.endsWith('/officeDocument'))?.part;
  if (main && /(^|\/)workbook[^/]*\.xml$/i.test(main) && archive.has(main)) return main;
  return refuseArchive((name) => archive.has(name), await readMimetype(archive));
}

async function readMimetype(archive: Archive): Promise<string> {
  if (!archive.has('mimetype')) return '';
  for await (const piece of archive.read('mimetype')) return piece.subarray(0, 200).toString();
  return '';
}

type Relation = { type: string; part: string };

/** Where the parts lie that another part speaks of. */
async function readRelations(archive: Archive, part: string): Promise<Map<string, Relation>> {
  const slash = part.lastIndexOf('/') + 1;
  const folder = part.slice(0, slash);
  const relations = new Map<string, Relation>();
  const name = `${folder}_rels/${part.slice(slash)}.rels`;
  if (!archive.has(name)) throw damaged();
  await readXml(archive.read(name), {
    open(tag, { Id = '', Type = '', Target = '' }) {
      if (tag !== 'Relationship') return;
      relations.set(Id, { type: Type, part: decodeURI(new URL(Target, `zip:///${folder}`).pathname).slice(1) });
    },
  });
  return relations;
}
