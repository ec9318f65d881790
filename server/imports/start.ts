import type { Match, Plan } from '../../contract/imports.ts';
import { STATES, type State } from '../../contract/states.ts';
import { audit } from '../audit/audit.ts';
import { findLeadList, type LeadList } from '../leads/access.ts';
import { findClaimants } from '../leads/claims.ts';
import { readCategory } from '../leads/outcomes.ts';
import { addField } from '../lists/fields.ts';
import { createList } from '../lists/lists.ts';
import { lockShape, shareShape } from '../lists/shape-lock.ts';
import type { Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import { invalid, named } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { checkAnew } from './checking.ts';
import { RULES_OF_NEW, shapeOf } from './shape.ts';

/** An import that was checked begins to run. New fields, and a new list, are made with it. */

const MOST_CATEGORIES = 1_000;

const PLANNED = sql('imports/start.planned')`select plan from imports where account_id = $1 and id = $2`;

const LOCK = sql('imports/start.lock')`
  select id, state, version, plan, shape, file_name, rows from imports where account_id = $1 and id = $2 for update`;

type Locked = {
  id: number;
  state: string;
  version: number;
  plan: Plan | null;
  shape: string | null;
  file_name: string;
  rows: number;
};

const BEGIN = sql('imports/start.begin')`
  update imports set state = $3, goes_on = $4, list_id = $5, list_name = $6, plan = $7, shape = $8,
         version = version + 1, done_to = 0, done = 0, made = 0, updated = 0,
         left_out = 0, begun_at = now(), stopped_at = null, finished_at = null
   where account_id = $1 and id = $2`;

export async function startImport(work: Work, actor: Actor, id: number | undefined, version: number): Promise<void> {
  const own = [actor.account.id, id ?? 0];
  // The shape of lists is locked before any row: by whoever adds fields alone, by others together.
  const [planned] = await query<{ plan: Plan | null }>(work.db, PLANNED, own);
  const addsFields = planned?.plan?.matches.some(({ new_field }) => new_field) ?? false;
  await (addsFields ? lockShape(work.db, actor.account.id) : shareShape(work.db, actor.account.id));
  const found = await one<Locked>(work.db, LOCK, own);
  if (found.version !== version) throw conflict('outdated', 'It was changed meanwhile. Look at it again.');
  if (found.state !== 'checked') throw conflict('not_checked', refusalOf(found.state));
  const plan = found.plan!;
  refuseIncomplete(plan);
  const people = await findClaimants(work, actor, plan.people);
  if (people.length < plan.people.length)
    throw invalid({ people: ['name someone who is not there any more, or disabled'] });
  const { list, matches } = await openList(work, actor, found.id, plan);
  const kind = STATES[plan.state];
  if (kind) readCategory(list, kind, plan.category);
  else if (plan.category !== null) throw invalid({ category: ['must be left out: new leads have none'] });
  // What was written into the list since its rows were checked may be another by now.
  const isOther = shapeOf(list, plan) !== found.shape;
  if (isOther) await checkAnew(work, { account_id: actor.account.id, id: found.id });
  const { new_list: _, ...rest } = plan;
  const begun = { ...rest, list_id: list.id, matches };
  await query(work.db, BEGIN, [
    ...own,
    isOther ? 'checking' : 'running',
    isOther,
    list.id,
    list.name,
    JSON.stringify(begun),
    isOther ? null : shapeOf(list, begun),
  ]);
  await audit(work, actor, 'import.begun', found.file_name, { list: list.name, rows: found.rows });
  work.nudge('imports');
}

const refusalOf = (state: string): string =>
  state === 'running'
    ? 'It is running already.'
    : state === 'uploading' || state === 'reading' || state === 'checking'
      ? 'Its rows are still being read and checked. Wait until all of them are.'
      : 'It has run already. Upload the file again to import it again.';

function refuseIncomplete({ list_id, new_list, matches }: Plan): void {
  if (list_id === null && !new_list?.name.trim())
    throw invalid({ list_id: ['must be a list, or new_list must have a name'] });
  if (!matches.some(({ field, new_field }) => field || new_field))
    throw invalid({ matches: ['must name a field for at least one column'] });
}

const CATEGORIES = sql('imports/start.categories')`
  select distinct coalesce(c.besides ->> 'state', $2) as state, c.besides ->> 'category' as category
    from import_checked c where c.import_id = $1 and c.fault is null and c.besides ? 'category'
   limit ${MOST_CATEGORIES}`;

/** A list that is made has whatever categories its leads have. */
async function categoriesOf({ db }: Work, importId: number, plan: Plan) {
  const isMatched = plan.matches.some(({ part }) => part === 'category');
  const said = isMatched
    ? await query<{ state: State; category: string | null }>(db, CATEGORIES, [importId, plan.state])
    : [];
  if (said.length === MOST_CATEGORIES)
    throw invalid({ matches: [`must name a column with fewer categories than ${MOST_CATEGORIES}`] });
  const all = [{ state: plan.state, category: plan.category }, ...said];
  return Object.fromEntries(
    Object.entries(STATES).flatMap(([state, kind]) => {
      const names = all.flatMap((given) => (given.state === state && given.category ? given.category : []));
      return kind && names.length > 0 ? [[`${kind}_categories`, names.join()]] : [];
    }),
  );
}

/** The list it goes into, with all fields there, and what was to become a new field by the key that it has. */
async function openList(
  work: Work,
  actor: Actor,
  importId: number,
  plan: Plan,
): Promise<{ list: LeadList; matches: Match[] }> {
  const keys: string[] = [];
  const fields = plan.matches.flatMap(({ new_field }) => new_field ?? []);
  let id = plan.list_id;
  if (id === null) {
    const made = await createList(work, actor, {
      name: plan.new_list!.name,
      columns_attributes: fields,
      ...(await categoriesOf(work, importId, plan)),
      ...RULES_OF_NEW,
      // Who has some of its leads also works the others.
      user_ids: plan.people,
    });
    ({ id } = made);
    const list = await findLeadList(work, actor, id, 'leads.write');
    keys.push(...list.columns.map(({ key }) => key));
  } else {
    await named('list_id', 'is no list of this account', findLeadList(work, actor, id, 'leads.write'));
    for (const field of fields) keys.push((await addField(work, actor, id, () => ({ field }))).key);
  }
  const matches = plan.matches.map(({ new_field, ...match }) =>
    new_field ? { ...match, field: keys.shift()! } : match,
  );
  return { list: await findLeadList(work, actor, id, 'leads.write'), matches };
}
