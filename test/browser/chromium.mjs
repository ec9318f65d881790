// Also read by bin/prepare.mjs, before anything is installed: no dependencies here.
import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/snap/bin/chromium'];

/** The Chromium of this machine; `bundled` for the one among the packages, which exists for x64 Linux only. */
export function findChromium() {
  return (
    PLACES.find((path) => existsSync(path)) ??
    (process.platform === 'linux' && process.arch === 'x64' ? 'bundled' : undefined)
  );
}
