import { cpus, totalmem } from 'node:os';
import type { Result } from './measure.ts';

export type Report = {
  machine: string;
  version: string;
  memory: { idle: number; after: number };
  results: Result[];
};

export const describeMachine = (): string =>
  `${cpus().length} × ${cpus()[0]?.model ?? 'processor'} (${process.arch}), ${Math.round(totalmem() / 1024 ** 3)} GB, Node ${process.version}`;

/** What `quality` asks of every row. */
const LEAST = { fair: 0.85, bare: 0.6 };
const MOST = { p99: 2, small: 1.5 };

/** What rows are held against each other for, one request at a time. */
const PAIRS: [row: string, other: string, most: number][] = [
  ['page-10000', 'page-1', 10],
  ['page-by-link', 'page-1', 1.5],
  ['search-rare', 'lead', 10],
  ['search-common', 'lead', 100],
];

export function writeReport({ machine, memory, results }: Report): string {
  const judged = results.map(judge);
  const lines = [
    `Machine: ${machine}. PostgreSQL, product, floors and generator share it; all on loopback, 50 connections, log level info.`,
    '',
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
    `Memory of the product: ${memory.idle} MB before, ${memory.after} MB after.`,
    '',
    'Short of what is asked:',
    '',
    ...judged.flatMap(({ row, shortfalls }) => (shortfalls.length > 0 ? [`- ${row}: ${shortfalls.join(', ')}`] : [])),
  ];
  return `${lines.join('\n')}\n`;
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
