import { isDeepStrictEqual } from 'node:util';
import type { HowRead, Import, Match, Plan } from '../../contract/imports.ts';
import { STATES } from '../../contract/states.ts';
import type { Imports } from '../../db/schema.ts';
import { findLeadList, type LeadList } from '../leads/access.ts';
import { MOST_COLUMNS } from '../lists/columns.ts';
import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import { invalid, named, noFaults, type Faults } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { lockImport, readImport } from './imports.ts';
import type { FileColumns } from './read-thread.ts';
import { emptyPart } from './staging.ts';

/** What people say of a file before it runs: how it is read, and what becomes of its columns and rows. */

type Change = { version: number; how_read?: HowRead; plan?: Plan };

const READ_ANEW = sql('imports/change.read_anew')`
  update imports set how_read = $3, state = 'reading', refusal = null, rows = 0, last_row = 0, checked_to = 0,
         counts = '{}', shape = null, taken_by = null
   where account_id = $1 and id = $2`;
const CHECK_ANEW = sql('imports/change.check_anew')`
  update imports set state = case when state = 'reading' then state else 'checking' end, checked_to = 0, counts = '{}',
         shape = null, taken_by = null
   where account_id = $1 and id = $2`;
const PLAN = sql('imports/change.plan')`
  update imports set plan = $3, list_id = $4, list_name = $5 where account_id = $1 and id = $2`;
const MOVE_ON = sql('imports/change.move_on')`
  update imports set version = version + 1, went_on_at = clock_timestamp() where account_id = $1 and id = $2`;

/** Whoever changes it names the version they saw. What is read or checked anew is so in the background. */
export async function changeImport(work: Work, actor: Actor, id: number | undefined, change: Change): Promise<Import> {
  const found = await lockImport(work, actor, id);
  refuseState(found, change);
  if (found.version !== change.version)
    throw conflict('outdated', 'Someone else has changed this import meanwhile. Look at it again, then change it.');
  const own = [actor.account.id, found.id];
  const { how_read, plan } = change;
  if (plan) {
    const list = await checkPlan(work, actor, plan, found.columns as FileColumns);
    await query(work.db, PLAN, [...own, JSON.stringify(plan), list?.id ?? null, list?.name ?? '']);
  }
  if (how_read && !isDeepStrictEqual(how_read, found.how_read)) {
    checkHowRead(how_read, found);
    await emptyPart(work.db, 'import_rows', found.id);
    await emptyPart(work.db, 'import_checked', found.id);
    await query(work.db, READ_ANEW, [...own, JSON.stringify(how_read)]);
  } else if (plan && isCheckedAnew(plan, found.plan as Plan | null)) {
    await emptyPart(work.db, 'import_checked', found.id);
    await query(work.db, CHECK_ANEW, own);
  }
  await query(work.db, MOVE_ON, own);
  work.nudge('imports');
  return readImport(work, actor, found.id);
}

function refuseState({ state, begun_at, staged, how_read }: Imports, change: Change): void {
  const refuse = (sentence: string) => conflict('cannot_be_changed', sentence);
  if (begun_at) throw refuse('It has run already. Upload the file again to import it otherwise.');
  if (state === 'uploading') throw refuse('Not all of the file is here yet.');
  if (!how_read)
    throw refuse(state === 'refused' ? 'The file cannot be read at all.' : 'The file is looked at just now.');
  // Read otherwise, it may be in order.
  if (state === 'refused' && (!change.how_read || !staged)) throw refuse('The file cannot be read as it is.');
}

function checkHowRead(how: HowRead, { how_read, sheets }: Imports): void {
  const { format } = how_read as HowRead;
  if (how.format !== format) throw invalid({ 'how_read.format': [`must be ${format}, as the file is`] });
  if (format === 'xlsx' && how.sheet >= sheets.length)
    throw invalid({
      'how_read.sheet': [`must be from 0 to ${sheets.length - 1}: the file has ${sheets.length} sheets`],
    });
}

/** Other choices change nothing of what was found: only what is done about it. */
const isCheckedAnew = (now: Plan, before: Plan | null): boolean =>
  !before ||
  now.list_id !== before.list_id ||
  !isDeepStrictEqual(now.matches.map(essence), before.matches.map(essence)) ||
  (now.state !== before.state && now.matches.some(({ part }) => part === 'category'));

const essence = ({ columns, field, new_field, part, dates }: Match) => ({ columns, field, new_field, part, dates });

const PEOPLE = sql('imports/change.people')`
  select id from users where account_id = $1 and id = any ($2::bigint[]) and disabled_at is null`;

/** Answers the list, or nothing where one is made. */
async function checkPlan(work: Work, actor: Actor, plan: Plan, columns: FileColumns): Promise<LeadList | undefined> {
  const { list_id, new_list, people } = plan;
  const list =
    list_id === null
      ? undefined
      : await named('list_id', 'names no list', findLeadList(work, actor, list_id, 'leads.import'));
  const faults = noFaults();
  if (list && new_list) faults.new_list = ['must be left out where list_id names a list'];
  if (!list && !new_list?.name.trim()) faults.new_list = ['must have a name, or list_id must name a list'];
  checkMatches(plan.matches, list, columns, faults);
  checkCategory(plan, list, faults);
  const found = await query<{ id: number }>(work.db, PEOPLE, [actor.account.id, people]);
  const known = new Set(found.map(({ id }) => id));
  people.forEach((id, index) => {
    if (!known.has(id)) faults[`people[${index}]`] = ['names nobody who works here'];
    else if (people.indexOf(id) < index) faults[`people[${index}]`] = ['is named twice'];
  });
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return list;
}

function checkMatches(matches: Match[], list: LeadList | undefined, columns: FileColumns, faults: Faults): void {
  const taken = { columns: new Set<number>(), targets: new Set<string>() };
  const labels = new Set(list?.columns.map(({ label }) => label.toLowerCase()));
  const made = matches.filter(({ new_field }) => new_field).length;
  if ((list?.columns.length ?? 0) + made > MOST_COLUMNS)
    faults.matches = [`would make more than ${MOST_COLUMNS} fields, which is the most a list has`];
  if (!list && made === 0) faults.matches = ['must make a field of at least one column'];
  matches.forEach(({ columns: own, field, new_field, part }, index) => {
    const at = (member: string) => `matches[${index}]${member}`;
    const given = [field, new_field, part].filter((one) => one !== undefined).length;
    if (given !== 1) faults[at('')] = ['must have one of field, new_field and part'];
    for (const column of own) {
      if (column >= columns.length)
        faults[at('.columns')] = [`names column ${column}, and the file has ${columns.length}`];
      else if (taken.columns.has(column)) faults[at('.columns')] = [`names column ${column}, which is matched already`];
      taken.columns.add(column);
    }
    const target = part ? `part ${part}` : field && `field ${field}`;
    if (field !== undefined && !list?.columns.some(({ key }) => key === field))
      faults[at('.field')] = [
        list ? 'is no field of this list' : 'must be left out: a new list has the fields that are made',
      ];
    else if (target && taken.targets.has(target)) faults[at(part ? '.part' : '.field')] = ['is matched already'];
    if (target) taken.targets.add(target);
    const label = new_field?.label.trim().toLowerCase();
    if (label === '') faults[at('.new_field.label')] = ['must not be empty'];
    else if (label !== undefined && labels.has(label))
      faults[at('.new_field.label')] = [`must be another one: there is a field ${new_field!.label.trim()} already`];
    if (label) labels.add(label);
  });
}

function checkCategory({ state, category }: Plan, list: LeadList | undefined, faults: Faults): void {
  if (category === null) return;
  const kind = STATES[state];
  const of = state.replace('_', ' ');
  if (!kind) faults.category = [`must be null: leads that are ${of} have none`];
  else if (list && !list.categories[kind]?.includes(category))
    faults.category = [`is none that this list has for leads that are ${of}`];
  else if (!list && (category.trim() === '' || category.includes(',')))
    faults.category = ['must be a name without a comma'];
}
