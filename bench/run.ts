import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { measureBulk } from './bulk.ts';
import { openBenchDatabase, type BenchDatabase } from './database.ts';
import { measureCrowd } from './crowd.ts';
import { measureRow, type Target } from './measure.ts';
import { measureDispatch } from './agents.ts';
import { measureImport } from './import.ts';
import { residentMegabytes, startFloor, startProduct, startSubscriber, type Measured } from './processes.ts';
import { ROWS, sampleList } from './rows.ts';
import { describeMachine, writeBulk, writeImport, writeReport, type Report } from './report.ts';
import { measureTable } from './table.ts';
import { measureWebhooks } from './webhooks.ts';

/** `npm run bench`: the product against two floors, on a million leads. */

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    explain: { type: 'boolean', default: false },
    profile: { type: 'string' },
    leads: { type: 'string', default: '100000' },
    acts: { type: 'string', default: 'delegate,move,change,delete' },
    rows: { type: 'string', default: '1000000' },
    calls: { type: 'string', default: '10,25,50,75,100,125,150,200,250' },
    beside: { type: 'string', default: '200000' },
  },
});
// Progress goes beside the result, so that the result can be kept in a file.
const say = (sentence: string) => process.stderr.write(`${sentence}\n`);

const undo: (() => Promise<void>)[] = [];
const stop = async () => {
  for (const step of undo.splice(0).toReversed()) await step().catch((error: Error) => say(error.message));
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void stop().then(() => process.exit(1)));
}

if (values.only === 'pages') {
  // Of a demo call centre, in a browser: nothing of the rest is needed.
  const { measurePages } = await import('./pages.ts');
  process.stdout.write(await measurePages(Number(values.rounds), say));
  process.exit();
}

if (values.only === 'calls') {
  // Sound alone: no database is asked.
  const { measureCalls } = await import('./calls.ts');
  const numbers = (text: string) => text.split(',').map(Number);
  process.stdout.write(
    await measureCalls(
      { kinds: ['browsers', 'program'], calls: numbers(values.calls), seconds: 20, profile: values.profile },
      say,
    ),
  );
  process.exit();
}

if (values.only === 'trips' || values.only === 'young') {
  const { measureTrips, measureYoung } = await import('./fresh.ts');
  process.stdout.write(values.only === 'trips' ? await measureTrips() : await measureYoung(say));
  process.exit();
}

try {
  const database = await openBenchDatabase(say);
  undo.push(() => database.close());
  if (values.explain) {
    const { explain } = await import('./explain.ts');
    process.stdout.write(await explain(database));
  } else if (values.only === 'bulk') {
    const subscriber = await startSubscriber();
    undo.push(() => subscriber.stop());
    const { url, account, large, middling } = database;
    const means = { url, account, listId: large, otherList: middling[0]!, subscriber, say };
    process.stdout.write(
      writeBulk(await measureBulk({ ...means, leads: Number(values.leads), acts: values.acts.split(',') })),
    );
  } else if (values.only === 'import') {
    const { url, account, large, copyAgain: copyOfData } = database;
    const [rows, beside] = [Number(values.rows), Number(values.beside)];
    process.stdout.write(
      writeImport(await measureImport({ url, copyOfData, account, listId: large, rows, beside, say })),
    );
  } else {
    await compare(database);
  }
} finally {
  await stop();
}

async function compare(database: BenchDatabase): Promise<void> {
  const { url, account, large, middling, postmaster } = database;
  const keep = async (starting: Promise<Measured>) => {
    const measured = await starting;
    undo.push(() => measured.stop());
    return measured;
  };
  const product = await keep(startProduct(url, values.profile));
  const idle = residentMegabytes(product.pid);
  const bare = await keep(startFloor('bare', url, account));
  const only = values.only?.split(',');
  const wants = (row: string) => !only || only.includes(row);
  const measures = { seconds: Number(values.seconds), rounds: Number(values.rounds), postmaster };
  const report: Report = {
    machine: describeMachine(),
    version: readVersion(),
    memory: { idle, after: idle },
    results: [],
  };
  // What was measured is told, also where something after it goes wrong.
  undo.push(async () => {
    report.memory.after = residentMegabytes(product.pid);
    process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : writeReport(report));
  });
  if (ROWS.some(({ name }) => wants(name))) {
    const fair = await keep(startFloor('fair', url, account));
    const [million, thousands] = await Promise.all([
      sampleList(url, large, true),
      sampleList(url, middling[0]!, false),
    ]);
    const targets: Target[] = [
      { name: 'product', process: product, sample: million },
      { name: 'bare', process: bare, sample: million },
      { name: 'fair', process: fair, sample: million },
      { name: 'small', process: product, sample: thousands },
    ];
    for (const row of ROWS) {
      if (!wants(row.name)) continue;
      report.results.push(await measureRow(row, targets, measures));
      say(`${row.name} is measured`);
    }
  }
  if (wants('dispatch')) {
    report.dispatch = await measureDispatch({ ...measures, url, account, listId: large, product, bare });
    say('dispatch is measured');
  }
  if (wants('webhooks')) {
    const subscriber = await keep(startSubscriber());
    report.webhooks = await measureWebhooks({ ...measures, url, account, product, subscriber, say });
    say('webhooks is measured');
  }
  if (wants('table')) {
    report.table = await measureTable({ ...measures, url, account, listId: large, product, say });
    say('table is measured');
  }
  if (wants('crowd')) {
    const limited = await keep(startProduct(url, undefined, true));
    const seconds = Math.max(measures.seconds, 10);
    report.crowd = await measureCrowd({ url, account, listId: large, product: limited, seconds });
    say('crowd is measured');
  }
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
