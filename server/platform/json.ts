import { HttpError } from './errors.ts';
import { invalid } from './read.ts';

export const MOST_KEYS = 5_000;
export const MOST_LEVELS = 32;
/** Twice what a bulk act takes. */
const MOST_ITEMS = 100_000;

export const tooManyKeys = () => invalid({ body: ['must have at most 5,000 keys'] });
export const tooManyLevels = () => invalid({ body: [`must have at most ${MOST_LEVELS} levels`] });

/** A body as anyone may send it. Keys and levels are counted first: a megabyte of them takes a second to build and look through. */
export function readJson(text: string): unknown {
  refuseTooMuch(text);
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'malformed_json', 'The body is not valid JSON.');
  }
}

/** In one walk over the text. Outside of texts, a colon stands behind each key and nowhere else. */
function refuseTooMuch(text: string): void {
  let keys = 0;
  let levels = 0;
  let items = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfText(text, at);
    else if (character === ',') items += 1;
    else if (character === ':') keys += 1;
    else if (character === '{' || character === '[') levels += 1;
    else if (character === '}' || character === ']') levels -= 1;
    if (keys > MOST_KEYS) throw tooManyKeys();
    if (items > MOST_ITEMS) throw invalid({ body: ['must have at most 100,000 items'] });
    if (levels > MOST_LEVELS) throw tooManyLevels();
  }
}

function endOfText(json: string, begin: number): number {
  let at = begin + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}
