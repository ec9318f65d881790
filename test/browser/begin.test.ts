import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expectFitting, lingerNotices, openBrowser, openPage, withBrowser } from './browser.ts';
import { furnish, openService } from './service.ts';

const service = await openService();
const viewport = { width: 1440, height: 900 };

/** The owner of an account, signed in. */
async function enter(path: string) {
  const account = await furnish(service);
  const opened = await openPage(await openBrowser(), { viewport });
  await account.signIn(opened.page, path);
  return { ...account, ...opened };
}

describe('beginning', withBrowser, () => {
  test('where no mail leaves, whoever invites gets the link; it leads inside, also Back does, and is gone from the outbox', async () => {
    const { app, page, complaints, address } = await enter('/manage/users');
    await page.getByRole('button', { name: 'Invite someone' }).click();
    await page.getByLabel('E-mail').fill('nadia@example.com');
    await page.getByLabel('First name').fill('Nadia');
    await page.getByText('No mail is sent from here, so you get the link to hand over.').waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Give nadia@example.com this link' });
    const link = await dialog.getByText(/\/accept\?token=/).innerText();
    assert.equal(await page.getByText(/on its way/).count(), 0);
    await expectFitting(page, 'the link');
    await page.setViewportSize({ width: 1440, height: 900 });
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });

    // It can be looked at again, and is the same.
    await page.getByRole('button', { name: 'Actions for Nadia' }).click();
    await page.getByRole('menuitem', { name: 'Show the invitation link' }).click();
    assert.equal(await dialog.getByText(/\/accept\?token=/).innerText(), link);
    await page.goto(`${address}/manage/outbox`);
    await page.getByText('No mail is sent from here: the service has no mail server').waitFor();
    await page.getByText('to nadia@example.com').waitFor();

    const { page: invited } = await openPage(await openBrowser(), { viewport: { width: 1440, height: 900 } });
    await invited.goto(link);
    await invited.getByLabel('Password').fill('tulip wagon moss');
    await invited.keyboard.press('Enter');
    await invited.getByText('No list is yours yet.').waitFor();
    await invited.goBack();
    await invited.getByText('No list is yours yet.').waitFor();
    assert.equal(new URL(invited.url()).pathname, '/work');
    await page.reload();
    await page.getByText('No mail in the last 72 hours.').waitFor();
    assert.deepEqual(await app('GET', '/outbox'), []);
    assert.deepEqual(complaints, []);
  });

  test('an empty list is no dead end: a lead is added by keyboard alone, and opens at the desk', async () => {
    const { address, api, page, complaints } = await enter('/manage/users');
    const { id } = await api('POST', '/lists', {
      list: {
        name: 'My first list',
        columns_attributes: [
          { label: 'Company', required: true },
          { label: 'Phone', kind: 'phone' },
          { label: 'Vans', kind: 'integer' },
          { label: 'Electric', kind: 'boolean' },
          { label: 'Remarks', kind: 'text' },
          { label: 'Hidden', visible: false },
        ],
      },
    });
    await page.evaluate((listId) => localStorage.setItem('leadline list', String(listId)), id);
    await page.goto(`${address}/work`);
    await page.getByRole('heading', { level: 1, name: 'My first list has no leads yet' }).waitFor();
    await page.getByLabel('Remarks').waitFor();
    assert.deepEqual(await page.locator('.add-lead label').allInnerTexts(), [
      'Company *',
      'Phone',
      'Vans',
      'Electric',
      'Remarks',
    ]);
    await page.getByRole('link', { name: 'how that is done' }).waitFor();
    await expectFitting(page, 'an empty list');
    await page.setViewportSize(viewport);
    // The keyboard is in the first field already, and goes to the one that is refused.
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await page.keyboard.press('Enter');
    await page.getByText('Company must not be empty.').waitFor();
    await page.keyboard.type('Marlowe Freight');
    await page.keyboard.press('Tab');
    await page.keyboard.type('+44 20 7946 0101');
    await page.keyboard.press('Tab');
    await page.keyboard.type('many');
    await page.keyboard.press('Enter');
    await page.getByText('Vans must be a whole number.').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('12');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Added Marlowe Freight. Here is room for the next.').waitFor();
    await page.keyboard.type('Halyard Haulage');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Halyard Haulage' }).waitFor();
    const leads = (await api('GET', `/lists/${id}/leads`)) as { lead_data: Record<string, string> }[];
    assert.deepEqual(
      leads.map(({ lead_data }) => [lead_data.company, lead_data.phone, lead_data.vans]),
      [
        ['Halyard Haulage', '', ''],
        ['Marlowe Freight', '+44 20 7946 0101', '12'],
      ],
    );
    assert.deepEqual(
      complaints.filter((complaint) => !/status of 422/.test(complaint)),
      [],
    );
  });

  test('leads that come to an empty list open by themselves, unless someone is writing one', async () => {
    const { api, page } = await enter('/manage/users');
    await lingerNotices(page);
    const begin = async (name: string) => {
      const { id } = await api('POST', '/lists', { list: { name } });
      await page.evaluate((listId) => localStorage.setItem('leadline list', String(listId)), id);
      await page.goto(new URL('/work', page.url()).href);
      await page.getByRole('heading', { level: 1, name: `${name} has no leads yet` }).waitFor();
      await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
      return (company: string) => api('POST', `/lists/${id}/leads`, { lead: { company_name: company } });
    };
    const addTo = await begin('First');
    await addTo('Marlowe Freight');
    await page.getByRole('heading', { level: 1, name: 'Marlowe Freight' }).waitFor();
    const addToOther = await begin('Second');
    await page.keyboard.type('Half a name');
    await addToOther('Ashdown Couriers');
    await page.getByText('There is a lead to call').waitFor();
    assert.equal(await page.getByLabel('Company name').inputValue(), 'Half a name');
    await page.getByRole('button', { name: /Open it/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Ashdown Couriers' }).waitFor();
  });

  test('Delegate offers those who work the list, the others under More with what they lack; the feed says who gave it to whom', async () => {
    const { address, api, list, page, addLeads, join, complaints } = await enter('/manage/users');
    await addLeads(['Marlowe Freight'], '0101');
    const { page: ann } = await openPage(await openBrowser(), { viewport });
    await join(ann, 'ann@example.com');
    await api('POST', '/users', {
      accept_charge_upon_invitation_acceptance: '1',
      user: { email: 'daniel@example.com', first_name: 'Daniel', listing_ids: [] },
    });
    const [lead] = (await api('GET', `/lists/${list.id}/leads`)) as { id: number }[];
    await page.goto(`${address}/leads/${lead!.id}`);
    await page.getByRole('button', { name: 'Delegate' }).click();
    const offered = () => page.getByRole('option').allInnerTexts();
    await page.getByRole('option', { name: 'More 1 other' }).waitFor();
    assert.deepEqual(
      (await offered()).map((text) => text.replaceAll(/\s+/g, ' ')),
      ['You', 'Ann ann@example.com', 'More 1 other'],
    );
    await page.getByRole('option', { name: 'More 1 other' }).click();
    await page.getByRole('option', { name: 'Daniel invited, has not accepted, not on this list' }).waitFor();
    await page.getByRole('option', { name: 'Ann ann@example.com' }).click();
    await page.getByText('You gave it to Ann').waitFor();
    await ann.goto(`${address}/leads/${lead!.id}`);
    await ann.getByText('owner@example.com gave it to you').waitFor();
    assert.deepEqual(complaints, []);
  });
});
