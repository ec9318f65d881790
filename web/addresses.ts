/** What stands behind the question mark: plain, and a name as often as it has values. */

export function readSearch(text: string): Record<string, string | string[]> {
  const all = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(all.keys())].map((name) => {
      const values = all.getAll(name);
      return [name, values.length > 1 ? values : values[0]!];
    }),
  );
}

type Values = Record<string, string | number | undefined | (string | number)[]>;

export function writeSearch(search: Values): string {
  const all = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    for (const one of [value].flat()) if (one !== undefined && one !== '') all.append(name, String(one));
  // What reads well where it may stand as it is.
  const text = all.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
  return text && `?${text}`;
}
