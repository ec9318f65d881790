import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../leadline.ts';
import { expectFitting, hears, intercept, lingerNotices, openBrowser, openPage, withBrowser } from './browser.ts';
import { furnish, openService, HOSTILE } from './service.ts';

const service = await openService();

type House = Awaited<ReturnType<typeof furnish>>;

const addLead = async ({ api, list }: House, lead: Record<string, string>): Promise<number> =>
  (await api('POST', `/lists/${list.id}/leads`, { lead })).id;

/** The page of a lead, as the owner sees it. */
async function openLead({ signIn }: House, id: number, options = { width: 1440, height: 900 }) {
  const opened = await openPage(await openBrowser(), { viewport: options });
  const { page } = opened;
  await signIn(page, `/leads/${id}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return opened;
}

// Who is called there hangs up after four seconds, to the millisecond.
const FOUR_SECONDS = '+442079460114';

/** A call, recorded. */
async function talk({ app, api }: House, leadId: number): Promise<void> {
  const { id } = await app('POST', '/calls', { call: { lead_id: leadId } });
  await eventually('it is recorded', async () => (await api('GET', `/calls/${id}`)).recordings.length > 0);
}

const activity = (page: Page) => page.getByRole('region', { name: 'Activity' });

describe('the page of a lead', withBrowser, () => {
  test('whoever only looks at a field changes nothing; what is typed is kept from another size and another page', async () => {
    const house = await furnish(service);
    const { address, api, list, join } = house;
    const lead = { company_name: 'Marlowe Freight', first_name: 'Imogen', last_name: 'Hart', title: 'Buyer' };
    const id = await addLead(house, lead);
    const { page } = await openLead(house, id);
    const read = async () => (await api('GET', `/leads/${id}`)).lead_data;
    await page.locator('[data-field="first_name"]').click();
    await page.getByRole('textbox', { name: 'First name' }).waitFor();
    await hears(page);
    await api('PATCH', `/leads/${id}`, { lead: { first_name: 'Imogen R.', title: 'Fleet manager' } });
    await page.getByText('Fleet manager').first().waitFor();
    await page.keyboard.press('Enter');
    await page.locator('[data-field="first_name"]').getByText('Imogen R.').waitFor();
    assert.equal((await read()).first_name, 'Imogen R.');

    await page.getByRole('textbox', { name: 'Note' }).fill('Ask for the depot');
    await page.goto(`${address}/lists/${list.id}/leads`);
    await page.goto(`${address}/leads/${id}`);
    assert.equal(await page.getByRole('textbox', { name: 'Note' }).inputValue(), 'Ask for the depot');

    const { page: ann } = await openPage(await openBrowser(), { viewport: { width: 1440, height: 900 } });
    await join(ann, 'ann@example.com');
    await ann.getByRole('heading', { level: 1, name: 'Marlowe Freight' }).waitFor();
    await ann.locator('[data-field="title"]').click();
    await ann.getByRole('textbox', { name: 'Title' }).fill('Head of fleet');
    await ann.setViewportSize({ width: 900, height: 900 });
    await eventually('it is saved', async () => (await read()).title === 'Head of fleet');
  });

  test('what changes after a page was answered and before it listens is shown, as what changes later', async () => {
    const house = await furnish(service);
    const id = await addLead(house, { company_name: 'Marlowe Freight', title: 'Buyer' });
    const { page } = await openLead(house, id);
    const listening = Promise.withResolvers<void>();
    await intercept(page, '**/app/live?*', async (route) => {
      await listening.promise;
      await route.continue();
    });
    await page.reload();
    await page.getByText('Buyer').first().waitFor();
    // Later than this it would take the service for gone, and ask for everything again.
    await house.api('PATCH', `/leads/${id}`, { lead: { title: 'Fleet manager' } });
    listening.resolve();
    await page.getByText('Fleet manager').first().waitFor();
    await hears(page);
    await house.api('PATCH', `/leads/${id}`, { lead: { title: 'Head of fleet' } });
    await page.getByText('Head of fleet').first().waitFor();
  });

  test('a value of several lines keeps them, in whatever field it is', async () => {
    const house = await furnish(service);
    const { api, app, list } = house;
    await app('POST', `/lists/${list.id}/fields`, { field: { label: 'Address', kind: 'address' } });
    const id = await addLead(house, { company_name: 'Marlowe Freight', address: 'Unit 4\nDock Road\nHull' });
    const { page } = await openLead(house, id);
    const field = page.locator('[data-field="address"]');
    await field.click();
    await page.getByRole('textbox', { name: 'Address' }).press('Control+End');
    await page.keyboard.type(' HU1');
    await page.keyboard.press('Enter');
    await page.keyboard.type('England');
    await page.keyboard.press('Control+Enter');
    const written = 'Unit 4\nDock Road\nHull HU1\nEngland';
    await eventually('it is saved', async () => (await api('GET', `/leads/${id}`)).lead_data.address === written);
    assert.equal(await field.innerText(), written);
  });

  test('a note whose answers are lost for minutes is one and the same note', async () => {
    const house = await furnish(service);
    const id = await addLead(house, { company_name: 'Marlowe Freight' });
    const { page } = await openLead(house, id);
    await page.clock.install();
    let isAway = true;
    const keys: string[] = [];
    await intercept(page, `**/leads/${id}/comments`, (route) => {
      keys.push(route.request().headers()['idempotency-key']!);
      return isAway ? route.abort() : route.continue();
    });
    await page.getByRole('textbox', { name: 'Note' }).fill('Ask for the depot');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Not saved yet').waitFor();
    isAway = false;
    await page.clock.fastForward(120_000);
    await activity(page).getByText('“Ask for the depot”').waitFor();
    assert.ok(keys.length > 1);
    assert.equal(new Set(keys).size, 1);
  });

  test('an outcome that is chosen and not saved yet is there again, wherever one was meanwhile, also when it was refused', async () => {
    const house = await furnish(service);
    const { address, api, list } = house;
    const id = await addLead(house, { company_name: 'Marlowe Freight' });
    const { page } = await openLead(house, id);
    await lingerNotices(page);
    const open = page.getByRole('button', { name: 'Set outcome' });
    const form = page.getByRole('dialog', { name: 'Set outcome' });
    const note = form.getByLabel('Note');
    await open.click();
    await form.getByRole('radio', { name: 'Winner' }).click();
    await note.fill('Signed at the fair');
    await page.goto(`${address}/lists/${list.id}/leads`);
    await page.goto(`${address}/leads/${id}`);
    await open.click();
    assert.equal(await note.inputValue(), 'Signed at the fair');

    const held = Promise.withResolvers<void>();
    await intercept(page, `**/leads/${id}/winner`, async (route) => {
      await held.promise;
      await route.fulfill({ status: 409, json: { error: 'Ann holds this lead.', code: 'lead_claimed' } });
    });
    await form.getByRole('button', { name: 'Save as winner' }).click();
    await note.press('Escape');
    await form.waitFor({ state: 'hidden' });
    held.resolve();
    await page.getByText('Ann holds this lead.').waitFor();
    await page.unroute(`**/leads/${id}/winner`);
    await open.click();
    await form.getByText('Ann holds this lead.').waitFor();
    assert.equal(await note.inputValue(), 'Signed at the fair');
    await form.getByRole('button', { name: 'Save as winner' }).click();
    await activity(page).getByText('“Signed at the fair”').waitFor();
    assert.equal((await api('GET', `/leads/${id}`)).state, 'won');
    await form.waitFor({ state: 'hidden' });
    await open.click();
    await form.getByRole('button', { name: 'Choose an outcome' }).waitFor();
    assert.equal(await note.inputValue(), '');
  });

  test('gives it an outcome, a holder, a note and another list', async () => {
    const house = await furnish(service);
    const { api, list, join } = house;
    const id = await addLead(house, { company_name: 'Marlowe Freight' });
    await api('POST', '/lists', { list: { name: 'Depot expo' } });
    const { id: old } = await api('POST', '/lists', { list: { name: 'Depot expo of last year' } });
    await house.app('PATCH', `/lists/${old}`, { list: { archived: true } });
    const { page: ann } = await openPage(await openBrowser(), {});
    await join(ann, 'ann@example.com');
    const { page, complaints } = await openLead(house, id);
    await lingerNotices(page);

    await page.getByRole('button', { name: 'Set outcome' }).click();
    await page.getByRole('radio', { name: 'Call back' }).click();
    await page.getByRole('radio', { name: 'Positive' }).click();
    await page.getByRole('radio', { name: /^Pick/ }).click();
    await page.getByRole('textbox', { name: 'When' }).fill('tomorrow 14:30');
    await page.keyboard.press('Enter');
    await page.getByText('Exactly at').waitFor();
    await page.getByRole('dialog', { name: 'Set outcome' }).getByLabel('Note').fill('After the board meeting');
    await page.getByRole('button', { name: 'Save as call back' }).click();
    await activity(page).getByText('Call back, Positive').waitFor();
    await activity(page).getByText('“After the board meeting”').waitFor();

    await page.getByRole('button', { name: 'Delegate' }).click();
    await page.getByPlaceholder('Find a colleague').fill('ann');
    await page.getByRole('option', { name: /^Ann/ }).click();
    await page.getByText('Ann has the lead now.').waitFor();
    const { state, category, scheduled_for, claimed_by } = await api('GET', `/leads/${id}`);
    assert.deepEqual([state, category, claimed_by], ['call_back', 'Positive', 'ann@example.com']);
    assert.ok(new Date(scheduled_for) > new Date());

    await page.getByRole('textbox', { name: 'Note' }).fill('Ask for Imogen');
    await page.keyboard.press('Control+Enter');
    await activity(page).getByText('“Ask for Imogen”').waitFor();

    await page.getByRole('button', { name: 'Move' }).click();
    assert.deepEqual(await page.getByRole('option').allTextContents(), ['Depot expo']);
    await page.getByRole('option', { name: 'Depot expo' }).click();
    await page.getByRole('navigation', { name: 'Where this lead is' }).getByText('Depot expo').waitFor();
    assert.notEqual((await api('GET', `/leads/${id}`)).list_location, `/api/v2/lists/${list.id}`);
    assert.deepEqual(complaints, []);
  });

  test('says what became of a text, and of what one is to be reminded', async () => {
    const house = await furnish(service);
    const { address, api, app, list } = house;
    const id = await addLead(house, { company_name: 'Marlowe Freight' });
    const { page } = await openLead(house, id);
    await app('POST', `/leads/${id}/texts`, { text: { body: 'See you on Monday', number: '+4533112250' } });
    await activity(page).getByText('Text message failed').waitFor();
    await activity(page).getByText('Wrong number').waitFor();
    await api('POST', `/leads/${id}/winner`, { lead: { scheduled_for: '2031-07-02 12:00:00 UTC' } });
    await page
      .getByRole('region', { name: 'Lead' })
      .getByText(/^Reminder .*2031/)
      .waitFor();
    await page.goto(`${address}/lists/${list.id}/leads`);
    await page.getByText(/^Reminder .*2031$/).waitFor();
  });

  test('is found by typing what is known of it, and Enter opens the first', async () => {
    const house = await furnish(service);
    const id = await addLead(house, { company_name: 'Marlowe Freight', first_name: 'Imogen' });
    const { page, complaints } = await openLead(house, await addLead(house, { company_name: 'Somebody else' }));
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).getByLabel('Search').fill('imog');
    await page.getByRole('button', { name: /^Marlowe Freight/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/leads/${id}`);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('makes one lead of two with the values that were chosen, and asks once', async () => {
    const house = await furnish(service);
    const { address, api, join } = house;
    const phone = { work_office_phone: '+442079460183' };
    const id = await addLead(house, { company_name: 'Marlowe Freight', title: 'Buyer', ...phone });
    const hull = await addLead(house, { company_name: 'Marlowe Hull', title: 'Fleet Manager', ...phone });
    const other = await addLead(house, { company_name: 'Somebody else', ...phone });
    await api('POST', `/leads/${hull}/winner`);

    // An agent compares; merging is not theirs.
    const { page: ann } = await openPage(await openBrowser(), {});
    await join(ann, 'ann@example.com');
    await ann.getByRole('heading', { level: 1 }).waitFor();
    await ann.goto(`${address}/leads/${id}`);
    await ann.getByRole('button', { name: 'Merge into this lead' }).focus();
    await ann.getByRole('tooltip', { name: 'Data managers and owners merge leads.' }).waitFor();
    await ann.keyboard.press('Enter');
    assert.equal(await ann.getByRole('dialog').count(), 0);
    assert.equal(await ann.getByRole('radio').count(), 0);

    const { page, complaints } = await openLead(house, id);
    const panel = page.getByRole('region', { name: 'Possible duplicate' });
    await panel.getByText('1 of 2').waitFor();
    await panel.getByRole('link', { name: 'Marlowe Hull' }).waitFor();
    await panel.getByText('The lead becomes Won.').waitFor();
    await panel.getByRole('radio', { name: 'Title: the duplicate, Fleet Manager' }).check();
    await panel.getByRole('button', { name: 'Merge into this lead' }).click();
    const asking = page.getByRole('dialog', { name: 'Merge Marlowe Hull into Marlowe Freight?' });
    await asking.waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent === 'Keep both');
    await asking.getByRole('button', { name: 'Merge the two' }).click();
    await panel.getByText('1 of 1').waitFor();
    const { lead_data, state } = await api('GET', `/leads/${id}`);
    assert.deepEqual([lead_data.company_name, lead_data.title, state], ['Marlowe Freight', 'Fleet Manager', 'won']);
    assert.equal((await api('GET', `/leads/${hull}`)).code, 'merged');
    await panel.getByRole('button', { name: 'Not a duplicate' }).click();
    await panel.waitFor({ state: 'detached' });
    assert.deepEqual((await api('GET', `/leads/${id}`)).ignored_duplicates, [other]);
    // Who has kept the address of the other comes to the one that it is now.
    await page.goto(`${address}/leads/${hull}`);
    await page.waitForURL(`**/leads/${id}`);
    // Who has it open while it is merged, too, with what they write.
    const { id: delegate_to } = (await api('GET', '/users')).find((one: { email: string }) =>
      one.email.startsWith('ann@'),
    );
    await api('PATCH', `/leads/${other}/delegate`, { lead: { delegate_to } });
    await page.goto(`${address}/leads/${other}`);
    await page.getByRole('textbox', { name: 'Note' }).fill('Budget opens');
    await hears(page);
    await house.app('POST', `/leads/${id}/merge`, { duplicate_id: other });
    await page.waitForURL(`**/leads/${id}`);
    await page.getByText(/^Claimed by empty → \w/).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Marlowe Freight' }).waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Note' }).inputValue(), 'Budget opens');
    assert.deepEqual(complaints, []);
  });

  test('the telephone beside a number, clicked twice, calls once and leads to the desk', async () => {
    const house = await furnish(service);
    const id = await addLead(house, { company_name: 'Marlowe Freight', work_office_phone: '+442079460183' });
    const { page, complaints } = await openLead(house, id);
    const [answer, desk] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let asked = 0;
    await intercept(page, '**/app/calls', async (route) => {
      asked += 1;
      await answer.promise;
      await route.continue();
    });
    await intercept(page, '**/app/lists/*/next', async (route) => {
      await desk.promise;
      await route.continue();
    });
    // It is shown for a second at most while the desk is coming, and then hidden.
    const telephone = page.getByRole('button', { name: /^Call Work/, includeHidden: true });
    await telephone.dblclick();
    await eventually('it is asked for', async () => asked > 0);
    answer.resolve();
    await page.waitForURL('**/work');
    await telephone.dispatchEvent('click');
    desk.resolve();
    await page.getByRole('region', { name: 'Outcome', exact: true }).waitFor();
    assert.equal(asked, 1);
    assert.deepEqual(complaints, []);
  });

  test('plays what was recorded, by mouse and by keys, says why where there is nothing, and is for everyone', async () => {
    const house = await furnish(service);
    const { address, api, app } = house;
    const id = await addLead(house, { company_name: HOSTILE, first_name: HOSTILE, work_office_phone: FOUR_SECONDS });
    await addLead(house, { company_name: `${HOSTILE} twin`, work_office_phone: FOUR_SECONDS });
    await talk(house, id);
    await app('POST', `/leads/${id}/loser`, { lead: { category: HOSTILE.replaceAll(',', ''), comment: HOSTILE } });
    const { page, complaints } = await openLead(house, id);
    const panel = page.getByRole('region', { name: 'Call', exact: true });
    const position = panel.getByRole('slider', { name: 'Position' });
    await position.waitFor();
    // Written by another clock than the one by which they hang up, and longer where a busy machine comes to that late.
    assert.match((await position.getAttribute('aria-valuetext'))!, /^0:00 of 0:(0[3-9]|[1-5]\d)$/);
    // What plays goes on until it is paused: a recording that had ended meanwhile could not be.
    await page.evaluate(() =>
      addEventListener('play', ({ target }) => ((target as HTMLAudioElement).loop = true), { capture: true }),
    );
    const playing = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('audio')].map(({ currentTime, paused, playbackRate }) => ({
          currentTime,
          paused,
          playbackRate,
        })),
      );

    await panel.getByRole('button', { name: 'Play', exact: true }).click();
    await eventually('it is heard', async () => (await playing()).some(({ currentTime }) => currentTime > 0.2));
    await panel.getByRole('button', { name: 'Pause', exact: true }).click();
    assert.ok((await playing()).every(({ paused }) => paused));
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('ArrowLeft');
    assert.ok((await playing()).every(({ currentTime }) => currentTime === 0));
    await page.keyboard.press('>');
    await panel.getByRole('button', { name: 'Speed: 1.25 times' }).waitFor();
    await page.keyboard.press('Space');
    await eventually('Space plays', async () =>
      (await playing()).some(({ paused, playbackRate }) => !paused && playbackRate === 1.25),
    );

    // One at a time: the small player of the feed stops the large one.
    await activity(page)
      .getByRole('button', { name: /^Play the call of/ })
      .click();
    await activity(page)
      .getByRole('button', { name: /^Pause the call of/ })
      .waitFor();
    await panel.getByRole('button', { name: 'Play', exact: true }).waitFor();
    assert.equal((await playing()).filter(({ paused }) => !paused).length, 1);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      panel.getByRole('button', { name: 'Download the recording' }).click(),
    ]);
    assert.match(file.suggestedFilename(), /^call .*\.wav$/);
    // Keys rest while someone types.
    await page.getByRole('textbox', { name: 'Note' }).fill('a b');
    await page.keyboard.press('Space');
    assert.equal(await page.getByRole('textbox', { name: 'Note' }).inputValue(), 'a b ');
    assert.deepEqual(complaints, []);
    await page.mouse.move(5, 400);
    await page.getByRole('tooltip').waitFor({ state: 'detached' });

    await expectFitting(page, 'lead');
    // Of the checker, which copies the style of the waves; the policy allows that to nobody.
    complaints.length = 0;
    await page.getByRole('button', { name: 'Set outcome' }).click();
    // It is put in its place a frame after it is there.
    await eventually('the form is not cut on a phone', async () => {
      const form = (await page.getByRole('dialog', { name: 'Set outcome' }).boundingBox())!;
      return form.x >= 0 && form.x + form.width <= 390;
    });
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1440, height: 900 });
    const silent = await addLead(house, { company_name: 'Nobody there', work_office_phone: '+442079460140' });
    const { id: call } = await app('POST', '/calls', { call: { lead_id: silent } });
    await eventually('nobody answers', async () => (await api('GET', `/calls/${call}`)).state === 'completed');
    await page.goto(`${address}/leads/${silent}`);
    await page.getByText('Nobody answered, so there is nothing to hear.').waitFor();
    assert.equal(await page.evaluate(() => 'hacked' in window), false);
    assert.deepEqual(complaints, []);
  });
});
