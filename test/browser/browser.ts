import { after, afterEach } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, ConsoleMessage, Page } from 'playwright-core';
import { makeFolder } from '../leadline.ts';
import { skipWithout } from '../peers.ts';
import { executable, findChromium } from './chromium.mjs';

export const withBrowser = { skip: skipWithout(findChromium() !== undefined, 'there is no Chromium on this machine') };

let opened: Promise<Browser> | undefined;
after(async () => (await opened)?.close());

/** A real Chromium, one for a test file; each page has its own cookies and its own store. */
export function openBrowser(): Promise<Browser> {
  opened ??= launch();
  return opened;
}

/** With switches of its own; whoever launches it closes it. `nice`: how soon it gets the processors, from -20 to 19, where the system allows it. */
export async function launch(switches: string[] = [], nice = 0): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  return chromium.launch({
    executablePath: nice === 0 ? await executable() : withPriority(await executable(), nice),
    // In the language `C`, which services have, pages are told `en-US@posix`: a name of no language, at which `Intl` throws.
    env: { ...process.env, LC_ALL: 'en_US.UTF-8' },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Whoever calls has a microphone; this one beeps once a second.
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      '--allow-loopback-in-peer-connection',
      ...switches,
    ],
  });
}

/** A page that is left open asks, hears and draws on, at the cost of the tests after it: each is closed with the test that opened it. */
const pages = new Set<Page>();
afterEach(async (test) => {
  const left = [...pages];
  pages.clear();
  if ('error' in test && test.error) for (const page of left) await tellShown(page);
  await Promise.all(left.map((page) => page.close()));
});

/** What a test waited for in vain is rarely as telling as what was there instead. */
async function tellShown(page: Page): Promise<void> {
  const shown = await page
    .locator('body')
    .ariaSnapshot({ timeout: 10_000 })
    .catch((error: Error) => error.message);
  console.log(`At the end ${page.url()} showed:\n${shown.slice(0, 5_000)}`);
}

/**
 * Said when a field is filled in before the browser came to put the focus there, or a page left before it has its socket: no person is that
 * quick. Or where a machine is so busy that a font waits for seconds.
 */
const HASTE =
  /^Autofocus processing was blocked|WebSocket is closed before the connection is established|preloaded using link preload but not used/;
/** A sign of life that arrives after the outcome: the page knows that the lead is no longer open. */
const isLateSign = (message: ConsoleMessage) =>
  message.text().includes('status of 409') && /\/leads\/\d+\/hold$/.test(message.location().url);

/** A page that remembers every complaint of the browser: scripts, styles and policies. */
export async function openPage(
  browser: Browser,
  options: Parameters<Browser['newPage']>[0],
): Promise<{ page: Page; complaints: string[] }> {
  // What moves is waited for at each click, and drawn sixty times a second by processors that others need.
  const page = await browser.newPage({ reducedMotion: 'reduce', ...options });
  pages.add(page);
  // Longer than anything takes, even where the machine does much else.
  page.setDefaultTimeout(120_000);
  await page.addInitScript(markHearing);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (!HASTE.test(message.text()) && !isLateSign(message)) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints };
}

/** In the page. Of all that a stream tells at its first look, `jobs` is told last. */
function markHearing(): void {
  const Own = EventSource;
  class Marked extends Own {
    constructor(...given: ConstructorParameters<typeof EventSource>) {
      super(...given);
      delete document.documentElement.dataset.hears;
      this.addEventListener('jobs', () => (document.documentElement.dataset.hears = ''));
    }
  }
  Object.assign(globalThis, { EventSource: Marked });
}

/** What others change from now on is told to it, whatever it is; of what changed before its first look, leads and lists are. */
export const hears = (page: Page): Promise<void> => page.locator('html[data-hears]').waitFor({ state: 'attached' });

/** A lead that has been drawn listens to keys a moment later, when it has been said aloud. */
export const keysWake = (page: Page): Promise<void> => page.locator('h1:focus').waitFor();

/** What refusals and lost connections, which a test has brought about itself, leave in the browser's log says nothing. */
export const besides = (complaints: string[], expected: RegExp): string[] =>
  complaints.filter((complaint) => !expected.test(complaint));

const PROBE = '/health/live?intercepted';

/** Answers what a page asks for at an address. The browser says that it does a moment before the page's own requests come that way: one in 150 escaped. */
export async function intercept(page: Page, ...[address, answer]: Parameters<Page['route']>): Promise<void> {
  await page.route(address, answer);
  if (page.url() === 'about:blank') return;
  await page.route(`**${PROBE}`, (route) => route.fulfill({ body: 'intercepted' }));
  await page.waitForFunction(async (path) => (await (await fetch(path)).text()) === 'intercepted', PROBE);
  await page.unroute(`**${PROBE}`);
}

/** What a page does not wait for is there: where notices are shown, the search, the telephone. */
export const lateIsThere = (page: Page) =>
  page.locator('.mantine-Notifications-root').first().waitFor({ state: 'attached' });

/** How long notices stay, as their timers are told. Else only the telephone waits for exactly so long, for a connection. */
const NOTICES_MS = [4_000, 6_000];

/** An expression for any browser: notices stay for longer than a test takes to look. */
export const LINGER = `(() => {
  const { setTimeout } = window;
  window.setTimeout = (act, ms, ...given) => setTimeout(act, ${JSON.stringify(NOTICES_MS)}.includes(ms) ? 600_000 : ms, ...given);
})()`;

/** For tests that read a notice: on this page none goes before it was looked for, however busy the machine is. */
export async function lingerNotices(page: Page): Promise<void> {
  await page.addInitScript(LINGER);
  await page.evaluate(LINGER);
}

type Violation = { id: string; help: string; nodes: { html: string; failureSummary?: string }[] };

type Axe = { run(options: { resultTypes: string[] }): Promise<{ violations: Violation[] }> };
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What a person who cannot see, or cannot see well, would stumble over. */
export async function findStumblingBlocks(page: Page): Promise<string[]> {
  // A dialog gets its name a moment after it is there. One that never does is told below.
  await page
    .waitForFunction(
      () =>
        [...document.querySelectorAll('[role="dialog"]')].every(
          (one) => one.ariaLabel || document.getElementById(one.getAttribute('aria-labelledby') ?? ''),
        ),
      undefined,
      { timeout: 10_000 },
    )
    .catch(() => {});
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    // Of what is well, one place of each kind is enough: to describe them all takes most of the time.
    return (await axe.run({ resultTypes: ['violations'] })).violations;
  });
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help} at ${nodes[0]?.html} ${nodes[0]?.failureSummary ?? ''}`,
  );
}

export async function expectAccessible(page: Page, where: string): Promise<void> {
  assert.deepEqual(await findStumblingBlocks(page), [], where);
}

const LOOKS = [
  { width: 1440, height: 900, scheme: 'light' },
  { width: 390, height: 844, scheme: 'dark' },
  { width: 1440, height: 900, scheme: 'dark' },
  { width: 390, height: 844, scheme: 'light' },
] as const;
const SIZES = [
  [1440, 900],
  [1280, 720],
  [390, 844],
] as const;
let looked = 0;

/**
 * No stumbling block, on a desk or a phone, in one scheme or the other, by turns; and not too wide on a desk, a small desk and a phone, where
 * it ends. `sizes.test.ts` looks at every page so; this is for states that it does not come to.
 */
export async function expectFitting(page: Page, where: string): Promise<void> {
  const { width: wide, height: high, scheme } = LOOKS[looked % LOOKS.length]!;
  looked += 1;
  await page.setViewportSize({ width: wide, height: high });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await expectAccessible(page, `${where}, ${wide}, ${scheme}`);
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${where} is ${overflow} px too wide at ${width}`);
  }
}

function withPriority(path: string, nice: number): string {
  const script = join(makeFolder(), 'browser');
  writeFileSync(script, `#!/bin/sh\nexec nice -n ${nice} '${path}' "$@"\n`, { mode: 0o755 });
  return script;
}
