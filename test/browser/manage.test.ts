import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../leadline.ts';
import { expectAccessible, openBrowser, openPage, withBrowser } from './browser.ts';
import { furnish, OWNER } from './service.ts';

const PAGES = {
  '/manage/users': 'Users',
  '/manage/subscription': 'Subscription',
  '/manage/account': 'Account',
  '/manage/integrations': 'Integrations',
  '/manage/outbox': 'Outbox',
  '/preferences/credentials': 'Credentials',
};

async function enter() {
  const service = await furnish();
  const opened = await openPage(await openBrowser(), { viewport: { width: 1440, height: 900 } });
  const { page } = opened;
  // Sent to the door, and back to where one was going.
  await page.goto(`${service.leadline.address}/manage/integrations`);
  await page.getByLabel('E-mail').fill(OWNER.email);
  await page.getByLabel('Password').fill(OWNER.password);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/manage/integrations');
  return { ...service, ...opened };
}

describe('managing', withBrowser, () => {
  test('every page is for everyone, in both schemes, on a desk and on a phone, without a complaint', async () => {
    const { leadline, page, complaints } = await enter();
    for (const [path, title] of Object.entries(PAGES)) {
      await page.goto(leadline.address + path);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await page.waitForLoadState('networkidle');
      for (const [width, height] of [
        [1440, 900],
        [390, 844],
      ] as const) {
        await page.setViewportSize({ width, height });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await expectAccessible(page, `${path}, ${width}, ${colorScheme}`);
        }
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${path} is ${overflow} px too wide at ${width}`);
      }
    }
    assert.deepEqual(complaints, []);
    await leadline.stop();
  });

  test('a webhook is subscribed, tried and looked at; the key shows after the password', async () => {
    const { leadline, page, subscriber, app, addLeads } = await enter();
    await addLeads(['Marlowe Freight'], '0101');
    await page.getByRole('button', { name: 'Subscribe' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Subscribe' });
    await dialog.getByLabel('Where').first().click();
    await page.getByRole('option', { name: 'Fleet charging' }).click();
    await dialog.getByLabel('Event').first().click();
    await page.getByRole('option', { name: /^loser/ }).click();
    await dialog.getByLabel('Address').fill(`${subscriber.url}/by-hand`);
    await dialog.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.keyboard.press('Tab');
    await page
      .getByRole('button', { name: /Done|Close|I have/ })
      .first()
      .click();
    await page.getByRole('button', { name: /^Actions for loser/ }).click();
    await page.getByRole('menuitem', { name: 'Send test' }).click();
    await eventually('the test arrives', () => subscriber.resources('/by-hand').length === 1);
    const hooks = (await app('GET', '/webhooks')) as { event: string }[];
    assert.deepEqual(new Set(hooks.map(({ event }) => event)), new Set(['winner', 'loser']));

    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Show/ }).first().click();
    await page.getByLabel('Your password', { exact: true }).fill(OWNER.password);
    await page.keyboard.press('Enter');
    await page.getByText('a-key-for-the-browser-tests-0123456789').waitFor();
    await leadline.stop();
  });
});
