import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { EXPORT_FORMATS, type ExportFormat, type NewExport } from '../contract/exports.ts';
import { readToken } from '../contract/filters.ts';
import { scopeOf } from '../contract/roles.ts';
import { Refusal } from '../db/refusal.ts';
import { auditBegun, auditExported, openExport } from '../server/exports/exports.ts';
import { openBits, writeExport } from '../server/exports/write.ts';
import type { Household } from '../server/household.ts';
import { listLists } from '../server/lists/lists.ts';
import { findWho } from '../server/people/users/from-shell.ts';
import type { Actor } from '../server/platform/actor.ts';
import type { Reading } from '../server/platform/work.ts';

/** `leadline export`: leads as a file, as the pages write it. */

const HOW =
  'Say which leads: leadline export --list "Spring campaign" --out leads.csv, or --all; narrow them down with --filter state:is:new';

const OPTIONS = {
  list: { type: 'string', multiple: true },
  all: { type: 'boolean' },
  filter: { type: 'string', multiple: true },
  format: { type: 'string' },
  out: { type: 'string' },
  as: { type: 'string' },
  'base-url': { type: 'string' },
} as const;

function readArgs(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new Refusal(`${(error as Error).message.split('\n', 1)[0]}\n${HOW}`);
  }
}

/** `say` is told how it ended; on a terminal it is shown how far it is. */
export async function exportLeads(
  args: string[],
  { db, secrets, transact }: Household,
  say: (sentence: string) => void,
): Promise<void> {
  const given = readArgs(args);
  const { list = [], all = false, filter = [], out = '-' } = given;
  if (list.length > 0 === all) throw new Refusal(HOW);
  const reading = { db, secrets };
  // The command line may do what an owner may; in someone's name, what they may.
  const actor = await findWho(reading, { email: given.as, baseUrl: given['base-url'] });
  if (!scopeOf(actor.roles, 'leads.export'))
    throw new Refusal(`${actor.name} may not export leads: data managers may.`);
  const asked: NewExport = {
    matching: {
      ...(!all && { list_ids: await findLists(reading, actor, list) }),
      filter: filter.map(readFilter),
    },
    format: readFormat(given.format, out),
  };
  const { columns } = await openExport(reading, actor, asked);
  await transact((work) => auditBegun(work, actor, asked));
  let taken = 0;
  const bit = openBits((act) => act(reading, actor));
  const course = {
    bit,
    note: (end: { sent: number; isWhole: boolean }) => {
      taken = end.sent;
      return transact((work) => auditExported(work, actor, asked, end));
    },
    step: showProgress,
  };
  const pieces = writeExport(course, asked, columns);
  try {
    await writeOut(Readable.from(pieces, { objectMode: false }), out);
  } finally {
    // Where it was broken off, that is written down before the database is left.
    await pieces.return();
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  say(`${taken.toLocaleString('en')} ${taken === 1 ? 'lead' : 'leads'} exported${out === '-' ? '' : ` to ${out}`}.`);
}

function showProgress(sent: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${sent.toLocaleString('en')} leads`);
}

/** Under its own name only when it is whole. */
async function writeOut(file: Readable, out: string): Promise<void> {
  const asked = new AbortController();
  const stop = () => asked.abort();
  const { signal } = asked;
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const part = `${out}.part`;
  try {
    if (out === '-') return await pipeline(file, process.stdout, { signal, end: false });
    await pipeline(file, createWriteStream(part, { mode: 0o600 }), { signal });
    await rename(part, out);
  } catch (error) {
    if (out !== '-') await rm(part, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (signal.aborted || code === 'EPIPE') throw new Refusal('The export was broken off.');
    throw error;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

function readFormat(named: string | undefined, out: string): ExportFormat {
  const format = named ?? (out.toLowerCase().endsWith('.xlsx') ? 'xlsx' : 'csv');
  const found = EXPORT_FORMATS.find((one) => one === format);
  if (!found) throw new Refusal(`--format is one of ${EXPORT_FORMATS.join(', ')}, and ${format} is none.`);
  return found;
}

function readFilter(text: string) {
  const token = readToken(text);
  if (!token)
    throw new Refusal(`--filter takes tokens such as state:is:new, and ${text} is none. docs/filters.md has them.`);
  return token;
}

/** By their names or ids. */
async function findLists(reading: Reading, actor: Actor, named: string[]): Promise<number[]> {
  const lists = await listLists(reading, actor, false);
  return named.map((text) => {
    const byName = lists.filter(({ name }) => name === text);
    const found = byName.length > 0 ? byName : lists.filter(({ id }) => String(id) === text);
    const [first, ...others] = found;
    if (!first) throw new Refusal(`There is no list ${text}.`);
    if (others.length > 0)
      throw new Refusal(
        `Several lists are called ${text}: name one by its id, ${found.map(({ id }) => id).join(', ')}.`,
      );
    return first.id;
  });
}
