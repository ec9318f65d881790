import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { besides, expectFitting, openBrowser, openPage, withBrowser } from './browser.ts';
import { furnish, openService, OWNER } from './service.ts';

const service = await openService();
const viewport = { width: 1440, height: 900 };

type House = Awaited<ReturnType<typeof furnish>>;

const open = async () => openPage(await openBrowser(), { viewport, locale: 'en-GB', reducedMotion: 'reduce' });
const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selected leads' });
const verb = (page: Page, name: string) => bar(page).getByRole('button', { name, exact: true });
const question = (page: Page) => page.getByRole('dialog');
const acts = (page: Page) => page.getByRole('region', { name: 'Bulk acts' });
const press = (page: Page, name: string | RegExp) => question(page).getByRole('button', { name }).click();
const tick = (page: Page, name: string) =>
  page.getByRole('row').filter({ hasText: name }).getByRole('checkbox').click();
const deletes = (page: Page, leads: number, disabled = false) =>
  question(page).getByRole('button', { name: `Delete ${leads} leads`, disabled });
const title = (page: Page, name: string) => question(page).getByRole('heading', { name, exact: true }).waitFor();
const focused = (page: Page, name: string) =>
  page.waitForFunction((text) => document.activeElement?.textContent === text, name);

async function choose(page: Page, label: string, ...options: string[]): Promise<void> {
  await question(page).getByRole('combobox', { name: label }).click();
  for (const name of options) await page.getByRole('option', { name, exact: true }).click();
}

/** The owner before the leads of the list, all of which are chosen. */
async function chooseAll(house: House, names: string[]) {
  const { list, addLeads, signIn } = house;
  await addLeads(names, '0183');
  const opened = await open();
  const { page } = opened;
  await signIn(page, `/leads?lists=${list.id}`);
  await page.getByText(names[0]!, { exact: true }).waitFor();
  // What a lead can be moved to is known with it.
  await page.locator('.page-head').getByText('Fleet charging').waitFor();
  await page.keyboard.press('Control+a');
  await bar(page).getByText(`All ${names.length} that match`).waitFor();
  return opened;
}

async function joinAsSupervisor({ app, join }: House, page: Page): Promise<void> {
  await join(page, 'sue@example.com');
  const people = (await app('GET', '/users')) as { id: number; email: string }[];
  const { id } = people.find(({ email }) => email === 'sue@example.com')!;
  await app('PATCH', `/users/${id}`, { user: { supervisor: true } });
}

const NAMES = ['Alderbrook Haulage', 'Barrow & Finch', 'Cinderford Removals'];

describe('acts on many leads', withBrowser, () => {
  test('one question says what follows; the act says what came of it, and Undo brings all back', async () => {
    const house = await furnish(service);
    const { api } = house;
    const { id: other } = await api('POST', '/lists', { list: { name: 'Northern depots' } });
    const { page, complaints } = await chooseAll(house, NAMES);
    await verb(page, 'Move').click();
    await title(page, 'Move 3 leads');
    await choose(page, 'List', 'Northern depots');
    await title(page, 'Move 3 leads to Northern depots');
    await question(page).getByText('Tells nobody', { exact: true }).waitFor();
    await question(page)
      .getByText(/^Can be undone until/)
      .waitFor();
    await press(page, 'Move 3 leads');

    await acts(page).getByText('All 3 moved').waitFor();
    await bar(page).waitFor({ state: 'detached' });
    // The table is asked for anew by itself.
    await page.getByText(NAMES[0]!, { exact: true }).waitFor({ state: 'detached' });
    assert.equal((await api('GET', `/lists/${other}`)).leads_count, 3);

    await acts(page).getByRole('button', { name: 'Undo' }).click();
    await acts(page).getByText('All 3 are back').waitFor();
    await acts(page).getByRole('heading', { name: 'Moved to Northern depots, then undone' }).waitFor();
    await page.getByText(NAMES[0]!, { exact: true }).waitFor();
    assert.equal((await api('GET', `/lists/${other}`)).leads_count, 0);
    assert.deepEqual(complaints, []);
  });

  test('some are taken out of all that match, and the act leaves them alone', async () => {
    const house = await furnish(service);
    const { page } = await chooseAll(house, NAMES);
    await tick(page, NAMES[1]!);
    await bar(page).getByText('2 selected').waitFor();
    await verb(page, 'Delete').click();
    await title(page, 'Delete 2 leads');
    await press(page, 'Delete 2 leads');
    await acts(page).getByText('All 2 deleted').waitFor();
    await page.getByText(NAMES[0]!, { exact: true }).waitFor({ state: 'detached' });
    await page.getByText(NAMES[1]!, { exact: true }).waitFor();
  });

  test('those it was not done to are said before, counted by reason after, and named in a file', async () => {
    const house = await furnish(service);
    const { app } = house;
    const { page } = await chooseAll(house, NAMES);
    const { leads } = (await app('GET', `/leads?lists=${house.list.id}`)) as { leads: { id: number }[] };
    await app('POST', `/leads/${leads[0]!.id}/archive`, { lead: {} });
    await verb(page, 'Archive').click();
    await question(page).getByText('1 is already archived').waitFor();
    await press(page, /^Archive/);
    await acts(page).getByText('2 archived, 1 not').waitFor();
    await acts(page).getByRole('button', { name: 'see why' }).click();
    await acts(page)
      .getByRole('listitem')
      .filter({ hasText: /^1already archived$/ })
      .waitFor();
    const file = await acts(page)
      .getByRole('link', { name: /^The 1/ })
      .getAttribute('href');
    const text = await page.evaluate(async (address) => (await fetch(address)).text(), file!);
    assert.match(text, new RegExp(`${leads[0]!.id}.*already archived`));
  });

  test('a field is set by an input of its kind, or cleared where nothing is written', async () => {
    const house = await furnish(service);
    const { page } = await chooseAll(house, NAMES);
    await bar(page).getByRole('button', { name: 'More to do with them' }).click();
    await page.getByRole('menuitem', { name: 'Set a field' }).click();
    await choose(page, 'Field', 'Last name');
    await title(page, 'Clear Last name of 3 leads');
    await question(page).getByLabel('Value').fill('Rudd');
    await title(page, 'Set Last name of 3 leads to Rudd');
    await press(page, 'Set Last name of 3 leads');
    await acts(page).getByText('All 3 changed').waitFor();
    await acts(page).getByRole('heading', { name: 'Last name set to Rudd' }).waitFor();
  });

  test('the keyboard stays in the question and comes back to its verb', async () => {
    const { page } = await chooseAll(await furnish(service), NAMES);
    await verb(page, 'Delete').focus();
    await page.keyboard.press('Enter');
    await focused(page, 'Cancel');
    await deletes(page, 3).waitFor();
    await page.keyboard.press('Tab');
    await focused(page, 'Delete 3 leads');
    await page.keyboard.press('Tab');
    await focused(page, 'Cancel');
    await page.keyboard.press('Shift+Tab');
    await focused(page, 'Delete 3 leads');
    await page.keyboard.press('Escape');
    await question(page).waitFor({ state: 'detached' });
    await focused(page, 'Delete');
    await bar(page).getByText('All 3 that match').waitFor();
    await page.keyboard.press('Escape');
    await bar(page).waitFor({ state: 'detached' });
  });

  test('without a connection what was chosen is kept, and trying again does it once', async () => {
    const house = await furnish(service);
    await house.api('POST', '/lists', { list: { name: 'Northern depots' } });
    const { page, complaints } = await chooseAll(house, NAMES);
    await verb(page, 'Move').click();
    await page.context().setOffline(true);
    await choose(page, 'List', 'Northern depots');
    await question(page).getByRole('alert').waitFor();
    await title(page, 'Move 3 leads to Northern depots');
    await page.context().setOffline(false);
    await press(page, 'Try again');
    await question(page)
      .getByText(/^Can be undone until/)
      .waitFor();
    await page.context().setOffline(true);
    await press(page, 'Move 3 leads');
    await question(page).getByRole('alert').waitFor();
    await page.context().setOffline(false);
    await press(page, 'Try again');
    await acts(page).getByText('All 3 moved').waitFor();
    assert.equal((await house.app('GET', '/bulk')).length, 1);
    assert.deepEqual(besides(complaints, /Failed to load resource|ERR_INTERNET_DISCONNECTED/), []);
  });

  test('trying again is about the leads that are chosen by then, not about those that were', async () => {
    const house = await furnish(service);
    const { page } = await chooseAll(house, NAMES);
    await verb(page, 'Delete').click();
    await deletes(page, 3).waitFor();
    await page.context().setOffline(true);
    await press(page, 'Delete 3 leads');
    await question(page).getByRole('alert').waitFor();
    await tick(page, NAMES[1]!);
    await title(page, 'Delete 2 leads');
    await question(page).getByText('The service cannot be reached just now.').waitFor();
    await page.context().setOffline(false);
    await press(page, 'Try again');
    await press(page, 'Delete 2 leads');
    await acts(page).getByText('All 2 deleted').waitFor();
    await page.getByText(NAMES[0]!, { exact: true }).waitFor({ state: 'detached' });
    await page.getByText(NAMES[1]!, { exact: true }).waitFor();
    assert.equal((await house.app('GET', '/bulk')).length, 1);
  });

  test('what was refused for some leads is asked for others without beginning again', async () => {
    const house = await furnish(service);
    const { app, list } = house;
    const { page } = await chooseAll(house, NAMES);
    await house.holdActs();
    const { leads } = (await app('GET', `/leads?lists=${list.id}`)) as { leads: { id: number }[] };
    const bulk = { kind: 'archive', lead_ids: [leads[0]!.id], lead: {} };
    for (let acted = 0; acted < 20; acted += 1) await app('POST', '/bulk', { bulk });
    await verb(page, 'Delete').click();
    await press(page, 'Delete 3 leads');
    await question(page).getByText('20 of your bulk acts are not finished yet.').waitFor();
    await deletes(page, 3, true).waitFor();
    await tick(page, NAMES[1]!);
    await deletes(page, 2).waitFor();
    assert.equal(await question(page).getByRole('alert').count(), 0);
  });

  test('a service that is frozen is said to be silent, and its answer is taken when it comes', async () => {
    const house = await furnish(service);
    await house.api('POST', '/lists', { list: { name: 'Northern depots' } });
    const { page } = await chooseAll(house, NAMES);
    await verb(page, 'Move').click();
    process.kill(service.pid, 'SIGSTOP');
    try {
      await choose(page, 'List', 'Northern depots');
      await question(page).getByText('The service does not answer just now. What you chose is kept.').waitFor();
      await question(page).getByRole('button', { name: 'Try again' }).waitFor();
    } finally {
      process.kill(service.pid, 'SIGCONT');
    }
    await press(page, 'Move 3 leads');
    await acts(page).getByText('All 3 moved').waitFor();
  });

  test('whoever left finds the act under way, a colleague too, who can stop it', async () => {
    const house = await furnish(service);
    const { page } = await chooseAll(house, NAMES);
    const { page: colleague } = await open();
    await joinAsSupervisor(house, colleague);
    await house.holdActs();
    await verb(page, 'Archive').click();
    await press(page, 'Archive 3 leads');
    await acts(page).getByText('You can leave.').waitFor();
    await page.reload();
    await acts(page).getByRole('progressbar').waitFor();
    await acts(page).getByRole('heading', { name: 'Archiving 3' }).waitFor();

    await colleague.goto(`${house.address}/leads`);
    await acts(colleague).getByText(OWNER.email).waitFor();
    await acts(colleague).getByRole('button', { name: 'Stop' }).click();
    await acts(colleague).getByText('Stopped before anything was done').waitFor();
    await acts(page).getByText('Stopped before anything was done').waitFor();
  });

  test('an act that was begun elsewhere moves no rows when it ends: what it changed is counted', async () => {
    const house = await furnish(service);
    const { list, addLeads, app, signIn } = house;
    await addLeads(NAMES, '0183');
    const letGo = await house.holdActs();
    const { leads } = (await app('GET', `/leads?lists=${list.id}`)) as { leads: { id: number }[] };
    await app('POST', '/bulk', { bulk: { kind: 'archive', lead_ids: [leads[0]!.id], lead: {} } });
    const { page, complaints } = await open();
    await signIn(page, `/leads?lists=${list.id}`);
    const first = page.getByRole('row').nth(1);
    await first.getByText(NAMES[0]!, { exact: true }).waitFor();
    await acts(page).getByRole('progressbar').waitFor();
    await letGo();
    await acts(page).getByText('1 archived').waitFor();
    await page.getByText('1 changed').waitFor();
    await first.getByText(NAMES[0]!, { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('a verb that is not one’s own is there and says whose it is', async () => {
    const house = await furnish(service);
    const { list, addLeads, address } = house;
    await addLeads(NAMES, '0183');
    const { page } = await open();
    await joinAsSupervisor(house, page);
    await page.goto(`${address}/leads?lists=${list.id}`);
    await page.getByText(NAMES[0]!, { exact: true }).waitFor();
    await page.keyboard.press('Control+a');
    await verb(page, 'Move').focus();
    await page.getByRole('tooltip', { name: 'Data managers move leads to other lists.' }).waitFor();
    await page.keyboard.press('Enter');
    assert.equal(await question(page).count(), 0);
    await verb(page, 'Delegate').click();
    await title(page, 'Delegate 3 leads');
  });

  test('the bar leaves the lead beside the table alone, wherever there is room for both', async () => {
    const { page } = await chooseAll(await furnish(service), NAMES);
    await page.getByRole('row').filter({ hasText: NAMES[0]! }).click();
    const note = page.getByRole('region', { name: 'The lead beside the table' }).getByRole('textbox', { name: 'Note' });
    for (const [width, height] of [
      [820, 1180],
      [1100, 700],
      [1280, 800],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height });
      await note.scrollIntoViewIfNeeded();
      const field = (await note.boundingBox())!;
      const over = (await bar(page).boundingBox())!;
      const isClear = field.y + field.height <= over.y || over.x + over.width <= field.x;
      assert.ok(isClear, `at ${width} px the bar lies over the note`);
    }
  });

  test('question and acts fit on a desk and on a phone, in both schemes', async () => {
    const house = await furnish(service);
    await house.api('POST', '/lists', { list: { name: 'Erneuerbare-Energien-Interessenten, Norddeutschland' } });
    const { page } = await chooseAll(house, NAMES);
    await bar(page).getByRole('button', { name: 'More to do with them' }).click();
    await page.getByRole('menuitem', { name: 'Release' }).click();
    await question(page).getByText('3 are claimed by nobody').waitFor();
    await expectFitting(page, 'the question before a release');
    await page.setViewportSize(viewport);
    await press(page, /^Release/);
    await acts(page).getByRole('button', { name: 'see why' }).click();
    await expectFitting(page, 'an act with its reasons');
  });
});
