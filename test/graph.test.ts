import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { makeFolder } from './leadline.ts';

const REPOSITORY = join(import.meta.dirname, '..');

/** Every folder in these is a room, and so is every file that lies in none. */
const ROOTS = ['contract', 'db', 'server', 'web'];

/** From → to → an import that says so, as `from.ts → to.ts`. */
type Graph = Map<string, Map<string, string>>;

test('rooms know each other in one direction, and so do files', () => {
  const drawn = drawFiles(REPOSITORY, ROOTS);
  assert.ok(drawn.size > 100, 'the files are found at all');
  assert.deepEqual(tellCircles(drawn), []);
});

test('draws the edges from imports and fails with a sentence', () => {
  const told = (files: Record<string, string>) => {
    const folder = makeFolder();
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return tellCircles(drawFiles(folder, ['web']));
  };
  assert.deepEqual(
    told({
      'web/work/desk.tsx': `import { Card } from '../leads/card.tsx';`,
      'web/work/draft.ts': '',
      'web/leads/card.tsx': '',
      'web/leads/outcome.tsx': `import type { Draft } from '../work/draft.ts';`,
      'web/work/draft.test.ts': `import '../leads/outcome.tsx';`,
    }),
    [
      'web/leads and web/work know each other: web/leads/outcome.tsx → web/work/draft.ts, ' +
        'web/work/desk.tsx → web/leads/card.tsx. Pass in what the lower one needs, or move it down.',
    ],
    'rooms, by types',
  );
  assert.deepEqual(
    told({
      'web/a/a.tsx': `import './own.css';\nimport '../b/b.css';`,
      'web/a/own.css': '',
      'web/b/b.css': '',
      'web/b/b.tsx': `const load = () => import('../c.tsx');`,
      'web/c.tsx': `export { a } from './a/a.tsx';`,
    }),
    [
      'web/a, web/b and web/c.tsx know each other: web/a/a.tsx → web/b/b.css, web/b/b.tsx → web/c.tsx, ' +
        'web/c.tsx → web/a/a.tsx. Pass in what the lower one needs, or move it down.',
    ],
    'three of them, by a style sheet, by what is loaded later, and by what is passed on',
  );
  assert.deepEqual(
    told({
      'web/a/page.tsx': `import {\n  Row,\n} from './row.tsx';`,
      'web/a/row.tsx': `let a: import('./page.tsx').A;`,
      'web/a/other.tsx': `import './row.tsx';`,
    }),
    [
      'web/a/page.tsx and web/a/row.tsx know each other: web/a/page.tsx → web/a/row.tsx, ' +
        'web/a/row.tsx → web/a/page.tsx. Pass in what the lower one needs, or move it down.',
    ],
    'files of one room',
  );
  assert.deepEqual(told({ 'web/a/a.ts': `import '../b.ts';`, 'web/b.ts': '' }), [], 'no circle, no sentence');
});

function drawFiles(base: string, roots: string[]): Graph {
  const sources = roots.flatMap((root) =>
    globSync(`${root}/**/*.{ts,tsx}`, { cwd: base, exclude: ['web/dist', '**/*.test.ts'] }),
  );
  const graph: Graph = new Map();
  for (const file of sources.toSorted()) {
    const text = readFileSync(join(base, file), 'utf8');
    const imported = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path]) =>
      normalize(join(dirname(file), path!)),
    );
    graph.set(file, new Map(imported.map((to) => [to, `${file} → ${to}`])));
  }
  return graph;
}

const roomOf = (file: string): string => file.split('/').slice(0, 2).join('/');

function drawRooms(files: Graph): Graph {
  const rooms: Graph = new Map();
  for (const [file, known] of files) {
    const room = rooms.get(roomOf(file)) ?? new Map<string, string>();
    rooms.set(roomOf(file), room);
    for (const [to, edge] of known) {
      if (roomOf(to) !== roomOf(file) && !room.has(roomOf(to))) room.set(roomOf(to), edge);
    }
  }
  return rooms;
}

const inWords = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** The smallest circles, none of which touches another: once they are gone, there may be more. */
function tellCircles(files: Graph): string[] {
  const told = [drawRooms(files), files].flatMap((graph) => {
    const circles = [...graph.keys()].map((start) => findCircle(graph, start)).filter((circle) => circle.length > 0);
    const seen = new Set<string>();
    return circles
      .toSorted((a, b) => a.length - b.length)
      .filter((circle) => {
        const isApart = circle.every((one) => !seen.has(one));
        for (const one of circle) seen.add(one);
        return isApart;
      })
      .map((circle) => {
        const edges = circle.map((from, index) => graph.get(from)!.get(circle[(index + 1) % circle.length]!)!);
        return `${inWords.format(circle)} know each other: ${edges.join(', ')}. Pass in what the lower one needs, or move it down.`;
      });
  });
  // A file that lies in no folder is a room, too.
  return [...new Set(told)];
}

/** The shortest way from `start` back to it, or none. */
function findCircle(graph: Graph, start: string): string[] {
  const ways = [[start]];
  const reached = new Set<string>();
  for (const way of ways) {
    for (const to of graph.get(way.at(-1)!)?.keys() ?? []) {
      if (to === start) return way;
      if (!reached.has(to)) ways.push([...way, to]);
      reached.add(to);
    }
  }
  return [];
}
