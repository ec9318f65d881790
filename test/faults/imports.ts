import { setTimeout as sleep } from 'node:timers/promises';
import { CHUNK_BYTES, type Import, type ImportState } from '../../contract/imports.ts';
import { send } from '../house.ts';
import { eventually } from '../leadline.ts';
import { startServer, type Server } from './cluster.ts';
import { settingsOf, startNodes, type Node } from './nodes.ts';
import { seconds, type Finding, type Scenario } from './scenario.ts';
import { furnish } from './world.ts';

/** An import that is killed again and again: as it is read, checked, run and undone. */

const ROWS = Number(process.env.IMPORT_ROWS ?? 60_000);
/** Every so many rows one says the same as the one before. */
const TWICE_EVERY = 1_000;
/** When it is killed: as it is read, with a part of its rows checked, and with parts of them in. */
const KILLS: { from: number; what: 'node' | 'database' }[] = [
  { from: 0, what: 'node' },
  { from: 1.3, what: 'database' },
  { from: 2.1, what: 'node' },
  { from: 2.4, what: 'database' },
  { from: 2.7, what: 'node' },
];

const comeTo = ({ state, rows, checked, done }: Import): number =>
  state === 'reading' ? 0 : state === 'checking' ? 1 + checked / rows : state === 'running' ? 2 + done / rows : 2;

function writeFile(): Buffer {
  const lines = ['First name,Last name,Mobile phone,Work/Office phone'];
  let number = 20_000_000;
  for (let row = 1; row <= ROWS; row += 1) {
    if (row % TWICE_EVERY !== 0) number += 1;
    lines.push(`Given${row},Family${row % 977},+45${number},+46 8 ${100_000 + row}`);
  }
  return Buffer.from(lines.join('\n'));
}

const killed: Scenario = {
  name: 'import',
  about: `an import of ${ROWS.toLocaleString('en')} rows, killed -9 five times (nodes and PostgreSQL), then undone with another kill`,
  async run(finding) {
    const server = await startServer({});
    const world = await furnish(server.url(), { agents: 0 });
    const nodes = await startNodes(2, settingsOf({ DATABASE_URL: server.url() }));
    const ask = await signIn(nodes);
    const begun = performance.now();
    const file = writeFile();
    const { id } = await ask('POST', '/imports', {
      import: { file_name: 'leads.csv', bytes: file.length, list_id: world.queue },
    });
    for (let place = 0; place * CHUNK_BYTES < file.length; place += 1)
      await ask('PUT', `/imports/${id}/chunks/${place}`, file.subarray(place * CHUNK_BYTES, (place + 1) * CHUNK_BYTES));
    const look = (): Promise<Import> => ask('GET', `/imports/${id}`);
    const left = [...KILLS];
    const killWhere = async (now: Import) => {
      const [next] = left;
      if (!next || comeTo(now) < next.from) return;
      left.shift();
      await kill(next.what, nodes, server);
    };
    const until = (state: ImportState) =>
      eventually(
        state,
        async () => {
          const now = await look();
          await killWhere(now);
          return now.state === state && now;
        },
        600_000,
      );
    const { version } = await until('checked');
    await ask('POST', `/imports/${id}/start`, { import: { version } });
    const done = await until('finished');
    const twice = Math.floor(ROWS / TWICE_EVERY);
    finding.count('rows', ROWS);
    finding.count('kills', KILLS.length - left.length);
    finding.count('seconds', seconds(performance.now() - begun));
    finding.must('it was killed five times', left.length === 0, KILLS.length - left.length);
    finding.must('every row had its turn once', done.done === ROWS && done.made === ROWS - twice, done.made);
    finding.must('each that says the same as one before it was left out', done.left_out === twice, done.left_out);
    await holdTo(finding, server, world.queue, { id, leads: ROWS - twice });
    await ask('POST', `/imports/${id}/undo`);
    await eventually('some are gone', async () => ((await look()).undone?.removed ?? 0) > 0);
    await kill('node', nodes, server);
    const { undone } = await eventually('it is undone', async () => {
      const now = await look();
      return now.state === 'undone' && now;
    });
    finding.must('all that it made is gone', undone!.removed === ROWS - twice && undone!.kept === 0, undone!.removed);
    await holdTo(finding, server, world.queue, { id, leads: 0 });
  },
};

async function kill(what: 'node' | 'database', nodes: Node[], server: Server): Promise<void> {
  if (what === 'database') {
    server.kill();
    await sleep(500);
    return server.start();
  }
  // Whichever has it: both, one after the other, so that there is always one that answers.
  for (const node of nodes) {
    await node.kill();
    await node.start();
  }
}

type Ask = (method: string, path: string, body?: unknown) => Promise<any>;

/** The owner in a browser; asks again, at the next node, until it is answered. */
async function signIn(nodes: Node[]): Promise<Ask> {
  const [{ address }] = nodes as [Node];
  const credentials = { email: 'owner@example.com', password: 'correct horse battery' };
  const { headers } = await send(`${address}/app/session`, 'POST', credentials, { origin: address });
  const cookie = headers.get('set-cookie')!.split(';', 1)[0]!;
  let turn = 0;
  return async (method, path, body) => {
    for (const deadline = Date.now() + 60_000; ; await sleep(100)) {
      const at = nodes[(turn += 1) % nodes.length]!.address;
      const type = Buffer.isBuffer(body) ? { 'content-type': 'application/octet-stream' } : {};
      const answer = await send(`${at}/app${path}`, method, body, { cookie, origin: at, ...type }).catch(
        () => undefined,
      );
      if (answer && answer.status < 300) return answer.body;
      if (Date.now() > deadline || (answer && answer.status < 500))
        throw new Error(`${method} ${path}: ${answer?.status} ${JSON.stringify(answer?.body)}`);
    }
  };
}

/** What is there, to the last lead, mark and counter. */
async function holdTo(
  finding: Finding,
  server: Server,
  list: number,
  { id, leads }: { id: number; leads: number },
): Promise<void> {
  const [seen] = await server.query<Record<string, string>>(
    `select (select count(*) from leads where list_id = $1) as leads,
            (select count(*) from lead_data where list_id = $1) as data,
            (select count(*) from lead_marks where list_id = $1) as marks,
            (select count(*) from import_leads where import_id = $2) as noted,
            (select count(distinct row) from import_leads where import_id = $2) as rows,
            (select coalesce(sum(leads), 0) from lead_counts where list_id = $1 and state = 'new') as counted`,
    [list, id],
  );
  const what = leads > 0 ? 'after the import' : 'after the undo';
  const exact = (name: string, expected: number) =>
    finding.must(`${name} are exact ${what}`, Number(seen![name]) === expected, seen![name]);
  for (const name of ['leads', 'data', 'noted', 'rows', 'counted']) exact(name, leads);
  exact('marks', 2 * leads);
}

export const scenarios = [killed];
