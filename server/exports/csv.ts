import { writeLine } from '../platform/csv.ts';
import type { ExportColumn } from './columns.ts';
import { toPieces, type Pages } from './pages.ts';

const BYTE_ORDER_MARK = '\uFEFF';

export async function* writeCsv(columns: ExportColumn[], pages: Pages, bom: boolean): AsyncGenerator<string, void> {
  yield (bom ? BYTE_ORDER_MARK : '') + writeLine(columns.map(({ heading }) => heading));
  yield* toPieces(pages, (lead) => writeLine(columns.map(({ text }) => text(lead))));
}
