import { after } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
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

/** A page that remembers every complaint of the browser: scripts, styles and policies. */
export async function openPage(
  browser: Browser,
  options: Parameters<Browser['newPage']>[0],
): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage(options);
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Said when a field is filled in before the browser came to put the focus there: no person is that quick.
    if (!message.text().startsWith('Autofocus processing was blocked')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints };
}

type Violation = { id: string; help: string; nodes: { html: string; failureSummary?: string }[] };

/** What a person who cannot see, or cannot see well, would stumble over. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    return (await axe.run()).violations;
  });
  const told = violations.map(
    ({ id, help, nodes }) => `${id}: ${help} at ${nodes[0]?.html} ${nodes[0]?.failureSummary ?? ''}`,
  );
  assert.deepEqual(told, [], where);
}

const HEIGHTS = { 1440: 900, 1280: 720, 390: 844 };
export type Look = [width: keyof typeof HEIGHTS, ...schemes: ('light' | 'dark')[]];
const EVERY_LOOK: Look[] = [
  [1440, 'light', 'dark'],
  [1280, 'light', 'dark'],
  [390, 'light', 'dark'],
];
/** For what stands on a page whose every look is held already. */
export const SOME_LOOKS: Look[] = [
  [1440, 'light'],
  [1280, 'dark'],
  [390, 'light'],
];

/** Neither too wide nor a stumbling block, on a desk, a small desk and a phone. */
export async function expectFitting(page: Page, where: string, looks = EVERY_LOOK): Promise<void> {
  for (const [width, ...schemes] of looks) {
    await page.setViewportSize({ width, height: HEIGHTS[width] });
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await expectAccessible(page, `${where}, ${width}, ${colorScheme}`);
    }
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${where} is ${overflow} px too wide at ${width}`);
  }
}

async function executable(): Promise<string> {
  const found = findChromium();
  if (found !== 'bundled') return found!;
  const { default: bundled } = await import('@sparticuz/chromium');
  return bundled.executablePath();
}
