import react from '@vitejs/plugin-react';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { writeThemeCss } from './theme-css.ts';
import { build, defineConfig, type Plugin, type Rolldown } from 'vite';

/** Compiled while it arrives, beside the page's own thread, instead of piece by piece as it runs. */
const COMPILE_AHEAD = '//# allFunctionsCalledOnLoad\n';

/** What pages share, in a few files: else each module that two of them have is a file of its own, and a page a hundred requests. */
const SHARED = [
  // What every page stands on. The packages in two pieces of a size, as a browser compiles them side by side.
  { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
  { name: 'base', test: /node_modules\/(use-sync-external-store|@tanstack)\// },
  { name: 'first', tags: ['$initial' as const] },
  // What comes with the first page that is not the desk.
  { name: 'kit', test: /node_modules\//, minShareCount: 2 },
  { name: 'shared', minShareCount: 2 },
];

const TARGET = 'es2023';
const dist = join(import.meta.dirname, 'dist');

const finish: Plugin = {
  name: 'finish',
  apply: 'build',
  writeBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
    for (const { isEntry, fileName, imports } of chunks) {
      if (isEntry) for (const first of [fileName, ...imports]) mark(join(dist, first));
    }
    // Once, at the build, instead of with every request.
    for (const file of Object.keys(bundle)) {
      if (/\.(js|css)$/.test(file)) pack(join(dist, file));
    }
  },
};

/** The early script is built by itself, so that it waits for nothing else. */
const early: Plugin = {
  name: 'early',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle }) => {
      const file = Object.values(bundle ?? {}).find(({ fileName }) => fileName.includes('/early-'))?.fileName;
      return file ? [{ tag: 'script', attrs: { src: `/${file}` }, injectTo: 'head-prepend' }] : [];
    },
  },
  async buildStart() {
    const options = { input: join(import.meta.dirname, 'early.ts'), output: { format: 'iife' as const } };
    const built = await build({
      configFile: false,
      logLevel: 'warn',
      build: { write: false, target: TARGET, rolldownOptions: options },
    });
    const { output } = built as Rolldown.RolldownOutput;
    this.emitFile({ type: 'asset', name: 'early.js', source: output[0].code });
  },
};

const THEME = 'virtual:theme.css';

const colours: Plugin = {
  name: 'colours',
  resolveId: (id) => (id === THEME ? THEME : undefined),
  load: (id) => (id === THEME ? writeThemeCss() : undefined),
};

const mark = (path: string) => writeFileSync(path, COMPILE_AHEAD + readFileSync(path, 'utf8'));

function pack(path: string): void {
  const content = readFileSync(path);
  writeFileSync(`${path}.br`, brotliCompressSync(content));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
}

// oxlint-disable-next-line import/no-default-export -- Vite takes no other.
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [react(), early, colours, finish],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: TARGET,
    // Fonts and pictures come from us, not from inside a style sheet: the policy for content says so.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: SHARED } } },
  },
});
