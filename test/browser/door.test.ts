import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually, makeFolder, startLeadline, type Leadline } from '../leadline.ts';
import { openBrowser, openPage, withBrowser } from './browser.ts';

/** The link in the log names the configured address; this instance listens on a free port. */
async function firstRunLink({ output, address }: Leadline): Promise<string> {
  const link = await eventually('a link', () => /"link":"([^"]+)"/.exec(output())?.[1]);
  const { pathname, search } = new URL(link);
  return address + pathname + search;
}

const fill = (page: Page, values: Record<string, string>) =>
  Object.entries(values).reduce(
    (before, [label, value]) => before.then(() => page.getByLabel(label).fill(value)),
    Promise.resolve(),
  );

test(
  'from the link in the log to an owner who signs out and in again, by keyboard, without a complaint',
  withBrowser,
  async () => {
    const leadline = await startLeadline({ env: { DATA_DIR: makeFolder() } });
    const browser = await openBrowser();
    const { page, complaints } = await openPage(browser, { viewport: { width: 1440, height: 900 } });

    await page.goto(leadline.address);
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Leadline is running');
    await page.goto(await firstRunLink(leadline));
    await fill(page, {
      'Name of your company': 'Acme <b>Calls</b>',
      'Address of this service': leadline.address,
      'E-mail': 'ann@example.com',
      Password: 'too short',
    });
    await page.keyboard.press('Enter');
    assert.match(
      await page.getByLabel('Password').evaluate((input) => input.nextElementSibling!.textContent),
      /must have 10 to 200 characters/,
    );
    assert.equal(await page.getByLabel('Name of your company').inputValue(), 'Acme <b>Calls</b>');
    await page.getByLabel('Password').fill('a whole sentence of mine');
    await page.keyboard.press('Enter');
    // Markup in a name is shown, never run.
    await page.getByText('Nothing here yet.').waitFor();
    await page.getByRole('button', { name: /menu$/ }).press('Enter');
    await page.getByText('Acme <b>Calls</b>').waitFor();
    await page.getByRole('menuitem', { name: 'Sign out' }).press('Enter');
    await page.waitForURL('**/sign-in');
    await fill(page, { 'E-mail': 'ann@example.com', Password: 'not the right one' });
    await page.keyboard.press('Enter');
    assert.equal(await page.getByRole('alert').innerText(), 'E-mail and password do not fit.');
    assert.equal(await page.getByLabel('E-mail').inputValue(), 'ann@example.com');
    await page.getByLabel('Password').fill('a whole sentence of mine');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing here yet.').waitFor();

    // The link is worth nothing now.
    await page.goto(await firstRunLink(leadline));
    assert.match(page.url(), /\/sign-in$/);
    // A refused form answers 4xx, which the browser notes; nothing else may be there.
    assert.deepEqual(
      complaints.filter((complaint) => !/status of 4\d\d/.test(complaint)),
      [],
    );
    await leadline.stop();
  },
);

test('the pages at the door fit a phone and both schemes; the reference loads from us alone', withBrowser, async () => {
  const env = { DATA_DIR: makeFolder(), OWNER_EMAIL: 'ann@example.com', OWNER_PASSWORD: 'a whole sentence of mine' };
  const leadline = await startLeadline({ env });
  const browser = await openBrowser();
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of [
      { width: 1280, height: 720 },
      { width: 390, height: 844 },
    ]) {
      const { page, complaints } = await openPage(browser, { colorScheme, viewport });
      for (const path of ['/sign-in', '/forgotten', '/accept?token=x', '/reset?token=x']) {
        await page.goto(leadline.address + path);
        const background = await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
        assert.equal(background, colorScheme === 'dark' ? 'rgb(16, 16, 20)' : 'rgb(246, 246, 249)');
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      }
      assert.deepEqual(
        complaints.filter((complaint) => !/status of 410/.test(complaint)),
        [],
      );
      await page.close();
    }
  }
  const { page, complaints } = await openPage(browser, {});
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${leadline.address}/docs`);
  await page.getByText('Invite a user').first().waitFor();
  assert.deepEqual(
    asked.filter((url) => !url.startsWith(leadline.address) && !/^(data|blob):/.test(url)),
    [],
  );
  // Scalar tells its version.
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.startsWith('@scalar/api-reference@')),
    [],
  );
  await leadline.stop();
});
