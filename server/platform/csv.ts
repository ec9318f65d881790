import { guard } from '../../contract/formulas.ts';

/** A row of CSV as RFC 4180 has it. What a spreadsheet would take for a formula is inert. */
export const writeLine = (cells: string[]): string =>
  // One empty cell alone would be an empty line, which readers pass over.
  cells.length === 1 && cells[0] === '' ? '""\r\n' : `${cells.map(writeCell).join(',')}\r\n`;

function writeCell(text: string): string {
  const inert = guard(text);
  // Spaces at an end are kept by quotes alone where readers trim.
  return /[",\r\n]|^\s|\s$/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
