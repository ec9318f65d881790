import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually, makeInstallation, startLeadline, type Leadline } from '../leadline.ts';
import { expectFitting, openBrowser, openPage, withBrowser } from './browser.ts';

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

const hasKeyboard = (page: Page, label: string) =>
  eventually(`${label} has the keyboard`, () =>
    page.getByLabel(label).evaluate((field) => field === document.activeElement),
  );

test(
  'from the link in the log to an owner who signs out and in again, by keyboard, without a complaint',
  withBrowser,
  async () => {
    const leadline = await startLeadline({ env: { DATA_DIR: makeInstallation() } });
    const browser = await openBrowser();
    const { page, complaints } = await openPage(browser, {
      viewport: { width: 1440, height: 900 },
      locale: 'en-DK',
      timezoneId: 'Europe/Copenhagen',
    });

    await page.goto(leadline.address);
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Leadline is running');
    await page.goto(await firstRunLink(leadline));
    await expectFitting(page, 'first run');
    // All that is missing is said at once, and a good password is kept.
    await fill(page, { 'Address of this service': 'nonsense', Password: 'a whole sentence of mine' });
    await page.keyboard.press('Enter');
    await page.getByText('Account name must have 1 to 255 characters.').waitFor();
    await page.getByText('Address of this service must be an http(s) address without a path.').waitFor();
    await page.getByText('Your e-mail is not a valid e-mail address.').waitFor();
    assert.equal(await page.getByLabel('Password').inputValue(), 'a whole sentence of mine');
    await expectFitting(page, 'first run, refused');
    await fill(page, {
      'Account name': 'Acme <b>Calls</b>',
      'Address of this service': leadline.address,
      'Your e-mail': 'ann@example.com',
      Password: 'too short',
    });
    // What the browser knows is chosen already.
    assert.deepEqual(
      [await page.getByLabel('Country').inputValue(), await page.getByLabel('Time zone').inputValue()],
      ['DK', 'Europe/Copenhagen'],
    );
    await page.getByText('Too short, 9 characters').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Password must have 10 to 200 characters.').waitFor();
    assert.equal(await page.getByLabel('Account name').inputValue(), 'Acme <b>Calls</b>');
    assert.equal(await page.getByLabel('Time zone').inputValue(), 'Europe/Copenhagen');
    await hasKeyboard(page, 'Password');
    await page.keyboard.type('Password123!');
    await page.keyboard.press('Enter');
    await page.getByText('Password is easily guessed: use a few unrelated words.').waitFor();
    await hasKeyboard(page, 'Password');
    await page.keyboard.type('a whole sentence of mine');
    await page.getByText('Long enough, 24 characters').waitFor();
    // What was wrong is not said of what is there now.
    assert.equal(await page.getByText('is easily guessed').isVisible(), false);
    await page.getByRole('button', { name: 'Show what is typed' }).press('Enter');
    assert.equal(await page.getByLabel('Password').getAttribute('type'), 'text');
    await page.keyboard.press('Enter');
    // The first thing an owner sees is the choice of how to begin.
    await page.getByText('Nothing here yet.').waitFor();
    await page.getByRole('button', { name: /demo call centre/i }).waitFor();
    // Markup in a name is shown, never run.
    await page.getByRole('button', { name: /menu$/ }).press('Enter');
    await page.getByText('Acme <b>Calls</b>').waitFor();
    await page.getByRole('menuitem', { name: 'Sign out' }).press('Enter');
    await page.waitForURL('**/sign-in');
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Sign in to Acme <b>Calls</b>');
    await fill(page, { 'E-mail': 'ann@example.com', Password: 'not the right one' });
    await page.getByLabel('Keep me signed in').press('Space');
    await page.keyboard.press('Enter');
    assert.equal(await page.getByRole('alert').innerText(), 'E-mail and password do not fit.');
    assert.equal(await page.getByLabel('E-mail').inputValue(), 'ann@example.com');
    assert.equal(await page.getByLabel('Keep me signed in').isChecked(), false);
    // The keyboard is where it has to be typed again.
    await hasKeyboard(page, 'Password');
    await page.keyboard.type('a whole sentence of mine');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing here yet.').waitFor();
    const [cookie] = await page.context().cookies();
    assert.equal(cookie!.expires, -1, 'it goes with the browser');

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
  const env = {
    DATA_DIR: makeInstallation(),
    OWNER_EMAIL: 'ann@example.com',
    OWNER_PASSWORD: 'a whole sentence of mine',
  };
  const leadline = await startLeadline({ env });
  const browser = await openBrowser();
  const { page: door, complaints: complained } = await openPage(browser, {});
  for (const path of ['/sign-in', '/forgotten', '/accept?token=x', '/nowhere']) {
    await door.goto(leadline.address + path);
    await expectFitting(door, path);
    // The picture is for those who have room for it.
    const picture = door.getByText('Leadline', { exact: true });
    assert.equal(await picture.isVisible(), false);
    await door.setViewportSize({ width: 1000, height: 720 });
    assert.equal(await picture.isVisible(), true);
  }
  assert.deepEqual(
    complained.filter((complaint) => !/status of 4(10|04)/.test(complaint)),
    [],
  );

  // No mail can be sent from here: said before and after one asks, with what helps instead.
  await door.goto(`${leadline.address}/forgotten`);
  await door.getByText('No mail can be sent from here.').waitFor();
  await fill(door, { 'E-mail': 'ann@example.com' });
  await door.keyboard.press('Enter');
  await door.getByRole('heading', { name: 'Ask an owner for the link' }).waitFor();
  await door.getByText('leadline owner reset').waitFor();
  await expectFitting(door, 'asked for a link');

  // Nothing of it needs a script.
  const { page: bare } = await openPage(browser, { javaScriptEnabled: false });
  await bare.goto(`${leadline.address}/sign-in`);
  assert.equal(await bare.getByRole('button', { name: 'Show what is typed' }).count(), 0);
  await fill(bare, { 'E-mail': 'ann@example.com', Password: 'a whole sentence of mine' });
  await bare.keyboard.press('Enter');
  await bare.waitForURL((url) => !url.pathname.startsWith('/sign-in'));

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
