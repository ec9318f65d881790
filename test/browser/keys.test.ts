import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../leadline.ts';
import { intercept, keysWake, lingerNotices, openBrowser, openPage, withBrowser } from './browser.ts';
import { isOnRecord } from './calling.ts';
import { furnish, openService } from './service.ts';

const service = await openService();

const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const leadIs = (page: Page, name: string) => heading(page).getByText(name, { exact: true }).waitFor();
const chosen = (page: Page, name: string) => page.getByRole('radio', { name, exact: true, checked: true });

/** An agent at the desk, with some leads before them. */
async function sitDown(names: string[]) {
  const house = await furnish(service);
  await house.addLeads(names, '0101');
  const { page, complaints } = await openPage(await openBrowser(), { viewport: { width: 1440, height: 900 } });
  await house.join(page, 'ann@example.com');
  await leadIs(page, names[0]!);
  await keysWake(page);
  return { ...house, page, complaints };
}

describe('the search', withBrowser, () => {
  test('opens leads and gives no outcome that was not walked to, and the key after Esc is the desk’s', async () => {
    const { page, complaints } = await sitDown(['Ashdown Couriers', 'Marlowe Freight']);
    const field = page.getByRole('textbox', { name: 'Search', exact: true });
    // Typed at once, with nobody waiting for anything: each letter goes into the search, and Enter waits for the leads.
    await page.keyboard.type('/mar');
    await eventually('all of it is in the field', async () => (await field.inputValue()) === 'mar');
    await page.getByRole('button', { name: /^Marlowe Freight/ }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Mark as/ }).count(), 0, 'nobody typed an outcome');
    await page.locator('.command[data-selected]', { hasText: 'Marlowe' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await chosen(page, 'Call back C').waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });

    // By its own word it is there, but Enter does not take it.
    await page.keyboard.press('/');
    await field.fill('win');
    const winner = page.getByRole('button', { name: /^Mark as winner/ });
    await winner.waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.command[data-selected]').count(), 0);
    await field.waitFor();
    assert.equal(await chosen(page, 'Winner W').count(), 0);
    await page.keyboard.press('ArrowDown');
    await page.locator('.command[data-selected]', { hasText: 'Mark as winner' }).waitFor();
    await page.keyboard.press('Enter');
    await field.waitFor({ state: 'detached' });
    await chosen(page, 'Winner W').waitFor();

    // Enter while leads are being looked for waits for them, and for nothing else.
    const found = Promise.withResolvers<void>();
    await intercept(page, '**/leads/search?*', async (route) => {
      await found.promise;
      await route.continue();
    });
    await page.keyboard.press('/');
    await field.fill('marlo');
    await page.keyboard.press('Enter');
    await field.waitFor();
    assert.match(page.url(), /\/work$/);
    found.resolve();
    await page.waitForURL(/\/leads\/\d+$/);
    await leadIs(page, 'Marlowe Freight');
    assert.deepEqual(complaints, []);
  });
});

describe('keys keep their promises', withBrowser, () => {
  test('N and saving ask the queue, whatever was forecast: a lead that a colleague has taken is not given', async () => {
    const { page, api, app, list, complaints } = await sitDown(['First', 'Second', 'Third', 'Fourth']);
    const leads = (await api('GET', `/lists/${list.id}/leads`)) as { id: number; primary_identifier: string }[];
    const idOf = (name: string) => leads.find(({ primary_identifier }) => primary_identifier === name)!.id;
    await lingerNotices(page);
    // Nothing is told from now on: the forecast stays as it is.
    await page.getByRole('button', { name: /^Next N Second/ }).waitFor();
    await intercept(page, /\/(live|ahead)\b/, (route) => route.abort());
    await app('POST', `/leads/${idOf('Second')}/hold`, { input: true });
    await page.keyboard.press('n');
    await leadIs(page, 'Third');
    await page.keyboard.press('n');
    await leadIs(page, 'Fourth');
    // Those behind come again when there is no other, and after an outcome, too.
    await page.keyboard.press('n');
    await leadIs(page, 'First');
    await page.keyboard.press('n');
    await leadIs(page, 'Third');
    for (const key of ['a', 'Enter']) await page.keyboard.press(key);
    await leadIs(page, 'First');
    for (const key of ['a', 'Enter']) await page.keyboard.press(key);
    await leadIs(page, 'Fourth');
    await page.keyboard.press('n');
    await page.getByText('No other lead is waiting.').waitFor();
    await leadIs(page, 'Fourth');
    const held = await api('GET', `/lists/${list.id}/leads`);
    assert.equal(held.filter(({ state }: { state: string }) => state === 'archived').length, 2);
    assert.deepEqual(
      complaints.filter((complaint) => !complaint.includes('ERR_FAILED')),
      [],
    );
  });

  test('Enter saves wherever “Save, next” says so, N in a call says why not', async () => {
    const { page, api, list, complaints } = await sitDown(['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth']);
    await lingerNotices(page);
    const save = page.locator('.dock .save');
    const says = async (label: string) => (await save.innerText()).replaceAll(/\s+/g, ' ') === label;
    // On the heading, on nothing, on an outcome, on why, on when, on a field that was just changed, on a button that was clicked.
    const places: [name: string, key: string, go: () => Promise<void>][] = [
      ['First', 'a', async () => page.locator('#outcome-archive').click()],
      ['Second', 'w', async () => page.getByRole('radio', { name: 'Order' }).click()],
      ['Third', 'c', async () => page.getByRole('radio', { name: 'In 1 hour' }).click()],
      ['Fourth', 'a', async () => page.getByRole('button', { name: 'Changes', exact: true }).click()],
      [
        'Fifth',
        'a',
        async () => {
          for (const key of ['f', 'Enter']) await page.keyboard.press(key);
          await page.locator('.field-input').waitFor({ state: 'detached' });
        },
      ],
      ['Sixth', 'a', async () => page.evaluate(() => (document.activeElement as HTMLElement).blur())],
    ];
    for (const [name, key, go] of places) {
      await leadIs(page, name);
      await page.keyboard.press(key);
      await go();
      await eventually(`it says so at ${name}`, () => says('Save, next ↵'));
      await page.keyboard.press('Enter');
    }
    await page.getByText(/All caught up/).waitFor();
    // One that takes the place of another within a second would not be noticed.
    await page
      .getByRole('listitem')
      .filter({ hasText: /^0 new$/ })
      .waitFor();

    await api('POST', `/lists/${list.id}/leads`, {
      lead: { company_name: 'Seventh', work_office_phone: '+442079460101' },
    });
    await leadIs(page, 'Seventh');
    await page.keyboard.press('w');
    await page.keyboard.press('e');
    await eventually('in the note it takes Ctrl', () => says('Save, next Ctrl ↵'));
    await page.keyboard.press('Escape');
    await page.keyboard.press('d');
    await page.getByText('Connected').waitFor();
    await page.keyboard.press('n');
    await page.getByText('You are in a call with Seventh. Hang up first.').waitFor();
    await page.keyboard.press('h');
    await page.getByRole('button', { name: /^Dial/ }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('G narrows the lists as one types, and Enter takes the first that is left', async () => {
    const { api, addLeads, signIn } = await furnish(service);
    await addLeads(['First'], '0101');
    for (const name of ['Depot expo', 'Depot north', 'Renewals']) await api('POST', '/lists', { list: { name } });
    const { page, complaints } = await openPage(await openBrowser(), {});
    await signIn(page, '/work');
    await page.getByRole('button', { name: /^List: / }).waitFor();
    await page.keyboard.press('g');
    const items = page.getByRole('menuitem');
    await items.first().waitFor();
    assert.equal(await items.count(), 4);
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'menuitem');
    await page.keyboard.type('depot nx');
    const names = async () => (await items.allInnerTexts()).map((text) => text.split('\n')[0]).join();
    await eventually('one is left', async () => (await names()) === 'Depot north');
    for (let letter = 0; letter < 2; letter += 1) await page.keyboard.press('Backspace');
    await eventually('two are left', async () => (await items.count()) === 2);
    await page.keyboard.press('ArrowDown');
    const second = (await items.nth(1).innerText()).split('\n')[0]!;
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: `List: ${second}. Change` }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('Space plays the recording after a menu was used', async () => {
    const { id: account, page, api, address, list, complaints } = await sitDown(['First']);
    const [{ id }] = await api('GET', `/lists/${list.id}/leads`);
    await page.keyboard.press('d');
    await page.getByText('Connected').waitFor();
    const [call] = await api('GET', '/calls');
    await isOnRecord(service, account, call.id);
    await page.keyboard.press('h');
    await page.getByRole('button', { name: /^Dial/ }).waitFor();
    await page.goto(`${address}/leads/${id}`);
    await page.getByRole('slider', { name: 'Position' }).waitFor();
    const play = page
      .getByRole('region', { name: 'Call', exact: true })
      .getByRole('button', { name: /^(Play|Pause)$/ });
    const plays = async () =>
      page.evaluate(() => [...document.querySelectorAll('audio')].some(({ played }) => played.length > 0));
    await play.waitFor();
    await page.getByRole('button', { name: /: menu$/ }).click();
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Set outcome' }).click();
    await page.getByRole('dialog', { name: 'Set outcome' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.activeElement?.textContent === 'Set outcome');
    await page.keyboard.press('Space');
    await eventually('it is heard', plays);
    assert.equal(await page.getByRole('dialog').count(), 0);
    // A button that someone has walked to is still a button.
    for (const key of ['Tab', 'Shift+Tab', 'Space']) await page.keyboard.press(key);
    await page.getByRole('dialog', { name: 'Set outcome' }).waitFor();
    assert.deepEqual(complaints, []);
  });
});

describe('times', withBrowser, () => {
  test('are read as people type them, in the order of the country, and nothing is red before one stops', async () => {
    const { page, app, complaints } = await sitDown(['First']);
    await app('PATCH', '/account', { account: { country: 'US' } });
    await page.reload();
    await leadIs(page, 'First');
    await page.keyboard.press('c');
    await page.keyboard.press('t');
    const field = page.getByRole('textbox', { name: 'When' });
    // What is typed before it has the keyboard are keys of the desk.
    await eventually('one can type', () => field.evaluate((element) => element === document.activeElement));
    const said = page.locator('#when-read');
    // Watched from within: whether it was ever red while someone typed. Whoever types as slowly as a busy machine has stopped in between.
    await page.evaluate(() => {
      let typedAt = 0;
      addEventListener('input', () => (typedAt = performance.now()), { capture: true });
      const watch = new MutationObserver(() => {
        const wrong = document.querySelector('[aria-invalid="true"]') as HTMLInputElement | null;
        if (wrong && performance.now() - typedAt < 600)
          Object.assign(window, { red: [...((window as never as { red?: string[] }).red ?? []), wrong.value] });
      });
      watch.observe(document.querySelector('.picker')!, { subtree: true, childList: true, attributes: true });
    });
    const year = new Date().getFullYear() + 1;
    await page.keyboard.type(`2/12/${year} 1`);
    const february = new Date(year, 1, 12, 13);
    await said.getByText(/12/).waitFor();
    assert.equal(await page.evaluate(() => (window as never as { red?: string[] }).red), undefined);
    await page.keyboard.press('Enter');
    const draft = await page.evaluate(
      () => Object.entries(localStorage).find(([key]) => key.startsWith('leadline draft'))![1],
    );
    assert.equal((JSON.parse(draft) as { at: string }).at, february.toISOString());
    await page.keyboard.press('t');
    await field.fill('soon');
    await page.getByText('That is no time we can read.').waitFor();
    // What is clicked is typed, and what is typed can be read. Where today's has passed it is tomorrow's.
    const today = new Date();
    await page.clock.setFixedTime(new Date(today.getFullYear(), today.getMonth(), today.getDate(), 20));
    await page
      .getByRole('button', { name: '14:30' })
      .or(page.getByRole('button', { name: '02:30 PM' }))
      .click();
    await said.getByText(/^Tomorrow.*(14:30|02:30)/).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('are told as they are where the lead is: amber at night, likely where several zones are, and both where they differ', async () => {
    const house = await furnish(service);
    const { api, list, join } = house;
    // Somewhere it is night and somewhere day, whenever this runs.
    const isNight = (timeZone: string, at = Date.now()) => {
      const hour = Number(new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone }).format(at));
      return hour < 8 || hour >= 21;
    };
    const numbers = { Denmark: '+45 33 11 22 33', Chicago: '+1 312 736 5000', Japan: '+81 3 1234 5678' };
    const zones = { Denmark: 'Europe/Copenhagen', Chicago: 'America/Chicago', Japan: 'Asia/Tokyo' };
    for (const [place, work_office_phone] of Object.entries({ ...numbers, Lisbon: '+351 912 345 678' }))
      await api('POST', `/lists/${list.id}/leads`, { lead: { company_name: place, work_office_phone } });
    const { page, complaints } = await openPage(await openBrowser(), { timezoneId: 'Europe/London', locale: 'en-GB' });
    await join(page, 'ann@example.com');
    for (const place of Object.keys(zones) as (keyof typeof zones)[]) {
      await leadIs(page, place);
      const there = page.locator('.local-time').first();
      await there.getByText(`in ${place}`).waitFor();
      assert.match(await there.innerText(), /^\s*\d\d:\d\d\s+in /);
      // The page looks at the clock every twenty seconds, so at the turn of the hour it may be either.
      const told = [isNight(zones[place], Date.now() - 60_000)];
      const shown = await there.evaluate((one) => one.classList.contains('night'));
      told.push(isNight(zones[place]));
      assert.ok(told.includes(shown), place);
      await page.keyboard.press('n');
    }
    await leadIs(page, 'Lisbon');
    const there = page.locator('.local-time').first();
    await there.getByText('in Lisbon, likely').waitFor();
    assert.match((await there.getAttribute('title'))!, /^Likely\. It may be \d\d:\d\d in Azores\.$/);
    // London and Lisbon have one time; Copenhagen is an hour on.
    await page.keyboard.press('n');
    await leadIs(page, 'Denmark');
    await page.keyboard.press('c');
    await page.keyboard.press('t');
    await page.getByRole('textbox', { name: 'When' }).fill('tomorrow 9');
    await page.locator('#when-read').getByText('09:00 for you, 10:00 in Denmark').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.dock-foot').getByText('09:00 for you, 10:00 in Denmark').waitFor();
    assert.deepEqual(complaints, []);
  });
});
