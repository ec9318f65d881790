import anyAscii from 'any-ascii';

/**
 * The one folding of names: of column keys, of categories in statistics, of words in a search. Not only accents: `Straße`, `Позже` and `电话`
 * must not vanish. Done here, so that nothing depends on a database's collation.
 */
export const fold = (text: string): string =>
  anyAscii(text)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
