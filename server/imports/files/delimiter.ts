import { DELIMITERS, type Delimiter } from '../../../contract/imports.ts';
import { openCsv, type RawRow } from './csv.ts';
import { Unreadable } from './source.ts';
import { separatorOf, withoutSeparatorLine } from './text.ts';

/** Commas stand in texts of all kinds, the others seldom: where both would do, it is the other. */
const IN_ORDER: Delimiter[] = ['\t', ';', '|', ','];
const ROWS_LOOKED_AT = 200;
const PIECE = 128 * 1024;

/** By which the first rows come out equally wide, outside of quotation marks; and those rows. */
export function guessDelimiter(text: string, isWhole: boolean): { delimiter: Delimiter; rows: string[][] } {
  const told = separatorOf(text);
  const choices = told !== undefined && told in DELIMITERS ? [told as Delimiter] : IN_ORDER;
  const tried = choices.map((delimiter) => {
    const { rows, refusal } = firstRows(withoutSeparatorLine(text), delimiter, isWhole);
    return { delimiter, rows, refusal, evenness: rows.length === 0 ? -1 : evenness(rows) };
  });
  const best = tried.toSorted((one, other) => other.evenness - one.evenness)[0]!;
  if (best.refusal && best.rows.length === 0) throw best.refusal;
  // One column: there is none, and most files that have one have commas.
  const delimiter = best.evenness > 0 || choices.length === 1 ? best.delimiter : ',';
  return { delimiter, rows: (tried.find((one) => one.delimiter === delimiter) ?? best).rows.map(({ cells }) => cells) };
}

function firstRows(text: string, delimiter: Delimiter, isWhole: boolean): { rows: RawRow[]; refusal?: Unreadable } {
  const parse = openCsv(delimiter);
  const rows: RawRow[] = [];
  try {
    for (let at = 0; at < text.length && rows.length < ROWS_LOOKED_AT; at += PIECE)
      rows.push(...parse(text.slice(at, at + PIECE), false));
    if (isWhole && rows.length < ROWS_LOOKED_AT) rows.push(...parse('', true));
    return { rows: rows.slice(0, ROWS_LOOKED_AT) };
  } catch (refusal) {
    if (!(refusal instanceof Unreadable)) throw refusal;
    return { rows, refusal };
  }
}

/** Which part of the rows is as wide as the first, which most likely names the columns; 0 where that is one column. */
function evenness(rows: RawRow[]): number {
  const width = rows[0]!.cells.length;
  if (width < 2) return 0;
  return rows.filter(({ cells, fault }) => cells.length === width && fault === undefined).length / rows.length;
}
