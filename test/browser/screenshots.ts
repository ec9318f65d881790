// `npm run screenshots`: the pictures of the README, of a demo call centre as it really looks.
// `npm run screenshots -- folder`: every page in every state into that folder, and a contact sheet for each size and scheme.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { startLeadline } from '../leadline.ts';
import { findChromium } from './chromium.mjs';

const ROOT = join(import.meta.dirname, '..', '..');
const PICTURES = join(ROOT, 'docs', 'pictures');

const [sheets] = process.argv.slice(2);
if (sheets !== undefined) {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'test/run.ts'), join(ROOT, 'test/browser/sheets.ts')], {
    env: { ...process.env, PICTURES: resolve(sheets) },
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}

const folder = mkdtempSync(join(tmpdir(), 'leadline-pictures-'));
const env = { DATA_DIR: folder };
const leadline = await startLeadline({ env });
const browser = await chromium.launch({ executablePath: findChromium()!, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const { stdout } = spawnSync(process.execPath, [join(ROOT, 'bin/leadline.mjs'), 'demo'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  const password = /password (\S+)/.exec(stdout)![1]!;
  let called = 0;
  mkdirSync(PICTURES, { recursive: true });
  const open = async (email: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme, locale: 'en-GB' });
    await page.goto(`${leadline.address}/sign-in`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    return page;
  };
  const shoot = async (page: Page, name: string) => {
    await page.waitForTimeout(1_000);
    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
    console.log(`${name}.png`);
  };
  for (const scheme of ['light', 'dark'] as const) {
    const page = await open(scheme === 'light' ? 'amara@demo.example' : 'ben@demo.example', scheme);
    await page.getByRole('button', { name: /^Dial/ }).waitFor();
    await page.keyboard.press('d');
    await page.getByText('Connected').waitFor();
    await page.keyboard.press('c');
    await page.keyboard.press('2');
    await page.keyboard.press('e');
    await page.keyboard.type('Budget opens in January. Wants the figures before the call.');
    await page.getByRole('radio', { name: /^Tomorrow/ }).click();
    await shoot(page, scheme === 'light' ? 'work' : 'work-dark');
    // Long enough to look like a talk.
    await page.waitForTimeout(20_000);
    called = await page.evaluate(async () => {
      const line = (await (await fetch('/app/line')).json()) as { call: { lead_id: number } };
      return line.call.lead_id;
    });
    await page.keyboard.press('Control+Enter');
    await page.getByText('Call back saved').waitFor();
  }
  const manager = await open('daniel@demo.example');
  await manager.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
  await manager.goto(`${leadline.address}/leads/${called}`);
  await manager.getByRole('slider', { name: 'Position' }).waitFor();
  await shoot(manager, 'lead');
} finally {
  await browser.close();
  await leadline.stop();
  rmSync(folder, { recursive: true, force: true });
}
