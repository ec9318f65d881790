import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import type { LeadTable } from '../../contract/lead-table.ts';
import { hears, intercept, lingerNotices, openBrowser, openPage, withBrowser } from './browser.ts';
import { eventually } from '../leadline.ts';
import { findFaults } from './geometry.ts';
import { furnish, openService } from './service.ts';

const service = await openService();
const viewport = { width: 1440, height: 900 };
const MANY = 130;

/** The owner of an account, before the table. */
async function enter(account: Awaited<ReturnType<typeof furnish>>, path = '/leads') {
  const opened = await openPage(await openBrowser(), { viewport, locale: 'en-GB', reducedMotion: 'reduce' });
  await account.signIn(opened.page, path);
  return opened;
}

/** `Lead 001`, `Lead 002`, …: new ones stand in the order in which they came. */
const called = (number: number) => `Company ${String(number).padStart(3, '0')}`;
const names = (many: number) => Array.from({ length: many }, (_, at) => called(at + 1));

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const linkOf = (page: Page, name: string) => page.getByRole('link', { name });
const isFocused = (page: Page, name: string) =>
  page.waitForFunction((text) => document.activeElement?.textContent?.includes(text), name);
const shown = (page: Page) => page.locator('.leads-body [data-lead]').allTextContents();
/** The first of those in sight. */
const inSight = (page: Page) =>
  page.locator('.leads-scroll').evaluate((box) => {
    const top = box.getBoundingClientRect().top + box.querySelector('[role="columnheader"]')!.clientHeight;
    return [...box.querySelectorAll<HTMLElement>('[data-lead]')]
      .filter((row) => row.getBoundingClientRect().bottom > top + 1)
      .toSorted((one, other) => Number(one.dataset.place) - Number(other.dataset.place))
      .slice(0, 5)
      .map((row) => row.querySelector('.lead-link')!.textContent.slice(0, 'Company 000'.length));
  });
const scrollTo = (page: Page, row: number) =>
  page.locator('.leads-scroll').evaluate((box, to) => {
    box.scrollTop = to * 41;
  }, row);

describe('the table of leads', withBrowser, async () => {
  const large = await furnish(service);
  await large.addLeads(names(MANY), '0101');
  const long = await furnish(service);
  await long.addLeads(names(300), '0103');
  const ofLong = async (number: number): Promise<number> => {
    const { leads } = (await long.app('GET', `/leads?q=${called(number).replace(' ', '+')}`)) as LeadTable;
    return leads.find(({ identifiers }) => identifiers[0] === called(number))!.id;
  };
  const win = async (number: number) =>
    long.api('POST', `/leads/${await ofLong(number)}/winner`, { lead: { category: 'Order' } });

  test('many rows: only those in sight are in the page; J, K, Home, End and the bar go through all of them', async () => {
    const { page, complaints } = await enter(large);
    await rowOf(page, called(1)).waitFor();
    const table = page.getByRole('table', { name: 'Leads' });
    assert.equal(await table.getAttribute('aria-rowcount'), String(MANY + 1));
    assert.ok((await page.getByRole('row').count()) < 60);
    await page.keyboard.press('j');
    await isFocused(page, called(1));
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await isFocused(page, called(3));
    await page.keyboard.press('k');
    await isFocused(page, called(2));
    await page.keyboard.press('End');
    await isFocused(page, called(MANY));
    assert.equal(await rowOf(page, called(MANY)).getAttribute('aria-rowindex'), String(MANY + 1));
    // Dragged to the beginning: who has the keyboard keeps it, out of sight.
    await page.locator('.leads-scroll').evaluate((box) => {
      box.scrollTop = 0;
    });
    await rowOf(page, called(1)).waitFor();
    await isFocused(page, called(MANY));
    await page.keyboard.press('Home');
    await isFocused(page, called(1));
    assert.deepEqual(complaints, []);
  });

  test('a lead opens beside the table and goes on with J; its own page follows the table beyond what was read', async () => {
    const { page, complaints } = await enter(large);
    await rowOf(page, called(1)).click();
    const beside = page.getByRole('region', { name: 'The lead beside the table' });
    await beside.getByRole('heading', { level: 1 }).getByText(called(1)).waitFor();
    await page.keyboard.press('j');
    await beside.getByRole('heading', { level: 1 }).getByText(called(2)).waitFor();
    await page.keyboard.press('Escape');
    await beside.waitFor({ state: 'hidden' });
    // The first hundred were read; the table goes on after them. In a low window the next hundred are not yet asked for.
    await page.setViewportSize({ width: 1440, height: 500 });
    for (let at = 3; at <= 40; at += 1) {
      await page.keyboard.press('j');
      await isFocused(page, called(at));
    }
    await page.keyboard.press('o');
    const among = page.getByRole('group', { name: 'The leads you came from' });
    for (let at = 40; at < 102; at += 1) {
      await among.getByText(`${at} of ${MANY}`, { exact: true }).waitFor();
      await among.getByRole('button', { name: 'Next lead' }).click();
    }
    await page.getByRole('heading', { level: 1 }).getByText(called(102)).waitFor();
    // Back to where the table was left.
    await page.goto(`${large.address}/leads`);
    await rowOf(page, called(1)).waitFor();
    await page.keyboard.press('End');
    await isFocused(page, called(MANY));
    await page.keyboard.press('o');
    await among.getByText(`${MANY} of ${MANY}`, { exact: true }).waitFor();
    assert.ok(await among.getByRole('button', { name: 'Next lead' }).isDisabled());
    await page.goBack();
    await rowOf(page, called(MANY)).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('selected by X, by Shift and by the head, then all that match but some', async () => {
    const { page, complaints } = await enter(large);
    await rowOf(page, called(1)).waitFor();
    const bar = page.getByRole('toolbar', { name: 'Selected leads' });
    await page.keyboard.press('j');
    await isFocused(page, called(1));
    await page.keyboard.press('x');
    await bar.getByText('1 selected').waitFor();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await bar.getByText('3 selected').waitFor();
    await rowOf(page, called(7))
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await bar.getByText('7 selected').waitFor();
    await page.keyboard.press('Control+a');
    await bar.getByText(`All ${MANY} that match`).waitFor();
    await rowOf(page, called(2)).getByRole('checkbox', { checked: true }).click();
    await bar.getByText(`${MANY - 1} selected`).waitFor();
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'hidden' });
    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).click();
    await page.getByRole('button', { name: `Select all ${MANY}` }).click();
    await bar.getByText(`All ${MANY} that match`).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('a key that is held down walks on, but ticks and opens once', async () => {
    const { page, complaints } = await enter(large);
    await rowOf(page, called(1)).waitFor();
    const hold = async (key: string, times: number) => {
      for (let time = 0; time < times; time += 1) await page.keyboard.down(key);
      await page.keyboard.up(key);
    };
    await hold('j', 3);
    await isFocused(page, called(3));
    await hold('x', 2);
    await page.getByRole('toolbar', { name: 'Selected leads' }).getByText('1 selected').waitFor();
    await hold('ArrowUp', 2);
    await isFocused(page, called(1));
    assert.deepEqual(complaints, []);
  });

  test('what is shown, or what is selected, is downloaded as a file', async () => {
    const { page, complaints } = await enter(large);
    await lingerNotices(page);
    await rowOf(page, called(1)).waitFor();
    const save = async (button: string, item: string) => {
      await page.getByRole('button', { name: button, exact: true }).click();
      const downloading = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: item, exact: true }).click();
      const file = await downloading;
      return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
    };
    const all = await save('Export', 'CSV for Excel, everything');
    assert.match(all.name, /^.+ \d{4}-\d\d-\d\d\.csv$/);
    assert.match(all.text, /^\uFEFFLead id,List,/);
    assert.equal(all.text.split('\r\n').length, 1 + MANY + 1);
    await page.getByText(`The browser is downloading ${MANY} leads.`).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    const chosen = await save('Export 1 selected lead', 'CSV, these columns');
    assert.match(chosen.text, new RegExp(`^Lead,Phone,.*\\r\\n"${called(1)}.*\\r\\n$`));
    assert.match((await save('Export 1 selected lead', 'Workbook (.xlsx), everything')).text, /^PK/);
    assert.deepEqual(complaints, []);
  });

  test('columns are chosen, moved and widened by keyboard and remembered; orders stand in the address', async () => {
    const { page, complaints } = await enter(large);
    await rowOf(page, called(1)).waitFor();
    const heads = () => page.getByRole('columnheader').allTextContents();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'First name' }).click();
    await page.getByRole('columnheader', { name: 'First name' }).waitFor();
    await rowOf(page, called(1)).getByText('Imogen', { exact: true }).first().waitFor();
    const chosen = page.getByRole('checkbox', { name: 'First name', checked: true });
    await chosen.focus();
    for (let times = 0; times < 20; times += 1) await page.keyboard.press('Alt+ArrowUp');
    await page.waitForFunction(
      () => document.querySelectorAll('[role="columnheader"]')[2]?.textContent === 'First name',
    );
    await page.keyboard.press('Escape');
    const edge = page.getByRole('separator', { name: 'Width of First name' });
    const before = Number(await edge.getAttribute('aria-valuenow'));
    await edge.focus();
    await page.keyboard.press('ArrowRight');
    const wide = String(before + 16);
    await page.waitForFunction(
      (width) => document.querySelector('[aria-label="Width of First name"]')?.getAttribute('aria-valuenow') === width,
      wide,
    );
    await page.reload();
    await rowOf(page, called(1)).waitFor();
    await page.getByRole('columnheader', { name: 'First name' }).waitFor();
    assert.equal((await heads())[2], 'First name');
    assert.equal(await edge.getAttribute('aria-valuenow'), wide);

    await page.getByRole('button', { name: 'First name', exact: true }).click();
    await page.waitForURL(/order=field\.first_name/);
    await page.getByRole('columnheader', { name: 'First name' }).and(page.locator('[aria-sort="ascending"]')).waitFor();
    await page.goBack();
    await page.waitForURL((url) => url.search === '');
    assert.deepEqual(complaints, []);
  });

  test('the rows in sight are the same with another column, when changes are shown and when one comes back', async () => {
    const { page, complaints } = await enter(long);
    // As with many thousands of leads: a place is a guess, and what is there is a little beside it.
    await intercept(page, /\/app\/leads\?.*\bat=/, async (route) => {
      const { pathname, searchParams } = new URL(route.request().url());
      const at = Number(searchParams.get('at'));
      searchParams.set('at', String(at + 7));
      const table = await long.app('GET', `${pathname.replace('/app', '')}?${searchParams}`);
      await route.fulfill({ json: { ...table, place: at } });
    });
    await rowOf(page, called(1)).waitFor();
    await scrollTo(page, 150);
    await rowOf(page, called(155)).waitFor();
    await page.keyboard.press('j');
    await isFocused(page, called(151));
    const expected = [151, 152, 153, 154, 155].map(called);
    assert.deepEqual(await inSight(page), expected);

    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'First name' }).click();
    // In its column, and among what tells who it is.
    await rowOf(page, called(155)).getByText('Imogen', { exact: true }).nth(1).waitFor();
    await page.keyboard.press('Escape');
    assert.deepEqual(await inSight(page), expected);

    await win(154);
    await page.getByText('1 changed').waitFor();
    await page.getByRole('button', { name: 'show', exact: true }).click();
    await rowOf(page, called(154)).waitFor({ state: 'detached' });
    const left = [151, 152, 153, 155, 156].map(called);
    assert.deepEqual(await inSight(page), left);
    await page.keyboard.press('x');
    await rowOf(page, called(151)).getByRole('checkbox', { checked: true }).waitFor();
    await page.keyboard.press('x');

    await page.keyboard.press('o');
    await page.getByRole('heading', { level: 1 }).getByText(called(151)).waitFor();
    await page.goBack();
    await rowOf(page, called(155)).waitFor();
    assert.deepEqual(await inSight(page), left);
    assert.deepEqual(complaints, []);
  });

  test('what changed out of sight is shown when one scrolls back to it', async () => {
    const { page, complaints } = await enter(long);
    await rowOf(page, called(2)).waitFor();
    await scrollTo(page, 200);
    await rowOf(page, called(210)).waitFor();
    await long.api('PATCH', `/leads/${await ofLong(2)}`, { lead: { first_name: 'Maud' } });
    await win(3);
    await win(210);
    await rowOf(page, called(210)).getByText('Won').waitFor();
    await page.getByText('1 changed').waitFor();
    await scrollTo(page, 0);
    await rowOf(page, called(2)).getByText('Maud').first().waitFor();
    await page.getByText('2 changed').waitFor();
    assert.deepEqual(await inSight(page), names(5));
    assert.deepEqual(complaints, []);
  });

  test('rows stay where they are while leads change; what would move is counted, and shown when asked for', async () => {
    const account = await furnish(service);
    await account.addLeads(names(3), '0102');
    const { page, complaints } = await enter(account, `/lists/${account.list.id}/leads`);
    await rowOf(page, called(3)).waitFor();
    const leads = (await account.api('GET', `/lists/${account.list.id}/leads`)) as {
      id: number;
      primary_identifier: string;
    }[];
    const first = leads.find(({ primary_identifier }) => primary_identifier === called(1))!;
    await hears(page);
    await account.api('POST', `/leads/${first.id}/winner`, { lead: { category: 'Order' } });
    await rowOf(page, called(1)).getByText('Won').waitFor();
    await page.getByText('1 changed').waitFor();
    assert.match((await shown(page))[0]!, new RegExp(called(1)));
    await page.getByRole('button', { name: 'show', exact: true }).click();
    await page.waitForFunction((name) => {
      const rows = [...document.querySelectorAll<HTMLElement>('.leads-body [data-lead]')];
      return rows.find((row) => row.dataset.place === '2')?.textContent?.includes(name);
    }, called(1));
    await page.getByText('1 changed').waitFor({ state: 'hidden' });
    assert.deepEqual(complaints, []);
  });

  test('nothing there yet, nothing that matches and what is refused say so, each with what to do', async () => {
    const account = await furnish(service);
    const { page } = await enter(account, `/lists/${account.list.id}/leads`);
    await page.getByText('This list has no leads yet.').waitFor();
    await page.getByRole('button', { name: 'Add a lead' }).click();
    await page.getByRole('dialog').getByLabel('Company name').fill('Quarry Lane');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/leads\/\d+$/);
    await page.goto(`${account.address}/leads?f=state:is:won`);
    await page.getByText('No lead matches.').waitFor();
    await page.getByRole('region', { name: 'Leads' }).getByRole('button', { name: 'Clear the filter' }).click();
    await rowOf(page, 'Quarry Lane').waitFor();
    await page.goto(`${account.address}/leads?order=field.nobody`);
    await page.getByRole('region', { name: 'Leads' }).getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Put them in queue order' }).click();
    await rowOf(page, 'Quarry Lane').waitFor();
    await linkOf(page, 'Quarry Lane').waitFor();
  });

  test('while the service does not answer, rows of the question before are seen to be old, and the frame says so', async () => {
    const account = await furnish(service);
    await account.addLeads(names(2), '0105');
    const { page, complaints } = await enter(account);
    await linkOf(page, called(1)).waitFor();
    const opacity = () => rowOf(page, called(1)).evaluate((row) => Number(getComputedStyle(row).opacity));
    const offline = page.getByRole('navigation', { name: 'Main' }).getByText('Offline');
    await offline.waitFor({ state: 'hidden' });
    assert.equal(await opacity(), 1);
    process.kill(service.pid, 'SIGSTOP');
    try {
      await page.getByRole('button', { name: /^Won/ }).click();
      await eventually('they are seen to be old', async () => (await opacity()) < 0.6);
      await offline.waitFor();
      for (const size of [
        { width: 820, height: 1180 },
        { width: 390, height: 844 },
      ]) {
        await page.setViewportSize(size);
        assert.deepEqual(await findFaults(page), []);
      }
    } finally {
      process.kill(service.pid, 'SIGCONT');
    }
    await page.getByText('No lead matches.').waitFor();
    await offline.waitFor({ state: 'hidden' });
    assert.deepEqual(complaints, []);
  });

  test('a column, or the calls of a lead, that could not be read say so, and come when asked for again', async () => {
    const account = await furnish(service);
    await account.addLeads(names(2), '0106');
    const { page } = await enter(account);
    await rowOf(page, called(1)).waitFor();
    const fails = (code: number) => (route: Route) => route.fulfill({ status: code, json: { error: 'Not now.' } });
    await intercept(page, /\/app\/leads\?.*\bfields=/, fails(422));
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'First name' }).click();
    await page.keyboard.press('Escape');
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await page.unroute(/\/app\/leads\?.*\bfields=/);
    await again.click();
    await rowOf(page, called(1)).getByText('Imogen', { exact: true }).nth(1).waitFor();

    await intercept(page, /\/app\/leads\/\d+\/calls|\/app\/calls\?/, fails(422));
    await rowOf(page, called(1)).click();
    const feed = page
      .getByRole('region', { name: 'The lead beside the table' })
      .getByRole('region', { name: 'Activity' });
    await feed.getByText('Not now.').waitFor();
    assert.equal(await feed.getByText('Nothing yet.').count(), 0);
    await page.unroute(/\/app\/leads\/\d+\/calls|\/app\/calls\?/);
    await feed.getByRole('button', { name: 'Try again' }).click();
    await feed.getByText('Not now.').waitFor({ state: 'hidden' });
  });

  test('rows of the question before are not selected: neither by click nor by key', async () => {
    const account = await furnish(service);
    await account.addLeads(names(3), '0106');
    const { leads } = (await account.app('GET', '/leads?order=-created')) as LeadTable;
    await account.api('POST', `/leads/${leads[0]!.id}/winner`, { lead: { category: 'Order' } });
    const { page, complaints } = await enter(account);
    await linkOf(page, called(1)).waitFor();
    const answering = Promise.withResolvers<void>();
    await intercept(page, /\/app\/leads\?.*won/, async (route) => {
      await answering.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: /^Won/ }).click();
    await page.locator('.leads-panel[aria-busy="true"]').waitFor();
    const all = page.getByRole('checkbox', { name: 'Select all that are loaded' });
    await all.click({ force: true });
    await rowOf(page, called(1)).getByRole('checkbox').click({ force: true });
    await isFocused(page, called(1));
    await page.keyboard.press('j');
    await isFocused(page, called(2));
    await page.keyboard.press('x');
    await page.keyboard.press('Shift+ArrowDown');
    await isFocused(page, called(3));
    const bar = page.getByRole('toolbar', { name: 'Selected leads' });
    assert.equal(await bar.count(), 0);
    assert.equal(await page.getByRole('checkbox', { disabled: true }).count(), 4);
    await page.keyboard.press('Control+a');
    answering.resolve();
    await rowOf(page, called(2)).waitFor({ state: 'detached' });
    assert.equal(await bar.count(), 0);
    await all.click();
    await bar.getByText('1 selected').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('a lead that is merged beside the table goes on as its survivor, with what was written about both', async () => {
    const house = await furnish(service);
    await house.addLeads([called(1), called(2)], '0104');
    const [one, two] = ((await house.app('GET', '/leads')) as LeadTable).leads;
    const { page, complaints } = await enter(house);
    const beside = page.getByRole('region', { name: 'The lead beside the table' });
    const note = beside.getByRole('textbox', { name: 'Note' });
    await rowOf(page, called(1)).click();
    await beside.getByRole('heading', { level: 1, name: called(1) }).waitFor();
    await note.fill('Rang before');
    await rowOf(page, called(2)).click();
    await beside.getByRole('heading', { level: 1, name: called(2) }).waitFor();
    await note.fill('Budget opens');
    await house.app('POST', `/leads/${one!.id}/merge`, { duplicate_id: two!.id });
    await beside.getByRole('heading', { level: 1, name: called(1) }).waitFor();
    await eventually('both are there', async () => (await note.inputValue()) === 'Rang before\nBudget opens');
    assert.deepEqual(complaints, []);
  });

  test('leads that come in, or come back, are shown where there were none, and take nothing from who writes one', async () => {
    const account = await furnish(service);
    const { page, complaints } = await enter(account, `/lists/${account.list.id}/leads`);
    await page.getByText('This list has no leads yet.').waitFor();
    await page.getByRole('button', { name: 'Add a lead' }).click();
    const name = page.getByRole('dialog').getByLabel('Company name');
    await name.fill('Quarry Lane');
    await account.addLeads(names(1), '0104');
    await linkOf(page, called(1)).waitFor();
    assert.equal(await name.inputValue(), 'Quarry Lane');
    await page.goto(`${account.address}/leads?f=state:is:won`);
    await page.getByText('No lead matches.').waitFor();
    const [{ id }] = (await account.api('GET', `/lists/${account.list.id}/leads`)) as [{ id: number }];
    await hears(page);
    await account.api('POST', `/leads/${id}/winner`, { lead: { category: 'Order' } });
    await linkOf(page, called(1)).waitFor();
    await account.app('DELETE', `/leads/${id}`);
    await page.getByRole('button', { name: 'show', exact: true }).click();
    await page.getByText('No lead matches.').waitFor();
    await account.app('POST', `/leads/${id}/restore`);
    await linkOf(page, called(1)).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('an agent has no entry in the rail, and is answered with the leads of their lists', async () => {
    const { page } = await openPage(await openBrowser(), { viewport, locale: 'en-GB' });
    await large.join(page, 'ann@example.com');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Work' }).waitFor();
    assert.equal(await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Leads' }).count(), 0);
    await page.goto(`${large.address}/leads`);
    await rowOf(page, called(5)).waitFor();
  });
});
