import { openBreaths } from '../platform/breaths.ts';
import type { ExportedLead } from './rows.ts';

/** Leads as they are read, some at a time. */
export type Pages = AsyncIterable<ExportedLead[]>;

/** In characters: what is handed on at once. */
export const PIECE = 64 * 1024;

/** Written one by one, with everyone else having the event loop in between. A page that is through does not wait for the next. */
export async function* toPieces(pages: Pages, write: (lead: ExportedLead) => string): AsyncGenerator<string, void> {
  const breathe = openBreaths();
  for await (const page of pages) {
    let text = '';
    for (const lead of page) {
      text += write(lead);
      if (text.length < PIECE) continue;
      yield text;
      text = '';
      await breathe();
    }
    if (text !== '') yield text;
  }
}
