import { after } from 'node:test';
import type { Browser } from 'playwright-core';
import { skipWithout } from '../peers.ts';
import { findChromium } from './chromium.mjs';

export const withBrowser = { skip: skipWithout(findChromium() !== undefined, 'there is no Chromium on this machine') };

/** A real Chromium, closed when the test file is through. */
export async function openBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: await executable(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  after(() => browser.close());
  return browser;
}

async function executable(): Promise<string> {
  const found = findChromium();
  if (found !== 'bundled') return found!;
  const { default: bundled } = await import('@sparticuz/chromium');
  return bundled.executablePath();
}
