import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { request as send } from 'undici';
import { CHUNK_BYTES, type Import, type ImportState } from '../contract/imports.ts';
import type { List } from '../contract/lists.ts';
import type { Account } from '../server/platform/actor.ts';
import { MISCOUNTED } from '../test/counters.ts';
import { hire, type Agent } from './agents.ts';
import { KEYS } from './database.ts';
import { makePerson } from './dataset/people.ts';
import { openLine, spread } from './generator.ts';
import { residentMegabytes, startProduct } from './processes.ts';
import { beginShift, summarise, type Felt } from './shift.ts';

/**
 * A file with many rows, beside the list of a million: read, checked and run alone, then held against `COPY` of the same rows into the same
 * tables; undone; and once more beside agents, with the service killed on the way.
 */

const AGENTS = 20;
const ASKED_A_SECOND = 50;
const ALONE_SECONDS = 20;
const LOOK_MS = 250;
const KILLS = 5;
const TIMES = 40;
/** Beyond those of the list of a million, so that none is there already. */
const FIRST_NUMBER = 20_000_000;

export type ImportRun = {
  rows: number;
  megabytes: number;
  /** Of each state that takes time: how long it was in it. */
  seconds: Partial<Record<ImportState, number>>;
  /** Of the service, resident: before, and at most in each state. */
  memory: { before: number; most: Partial<Record<ImportState, number>> };
  made: number;
  leftOut: number;
  faulty: number;
  /** Seconds that the same rows took with COPY. */
  copy: number;
  /** Milliseconds right after, and with tables that were vacuumed and analysed. */
  page: [soon: number, later: number];
  find: [soon: number, later: number];
  /** Whether the last row is found by its number. */
  foundLast: boolean;
  removed: number;
  kept: number;
  undoneSeconds: number;
  /** Leads and marks that should not be there, counters that do not count what is there. */
  wrong: string[];
};
export type FeltByAll = { next: Felt; asked: Felt };
export type BesideRun = {
  rows: number;
  alone: FeltByAll;
  /** While it was read and checked, and while it ran. */
  prepared: FeltByAll;
  beside: FeltByAll;
  seconds: number;
  kills: number;
  made: number;
  wrong: string[];
};

type Measures = {
  url: string;
  /** Another copy of the same data, for COPY. */
  copyOfData: () => Promise<string>;
  account: Account;
  listId: number;
  rows: number;
  beside: number;
  say: (sentence: string) => void;
};

export async function measureImport(measures: Measures): Promise<{ alone: ImportRun; beside: BesideRun | undefined }> {
  const { url, account, listId, rows, beside, say } = measures;
  const client = new Client({ connectionString: url });
  await client.connect();
  let product = await startProduct(url);
  const restart = async () => {
    process.kill(product.pid, 'SIGKILL');
    await product.stop();
    product = await startProduct(url);
  };
  const [manager, ...agents] = await hire(client, account.id, listId, 1 + AGENTS);
  await client.query('update users set lists_admin = true where account_id = $1 and id = $2', [
    account.id,
    manager!.id,
  ]);
  const means: Means = {
    client,
    account,
    manager: manager!,
    port: () => product.port,
    pid: () => product.pid,
    say,
  };
  try {
    const alone = await importAlone(means, rows, listId, measures.copyOfData);
    if (beside === 0) return { alone, beside: undefined };
    return { alone, beside: await importBeside(means, agents, listId, beside, restart) };
  } finally {
    await product.stop();
    await client.end();
  }
}

type Means = {
  client: Client;
  account: Account;
  manager: Agent;
  port: () => number;
  pid: () => number;
  say: (sentence: string) => void;
};

async function ask<Answer>(means: Means, method: string, path: string, body?: object | Buffer): Promise<Answer> {
  const { port, manager } = means;
  const isBytes = Buffer.isBuffer(body);
  const answer = await send(`http://127.0.0.1:${port()}/app${path}`, {
    method: method as 'GET',
    headers: {
      host: 'localhost:3000',
      origin: KEYS.baseUrl,
      cookie: `leadline_session=${manager.token}`,
      ...(body && { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
    },
    body: isBytes ? body : body ? JSON.stringify(body) : null,
    bodyTimeout: 60_000,
    headersTimeout: 60_000,
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${method} ${path} was answered with ${answer.statusCode}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

const FIELDS = ['Company name', 'First name', 'Last name', 'Title', 'Work phone', 'Mobile phone', 'E-mail'];
const KINDS: Record<string, string> = { 'Work phone': 'phone', 'Mobile phone': 'phone', 'E-mail': 'email' };

const makeList = ({ rows, name }: { rows: number; name: string }, means: Means): Promise<List> =>
  ask<List>(means, 'POST', '/lists', {
    list: {
      name: `${name}, ${rows} rows`,
      columns_attributes: FIELDS.map((label) => ({ label, kind: KINDS[label] ?? 'none' })),
      duplicates_match_on_phone: true,
      duplicates_match_on_email: true,
    },
  });

/** Each row has two phone numbers and an e-mail, all its own. None of it needs quotes. */
function writeRow(number: number): string {
  const { company_name, first_name, last_name, title, e_mail } = makePerson(number);
  const phones = [phoneOf(number, 2), phoneOf(number, 4)];
  return `${[company_name, first_name, last_name, title, ...phones, `${number}.${e_mail}`].join(',')}\r\n`;
}

const phoneOf = (number: number, first: number) => {
  const digits = String(number % 10_000_000).padStart(7, '0');
  return `+45 ${first}${digits[0]} ${digits.slice(1, 3)} ${digits.slice(3, 5)} ${digits.slice(5)}`;
};

const HEADING = `${FIELDS.join(',')}\r\n`;

/** In pieces as they are uploaded. */
function* writeFile(rows: number, from: number): Generator<Buffer> {
  let piece = Buffer.from(HEADING);
  const texts: string[] = [];
  let length = 0;
  for (let row = 0; row < rows; row += 1) {
    const text = writeRow(from + row);
    texts.push(text);
    length += text.length;
    if (length < 1_000_000 && row < rows - 1) continue;
    piece = Buffer.concat([piece, Buffer.from(texts.join(''))]);
    texts.length = length = 0;
    for (; piece.length >= CHUNK_BYTES; piece = piece.subarray(CHUNK_BYTES)) yield piece.subarray(0, CHUNK_BYTES);
  }
  if (piece.length > 0) yield piece;
}

async function upload(means: Means, list: List, rows: number, from: number): Promise<Import> {
  let bytes = 0;
  for (const piece of writeFile(rows, from)) bytes += piece.length;
  const file_name = `${rows} rows.csv`;
  const made = await ask<Import>(means, 'POST', '/imports', { import: { file_name, bytes, list_id: list.id } });
  let place = 0;
  for (const piece of writeFile(rows, from)) {
    await ask(means, 'PUT', `/imports/${made.id}/chunks/${place}`, piece);
    place += 1;
  }
  return ask<Import>(means, 'GET', `/imports/${made.id}`);
}

type Times = { seconds: Partial<Record<ImportState, number>>; most: Partial<Record<ImportState, number>> };

/** Until it waits for someone, or has come to an end. */
async function follow(means: Means, id: number, look: (now: Import) => Promise<void> = async () => {}) {
  const times: Times = { seconds: {}, most: {} };
  let [state, since] = ['' as ImportState, performance.now()];
  for (;;) {
    const now = await ask<Import>(means, 'GET', `/imports/${id}`);
    if (now.state !== state) {
      if (state) times.seconds[state] = (performance.now() - since) / 1_000;
      [state, since] = [now.state, performance.now()];
    }
    times.most[state] = Math.max(times.most[state] ?? 0, residentMegabytes(means.pid()));
    if (!['reading', 'checking', 'running', 'undoing'].includes(state)) return { import: now, times };
    await look(now);
    await sleep(LOOK_MS);
  }
}

async function importAlone(
  means: Means,
  rows: number,
  large: number,
  copyOfData: () => Promise<string>,
): Promise<ImportRun> {
  const { client, say, account } = means;
  const before = { marks: await countMarks(client), memory: residentMegabytes(means.pid()) };
  const list = await makeList({ rows, name: 'Alone' }, means);
  const { id, bytes } = await upload(means, list, rows, FIRST_NUMBER);
  const read = await follow(means, id);
  const { version, state, refusal, counts } = read.import;
  if (state !== 'checked') throw new Error(`It is ${state}: ${refusal}`);
  say(`checked: ${JSON.stringify({ ...read.times, counts })}`);
  // Into the large list, which the other copy has, too.
  const copy = await copySame(client, id, account, large, await copyOfData());
  say(`COPY: ${copy.toFixed(1)} s`);
  await ask(means, 'POST', `/imports/${id}/start`, { import: { version } });
  const run = await follow(means, id);
  say(`run: ${JSON.stringify(run.times)}`);
  const asked = {
    page: `/lists/${list.id}/leads?page=1&per_page=100`,
    find: `/lists/${list.id}/leads/find?work_phone=${encodeURIComponent(phoneOf(FIRST_NUMBER + rows - 1, 2))}`,
  };
  const soon = { page: await timeOf(means, asked.page), find: await timeOf(means, asked.find) };
  const found = await askApi(means, asked.find);
  const wrong: string[] = [];
  const { rows: there } = await client.query<{ leads: number; first: number; last: number }>(
    'select count(*)::int as leads, min(id)::int as first, max(id)::int as last from leads where list_id = $1',
    [list.id],
  );
  if (there[0]!.leads !== run.import.made) wrong.push(`${there[0]!.leads} leads of ${run.import.made}`);
  if ((await client.query(MISCOUNTED, [[list.id]])).rowCount! > 0) wrong.push('counters');
  for (const table of ['leads', 'lead_data', 'lead_marks']) await client.query(`vacuum analyze ${table}`);
  const later = { page: await timeOf(means, asked.page), find: await timeOf(means, asked.find) };
  await ask(means, 'POST', `/imports/${id}/undo`);
  const undone = await follow(means, id);
  say(`undone: ${JSON.stringify(undone.times)}`);
  const { rows: left } = await client.query('select from leads where list_id = $1 limit 1', [list.id]);
  if (left.length > 0) wrong.push('leads were left');
  const marks = await countMarks(client);
  if (marks !== before.marks) wrong.push(`${marks - before.marks} marks were left`);
  if ((await client.query(MISCOUNTED, [[list.id]])).rowCount! > 0) wrong.push('counters after the undo');
  const { made, left_out } = run.import;
  return {
    rows,
    megabytes: bytes / 1e6,
    seconds: { ...read.times.seconds, ...run.times.seconds },
    memory: { before: before.memory, most: { ...read.times.most, ...run.times.most, ...undone.times.most } },
    made,
    leftOut: left_out,
    faulty: counts.faulty,
    copy,
    page: [soon.page, later.page],
    find: [soon.find, later.find],
    foundLast: found.includes(phoneOf(FIRST_NUMBER + rows - 1, 4)),
    removed: undone.import.undone?.removed ?? 0,
    kept: undone.import.undone?.kept ?? 0,
    undoneSeconds: undone.times.seconds.undoing ?? 0,
    wrong,
  };
}

const countMarks = async (client: Client): Promise<number> =>
  (await client.query<{ marks: number }>('select count(*)::int as marks from lead_marks')).rows[0]!.marks;

const askApi = async ({ port }: Means, path: string): Promise<string> => {
  const headers = { authorization: `Token "${KEYS.apiKey}"` };
  const answer = await fetch(`http://127.0.0.1:${port()}/api/v2${path}`, { headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${text}`);
  return text;
};

async function timeOf(means: Means, path: string): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const begun = performance.now();
    await askApi(means, path);
    times.push(performance.now() - begun);
  }
  return spread(times).p50;
}

/** The rows that lie ready, with ids in their order, as text in files; then into the tables of another copy of the same data. */
async function copySame(client: Client, importId: number, { id: accountId }: Account, listId: number, url: string) {
  const folder = mkdtempSync(join(tmpdir(), 'leadline-copy-'));
  const to = new Client({ connectionString: url });
  await to.connect();
  const sound = `from import_checked c, (select max(id) as last from leads) l
    where import_id = ${importId} and fault is null order by c.row`;
  const own = `${accountId} as account_id, l.last + c.row as id, ${listId}::bigint as list_id`;
  const tables = {
    leads: ['account_id, id, list_id', `select ${own} ${sound}`],
    lead_data: [
      'account_id, lead_id, list_id, created_at, data, words, marks',
      `select ${own}, now(), c.data, c.words, c.marks ${sound}`,
    ],
    lead_marks: [
      'account_id, lead_id, list_id, mark',
      `select x.account_id, x.id, x.list_id, m.mark from (select ${own}, c.marks ${sound}) x, unnest(x.marks) as m (mark)`,
    ],
  } as const;
  try {
    let seconds = 0;
    for (const [table, [columns, rows]] of Object.entries(tables)) {
      const file = join(folder, table);
      await pipeline(client.query(copyTo(`copy (${rows}) to stdout`)), createWriteStream(file));
      const begun = performance.now();
      await pipeline(createReadStream(file), to.query(copyFrom(`copy ${table} (${columns}) from stdin`)));
      seconds += (performance.now() - begun) / 1_000;
    }
    return seconds;
  } finally {
    await to.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function importBeside(
  means: Means,
  agents: Agent[],
  listId: number,
  rows: number,
  restart: () => Promise<void>,
): Promise<BesideRun> {
  const { client, say, port } = means;
  const shift = beginShift(agents, listId, port);
  const asking = beginAsking(client, listId, port);
  try {
    await sleep(5_000);
    const feel = () => ({ next: shift.feel(), asked: asking.feel() });
    feel();
    await sleep(ALONE_SECONDS * 1_000);
    const alone = feel();
    say(`agents alone: ${JSON.stringify(alone)}`);
    const list = await makeList({ rows, name: 'Beside' }, means);
    const { id } = await upload(means, list, rows, FIRST_NUMBER + 2_000_000);
    let { import: now } = await follow(means, id);
    if (now.state !== 'checked') throw new Error(`It is ${now.state}: ${now.refusal}`);
    const prepared = feel();
    say(`while it was read and checked: ${JSON.stringify(prepared)}`);
    const begun = performance.now();
    await ask(means, 'POST', `/imports/${id}/start`, { import: { version: now.version } });
    const kills = Array.from({ length: KILLS }, (_, index) => (rows * (index + 1)) / (KILLS + 1));
    for (; now.state !== 'finished'; await sleep(LOOK_MS)) {
      now = await ask<Import>(means, 'GET', `/imports/${id}`);
      if (kills.length === 0 || now.done < kills[0]!) continue;
      kills.shift();
      await shift.except(() => asking.except(restart));
    }
    const seconds = (performance.now() - begun) / 1_000;
    const beside = feel();
    say(`beside: ${JSON.stringify(beside)}`);
    const wrong: string[] = [];
    const { rows: there } = await client.query<{ leads: number; files: number }>(
      `select count(*)::int as leads, count(distinct d.data ->> 'e_mail')::int as files
         from leads l join lead_data d on d.account_id = l.account_id and d.lead_id = l.id where l.list_id = $1`,
      [list.id],
    );
    if (there[0]!.leads !== rows || there[0]!.files !== rows) wrong.push(JSON.stringify(there[0]));
    if ((await client.query(MISCOUNTED, [[list.id, listId]])).rowCount! > 0) wrong.push('counters');
    return { rows, alone, prepared, beside, seconds, kills: KILLS, made: now.made, wrong };
  } finally {
    await Promise.all([shift.end(), asking.end()]);
  }
}

/** Someone who asks for leads by their ids through the API, so many times a second. */
function beginAsking(client: Client, listId: number, port: () => number) {
  let times: number[] = [];
  let [cut, over, countsFrom] = [0, false, 0];
  const asking = (async () => {
    const { rows } = await client.query<{ id: string }>('select id from leads where list_id = $1 limit 5000', [listId]);
    let line: Awaited<ReturnType<typeof openLine>> | undefined;
    for (let turn = 0; !over; turn += 1) {
      const begun = performance.now();
      try {
        line ??= await openLine(port());
        const id = rows[turn % rows.length]!.id;
        const { status } = await line.ask(
          `GET /api/v2/leads/${id} HTTP/1.1\r\nhost: localhost:3000\r\nauthorization: Token "${KEYS.apiKey}"\r\n\r\n`,
        );
        if (status === 200 && begun > countsFrom) times.push(performance.now() - begun);
      } catch {
        cut += 1;
        line?.close();
        line = undefined;
        await sleep(100);
      }
      await sleep(Math.max(0, 1_000 / ASKED_A_SECOND - (performance.now() - begun)));
    }
    line?.close();
  })();
  return {
    feel(): Felt {
      const felt = summarise(times, cut);
      [times, cut] = [[], 0];
      return felt;
    },
    async except<T>(act: () => Promise<T>): Promise<T> {
      countsFrom = Infinity;
      try {
        return await act();
      } finally {
        countsFrom = performance.now() + 8_000;
      }
    },
    async end() {
      over = true;
      await asking;
    },
  };
}
