import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../leadline.ts';
import { findStumblingBlocks, intercept, lingerNotices, openBrowser, openPage, withBrowser } from './browser.ts';
import { findFaults } from './geometry.ts';
import { furnish, openService } from './service.ts';
import { walkStates } from './states.ts';
import { complained, resize } from './states/walk.ts';

/** Each layout where it has least room: three columns, three narrow ones, one, a phone, a laptop at twice the size. */
const TIGHTEST = [
  [1340, 900],
  [1100, 800],
  [700, 900],
  [640, 360],
  [320, 640],
] as const;

/** With more room, and in low windows: these too, and all of them for each state, by EVERY_SIZE=1. */
const OTHERS = [
  [1440, 900],
  [1280, 400],
  [820, 1180],
  [720, 450],
  [390, 844],
] as const;

/** Each state at three of the tightest, the next one at the next three: what pages share is seen at all of them. */
const sizesOf = (state: number) =>
  process.env.EVERY_SIZE
    ? [...TIGHTEST, ...OTHERS]
    : [0, 1, 2].map((step) => TIGHTEST[(state * 2 + step) % TIGHTEST.length]!);

/** Each state is read aloud at one of these and in one scheme; the next one at the next, in the other. */
const READ = [
  [1440, 900],
  [900, 1180],
  [390, 844],
] as const;

/** What is refused or broken off on purpose; and of the one that reads aloud, who copies the style of the waves: the policy allows that to nobody. */
const EXPECTED = /status of 4\d\d|net::ERR_FAILED|^Applying inline style violates/;

const service = await openService();

const leadIs = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1 }).getByText(name, { exact: true }).waitFor();

describe('at every size', withBrowser, () => {
  test('nothing is cut, covered, out of reach or hard to read, on any page, in any state', async () => {
    const faults: string[] = [];
    let looked = 0;
    await walkStates(service, async (page, name, fits) => {
      for (const [width, height] of sizesOf(looked).filter(([wide]) => fits(wide))) {
        await resize(page, { width, height });
        for (const fault of await findFaults(page)) faults.push(`${name}, ${width} × ${height}: ${fault}`);
      }
      const sizes = READ.filter(([wide]) => fits(wide));
      const [width, height] = sizes[looked % sizes.length]!;
      const colorScheme = looked % 2 === 0 ? 'light' : 'dark';
      looked += 1;
      await resize(page, { width, height });
      await page.emulateMedia({ colorScheme });
      for (const block of await findStumblingBlocks(page)) faults.push(`${name}, ${width}, ${colorScheme}: ${block}`);
    });
    assert.deepEqual(faults, []);
    assert.deepEqual(
      complained.flat().filter((complaint) => !EXPECTED.test(complaint)),
      [],
    );
  });

  test('below 1100 px script, lead and activity are tabs: arrows go from one to the next, F opens the lead', async () => {
    const { addLeads, join } = await furnish(service);
    await addLeads(['Marlowe Freight'], '0101');
    const { page, complaints } = await openPage(await openBrowser(), { viewport: { width: 1099, height: 800 } });
    await join(page, 'ann@example.com');
    await leadIs(page, 'Marlowe Freight');
    const script = page.getByRole('tabpanel', { name: 'Script' });
    await script.getByText('Good morning').waitFor();
    await page.getByRole('tab', { name: 'Script', selected: true }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Lead', selected: true }).waitFor();
    await script.waitFor({ state: 'hidden' });
    // On to what the tab shows.
    await page.keyboard.press('Tab');
    const inLead = () =>
      page.getByRole('tabpanel', { name: 'Lead' }).evaluate((panel) => panel.contains(document.activeElement));
    assert.ok(await inLead());
    await page.getByRole('tab', { name: /^Activity 1/ }).click();
    await page
      .getByRole('tabpanel', { name: /^Activity/ })
      .getByText('Added')
      .waitFor();
    await page.keyboard.press('d');
    await page.getByText('Connected').waitFor();
    // Whom one talks to is said where the card is out of sight.
    await page.getByRole('region', { name: 'Lead' }).getByText('+442079460101').waitFor();
    await page.keyboard.press('f');
    await page.getByRole('textbox', { name: 'Company name' }).fill('Marlowe Freight Ltd');
    await page.keyboard.press('Enter');
    await leadIs(page, 'Marlowe Freight Ltd');
    // With room for three columns there are no tabs.
    await page.setViewportSize({ width: 1100, height: 800 });
    await page.getByRole('tablist').waitFor({ state: 'detached' });
    await script.waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Script' }).getByText('Good morning').waitFor();
    await page.keyboard.press('h');
    await page.getByRole('button', { name: /^Dial/ }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('a notice names its lead and leaves with it; one that takes the lead up again stays', async () => {
    const { addLeads, join } = await furnish(service);
    await addLeads(['Marlowe Freight', 'Ashdown Couriers'], '0101');
    const { page } = await openPage(await openBrowser(), { viewport: { width: 1440, height: 900 } });
    await lingerNotices(page);
    await join(page, 'ann@example.com');
    await leadIs(page, 'Marlowe Freight');
    await intercept(page, '**/app/calls', (route) => route.abort());
    await page.keyboard.press('d');
    const notice = page.getByRole('alert').filter({ hasText: 'That did not work' }).first();
    await notice.getByText('Marlowe Freight').waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await leadIs(page, 'Ashdown Couriers');
    await page.getByText('Archive saved').waitFor();
    await notice.waitFor({ state: 'hidden' });
    // From another page nothing is opened again, and nothing offers it.
    await page.getByRole('button', { name: /: menu$/ }).click();
    await page.getByRole('menuitem', { name: 'Preferences' }).click();
    await page.getByRole('heading', { name: 'Credentials' }).waitFor();
    await page.getByText('Archive saved').waitFor({ state: 'hidden' });
  });

  test('a phone field that is no number says so, and how it is written', async () => {
    const { address, api, list, join } = await furnish(service);
    const lead = {
      company_name: 'Marlowe Freight',
      work_office_phone: 'ask at reception',
      mobile_phone: '+44 20 7946',
    };
    const { id } = await api('POST', `/lists/${list.id}/leads`, { lead });
    const { page } = await openPage(await openBrowser(), { viewport: { width: 1440, height: 900 } });
    await join(page, 'ann@example.com');
    await leadIs(page, 'Marlowe Freight');
    const [none, unknown] = [/^Not a phone number we can dial\. Write it with \+/, /^No such number that we know/];
    await page.getByText(none).waitFor();
    await page.getByText(unknown).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Call Work/ }).count(), 0);
    await page.getByRole('button', { name: 'ask at reception' }).click();
    await page.getByRole('textbox', { name: 'Work/Office phone' }).fill('+44 20 7946 0101');
    await page.keyboard.press('Enter');
    await page.getByText(none).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: /^Call Work/ }).waitFor();
    await page.goto(`${address}/leads/${id}`);
    await page.getByText(unknown).waitFor();
  });

  test('the note grows with what is written, to six lines, and then scrolls', async () => {
    const { addLeads, join } = await furnish(service);
    await addLeads(['Marlowe Freight'], '0101');
    const { page } = await openPage(await openBrowser(), { viewport: { width: 1440, height: 900 } });
    await join(page, 'ann@example.com');
    await leadIs(page, 'Marlowe Freight');
    const note = page.getByLabel('Note');
    const linesOf = (count: number) => Array.from({ length: count }, (_, line) => `line ${line}`).join('\n');
    const heightWith = async (lines: number) => {
      await note.fill(linesOf(lines));
      return note.evaluate((area) => [area.clientHeight, area.scrollHeight - area.clientHeight] as const);
    };
    const [two] = await heightWith(2);
    const [four, left] = await heightWith(4);
    const [six, none] = await heightWith(6);
    const [ten, more] = await heightWith(10);
    assert.ok(two < four && four < six, `${two} < ${four} < ${six}`);
    assert.deepEqual([left, none, ten], [0, 0, six]);
    assert.ok(more > 0);
  });

  test('what was wrong with a field is not said of what is written there now', async () => {
    const { address, signIn } = await furnish(service);
    const { page } = await openPage(await openBrowser(), { viewport: { width: 1440, height: 900 } });
    await signIn(page, '/manage/users');
    await page.getByRole('button', { name: 'Invite someone' }).click();
    const email = page.getByRole('dialog').getByLabel('E-mail');
    await email.fill('nobody');
    await page.keyboard.press('Enter');
    await eventually('it is refused', async () => (await email.getAttribute('aria-invalid')) === 'true');
    await email.fill('nobody@example.com');
    assert.notEqual(await email.getAttribute('aria-invalid'), 'true');
    await page.goto(`${address}/preferences/credentials`);
    const password = page.getByLabel('Current password', { exact: true });
    await password.fill('not the right one');
    await page.getByLabel('New password', { exact: true }).fill('a whole sentence of mine');
    await page.keyboard.press('Enter');
    await page.getByText(/^The password /).waitFor();
    await password.fill('another');
    await page.getByText(/^The password /).waitFor({ state: 'hidden' });
  });

  test('a lead that was found has those found before and after it, by J and K', async () => {
    const { address, addLeads, signIn } = await furnish(service);
    await addLeads(['Marlowe One', 'Marlowe Two', 'Marlowe Three'], '0101');
    const { page } = await openPage(await openBrowser(), { viewport: { width: 1440, height: 900 } });
    await signIn(page, '/manage/users');
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).getByLabel('Search').fill('marlowe');
    const found = page.getByRole('dialog', { name: 'Commands' }).getByText(/^Marlowe (One|Two|Three)$/);
    await eventually('three are found', async () => (await found.count()) === 3);
    const names = await found.allInnerTexts();
    await found.first().click();
    await leadIs(page, names[0]!);
    const among = page.getByRole('group', { name: 'The leads you came from' });
    await among.getByText('1 of 3').waitFor();
    assert.ok(await among.getByRole('button', { name: 'Lead before' }).isDisabled());
    await page.keyboard.press('j');
    await leadIs(page, names[1]!);
    await among.getByRole('button', { name: 'Next lead' }).click();
    await leadIs(page, names[2]!);
    await page.keyboard.press('k');
    await leadIs(page, names[1]!);
    // Whoever comes by its address alone came from nowhere.
    const here = page.url();
    await page.goto(`${address}/manage/users`);
    await page.goto(here);
    await leadIs(page, names[1]!);
    assert.equal(await among.count(), 0);
  });
});
