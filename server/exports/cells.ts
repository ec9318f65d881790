/** What stands in a cell of a workbook. */

/** As spreadsheets count them: halves of characters. */
export const LONGEST_CELL = 32_767;
/** Of a sheet, and so of every file. */
export const MOST_COLUMNS = 16_384;

// Beyond fifteen digits spreadsheets round; what begins with a zero or a plus would lose it.
const WHOLE = /^(?:0|-?[1-9]\d{0,14})$/;

/** Undefined where a text is no whole number that comes back as it was. */
export const valueOf = (text: string): string | undefined => (WHOLE.test(text) ? text : undefined);

// Characters that XML forbids, and the carriage return, of which its readers make a line feed.
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\0-\x08\x0B-\x1F\uFFFE\uFFFF]/g;
// A text that looks like one of the above written out: _x000D_.
// oxlint-disable-next-line no-control-regex
const LOOKS_WRITTEN = /_(?=x[\dA-Fa-f]{4}[_\0-\x08\x0B-\x1F\uFFFE\uFFFF])/g;
const MARKS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** As XML, in one piece with its element: spaces and line breaks are part of it. */
export function textOf(text: string): string {
  const kept = text.length > LONGEST_CELL ? `${shorten(text)}…` : text;
  const written = kept
    .replace(LOOKS_WRITTEN, '_x005F_')
    .replace(FORBIDDEN, (one) => `_x${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replace(/[&<>]/g, (one) => MARKS[one]!);
  return /^\s|\s$|\n/.test(kept) ? `<t xml:space="preserve">${written}</t>` : `<t>${written}</t>`;
}

/** Not between the halves of a character. */
const shorten = (text: string): string => text.slice(0, LONGEST_CELL - 1).replace(/[\uD800-\uDBFF]$/, '');
