import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLeadline } from '../test/leadline.ts';
import { openChromium, openPage, type Browser } from './browser.ts';

/** The desk of a demo call centre, from the address to the Dial button, against a page that is one button. */

const LEADLINE = join(import.meta.dirname, '../bin/leadline.mjs');
const KINDS = ['cold 1×', 'cold 4×', 'warm 1×', 'warm 4×'] as const;
type Kind = (typeof KINDS)[number];

type Cookie = { name: string; value: string; domain: string; path: string; httpOnly: boolean };
type Target = { name: string; url: string; cookies: Cookie[]; list: string | null };
type Load = { dial: number; thread: number };

export async function measurePages(rounds: number, say: (sentence: string) => void): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'leadline-pages-'));
  const env = { DATA_DIR: folder };
  const leadline = await startLeadline({ env });
  const floor = createServer((request, response) => {
    const isScript = request.url === '/button.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html').end(isScript ? SCRIPT : PAGE);
  }).listen(0, '127.0.0.1');
  const browser = await openChromium();
  try {
    say('A demo call centre is being filled.');
    const demo = spawnSync(process.execPath, [LEADLINE, 'demo'], { env: { ...process.env, ...env }, encoding: 'utf8' });
    const password = /password (\S+)/.exec(demo.stdout)![1]!;
    const floorUrl = `http://127.0.0.1:${(floor.address() as AddressInfo).port}/`;
    const targets: Target[] = [
      { name: 'floor', url: floorUrl, cookies: [], list: null },
      await signIn(browser, leadline.address, password),
    ];
    const loads = new Map<string, Load[]>();
    for (const kind of KINDS) {
      // The browser keeps compiled script only after it came a few times.
      if (kind === 'warm 1×')
        for (let i = 0; i < 3; i++) for (const target of targets) await load(browser, target, kind);
      for (let round = 0; round < rounds; round++) {
        for (const target of targets) {
          const key = `${kind} ${target.name}`;
          loads.set(key, [...(loads.get(key) ?? []), await load(browser, target, kind)]);
        }
      }
      say(`${kind} is measured`);
    }
    return writePages(loads);
  } finally {
    await browser.close();
    floor.close();
    await leadline.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const PAGE = '<!doctype html><title>Floor</title><script type="module" src="/button.js"></script><body>';
const SCRIPT = 'document.body.append(Object.assign(document.createElement("button"), { textContent: "Dial" }))';

/** Runs in the page: notes when there is a Dial button. */
const WATCH = `new MutationObserver((_, watch) => {
  if (![...document.querySelectorAll('button')].some(({ textContent }) => textContent.trim().startsWith('Dial'))) return;
  watch.disconnect();
  performance.mark('dial');
}).observe(document, { childList: true, subtree: true })`;
const DIAL = `performance.getEntriesByName('dial')[0]?.startTime`;

async function signIn(browser: Browser, address: string, password: string): Promise<Target> {
  const context = await browser.send<{ browserContextId: string }>('Target.createBrowserContext');
  const page = await openPage(browser, context.browserContextId);
  await page.send('Page.addScriptToEvaluateOnNewDocument', { source: WATCH });
  await page.send('Page.navigate', { url: `${address}/sign-in` });
  await page.until(`document.querySelector('[type=password]') !== null`);
  await page.look(`document.querySelector('[type=email]').value = 'amara@demo.example';
    document.querySelector('[type=password]').value = '${password}';
    document.forms[0].requestSubmit()`);
  await page.until(`${DIAL} > 0`);
  const list = await page.look<string>(`localStorage.getItem('leadline list')`);
  const { cookies } = await browser.send<{ cookies: Cookie[] }>('Storage.getCookies', context);
  await browser.send('Target.disposeBrowserContext', context);
  const kept = cookies.map(({ name, value, domain, path, httpOnly }) => ({ name, value, domain, path, httpOnly }));
  return { name: 'desk', url: `${address}/work`, cookies: kept, list };
}

/** Cold: in a browser that has never been here, except that it is signed in and knows the list that was worked on last. */
async function load(browser: Browser, { url, cookies, list }: Target, kind: Kind): Promise<Load> {
  const isCold = kind.startsWith('cold');
  const context = isCold ? await browser.send<{ browserContextId: string }>('Target.createBrowserContext') : undefined;
  await browser.send('Storage.setCookies', { cookies, ...context });
  const page = await openPage(browser, context?.browserContextId);
  await page.send('Page.addScriptToEvaluateOnNewDocument', { source: WATCH });
  if (list) {
    const source = `localStorage.setItem('leadline list', '${list}')`;
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source });
  }
  await page.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.send('Emulation.setCPUThrottlingRate', { rate: kind.endsWith('4×') ? 4 : 1 });
  await page.send('Page.navigate', { url });
  await page.until(`${DIAL} > 0`);
  const { metrics } = await page.send<{ metrics: { name: string; value: number }[] }>('Performance.getMetrics');
  const thread = 1_000 * metrics.find(({ name }) => name === 'TaskDuration')!.value;
  const dial = await page.look<number>(DIAL);
  await page.close();
  if (context) await browser.send('Target.disposeBrowserContext', context);
  return { dial, thread };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

function writePages(loads: Map<string, Load[]>): string {
  const lines = KINDS.map((kind) => {
    const [floor, desk] = ['floor', 'desk'].map((name) => {
      const all = loads.get(`${kind} ${name}`)!;
      const dials = all.map(({ dial }) => dial);
      return [median(dials), Math.min(...dials), median(all.map(({ thread }) => thread))].map(Math.round);
    });
    return `| ${[kind, ...desk!, ...floor!].join(' | ')} |`;
  });
  return [
    '| | Dial ms | least | thread ms | floor ms | least | thread ms |',
    '| --- | --: | --: | --: | --: | --: | --: |',
    ...lines,
    '',
  ].join('\n');
}
