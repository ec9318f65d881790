import { cpus, totalmem } from 'node:os';
import type { Dispatch } from './agents.ts';
import type { Bulk } from './bulk.ts';
import type { BesideRun, FeltByAll, ImportRun } from './import.ts';
import type { Crowd } from './crowd.ts';
import type { Result } from './measure.ts';
import type { TableRun } from './table.ts';
import type { Webhooks } from './webhooks.ts';

export type Report = {
  machine: string;
  version: string;
  memory: { idle: number; after: number };
  results: Result[];
  dispatch?: Dispatch;
  webhooks?: Webhooks;
  crowd?: Crowd;
  table?: TableRun;
};

export const describeMachine = (): string =>
  `${cpus().length} × ${cpus()[0]?.model ?? 'processor'} (${process.arch}), ${Math.round(totalmem() / 1024 ** 3)} GB, Node ${process.version}`;

/** What `quality` asks of every row. */
const LEAST = { fair: 0.85, bare: 0.6 };
const MOST = { p99: 2, small: 1.5 };
const OF_NARROW = 0.5;
const DELIVERIES = 1_000;
const UNDISTURBED = 0.95;
const OF_ALONE = 2;

/** What rows are held against each other for, one request at a time. */
const PAIRS: [row: string, other: string, most: number][] = [
  ['page-10000', 'page-1', 10],
  ['page-by-link', 'page-1', 1.5],
  ['search-rare', 'lead', 10],
  ['search-common', 'lead', 100],
];

export function writeReport({ machine, memory, results, dispatch, webhooks, crowd, table: pages }: Report): string {
  const lines = [
    `Machine: ${machine}. PostgreSQL, product, floors and generator share it; all on loopback, 50 connections, log level info.`,
    '',
    ...(results.length > 0 ? writeRows(results) : []),
    ...(dispatch ? writeDispatch(dispatch) : []),
    ...(webhooks ? writeWebhooks(webhooks) : []),
    ...(pages ? writeTable(pages) : []),
    ...(crowd ? writeCrowd(crowd) : []),
    `Memory of the product: ${memory.idle} MB before, ${memory.after} MB after.`,
  ];
  return `${lines.join('\n')}\n`;
}

function writeRows(results: Result[]): string[] {
  const judged = results.map(judge);
  return [
    table(
      ['row', 'product /s', 'bare /s', 'fair /s', ': bare', ': fair', 'p50 ms', 'p99 ms', 'bare p99', 'p99 : bare'],
      judged.map(({ row, product, bare, fair, toBare, toFair, p99 }) => [
        row,
        whole(product.rate),
        whole(bare.rate),
        whole(fair.rate),
        toBare.toFixed(2),
        toFair.toFixed(2),
        product.p50.toFixed(1),
        product.p99.toFixed(1),
        bare.p99.toFixed(1),
        p99.toFixed(2),
      ]),
    ),
    '',
    'One request at a time, and the same row on a list of 10,000; processor time of one request.',
    '',
    table(
      [
        'row',
        'alone ms',
        'bare ms',
        '10k alone ms',
        '1.1M : 10k alone',
        '1.1M : 10k at 50',
        'Node µs',
        'bare µs',
        'fair µs',
        'PostgreSQL µs',
        'bare µs',
        'fair µs',
        'generator CPU',
      ],
      judged.map(({ row, product, bare, fair, small }) => [
        row,
        product.alone.toFixed(2),
        bare.alone.toFixed(2),
        small.alone.toFixed(2),
        (product.alone / small.alone).toFixed(2),
        (small.rate / product.rate).toFixed(2),
        whole(product.node),
        whole(bare.node),
        whole(fair.node),
        whole(product.postgres),
        whole(bare.postgres),
        whole(fair.postgres),
        `${whole(product.generator * 100)} %`,
      ]),
    ),
    '',
    ...comparePairs(results),
    '',
    'Short of what is asked:',
    '',
    ...judged.flatMap(({ row, shortfalls }) => (shortfalls.length > 0 ? [`- ${row}: ${shortfalls.join(', ')}`] : [])),
    '',
  ];
}

function writeDispatch({ figures, given, twice, passedOver, empty }: Dispatch): string[] {
  const { product, bare, narrow } = figures;
  const [toNarrow, toBare] = [product.rate / narrow.rate, product.rate / bare.rate];
  return [
    'dispatch: 100 agents at the list of 1.1 million, each `next`, `winner`, `next`, … Rates and milliseconds of `next`; processor time of both.',
    '',
    table(
      ['', 'next /s', 'p50 ms', 'p99 ms', 'winner p50 ms', 'Node µs', 'PostgreSQL µs'],
      Object.entries(figures).map(([name, { rate, p50, p99, outcome, node, postgres }]) => [
        name,
        whole(rate),
        p50.toFixed(1),
        p99.toFixed(1),
        outcome.toFixed(1),
        whole(node),
        whole(postgres),
      ]),
    ),
    '',
    `- product : narrow = ${toNarrow.toFixed(2)} (at least ${OF_NARROW})${toNarrow < OF_NARROW ? ', too little' : ''}`,
    `- product : bare = ${toBare.toFixed(2)}`,
    `- of ${whole(given)} leads ${twice} were handed out twice, ${passedOver} were passed over; ${empty} answers were without a lead`,
    '',
  ];
}

function writeWebhooks({ one, ten, beside, repeats, missing }: Webhooks): string[] {
  const share = beside.rate / ten.rate;
  return [
    'webhooks: from first to last arrival at subscribers that answer at once; processor time of one delivery.',
    '',
    table(
      ['', 'deliveries /s', 'Node µs', 'PostgreSQL µs'],
      Object.entries({ 'one subscriber': one, ten, 'the same ten beside 100 that hang': beside }).map(
        ([name, { rate, node, postgres }]) => [name, whole(rate), whole(node), whole(postgres)],
      ),
    ),
    '',
    `- one subscriber: at least ${whole(DELIVERIES)}${one.rate < DELIVERIES ? ', too few' : ''}`,
    `- beside those that hang: ${share.toFixed(2)} of the rate alone (at least ${UNDISTURBED})${share < UNDISTURBED ? ', too little' : ''}`,
    `- ${repeats} arrived more than once, ${missing} are not noted as delivered`,
    '',
  ];
}

function writeTable({ api, pages, scrolled }: TableRun): string[] {
  return [
    `table: pages of 100 of the list of 1.1 million, one request at a time; a page of 100 of the API takes ${api.toFixed(1)} ms.`,
    '',
    table(
      ['', 'ms', ': API'],
      pages.map(({ what, ms, ofApi }) => [what, ms.toFixed(1), ofApi.toFixed(2)]),
    ),
    '',
    'In Chromium, tasks over 50 ms:',
    '',
    table(
      ['', 'how many', 'longest ms'],
      scrolled.map(({ what, long, longest }) => [what, whole(long), whole(longest)]),
    ),
    '',
  ];
}

function writeCrowd({ alone, attacks }: Crowd): string[] {
  const worst = Math.max(...attacks.flatMap(({ read, next }) => [read / alone.read, next / alone.next]));
  return [
    'crowd: what ten agents feel (p50) of one person who asks on 50 connections; limits as they are by default.',
    '',
    table(
      ['', 'a lead ms', ': alone', 'next ms', ': alone', 'served', 'refused', 'not ready'],
      [
        ['alone', alone.read.toFixed(1), '', alone.next.toFixed(1), '', '', '', ''],
        ...attacks.map(({ name, read, next, served, refused, notReady }) => [
          name,
          read.toFixed(1),
          (read / alone.read).toFixed(2),
          next.toFixed(1),
          (next / alone.next).toFixed(2),
          whole(served),
          whole(refused),
          whole(notReady),
        ]),
      ],
    ),
    '',
    `- at worst ${worst.toFixed(2)}× (at most ${OF_ALONE}×)${worst > OF_ALONE ? ', too much' : ''}`,
    '',
  ];
}

/** What `next` took beside each act, against what it took without; what was found wrong afterwards. */
export function writeBulk({ alone, runs }: Bulk): string {
  const ms = (time: number) => time.toFixed(1);
  // What was over before it was first made to wait has nothing of the same minutes beside it.
  const ratio = (one: number, other: number | null) => (other ? (one / other).toFixed(2) : '–');
  const compared = runs.filter(({ held }) => held.nexts > 0);
  const worst = Math.max(...compared.map(({ felt, held }) => Math.max(felt.p50 / held.p50, felt.p99 / held.p99)));
  return [
    `bulk: 20 agents at the list of 1.1 million (${whole(alone.nexts)} times next alone: p50 ${ms(alone.p50)} ms, p99 ${ms(alone.p99)}, worst ${ms(alone.worst)}); the service is killed (-9) twice in each. Held: in the same minutes, while the act was made to wait; alone: the quieter of before and after it.`,
    '',
    table(
      [
        '',
        'leads',
        'not done',
        '/s',
        'next p50',
        ': held',
        ': alone',
        'p99',
        ': held',
        ': alone',
        'worst',
        'told: at most, written, arrived',
        'wrong',
      ],
      runs.map(({ name, done, refused, seconds, felt, held, alone: usual, announced, written, arrived, ...wrong }) => [
        name,
        whole(done),
        whole(refused),
        whole(done / seconds),
        ms(felt.p50),
        ratio(felt.p50, held.p50),
        ratio(felt.p50, usual.p50),
        ms(felt.p99),
        ratio(felt.p99, held.p99),
        ratio(felt.p99, usual.p99),
        ms(felt.worst),
        [announced, written, arrived].map(whole).join(', '),
        `${wrong.misplaced} places, ${wrong.miscounted} counters, ${wrong.different ?? 0} leads`,
      ]),
    ),
    '',
    ...runs.map(({ name, why }) => `- ${name}: ${why || 'all done'}`),
    compared.length === 0
      ? '- too few leads to be held against the same minutes'
      : `- at worst ${worst.toFixed(2)}× of held (at most ${OF_ALONE}×)${worst > OF_ALONE ? ', too much' : ''}`,
    '',
  ].join('\n');
}

const OF_COPY = 0.5;

/** How quick it was against COPY, what it took of memory, what others felt of it, and what was wrong afterwards. */
export function writeImport({ alone, beside }: { alone: ImportRun; beside: BesideRun | undefined }): string {
  const { rows, made, seconds, memory, copy } = alone;
  const [read = NaN, check = NaN, run = NaN] = [seconds.reading, seconds.checking, seconds.running];
  const rate = (of: number, time: number) => whole(of / time);
  const ofCopy = copy / run;
  const ms = (time: number) => time.toFixed(1);
  const lines = [
    `import: ${whole(rows)} rows of CSV with two phones and an e-mail each (${whole(alone.megabytes)} MB), beside a list of 1.1 million; ${whole(made)} leads, ${whole(alone.leftOut)} left out, ${whole(alone.faulty)} faulty.`,
    '',
    table(
      ['', 's', 'rows/s', 'Node at most, MB'],
      [
        ['read', ms(read), rate(rows, read), whole(memory.most.reading ?? NaN)],
        ['checked', ms(check), rate(rows, check), whole(memory.most.checking ?? NaN)],
        ['run', ms(run), rate(made, run), whole(memory.most.running ?? NaN)],
        ['COPY of the same', ms(copy), rate(made, copy), ''],
        [
          'undone',
          ms(alone.undoneSeconds),
          rate(alone.removed, alone.undoneSeconds),
          whole(memory.most.undoing ?? NaN),
        ],
      ],
    ),
    '',
    `- run at ${ofCopy.toFixed(2)} of the rate of COPY (at least ${OF_COPY})${ofCopy < OF_COPY ? ', too slow' : ''}; Node had ${memory.before} MB before`,
    `- a page of 100 ${ms(alone.page[0])} ms right after, ${ms(alone.page[1])} with tables vacuumed and analysed; find ${ms(alone.find[0])} and ${ms(alone.find[1])}; the last row is ${alone.foundLast ? '' : 'not '}found`,
    `- undone: ${whole(alone.removed)} removed, ${whole(alone.kept)} kept; wrong: ${alone.wrong.join(', ') || 'nothing'}`,
  ];
  if (beside) {
    const { alone: before } = beside;
    const felt = ({ next, asked }: FeltByAll) => {
      const say = (of: 'p50' | 'p99') =>
        [next[of] / before.next[of], asked[of] / before.asked[of]].map((times) => `${times.toFixed(2)}×`).join(' and ');
      return `p50 ${say('p50')}, p99 ${say('p99')}`;
    };
    lines.push(
      `- ${whole(beside.rows)} rows beside 20 agents and 50 requests a second, killed (-9) ${beside.kills} times: ${rate(beside.made, beside.seconds)} rows a second; wrong: ${beside.wrong.join(', ') || 'nothing'}`,
      `- next, and a lead by its id, against alone (p50 ${ms(before.next.p50)} and ${ms(before.asked.p50)} ms, p99 ${ms(before.next.p99)} and ${ms(before.asked.p99)}): while it was read and checked ${felt(beside.prepared)}; while it ran ${felt(beside.beside)} (at most ${OF_ALONE}×)`,
    );
  }
  return [...lines, ''].join('\n');
}

function judge({ row, figures: { product, bare, fair, small } }: Result) {
  const toBare = product.rate / bare.rate;
  const toFair = product.rate / fair.rate;
  const p99 = product.p99 / bare.p99;
  const growth = product.alone / small.alone;
  const shortfalls = [
    ...(product.refused > 0 ? [`${Math.ceil(product.refused * 100)} % of the requests were refused`] : []),
    ...(toFair < LEAST.fair ? [`${toFair.toFixed(2)} of the fair floor (${LEAST.fair})`] : []),
    ...(toBare < LEAST.bare ? [`${toBare.toFixed(2)} of the bare floor (${LEAST.bare})`] : []),
    ...(p99 > MOST.p99 ? [`p99 ${p99.toFixed(1)}× the bare floor's (${MOST.p99}×)`] : []),
    ...(growth > MOST.small ? [`${growth.toFixed(1)}× the time of a list of 10,000 (${MOST.small}×)`] : []),
  ];
  return { row, product, bare, fair, small, toBare, toFair, p99, shortfalls };
}

function comparePairs(results: Result[]): string[] {
  const alone = new Map(results.map(({ row, figures }) => [row, figures.product.alone]));
  return PAIRS.flatMap(([row, other, most]) => {
    const [time, base] = [alone.get(row), alone.get(other)];
    if (time === undefined || base === undefined) return [];
    const ratio = time / base;
    return [`- ${row} : ${other} = ${ratio.toFixed(1)}× (at most ${most}×)${ratio > most ? ', too much' : ''}`];
  });
}

const whole = (number: number) => Math.round(number).toLocaleString('en');

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, index) => (index === 0 ? '---' : '--:'));
  return [head, rule, ...rows].map(line).join('\n');
}
