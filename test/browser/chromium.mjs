// Also read by bin/prepare.mjs, before anything is installed: nothing of it is imported from the start.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

// Without a window of any kind, and quicker for it. Not by the script of that name, which outlives being told to end.
const SHELLS = ['/usr/lib/chromium/chromium-headless-shell'];
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/snap/bin/chromium'];

const isInstalled = (name) =>
  existsSync(join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, 'node_modules', name));

/** The Chromium of this machine, for figures the one that people have; `bundled` for the one among the packages, which exists for x64 Linux only. */
export function findChromium(isForFigures = false) {
  if (!isInstalled('playwright-core')) return undefined;
  const bundled = process.platform === 'linux' && process.arch === 'x64' && isInstalled('@sparticuz/chromium');
  const places = isForFigures ? [...BROWSERS, ...SHELLS] : [...SHELLS, ...BROWSERS];
  return places.find((path) => existsSync(path)) ?? (bundled ? 'bundled' : undefined);
}

/** The program itself; the one among the packages is unpacked into the folder for what is thrown away. */
export async function executable(isForFigures = false) {
  const found = findChromium(isForFigures);
  if (found !== 'bundled') return found;
  const { default: bundled } = await import('@sparticuz/chromium');
  return bundled.executablePath();
}
