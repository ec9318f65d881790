// Runs before `npm start` and `npm test`, on whatever Node the machine has (20 or later), with nothing installed yet:
// no dependencies here, and no syntax younger than that.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const at = (path) => join(root, path);
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

try {
  if (isOlder('node_modules/.package-lock.json', 'package-lock.json')) await installPackages();
  checkNode();
  if (isStale()) await buildPages();
  const isFor = (purpose) => process.argv.includes(`--for-${purpose}`);
  if (isFor('tests') || isFor('checks')) await installPackagesOfTests();
  if (isFor('tests')) await installPrograms();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}

function isOlder(made, source) {
  return !existsSync(at(made)) || statSync(at(made)).mtimeMs < statSync(at(source)).mtimeMs;
}

/** Whether something that the pages are made of is newer than they are. */
function isStale() {
  const made = at('web/dist/index.html');
  if (!existsSync(made)) return existsSync(at('web'));
  const since = statSync(made).mtimeMs;
  const isNewer = (path) => {
    const stat = statSync(path);
    if (!stat.isDirectory()) return stat.mtimeMs > since;
    return readdirSync(path).some((name) => name !== 'dist' && isNewer(join(path, name)));
  };
  return ['web', 'contract', 'package-lock.json'].some((path) => existsSync(at(path)) && isNewer(at(path)));
}

function buildPages() {
  const own = at('node_modules/.bin/node');
  const node = existsSync(own) ? own : process.execPath;
  return run('Building the pages', [node, [at('node_modules/vite/bin/vite.js'), 'build', at('web')]]);
}

// NODE_ENV=production or an `omit` in someone's npm configuration would leave out what the build and the database need.
function installPackages() {
  return run(
    'Installing packages',
    npm(['ci', '--include=dev', '--include=optional', '--ignore-scripts', '--no-audit']),
  );
}

/** What belongs to some tests alone has a lock file of its own; its types are looked at by checks too. What cannot be had, these tests tell. */
async function installPackagesOfTests() {
  for (const folder of ['test/browser', 'test/description']) {
    if (!isOlder(`${folder}/node_modules/.package-lock.json`, `${folder}/package-lock.json`)) continue;
    await tryTo(`Installing packages for ${folder}`, npm(['ci', '--ignore-scripts', '--no-audit']), {
      cwd: at(folder),
    });
  }
}

async function installPrograms() {
  const { findChromium } = await import('../test/browser/chromium.mjs');
  const missing = ['pgbouncer', 'prometheus'].filter((name) => !isProgram(name));
  const needsChromium = !findChromium();
  if ((missing.length === 0 && !needsChromium) || process.getuid?.() !== 0 || !isProgram('apt-get')) return;
  const install = 'apt-get install -y --no-install-recommends';
  const commands = [
    'apt-get update',
    ...(missing.length > 0 ? [`${install} ${missing.join(' ')}`] : []),
    // Not every Debian has the one without a window.
    ...(needsChromium ? [`{ ${install} chromium-headless-shell || ${install} chromium; }`] : []),
  ];
  const names = [...missing, ...(needsChromium ? ['Chromium'] : [])];
  await tryTo(`Installing ${names.join(', ')} for tests`, ['/bin/sh', ['-c', commands.join(' && ')]]);
}

function isProgram(name) {
  return spawnSync('/bin/sh', ['-c', `PATH="$PATH:/usr/sbin" command -v ${name}`]).status === 0;
}

function tryTo(title, command, options) {
  return run(title, command, options).catch((error) => console.error(error.message));
}

/** npm puts node_modules/.bin first on the path of scripts: what lies there as `node` must run, or must not lie there. */
function checkNode() {
  const own = at('node_modules/.bin/node');
  const [major] = process.versions.node.split('.').map(Number);
  if (existsSync(own) && spawnSync(own, ['--version']).status === 0) return;
  const host = process.execPath.startsWith(at('node_modules')) ? 0 : major;
  if (host < 24) {
    throw new Error(
      `Leadline runs on Node 24, and none came with its packages for this machine (${process.platform} ${process.arch}); ` +
        `the Node here is ${process.versions.node}. Install Node 24 or later and start again.`,
    );
  }
  rmSync(own, { force: true });
}

function npm(args) {
  const script = process.env.npm_execpath;
  return script?.endsWith('.js') ? [process.execPath, [script, ...args]] : ['npm', args];
}

/** Runs a command quietly behind a line that moves; when it fails, its last words are shown. */
function run(title, [command, args], options = {}) {
  return new Promise((resolve, reject) => {
    const start = Date.now();
    const terminal = process.stdout.isTTY;
    if (!terminal) console.log(`${title} …`);
    const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
    const ticker = setInterval(
      () => {
        const seconds = Math.round((Date.now() - start) / 1000);
        if (!terminal) console.log(`${title} … ${seconds} s`);
        else process.stdout.write(`\r${frames[Math.floor(Date.now() / 100) % frames.length]} ${title} … ${seconds} s `);
      },
      terminal ? 100 : 10_000,
    );
    let words = '';
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const passOn = (signal) => {
      child.kill(signal);
      process.exit(1);
    };
    for (const signal of SIGNALS) process.on(signal, passOn);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => (words = (words + data).slice(-4000)));
    const end = (code, message) => {
      clearInterval(ticker);
      for (const signal of SIGNALS) process.off(signal, passOn);
      if (terminal) process.stdout.write('\r\x1b[K');
      if (code === 0) resolve();
      else reject(new Error(`${title} failed${message}:\n${words.trim()}`));
    };
    child.on('error', (error) => end(1, ` (${error.message})`));
    child.on('close', (code) => end(code, ''));
  });
}
