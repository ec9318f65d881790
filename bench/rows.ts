import { Client } from 'pg';
import { writeMark } from '../server/platform/paging.ts';
import { KEYS } from './database.ts';
import { COMMON_WORD, makePerson } from './dataset/people.ts';

/** What is measured, and a request of each kind, another every time. */

type SampledLead = { id: number; created_at: Date; data: Record<string, string>; unique: boolean };
export type Sample = { listId: number; leads: SampledLead[]; pages: number; everywhere: boolean };

export type Row = {
  name: string;
  /** What it is to be held against besides the floors, in words. */
  ask: (sample: Sample) => string;
};

const SAMPLED = 20_000;

/** Some leads of a list. `everywhere`: search looks through the whole account. */
export async function sampleList(url: string, listId: number, everywhere: boolean): Promise<Sample> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Omit<SampledLead, 'id'> & { id: string; all: string }>(
      `select l.id, l.created_at, d.data, (select sum(leads) from lead_counts where list_id = $1) as all,
              (select count(*) from lead_data o where o.list_id = $1 and o.data @> jsonb_build_object('e_mail', d.data ->> 'e_mail')) = 1 as unique
         from (select * from leads where list_id = $1 order by random() limit ${SAMPLED}) l
         join lead_data d on d.account_id = l.account_id and d.lead_id = l.id`,
      [listId],
    );
    const leads = rows.map(({ id, created_at, data, unique }) => ({ id: Number(id), created_at, data, unique }));
    return { listId, leads, pages: Math.floor(Number(rows[0]!.all) / 50), everywhere };
  } finally {
    await client.end();
  }
}

const any = <T>(from: T[]): T => from[Math.floor(Math.random() * from.length)]!;

// Numbers no lead of the data has.
let people = 2_000_000_000;
let turn = 0;

const get = (path: string) => write('GET', path);
const search = ({ everywhere, listId }: Sample, word: string) =>
  get(`/leads/search?query=${encodeURIComponent(word)}${everywhere ? '' : `&list_ids=${listId}`}`);

export const ROWS: Row[] = [
  { name: 'lead', ask: ({ leads }) => get(`/leads/${any(leads).id}`) },
  { name: 'list', ask: ({ listId }) => get(`/lists/${listId}`) },
  { name: 'stats', ask: ({ listId }) => get(`/lists/${listId}/stats`) },
  { name: 'page-1', ask: ({ listId }) => get(`/lists/${listId}/leads`) },
  {
    // About the ten-thousandth of a million leads; in a small list as far in proportion.
    name: 'page-10000',
    ask: ({ listId, pages }) =>
      get(`/lists/${listId}/leads?page=${Math.round(pages * (10_000 / 22_000 + (Math.random() - 0.5) / 50))}`),
  },
  {
    name: 'page-by-link',
    ask({ listId, leads }) {
      const { id, created_at: at } = any(leads);
      return get(`/lists/${listId}/leads?page=2&after=${writeMark({ at, id })}`);
    },
  },
  {
    name: 'find',
    ask({ listId, leads }) {
      let lead = any(leads);
      while (!lead.unique) lead = any(leads);
      return get(`/lists/${listId}/leads/find?e_mail=${encodeURIComponent(lead.data.e_mail!)}`);
    },
  },
  {
    name: 'search-rare',
    ask: (sample) => search(sample, any(sample.leads).data.company_name!.split(' ')[0]!),
  },
  { name: 'search-common', ask: (sample) => search(sample, COMMON_WORD) },
  {
    name: 'create',
    ask: ({ listId }) => write('POST', `/lists/${listId}/leads`, { lead: makePerson((people += 1)) }),
  },
  {
    name: 'change',
    ask({ listId, leads }) {
      const { id, data } = any(leads);
      const lead = { ...data, title: `Title ${(turn += 1)}` };
      return write('PATCH', `/leads/${id}`, { lead }, `x-list: ${listId}\r\n`);
    },
  },
  {
    name: 'outcome',
    ask({ leads }) {
      const { id } = any(leads);
      turn += 1;
      return turn % 2 === 0
        ? write('POST', `/leads/${id}/winner`, { lead: { category: turn % 4 === 0 ? 'Meeting' : 'Sale' } })
        : write('POST', `/leads/${id}/call_back`, { lead: { scheduled_for: '2030-01-31 14:30:00 UTC' } });
    },
  },
];

function write(method: string, path: string, body?: object, more = ''): string {
  const text = body ? JSON.stringify(body) : '';
  const content = body ? `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n` : '';
  return `${method} /api/v2${path} HTTP/1.1\r\nhost: localhost:3000\r\nauthorization: Token "${KEYS.apiKey}"\r\n${more}${content}\r\n${text}`;
}
