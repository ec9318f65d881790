import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeFolder, startLeadline } from '../leadline.ts';
import { openBrowser, withBrowser } from './browser.ts';

test(
  'the first page opens without a complaint in the console, light and dark, wide and narrow',
  withBrowser,
  async () => {
    const leadline = await startLeadline({ env: { DATA_DIR: makeFolder() } });
    const browser = await openBrowser();
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const viewport of [
        { width: 1440, height: 900 },
        { width: 390, height: 844 },
      ]) {
        const page = await browser.newPage({ colorScheme, viewport });
        const complaints: string[] = [];
        page.on('console', (message) => complaints.push(message.text()));
        page.on('pageerror', (error) => complaints.push(error.message));
        await page.goto(leadline.address);
        assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Leadline is running');
        // The style sheet was let through by our own policy.
        const background = await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
        assert.equal(background, colorScheme === 'dark' ? 'rgb(16, 16, 20)' : 'rgb(246, 246, 249)');
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
        await page.waitForURL('**/health/ready');
        assert.deepEqual(complaints, []);
        await page.close();
      }
    }
    await leadline.stop();
  },
);
