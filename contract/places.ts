/** Countries and time zones as the platform knows them: no lists of our own to grow old. */

const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
// Groups of countries, and codes that stand for none.
const NO_COUNTRY = new Set(['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ']);

type Choice = { value: string; label: string };

const ENGLISH = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** A code of two letters that is a country's. Codes of countries that are no more become those of their successors. */
export const isCountry = (code: string): boolean =>
  /^[A-Z]{2}$/.test(code) &&
  !NO_COUNTRY.has(code) &&
  new Intl.Locale(`und-${code}`).region === code &&
  ENGLISH.of(code) !== undefined;

/** By name, in the reader's language. The one that is set, if any, is among them, whatever it is. */
export function countries(current?: string, language?: string): Choice[] {
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => `${first}${second}`)).filter(isCountry);
  return [...new Set([...codes, ...(current ? [current] : [])])]
    .map((code) => ({ value: code, label: names.of(code) ?? code }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
}

export const timeZones = (current = 'UTC'): string[] =>
  [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), current])].toSorted();
