import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { eventually } from '../leadline.ts';
import { openSubscriber } from '../subscriber.ts';
import { expectFitting, intercept, openBrowser, openPage, withBrowser } from './browser.ts';
import { furnish, openService, OWNER } from './service.ts';

const service = await openService();

async function enter() {
  const account = await furnish(service);
  const opened = await openPage(await openBrowser(), { viewport: { width: 1440, height: 900 } });
  const { page } = opened;
  await account.signIn(page, '/manage/integrations');
  return { ...account, ...opened };
}

describe('managing', withBrowser, () => {
  test('the keyboard goes into dialogs, stays there, and comes back', async () => {
    const { address, page, complaints } = await enter();
    const open = async (path: string, name: string | RegExp) => {
      await page.goto(address + path);
      const button = page.getByRole('button', { name, exact: true }).first();
      await button.focus();
      await page.keyboard.press('Enter');
      return button;
    };
    const isFocused = (locator: Locator) => locator.evaluate((element) => element === document.activeElement);
    for (const [path, name, title] of [
      ['/manage/users', 'Invite someone', 'Invite someone'],
      ['/manage/integrations', 'Subscribe', 'Subscribe'],
      ['/manage/integrations', 'Show', 'Show the account key'],
      ['/manage/integrations', 'Replace', 'Replace the account key'],
    ] as const) {
      await page.setViewportSize({ width: 1440, height: 900 });
      const button = await open(path, name);
      const dialog = page.getByRole('dialog', { name: title });
      const hasKeyboard = () => dialog.evaluate((element) => element.contains(document.activeElement));
      await eventually(`${title} takes the keyboard`, hasKeyboard);
      for (let step = 0; step < 12; step += 1) {
        await page.keyboard.press('Tab');
        assert.ok(await hasKeyboard(), `${title} lets go`);
      }
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await eventually(`${title} gives the keyboard back`, () => isFocused(button));
    }
    assert.deepEqual(complaints, []);
  });

  test('what one may not do is in the menu, where the keyboard reaches it and reads why', async () => {
    const { address, page, complaints } = await enter();
    await page.goto(`${address}/manage/users`);
    const button = page.getByRole('button', { name: /^Actions for/ }).first();
    const isFocused = (locator: Locator) => locator.evaluate((element) => element === document.activeElement);
    await button.press('Enter');
    const change = page.getByRole('menuitem', { name: 'Change roles and lists' });
    await eventually('it begins at the first', () => isFocused(change));
    await page.keyboard.press('ArrowDown');
    const disable = page.getByRole('menuitem', { name: 'Nobody disables themselves', disabled: true });
    assert.ok(await isFocused(disable));
    await page.keyboard.press('Enter');
    assert.ok(await disable.isVisible());
    assert.equal(await page.getByRole('dialog').count(), 0);
    await change.press('Enter');
    await page.getByRole('dialog', { name: /^Change/ }).waitFor();
    await page.keyboard.press('Escape');
    await eventually('the keyboard is back at the button', () => isFocused(button));
    assert.deepEqual(complaints, []);
  });

  test('whoever corrects a name leaves lists and roles as a colleague has just set them', async () => {
    const { address, api, app, invite, list, page } = await enter();
    const other = await api('POST', '/lists', { list: { name: 'Second' } });
    await invite('ann@example.com');
    const find = async () =>
      (await app('GET', '/users')).find(({ email }: { email: string }) => email === 'ann@example.com');
    const { id } = await find();
    await page.goto(`${address}/manage/users`);
    await page.getByRole('button', { name: /^Actions for Ann/ }).click();
    await page.getByRole('menuitem', { name: 'Change roles and lists' }).click();
    await app('PATCH', `/users/${id}`, { user: { listing_ids: [list.id, other.id], analyst: true } });
    await page.getByRole('dialog').getByLabel('Last name').fill('Berg');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const { last_name, listing_ids, analyst } = await find();
    assert.deepEqual([last_name, new Set(listing_ids), analyst], ['Berg', new Set([list.id, other.id]), true]);
  });

  test('the account page says which recordings cannot be stored, and why', async () => {
    const { address, page, app, recordings, complaints } = await enter();
    // A store that takes nothing: something else is where the account's folder should be.
    await writeFile(recordings, '');
    await app('POST', '/calls', { call: { number: '+442079460111' } });
    await eventually('it cannot be stored', async () => (await app('GET', '/recordings/trouble')).waiting === 1);
    await page.goto(`${address}/manage/account`);
    await page.getByText(/^1 recording waits to be stored: a file is where a folder should be \(since /).waitFor();
    await expectFitting(page, 'a recording that waits');
    assert.deepEqual(complaints, []);
  });

  test('whoever leaves the account page with changes is told which, and may stay', async () => {
    const { address, page, app } = await enter();
    await page.goto(`${address}/manage/account`);
    const name = page.getByLabel('Name', { exact: true });
    await name.waitFor();
    const bar = page.getByRole('region', { name: 'Unsaved changes' });
    assert.equal(await bar.count(), 0);
    await name.fill('Halyard Energy');
    await page.getByRole('switch', { name: 'Record calls' }).press('Space');
    assert.match(await bar.innerText(), /Name · Record calls/);
    const leave = () => page.getByRole('link', { name: 'Users' }).click();
    await leave();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving' });
    await dialog.getByRole('listitem').first().waitFor();
    assert.deepEqual(await dialog.getByRole('listitem').allInnerTexts(), ['Name', 'Record calls']);
    await dialog.getByRole('button', { name: 'Stay here' }).click();
    assert.equal(await name.inputValue(), 'Halyard Energy');
    // A refused field says what it needs, and what was written stays.
    await page.getByLabel('Caller number').fill('12');
    await page.keyboard.press('Enter');
    await page.getByText('Write it with + and the code of the country').waitFor();
    await page.getByLabel('Caller number').fill('+44 20 7946 0100');
    await bar.getByRole('button', { name: 'Save' }).click();
    await bar.waitFor({ state: 'hidden' });
    const { name: saved, caller_number } = (await app('GET', '/account')) as { name: string; caller_number: string };
    assert.deepEqual([saved, caller_number], ['Halyard Energy', '+442079460100']);
    await leave();
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();

    await page.goBack();
    await name.fill('Lost');
    await leave();
    await dialog.getByRole('button', { name: 'Discard and leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
  });

  test('whoever signs out with something unsaved is told before the session ends, and is asked once when it has', async () => {
    const { address, page, app } = await enter();
    await page.goto(`${address}/manage/account`);
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Halyard Energy');
    await page.getByRole('button', { name: /: menu$/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('Something here is not saved yet').waitFor();
    const bar = page.getByRole('region', { name: 'Unsaved changes' });
    await bar.getByRole('button', { name: 'Save' }).click();
    await bar.waitFor({ state: 'hidden' });
    assert.equal((await app('GET', '/account')).name, 'Halyard Energy');

    // Ended elsewhere, with something unsaved here.
    let [asked, refused] = [0, 0];
    page.on('dialog', (dialog) => {
      asked += 1;
      void dialog.dismiss();
    });
    page.on('response', (response) => {
      if (response.status() === 401) refused += 1;
    });
    await name.fill('Halyard');
    await app('DELETE', '/session');
    await eventually('the page is refused again and again', async () => refused > 3);
    assert.equal(asked, 1);
    assert.equal(await name.inputValue(), 'Halyard');
  });

  test('what is typed on while the account is saved stays, and is still to be saved', async () => {
    const { address, page, app } = await enter();
    await page.goto(`${address}/manage/account`);
    const saving = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await intercept(page, '**/app/account', async (route) => {
      if (route.request().method() === 'PATCH') {
        asked.resolve();
        await saving.promise;
      }
      await route.continue();
    });
    await page.getByLabel('Name', { exact: true }).fill('Halyard Energy');
    await page.keyboard.press('Enter');
    await asked.promise;
    await page.getByLabel('Caller name').fill('Halyard');
    saving.resolve();
    await page.getByText('Saved. It holds from now on.').waitFor();
    const bar = page.getByRole('region', { name: 'Unsaved changes' });
    await bar.getByText('Caller name', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Caller name').inputValue(), 'Halyard');
    await bar.getByRole('button', { name: 'Save' }).click();
    await bar.waitFor({ state: 'hidden' });
    const { name, caller_name } = (await app('GET', '/account')) as { name: string; caller_name: string };
    assert.deepEqual([name, caller_name], ['Halyard Energy', 'Halyard']);
  });

  test('the log counts by state, follows along, and answers in its place', async () => {
    const { page, api, app, list } = await enter();
    let status = 404;
    const fickle = await openSubscriber(() => status);
    await api('POST', `/lists/${list.id}/webhook`, {
      webhook: { event: 'archive', target_url: `${fickle.url}/fickle` },
    });
    const hooks = (await app('GET', '/webhooks')) as { id: number; event: string }[];
    const { id } = hooks.find(({ event }) => event === 'archive')!;
    await page.reload();
    await page.getByRole('button', { name: /^archive/ }).click();
    const log = page.getByRole('dialog', { name: 'Delivery log' });
    await log.getByText('Nothing was sent yet.').waitFor();
    // Sent by someone else: it shows by itself.
    await app('POST', `/webhooks/${id}/test`);
    await log.getByRole('button', { name: 'Failed 1' }).click();
    status = 200;
    await log.locator('.delivery-button').click();
    await log.getByRole('button', { name: 'Redeliver' }).click();
    await log.getByRole('button', { name: 'Failed 0' }).waitFor();
    await log.locator('.delivery', { hasText: '200' }).waitFor();
    await log.getByRole('button', { name: 'All 1' }).click();
    await log.getByRole('button', { name: 'Send test' }).click();
    await log.getByRole('button', { name: 'All 2' }).waitFor();

    // Arrows go from hook to hook.
    await page.keyboard.press('ArrowDown');
    await log.getByText('/winner').waitFor();
    await page.keyboard.press('ArrowUp');
    await log.getByText('/fickle').waitFor();
    await page.keyboard.press('Escape');
    await log.waitFor({ state: 'hidden' });
    await page.getByText('This installation sets no limits').waitFor();

    // Asked for, it is not taken back; whoever leaves the question meanwhile is told what became of it.
    const answering = Promise.withResolvers<void>();
    await intercept(page, `**/app/webhook/${id}`, async (route) => {
      await answering.promise;
      await route.abort();
    });
    const question = page.getByRole('dialog', { name: 'Remove the webhook' });
    const askToRemove = async () => {
      await page.getByRole('button', { name: /^Actions for archive/ }).click();
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      await question.waitFor();
    };
    await askToRemove();
    await question.getByRole('button', { name: 'Remove' }).click();
    await question.getByRole('button', { name: 'Keep it', disabled: true }).waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    answering.resolve();
    await page.getByText('That did not work.').waitFor();
    await page.unroute(`**/app/webhook/${id}`);
    await askToRemove();
    assert.equal(await question.getByRole('alert').count(), 0);
    await question.getByRole('button', { name: 'Remove' }).click();
    await question.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: /^Actions for archive/ }).waitFor({ state: 'detached' });
  });

  test('a webhook is subscribed, tried and looked at; the key shows after the password', async () => {
    const { key, page, subscriber, app, addLeads } = await enter();
    await addLeads(['Marlowe Freight'], '0101');
    await page.getByRole('button', { name: 'Subscribe' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Subscribe' });
    const fill = async () => {
      await dialog.getByLabel('Where').first().click();
      await page.getByRole('option', { name: 'Fleet charging' }).click();
      await dialog.getByLabel('Event').first().click();
      await page.getByRole('option', { name: /^loser/ }).click();
      await dialog.getByLabel('Address').fill(`${subscriber.url}/by-hand`);
      await dialog.getByRole('button', { name: 'Subscribe' }).click();
    };
    await fill();
    const secret = await page.getByText(/^whsec_/).innerText();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    // Whoever has lost it gets another.
    await page.getByRole('button', { name: 'Subscribe' }).first().click();
    await fill();
    await page.getByRole('button', { name: 'Remove and subscribe anew' }).click();
    assert.notEqual(await page.getByText(/^whsec_/).innerText(), secret);
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
    await page.getByText(key, { exact: true }).waitFor();
  });
});
