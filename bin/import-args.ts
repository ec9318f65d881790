import { parseArgs } from 'node:util';
import {
  DELIMITERS,
  DUPLICATE_CHOICES,
  ENCODINGS,
  LEAD_PARTS,
  type DuplicateChoice,
  type HowRead,
  type Match,
  type Plan,
} from '../contract/imports.ts';
import { COLUMN_KINDS, type ColumnKind } from '../contract/lists.ts';
import { Refusal } from '../db/refusal.ts';

/** What may stand behind `leadline import`. */

const HOW = `leadline import FILE --list NAME [--map "Header=field"]…
leadline import FILE --new-list NAME
leadline import --undo ID

  --list NAME          name or id of the list the leads go into
  --new-list NAME      make a list of the file instead
  --map "Header=field" what becomes of a column: key or label of a field; +Label or +Label:phone for a new one;
                       ${LEAD_PARTS.join(', ')} for those; nothing behind = leaves it out. Repeat it for each;
                       two of one field are joined. Header may be the place of the column, counted from 1.
                       Columns that are not named are matched as the last file with these headings was,
                       otherwise as they look.
  --duplicates WHAT    ${DUPLICATE_CHOICES.join(', ')} (skip)
  --within WHERE       list or account: where a duplicate counts (list)
  --encoding NAME      ${Object.keys(ENCODINGS).slice(0, 4).join(', ')}, … where it is not recognised
  --delimiter SIGN     , ; | or tab, where it is not recognised
  --no-header          the first row is a lead
  --sheet NUMBER       of a workbook, counted from 1
  --as E-MAIL          on whose behalf (the first owner)
  --base-url ADDRESS   of the account, where there are several (the one --as is in, otherwise the first)
  --dry-run            say what would happen
  --yes                do not ask

Exit codes: 0 all of it is in (or would be, or is undone), 1 nothing is, 2 all but faulty rows, 3 it ended before all
rows were in, 130 interrupted.`;

const OPTIONS = {
  list: { type: 'string' },
  'new-list': { type: 'string' },
  map: { type: 'string', multiple: true },
  duplicates: { type: 'string' },
  within: { type: 'string' },
  encoding: { type: 'string' },
  delimiter: { type: 'string' },
  'no-header': { type: 'boolean' },
  sheet: { type: 'string' },
  as: { type: 'string' },
  'base-url': { type: 'string' },
  undo: { type: 'string' },
  'dry-run': { type: 'boolean' },
  yes: { type: 'boolean' },
} as const;

export type Asked = {
  file: string | undefined;
  undo: number | undefined;
  list: string | undefined;
  newList: string | undefined;
  maps: string[];
  duplicates: DuplicateChoice;
  within: Plan['within'];
  how: Partial<HowRead>;
  as: string | undefined;
  baseUrl: string | undefined;
  dryRun: boolean;
  yes: boolean;
};

/** What is asked for, or what is wrong with it. */
export function readImportArgs(args: string[]): Asked {
  let read;
  try {
    read = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new Refusal(`${(error as Error).message}\n\n${HOW}`);
  }
  const { values, positionals } = read;
  const [file, ...more] = positionals;
  const refuse = (fault: string): never => {
    throw new Refusal(`${fault}\n\n${HOW}`);
  };
  const among = <T extends string>(option: string, given: string | undefined, known: readonly T[], usual: T): T => {
    if (given === undefined) return usual;
    return known.find((one) => one === given) ?? refuse(`--${option} takes one of ${known.join(', ')}.`);
  };
  const undo = values.undo === undefined ? undefined : Number(values.undo);
  if (undo !== undefined && !(Number.isSafeInteger(undo) && undo > 0)) refuse('--undo takes the number of an import.');
  const beside = Object.keys(values).filter((name) => !['undo', 'as', 'base-url', 'yes'].includes(name));
  if (undo !== undefined && (file !== undefined || beside.length > 0))
    refuse('--undo goes with --as and --base-url alone. Nothing was undone.');
  if (undo === undefined && (file === undefined || more.length > 0)) refuse('Name one file.');
  if (undo === undefined && (values.list === undefined) === (values['new-list'] === undefined))
    refuse('Say where the leads go: --list or --new-list.');
  const sheet = values.sheet === undefined ? undefined : Number(values.sheet);
  if (sheet !== undefined && !(Number.isSafeInteger(sheet) && sheet > 0))
    refuse('--sheet takes the number of a sheet, counted from 1.');
  return {
    file,
    undo,
    list: values.list,
    newList: values['new-list'],
    maps: values.map ?? [],
    duplicates: among('duplicates', values.duplicates, DUPLICATE_CHOICES, 'skip'),
    within: among('within', values.within, ['list', 'account'], 'list'),
    how: {
      ...(values.encoding !== undefined && {
        encoding: among(
          'encoding',
          values.encoding.toLowerCase(),
          Object.keys(ENCODINGS) as HowRead['encoding'][],
          'utf-8',
        ),
      }),
      ...(values.delimiter !== undefined && {
        delimiter: among(
          'delimiter',
          /^(?:tab|\\t)$/i.test(values.delimiter) ? '\t' : values.delimiter,
          Object.keys(DELIMITERS) as HowRead['delimiter'][],
          ',',
        ),
      }),
      ...(values['no-header'] && { header: false }),
      ...(sheet !== undefined && { sheet: sheet - 1 }),
    },
    as: values.as,
    baseUrl: values['base-url'],
    dryRun: values['dry-run'] ?? false,
    yes: values.yes ?? false,
  };
}

type Field = { key: string; label: string };

/** Columns that are named are matched as it is said; the others as they were guessed. */
export function matchColumns(maps: string[], columns: string[], fields: Field[], guessed: Match[]): Match[] {
  const named = new Map<number, string>();
  for (const map of maps) {
    const at = map.lastIndexOf('=');
    if (at < 1) throw new Refusal(`--map takes "Header=field", and not "${map}".`);
    named.set(findColumn(columns, map.slice(0, at).trim()), map.slice(at + 1).trim());
  }
  const said: Match[] = [];
  for (const [column, target] of named) {
    if (target === '') continue;
    const match = readTarget(target, fields);
    const same = said.find((one) => one.field !== undefined && one.field === match.field);
    if (same) same.columns.push(column);
    else said.push({ columns: [column], ...match });
  }
  const taken = new Set(said.flatMap(({ field, part }) => field ?? part ?? []));
  const others = guessed
    .map((match) => ({ ...match, columns: match.columns.filter((column) => !named.has(column)) }))
    .filter(({ columns: left, field, part }) => left.length > 0 && !taken.has((field ?? part)!));
  return [...said, ...others].toSorted((a, b) => a.columns[0]! - b.columns[0]!);
}

/** By its name, or by its place counted from 1. */
function findColumn(columns: string[], name: string): number {
  const folded = name.toLowerCase();
  const found = columns.findIndex((column) => column.trim().toLowerCase() === folded);
  const place = /^\d{1,3}$/.test(name) ? Number(name) - 1 : -1;
  if (found >= 0) return found;
  if (columns[place] !== undefined) return place;
  throw new Refusal(`The file has no column ${name}. It has ${columns.join(', ')}.`);
}

function readTarget(target: string, fields: Field[]): Omit<Match, 'columns'> {
  if (target.startsWith('+')) {
    const [, label, kind = 'none'] = /^\+(.*?)(?::(\w+))?$/.exec(target)!;
    if (!label || !Object.hasOwn(COLUMN_KINDS, kind))
      throw new Refusal(
        `"${target}" is no new field: +Label, or +Label:KIND with one of ${Object.keys(COLUMN_KINDS).join(', ')}.`,
      );
    return { new_field: { label, kind: kind as ColumnKind } };
  }
  const folded = target.toLowerCase();
  const field = fields.find(({ key, label }) => key === target || label.toLowerCase() === folded);
  if (field) return { field: field.key };
  const part = LEAD_PARTS.find((one) => one === folded.replaceAll(/[ -]/g, '_'));
  if (part) return { part };
  throw new Refusal(
    `The list has no field ${target}. It has ${fields.map(({ label }) => label).join(', ')}; +${target} makes a new one.`,
  );
}
