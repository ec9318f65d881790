import type { Actor } from '../platform/actor.ts';
import { toEvent } from '../activity/events.ts';
import { recordingOf, type Recorded } from '../activity/record.ts';
import { changeMarks } from './marks.ts';
import { lastly, type Last, type Statement } from '../platform/db.ts';
import { sql, type MadeOf } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { bySight, sightOf, type LeadList } from './access.ts';
import { countLeads } from './counters.ts';
import { alikeSql, writeLead, type LeadRow } from './lead.ts';
import { store } from './stored.ts';
import { readValues, refuseMissing, refuseTooMuch } from './values.ts';

const INSERT = sql('leads/create.insert')`
  insert into leads (account_id, id, list_id) overriding system value values ($1, $2, $3)`;

const INSERT_DATA = sql('leads/create.insert_data')`
  insert into lead_data (account_id, lead_id, list_id, created_at, data, hidden, words, marks)
  values ($1, $2, $3, now(), $4, $5, $6, $7)`;

// Others only: it runs before the lead is there.
const ALIKE = bySight('leads/create.alike', (sight) => alikeSql(sight, '$1', '(select $2::text[])', '0', 0));

type Alike = { ids: number[] | null };

export type NewLead = { id: number; json: string; unknown: string[] };

/** Answers the lead without reading it again, and the keys that are no columns. */
export function createLead(
  work: Work,
  actor: Actor,
  list: LeadList & { lead_id: number },
  given: Record<string, unknown>,
): Last<NewLead> {
  const { data, hidden } = readValues(list.columns, given);
  refuseMissing(list.columns, data, 'all');
  refuseTooMuch({ data, hidden });
  const { account, user } = actor;
  const { id: list_id, lead_id: id } = list;
  const stored = store(list, data, hidden);
  const written = recordingOf(work, actor, { lead: { id, list_id }, kind: 'lead_created' }, [
    { text: INSERT, values: [account.id, id, list_id] },
    { text: INSERT_DATA, values: [account.id, id, list_id, stored.data, stored.hidden, stored.words, stored.marks] },
    ...changeMarks(account.id, id, { list_id, marks: [] }, { list_id, marks: stored.marks }),
    countLeads(account.id, [{ list_id, state: 'new', category: null, leads: 1 }]),
  ]);
  const { sight, values } = sightOf(actor, 'leads.read', account.id, stored.marks);
  const alike: Statement<MadeOf<Alike>> = { text: ALIKE[sight], values };
  const asked = stored.marks.length > 0 ? [alike] : [];
  const [first, second, third] = list.identifiers.map((key) => data.get(key) ?? '');
  return lastly(work.db, [...asked, written], (answers) => {
    const [event] = answers.at(-1) as [Recorded];
    const [found] = answers.slice(0, asked.length).flat() as Alike[];
    const told = toEvent({
      id: event.id,
      kind: 'lead_created',
      category: null,
      comment: '',
      user_email: user?.email ?? '',
      call_id: null,
      created_at: event.created_at,
    });
    const row: LeadRow = {
      id,
      list_id,
      list_name: list.name,
      state: 'new',
      category: null,
      scheduled_for: null,
      claimed_by: null,
      claimed_at: null,
      created_at: event.created_at,
      last_updated: event.created_at,
      first: first ?? null,
      second: second ?? null,
      third: third ?? null,
      data: JSON.stringify(Object.fromEntries(list.columns.map(({ key }) => [key, data.get(key) ?? '']))),
      alike: found?.ids ?? null,
      ignored: null,
    };
    return {
      id,
      json: writeLead(row, account.baseUrl, `,"events":${JSON.stringify([told])}`),
      unknown: [...hidden.keys()],
    };
  });
}
