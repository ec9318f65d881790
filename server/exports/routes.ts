import { Type } from 'typebox';
import { Export, NewExport, type ExportFormat } from '../../contract/exports.ts';
import { nameFile } from '../platform/file-names.ts';
import { readId } from '../platform/read.ts';
import { route, type Route } from '../platform/route.ts';
import type { House } from '../platform/work.ts';
import { auditExported, findExport, openExport, startExport, takePlace } from './exports.ts';
import { openBits, writeExport } from './write.ts';

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** Without what file systems do not take. */
const nameOf = (list: string, format: ExportFormat): string =>
  `${list.replace(/[\\/:*?"<>|\p{Cc}]/gu, '-')} ${new Date().toISOString().slice(0, 10)}.${format}`;

export const exportRoutes = ({ transact }: Pick<House, 'transact'>): Route[] => [
  route({
    method: 'POST',
    path: '/exports',
    kind: 'dear',
    summary: 'Ask for leads as a file, which is then fetched by its id, within the hour',
    right: 'leads.export',
    body: NewExport,
    answer: [201, Export],
    act: async (work, { actor, body }) => ({ status: 201, body: await startExport(work, actor, body.export) }),
  }),
  route({
    method: 'GET',
    path: '/exports/:id',
    kind: 'dear',
    summary: 'The file, written while it is read; broken off in the middle where it cannot be finished',
    right: 'leads.export',
    answer: [200, Type.String({ description: 'CSV, or a workbook.' })],
    read: async (reading, { actor, params, request }) => {
      const asked = await findExport(reading, actor, readId(params.id));
      const { columns, name } = await openExport(reading, actor, asked);
      return {
        status: 200,
        headers: {
          'content-type': TYPES[asked.format],
          'content-disposition': nameFile('attachment', nameOf(name, asked.format)),
          // As it is: packed, the last bytes of a piece would wait for the next.
          'content-encoding': 'identity',
        },
        async *pieces(inTurn) {
          const giveBack = takePlace(actor);
          const note = (end: { sent: number; isWhole: boolean }) =>
            transact((work) => auditExported(work, actor, asked, end)).catch((error: unknown) => {
              request.log.error({ err: error, account: actor.account.id, ...end }, 'An export could not be noted');
              throw error;
            });
          try {
            yield* writeExport({ bit: openBits(inTurn), note }, asked, columns);
          } finally {
            giveBack();
          }
        },
      };
    },
  }),
];
