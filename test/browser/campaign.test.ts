import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser, openPage, withBrowser } from './browser.ts';
import { openService, signInAtDoor } from './service.ts';

const service = await openService();
const viewport = { width: 1440, height: 900 };

const open = async () => openPage(await openBrowser(), { viewport, locale: 'en-GB', reducedMotion: 'reduce' });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
const part = async (page: Page, name: string) => {
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('region', { name, exact: true }).first().waitFor();
};

describe('a campaign', withBrowser, () => {
  test('is set up from nothing without the API, worked by someone invited, and changed and paused meanwhile', async () => {
    const { address } = await service.addAccount();
    const { page, complaints } = await open();
    await signInAtDoor(page, address, '/work');
    await page.getByRole('link', { name: 'Start with an empty list' }).click();
    await heading(page, 'New list');
    await page.getByLabel('Name').fill('Autumn');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/settings\/fields$/);

    // Three fields of its own.
    await page.getByRole('button', { name: 'Add a field' }).click();
    const adding = page.getByRole('form', { name: 'Add a field' });
    for (const [label, kind] of [
      ['Vans', 'Whole number'],
      ['Switchboard', 'Text'],
      ['Depot', 'Address'],
    ] as const) {
      await adding.getByLabel('Kind').selectOption({ label: kind });
      await adding.getByLabel('Label').fill(label);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: `Hide ${label}` }).waitFor();
    }
    await adding.getByRole('button', { name: 'Done' }).click();

    // What can come of a call.
    await page.getByRole('link', { name: 'Outcomes', exact: true }).click();
    await page.getByRole('button', { name: 'Add a category of winner' }).click();
    await page.keyboard.type('Order');
    await page.keyboard.press('Enter');
    await page.getByText('Order', { exact: true }).first().waitFor();
    await page.keyboard.type('Survey, booked');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText(/comma/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add a category of call back' }).click();
    await page.keyboard.type('Gatekeeper');
    await page.keyboard.press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'Gatekeeper' }).waitFor();
    await page.keyboard.press('Escape');

    // What is said.
    await page.getByRole('link', { name: 'Script', exact: true }).click();
    await page.getByRole('textbox', { name: 'Script' }).fill('# Opening\n\nHow many vans does {{company_name}} run?');
    await page.keyboard.press('Control+s');
    await page
      .getByText(/^Saved/)
      .first()
      .waitFor();

    // Two leads, by hand.
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Add the first lead' }).waitFor();
    await page.keyboard.press('a');
    const form = page.getByRole('dialog', { name: 'Add a lead' });
    for (const [company, phone] of [
      ['Marlowe Freight', '+442079460112'],
      ['Ashdown Couriers', '+442079460113'],
    ] as const) {
      await form.getByLabel('Company name').fill(company);
      await form.getByLabel('Work/Office phone').fill(phone);
      await form.getByLabel('Switchboard').fill(company === 'Marlowe Freight' ? 'ask for Denise' : '+44 20 7946 0199');
      await page.keyboard.press('Control+Enter');
      await form.getByText(`Added ${company}.`).waitFor();
    }
    // The same number again is shown before it is saved.
    await form.getByLabel('Work/Office phone').fill('+44 20 7946 0112');
    await form.getByRole('link', { name: /Marlowe Freight/ }).waitFor();
    await form.getByLabel('Work/Office phone').fill('');
    await page.keyboard.press('Escape');

    // Someone who calls them.
    await page.getByRole('link', { name: 'Settings' }).click();
    await part(page, 'People');
    await page.getByRole('button', { name: 'Invite someone' }).click();
    const invitation = page.getByRole('dialog', { name: 'Invite someone' });
    await invitation.getByLabel('E-mail').fill('nadia@example.com');
    await invitation.getByLabel('First name').fill('Nadia');
    await page.keyboard.press('Enter');
    const handOver = page.getByRole('dialog', { name: /this link/ });
    const link = await handOver.getByText(/\/accept\?token=/).innerText();
    await handOver.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('checkbox', { name: 'Nadia' }).and(page.locator(':checked')).waitFor();

    const { page: agent, complaints: agents } = await open();
    await agent.goto(link);
    await agent.getByLabel('Password').fill('tulip wagon moss');
    await agent.keyboard.press('Enter');
    await heading(agent, 'Marlowe Freight');
    await agent.getByText('How many vans does').waitFor();
    await agent.keyboard.press('c');
    await agent.getByRole('radio', { name: /Gatekeeper/ }).waitFor();

    // Meanwhile a kind changes and a category has another name.
    await part(page, 'Fields');
    await page.getByRole('button', { name: 'Actions for Switchboard' }).click();
    await page.getByRole('menuitem', { name: 'Change its kind' }).click();
    await page.getByRole('form', { name: 'Switchboard' }).getByLabel('Kind').selectOption({ label: 'Phone' });
    await page.getByText('1 of 2 values would not fit.').waitFor();
    await page.getByText('ask for Denise').waitFor();
    await page.getByRole('button', { name: 'Change to phone' }).click();
    await page.getByRole('button', { name: 'Actions for Switchboard' }).waitFor();
    await agent.getByText('Not a phone').waitFor();

    await page.getByRole('link', { name: 'Outcomes', exact: true }).click();
    await page.getByRole('button', { name: 'Actions for Gatekeeper' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByLabel('New name of Gatekeeper').fill('Front desk');
    await page.getByRole('button', { name: 'Rename Gatekeeper' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Front desk' }).waitFor();
    await agent.getByRole('radio', { name: /Front desk/ }).click();
    await agent.keyboard.press('Control+Enter');
    await heading(agent, 'Ashdown Couriers');
    await agent.keyboard.press('w');
    await agent.getByRole('radio', { name: /Order/ }).click();
    await agent.keyboard.press('Control+Enter');
    await heading(agent, /All caught up/);
    await page.getByRole('listitem').filter({ hasText: 'Front desk' }).getByText('1 leads').waitFor();

    // Paused, the desk says so.
    await page.getByRole('button', { name: 'Pause' }).click();
    await heading(agent, 'Autumn is paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    await heading(agent, /All caught up/);
    assert.deepEqual([complaints, agents], [[], []]);
  });
});
