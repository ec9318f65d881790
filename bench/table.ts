import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Account } from '../server/platform/actor.ts';
import { hire, type Agent } from './agents.ts';
import { openChromium, openPage, type Page } from './browser.ts';
import { KEYS } from './database.ts';
import { generate } from './generator.ts';
import { median } from './measure.ts';
import type { Measured } from './processes.ts';
import { request } from './shift.ts';

/** The table of leads over a million rows: its pages beside those of the API, and what scrolling it asks of a browser. */

/** The table of leads: each order, and each operator of docs/filters.md once. */
export const TABLE: Record<string, Record<string, string> | [string, string][]> = {
  'in the order of the queue': {},
  'created last': { order: '-created' },
  'updated last': { order: '-updated' },
  due: { order: 'due' },
  'dragged to the middle': { at: '550000' },
  'dragged to the end': { at: '1099900' },
  'state is': { f: 'state:is:won' },
  'state is not': { f: 'state:is_not:new' },
  'category is': { f: 'category:is:Sale' },
  'claimed by is set': { f: 'claimed_by:is_set' },
  'due between': { f: 'due:between:2026-11-16,2026-11-17', order: 'due' },
  'created at least': { f: 'created:at_least:2026-11-01', order: '-created' },
  'updated between': { f: 'updated:between:2026-11-01,2026-11-01' },
  'attempts at least': { f: 'attempts:at_least:1' },
  'last outcome at least': { f: 'last_outcome:at_least:2026-11-01' },
  'duplicate is yes': { f: 'duplicate:is:yes' },
  'imported by is set': { f: 'imported_by:is_set' },
  'fields are': [
    ['f', 'field.first_name:is:Anna'],
    ['f', 'field.last_name:is:Jensen'],
  ],
  'field in': { f: 'field.title:in:CEO,CFO' },
  'field contains': { f: 'field.title:contains:procure' },
  'field starts with': { f: 'field.company_name:starts_with:bra' },
  'field empty': { f: 'field.website:empty' },
  'in the order of a field': [
    ['f', 'field.first_name:is:Anna'],
    ['f', 'field.last_name:is:Jensen'],
    ['order', 'field.company_name'],
  ],
  words: { q: 'anna jensen' },
  'words of 5 %': { q: 'procurement' },
};

/** As long as a page of the table. */
const PAGE = 100;

export type TablePage = { what: string; ms: number; ofApi: number };
export type Scrolled = { what: string; long: number; longest: number };
export type TableRun = { api: number; pages: TablePage[]; scrolled: Scrolled[] };

type Measures = {
  url: string;
  account: Account;
  listId: number;
  product: Measured;
  seconds: number;
  rounds: number;
  say: (sentence: string) => void;
};

export async function measureTable(measures: Measures): Promise<TableRun> {
  const { url, account, listId, product, seconds, rounds, say } = measures;
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const [manager] = await hire(client, account.id, listId, 1);
    await client.query('update users set lists_admin = true where account_id = $1 and id = $2', [
      account.id,
      manager!.id,
    ]);
    const ask = async (next: () => string, time: number) =>
      (await generate({ port: product.port, connections: 1, seconds: time, next })).p50;
    const api = () =>
      `GET /api/v2/lists/${listId}/leads?per_page=${PAGE} HTTP/1.1\r\nhost: localhost:3000\r\nauthorization: Token "${KEYS.apiKey}"\r\n\r\n`;
    const asked = Object.entries(TABLE).map(([what, given]) => {
      const path = `/leads?lists=${listId}&size=${PAGE}&${new URLSearchParams(given).toString()}`;
      return { what, next: () => request(manager!, 'GET', path) };
    });
    const everywhere = { what: 'all 511 lists', next: () => request(manager!, 'GET', `/leads?size=${PAGE}`) };
    const rowsOf = new Map<string, { ms: number; ofApi: number }[]>();
    await ask(api, seconds);
    const apis = [await ask(api, seconds / 2)];
    for (let round = 0; round < rounds; round += 1) {
      for (const { what, next } of [...asked, everywhere]) {
        // Statements are prepared and plans settled before anything counts.
        if (round === 0) {
          await ask(next, seconds / 2);
          apis.push(await ask(api, seconds / 2));
        }
        // Beside the page of the API just before and just after it, so that whatever else the machine does meets both.
        const before = apis.at(-1)!;
        const ms = await ask(next, seconds);
        const after = await ask(api, seconds / 2);
        apis.push(after);
        rowsOf.set(what, [...(rowsOf.get(what) ?? []), { ms, ofApi: (2 * ms) / (before + after) }]);
      }
      say(`pages, round ${round + 1}`);
    }
    const base = median(apis);
    const pages = [...rowsOf].map(([what, measured]) => ({
      what,
      ms: median(measured.map(({ ms }) => ms)),
      ofApi: median(measured.map(({ ofApi }) => ofApi)),
    }));
    return { api: base, pages, scrolled: await scroll(product, manager!, listId, say) };
  } finally {
    await client.end();
  }
}

/** Runs in the page: tasks that took longer than 50 ms. */
const WATCH = `window.long = [];
new PerformanceObserver((list) => window.long.push(...list.getEntries().map(({ duration }) => duration)))
  .observe({ type: 'longtask' })`;
const ROWS = `document.querySelectorAll('.leads-row[data-id], .leads-body .leads-row:not(.on-its-way)').length > 10 &&
  document.querySelector('.on-its-way') === null`;
const BOX = `document.querySelector('.leads-scroll')`;

async function scroll({ port }: Measured, { token }: Agent, listId: number, say: Measures['say']) {
  const browser = await openChromium([`--host-resolver-rules=MAP localhost:3000 127.0.0.1:${port}`]);
  try {
    const cookies = [{ name: 'leadline_session', value: token, domain: 'localhost', path: '/', httpOnly: true }];
    await browser.send('Storage.setCookies', { cookies });
    const page = await openPage(browser);
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: WATCH });
    const scrolled: Scrolled[] = [];
    const phase = async (what: string, act: () => Promise<unknown>) => {
      await page.look('window.long && (window.long.length = 0)');
      await act();
      await page.until(ROWS);
      // What was begun comes to its end, and the observer to its turn.
      await sleep(500);
      const long = await page.look<number[]>('window.long');
      scrolled.push({ what, long: long.length, longest: Math.max(0, ...long) });
      say(`${what}: ${long.map(Math.round).join(', ') || 'nothing over 50 ms'}`);
    };
    await phase('open', () => page.send('Page.navigate', { url: `${KEYS.baseUrl}/leads?lists=${listId}` }));
    // The first rows of a page are drawn by script that was never run before.
    await wheel(page, 300, 10);
    await phase('wheel, 300 px each 50 ms', () => wheel(page, 300, 60));
    await phase('wheel, 3,000 px each 50 ms', () => wheel(page, 3_000, 60));
    await phase('drag to the middle', () => drag(page, 0, 0.5));
    await phase('wheel in the middle', () => wheel(page, 300, 60));
    await phase('drag to the end', () => drag(page, 0.5, 1));
    await phase('drag back to the beginning', () => drag(page, 1, 0));
    await phase('arrow down, 60 times', () => press(page, 'ArrowDown', 60));
    await phase('page down, 30 times', () => press(page, 'PageDown', 30));
    await phase('End and Home', async () => {
      await press(page, 'End', 1);
      await page.until(ROWS);
      await press(page, 'Home', 1);
    });
    await page.close();
    return scrolled;
  } finally {
    await browser.close();
  }
}

async function wheel(page: Page, deltaY: number, times: number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) {
    await page.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x: 700, y: 500, deltaX: 0, deltaY });
    await sleep(50);
  }
}

/** The bar is moved as a hand does it: some sixty times on the way. */
async function drag(page: Page, from: number, to: number): Promise<void> {
  for (let step = 1; step <= 60; step += 1) {
    const at = from + ((to - from) * step) / 60;
    await page.look(`${BOX}.scrollTop = ${at} * (${BOX}.scrollHeight - ${BOX}.clientHeight)`);
    await sleep(16);
  }
}

async function press(page: Page, key: string, times: number): Promise<void> {
  const codes: Record<string, number> = { ArrowDown: 40, PageDown: 34, End: 35, Home: 36 };
  for (let turn = 0; turn < times; turn += 1) {
    const one = { key, code: key, windowsVirtualKeyCode: codes[key] };
    await page.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...one });
    await page.send('Input.dispatchKeyEvent', { type: 'keyUp', ...one });
    await sleep(33);
  }
}
