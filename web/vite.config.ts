import react from '@vitejs/plugin-react';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

/** Once, at the build, instead of with every request. */
const pack: Plugin = {
  name: 'pack',
  writeBundle() {
    const folder = join(import.meta.dirname, 'dist', 'assets');
    for (const file of readdirSync(folder)) {
      if (/\.(js|css)$/.test(file))
        writeFileSync(join(folder, `${file}.br`), brotliCompressSync(readFileSync(join(folder, file))));
    }
  },
};

// oxlint-disable-next-line import/no-default-export -- Vite takes no other.
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [react(), pack],
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
