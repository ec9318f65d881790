/**
 * What a spreadsheet would take for a formula is written into CSV with an apostrophe before it, and read back without. Numbers stay as they
 * are, those of telephones too: of digits and what divides them nothing can be made but a number. So is what has spaces at its ends, which
 * readers of files take for a slip of the hand.
 */

/** The wide ones are taken for the same by spreadsheets of East Asia. */
const BEGINS_LIKE_ONE = /^[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^[+-]\d[\d.,]*$/;
const PHONE = /^\+[ ().\-/]*\d[\d ().\-/]*$/;

const isFormula = (text: string): boolean => BEGINS_LIKE_ONE.test(text) && !NUMBER.test(text) && !PHONE.test(text);

/** A byte order mark is none: it is dropped wherever it stands. */
const isSpaced = (text: string): boolean => /^[^\S\uFEFF]|[^\S\uFEFF]$/.test(text);

/** One that has apostrophes of its own gets another, so that it comes back with as many as it had. */
function isGuarded(text: string): boolean {
  const bare = text.replace(/^'+/, '');
  return isFormula(bare) || isSpaced(bare);
}

/** As it is written into CSV. */
export const guard = (text: string): string => {
  const inert = eachPiece(text, (apostrophes) => `'${apostrophes}`);
  return isGuarded(text) ? `'${inert}` : inert;
};

/** As it is written where a text is never a formula: only what `unguard` would take something off is written with more. */
export const guardText = (text: string): string => (isSpaced(text) || unguard(text) !== text ? guard(text) : text);

/** As it was before. */
export const unguard = (text: string): string =>
  eachPiece(text.startsWith(`'`) && isGuarded(text.slice(1)) ? text.slice(1) : text, (apostrophes) =>
    apostrophes.slice(1),
  );

const DIVIDES = /[;\t\r\n]/;
const PIECE = /(?<=[;\t\r\n])([^\S\t\r\n]*)('*)([^;\t\r\n]+)/g;

/**
 * Where semicolons divide what is in a file, as in much of Europe, a spreadsheet that is given one with commas makes cells of the pieces
 * of a text, and of its lines. Those that would be formulas have apostrophes of their own.
 */
const eachPiece = (text: string, change: (apostrophes: string) => string): string =>
  DIVIDES.test(text)
    ? text.replace(PIECE, (piece, blanks: string, apostrophes: string, bare: string) =>
        isFormula(bare) ? blanks + change(apostrophes) + bare : piece,
      )
    : text;
