import react from '@vitejs/plugin-react';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

/** Compiled while it arrives, beside the page's own thread, instead of piece by piece as it runs. */
const COMPILE_AHEAD = '//# allFunctionsCalledOnLoad\n';

const dist = join(import.meta.dirname, 'dist');

const finish: Plugin = {
  name: 'finish',
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

const mark = (path: string) => writeFileSync(path, COMPILE_AHEAD + readFileSync(path, 'utf8'));
const pack = (path: string) => writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));

// oxlint-disable-next-line import/no-default-export -- Vite takes no other.
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [react(), finish],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Fonts and pictures come from us, not from inside a style sheet: the policy for content says so.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
