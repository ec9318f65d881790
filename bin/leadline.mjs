#!/usr/bin/env node
// The program runs on Node 24. Called by an older one, outside npm, it starts itself again with the Node among its packages.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const major = Number(process.versions.node.split('.')[0]);
const own = path(`../node_modules/node-${process.platform}-${process.arch}/bin/node`);

if (!existsSync(path('../node_modules'))) {
  fail('The packages are not installed yet. Run `npm start` once, or `npm ci`.');
} else if (major >= 24) {
  // Stripping the types takes a compiler of 40 MB; with the cache it is loaded after a change of the code only.
  process.env.NODE_COMPILE_CACHE ??= path('../node_modules/.cache/leadline');
  module.enableCompileCache();
  // Told to stop while the program is still being read, a service has nothing to undo.
  const leave = () => process.exit(0);
  const isService = ['serve', 'work'].includes(process.argv[2]);
  for (const signal of SIGNALS) if (isService) process.on(signal, leave);
  const [{ run }] = await Promise.all([import('./commands.ts'), isService && import('./service.ts')]);
  for (const signal of SIGNALS) process.off(signal, leave);
  await run(process.argv.slice(2));
} else if (existsSync(own)) {
  restart();
} else {
  fail(`Leadline runs on Node 24 or later; this is ${process.versions.node}.`);
}

function restart() {
  const args = ['--max-semi-space-size=8', path('./leadline.mjs'), ...process.argv.slice(2)];
  const child = spawn(own, args, { stdio: 'inherit' });
  for (const signal of SIGNALS) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}

function fail(sentence) {
  console.error(sentence);
  process.exitCode = 1;
}
