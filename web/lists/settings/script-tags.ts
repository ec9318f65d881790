/** Merge tags of a script, and how a text is changed under the cursor. */

const TAG = /\{\{\s*([\w-]+)\s*\}\}/g;
/** Farther off nobody meant that key. */
const FARTHEST = 3;
const MOST_STRAY = 20;

/** Tags that name no field, each once, with the key that is nearest. */
export function findStrayTags(text: string, keys: string[]): { tag: string; nearest: string | undefined }[] {
  const known = new Set(keys);
  const tags = new Set([...text.matchAll(TAG)].map(([, tag]) => tag!));
  return [...tags]
    .filter((tag) => !known.has(tag))
    .slice(0, MOST_STRAY)
    .map((tag) => ({ tag, nearest: nearestTo(tag, keys) }));
}

export const replaceTag = (text: string, tag: string, key: string): string =>
  text.replaceAll(TAG, (whole, name: string) => (name === tag ? `{{${key}}}` : whole));

function nearestTo(tag: string, keys: string[]): string | undefined {
  const plain = tag.toLowerCase().replaceAll('-', '_').slice(0, 100);
  let [nearest, least] = [undefined as string | undefined, Math.min(FARTHEST, Math.ceil(plain.length / 2)) + 1];
  for (const key of keys) {
    const steps = stepsBetween(plain, key, least);
    if (steps < least) [nearest, least] = [key, steps];
  }
  // Otherwise one that has it in its name.
  return nearest ?? keys.find((key) => plain.length > 2 && key.includes(plain));
}

/** How many letters have to be put in, taken out or changed, or `most` where it is not fewer. */
function stepsBetween(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) >= most) return most;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}

/** As if it were typed, so that it can be undone with a key. */
function type(area: HTMLTextAreaElement, text: string): void {
  area.focus();
  if (document.execCommand('insertText', false, text)) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
  area.dispatchEvent(new Event('input', { bubbles: true }));
}

export const putTag = (area: HTMLTextAreaElement, key: string): void => type(area, `{{${key}}}`);

/** Around what is chosen; without an end, at the beginning of its line. */
export function wrapChosen(area: HTMLTextAreaElement, before: string, after: string): void {
  const { selectionStart: start, selectionEnd: end, value } = area;
  if (after !== '') {
    type(area, before + value.slice(start, end) + after);
    area.setSelectionRange(start + before.length, end + before.length);
    return;
  }
  const line = value.lastIndexOf('\n', start - 1) + 1;
  area.setSelectionRange(line, line);
  type(area, before);
  area.setSelectionRange(end + before.length, end + before.length);
}
