// Also read by bin/prepare.mjs, before anything is installed: no dependencies here.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/snap/bin/chromium'];

const isInstalled = (name) =>
  existsSync(join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, 'node_modules', name));

/** The Chromium of this machine; `bundled` for the one among the packages, which exists for x64 Linux only. */
export function findChromium() {
  if (!isInstalled('playwright-core')) return undefined;
  const bundled = process.platform === 'linux' && process.arch === 'x64' && isInstalled('@sparticuz/chromium');
  return PLACES.find((path) => existsSync(path)) ?? (bundled ? 'bundled' : undefined);
}
