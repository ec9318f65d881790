/** Months and days of the week as they are called in English and in the reader's language, short and long. */

type Named = { name: string; month?: number; weekday?: number };

const LOCALES = ['en', undefined];
const STYLES = ['long', 'short'] as const;

const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}]/gu, '');

let known: Named[] | undefined;

/** Made when the first is asked for. */
function listNames(): Named[] {
  const names = LOCALES.flatMap((locale) =>
    STYLES.flatMap((style) => {
      // In a date some languages decline the month.
      const months = [{ month: style }, { month: style, day: 'numeric' }] as const;
      const said = months.flatMap((options) => {
        const format = new Intl.DateTimeFormat(locale, options);
        return Array.from({ length: 12 }, (_, month) => ({
          name: partOf(format, 'month', new Date(2026, month, 15)),
          month,
        }));
      });
      const weekdays = new Intl.DateTimeFormat(locale, { weekday: style });
      // The first of February 2026 is a Sunday.
      const days = Array.from({ length: 7 }, (_, weekday) => ({
        name: partOf(weekdays, 'weekday', new Date(2026, 1, 1 + weekday)),
        weekday,
      }));
      return [...said, ...days];
    }),
  );
  return names.filter(({ name }) => name !== '');
}

const partOf = (format: Intl.DateTimeFormat, kind: 'month' | 'weekday', at: Date): string =>
  plain(format.formatToParts(at).find(({ type }) => type === kind)?.value ?? '');

/** Which month or day of the week a word is: all of it, or its first three letters or more. It may be both. */
export function wordsOf(word: string): { month?: number | undefined; weekday?: number | undefined } {
  known ??= listNames();
  const find = (kind: 'month' | 'weekday') => {
    const ofKind = known!.filter((one) => one[kind] !== undefined);
    const found =
      ofKind.find(({ name }) => name === word) ?? ofKind.find(({ name }) => word.length > 2 && name.startsWith(word));
    return found?.[kind];
  };
  return { month: find('month'), weekday: find('weekday') };
}

/** Whether people in a country write the month before the day. */
export function isMonthFirst(country: string): boolean {
  const { language } = new Intl.Locale('und', { region: country }).maximize();
  const parts = new Intl.DateTimeFormat(`${language}-${country}`, { day: 'numeric', month: 'numeric' }).formatToParts(
    new Date(),
  );
  return parts.findIndex(({ type }) => type === 'month') < parts.findIndex(({ type }) => type === 'day');
}
