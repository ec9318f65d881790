import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../leadline.ts';
import { hears, intercept, lingerNotices, openBrowser, openPage, withBrowser } from './browser.ts';
import { furnish, openService, OWNER } from './service.ts';

const service = await openService();
const WIDE = { width: 1440, height: 900 };

/** An owner before a part of a list's settings, with two leads in it. */
async function enter(part: string) {
  const account = await furnish(service);
  await account.addLeads(['Ashdown Couriers', 'Marlowe Freight'], '0101');
  const opened = await openPage(await openBrowser(), { viewport: WIDE, locale: 'en-GB' });
  const { page } = opened;
  await lingerNotices(page);
  const path = `/lists/${account.list.id}/settings/${part}`;
  await account.signIn(page, path);
  await page.getByRole('navigation', { name: 'Settings' }).waitFor();
  const at = `/lists/${account.list.id}`;
  const settings = () => account.app('GET', at);
  const fields = async () =>
    (await account.app('GET', `${at}/fields`)).fields as {
      id: number;
      key: string;
      label: string;
      options: string[];
    }[];
  const labels = async () => (await fields()).map(({ label }) => label);
  return { ...account, ...opened, at, path, settings, fields, labels };
}

/** That something was refused is said on the page, and by the browser too. */
const withoutRefusals = (complaints: string[]) => complaints.filter((said) => !/\b(409|422)\b/.test(said));

const shown = (page: Page) => page.locator('.field-row .field-label > .strong').allInnerTexts();

const addField = async (page: Page, label: string, kind: string) => {
  const form = page.getByRole('form', { name: 'Add a field' });
  await form.getByLabel('Label').fill(label);
  await form.getByLabel('Kind').selectOption({ label: kind });
  await form.getByLabel('Label').press('Enter');
};

const openField = async (page: Page, label: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${label}`, exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

describe('the settings of a list', withBrowser, () => {
  test('every part has its own address and opens without a complaint', async () => {
    const { page, address, at, complaints } = await enter('fields');
    for (const [part, title] of Object.entries({
      fields: 'Fields',
      outcomes: 'Categories',
      script: 'Script',
      queue: 'Queue and claims',
      people: 'People',
      duplicates: 'Duplicates',
      calls: 'Caller ID and recording',
    })) {
      await page.goto(`${address}${at}/settings/${part}`);
      await page.getByRole('heading', { level: 2, name: title, exact: true }).waitFor();
      await page.waitForLoadState('networkidle');
    }
    assert.deepEqual(complaints, []);
  });

  test('fields are added one after the other, moved with Alt and an arrow or by their grip, renamed and hidden', async () => {
    const { page, fields, labels, complaints } = await enter('fields');
    await page.getByRole('button', { name: 'Add a field' }).press('Enter');
    await addField(page, 'Vehicles', 'Whole number');
    await page.getByText('Its key is vehicles').waitFor();
    await addField(page, 'Depot', 'Address');
    await page.getByText('Its key is depot').waitFor();
    const form = page.getByRole('form', { name: 'Add a field' });
    await form.getByLabel('Kind').selectOption({ label: 'Choice' });
    await form.getByLabel('Choices').fill('Red\nBlue');
    await addField(page, 'Colour', 'Choice');
    await page.getByText('Its key is colour').waitFor();
    // What stands there is what the next one has.
    assert.equal(await form.getByLabel('Choices').inputValue(), '');
    await form.getByLabel('Choices').fill('Large\nSmall');
    await addField(page, 'Size', 'Choice');
    await page.getByText('Its key is size').waitFor();
    const kept = await fields();
    assert.deepEqual(kept.find(({ key }) => key === 'size')!.options, ['Large', 'Small']);
    for (const label of ['Colour', 'Size']) {
      await openField(page, label, 'Remove');
      await page.getByRole('button', { name: 'Remove the field' }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
    await form.getByLabel('Label').press('Escape');
    await eventually('both are last', async () => (await labels()).slice(-2).join() === 'Vehicles,Depot');

    const grip = page.getByRole('button', { name: 'Move Depot' });
    await grip.focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByText('Depot: 8 of 10.').waitFor();
    assert.ok(await grip.evaluate((element) => element === document.activeElement), 'the keyboard stays on it');
    await eventually(
      'it stands before two',
      async () => (await labels()).slice(-3).join() === 'Depot,Website,Vehicles',
    );

    await eventually(
      'and is drawn there',
      async () => (await shown(page)).slice(-3).join() === 'Depot,Website,Vehicles',
    );
    // Not before it stands still: what was just moved may still be on its way.
    await page.getByRole('button', { name: 'Move Vehicles' }).hover();
    await page.mouse.down();
    const to = (await page.getByRole('button', { name: 'Move First name' }).boundingBox())!;
    await page.mouse.move(to.x + 8, to.y + 2, { steps: 20 });
    await page.mouse.up();
    await eventually('it is the second', async () => (await labels())[1] === 'Vehicles');
    await page.getByRole('img', { name: 'Identifier 2' }).waitFor();

    await openField(page, 'Depot', 'Rename');
    await page.getByRole('form', { name: 'Depot' }).getByLabel('Label').fill('Main depot');
    await page.getByRole('region', { name: 'As agents will see it' }).getByText('Main depot').waitFor();
    await page.keyboard.press('Enter');
    await eventually('it has another label, and its key', async () =>
      (await fields()).some(({ key, label }) => key === 'depot' && label === 'Main depot'),
    );
    await page.getByRole('button', { name: 'Hide Main depot' }).click();
    await page.getByText('Hidden: Main depot').waitFor();
    await page.getByText('10, one of them hidden').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('a field goes where it was put, also by two keys at once, and stays there while that is saved, for whoever renames it meanwhile, too', async () => {
    const { page, app, at, labels, complaints } = await enter('fields');
    const grip = (label: string) => page.getByRole('button', { name: `Move ${label}`, exact: true });
    const saving = Promise.withResolvers<void>();
    await intercept(page, '**/fields/*', async (route) => {
      await saving.promise;
      await route.continue();
    });
    await grip('Website').focus();
    const before = await labels();
    const after = before.toSpliced(-1, 1).toSpliced(-2, 0, 'Website');
    // Within one task, so that nothing is drawn between them.
    await grip('Website').evaluate((button) => {
      const key = { key: 'ArrowUp', altKey: true, bubbles: true, cancelable: true };
      for (let press = 0; press < 2; press += 1) button.dispatchEvent(new KeyboardEvent('keydown', key));
    });
    await page.getByText(`Website: ${before.length - 2} of ${before.length}.`).waitFor();
    await eventually('it is shown there', async () => (await shown(page)).join() === after.join());

    // What others change about the list is heard of; the fields that come with it are those from before.
    const [older] = await Promise.all([
      page.waitForResponse(`**/app${at}/fields`),
      app('PATCH', at, { list: { purpose: 'For the autumn' } }),
    ]);
    assert.deepEqual(
      (await older.json()).fields.map(({ label }: { label: string }) => label),
      before,
    );
    await page.getByText('For the autumn').first().waitFor();
    assert.deepEqual(await shown(page), after);
    assert.ok(await grip('Website').evaluate((button) => button === document.activeElement));

    await openField(page, 'Website', 'Rename');
    await page.getByRole('form', { name: 'Website' }).getByLabel('Label').fill('Site');
    await page.keyboard.press('Enter');
    saving.resolve();
    const renamed = after.map((label) => (label === 'Website' ? 'Site' : label)).join();
    await eventually('both are saved', async () => (await labels()).join() === renamed);
    await page.getByRole('form', { name: 'Website' }).waitFor({ state: 'hidden' });

    // Let go at once: where the pointer is, drawn or not.
    const [from, to] = [(await grip('Site').boundingBox())!, (await grip(before[2]!).boundingBox())!];
    await page.mouse.move(from.x + 8, from.y + 8);
    await page.mouse.down();
    await page.evaluate(
      ({ x, y }) => {
        for (const type of ['pointermove', 'pointerup'])
          dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, bubbles: true }));
      },
      { x: to.x + 8, y: to.y },
    );
    await page.mouse.up();
    await eventually('it is the third', async () => (await labels())[2] === 'Site');
    assert.deepEqual(complaints, []);
  });

  test('what follows a change is told below the fields; none moves under the hand for it', async () => {
    const { page, holdJobs, complaints } = await enter('fields');
    const grip = page.getByRole('button', { name: 'Move First name' });
    const before = await grip.boundingBox();
    const letGo = await holdJobs();
    await page.getByRole('button', { name: 'Add a field' }).press('Enter');
    await addField(page, 'Vehicles', 'Whole number');
    await page.getByRole('form', { name: 'Add a field' }).getByLabel('Label').press('Escape');
    await page.getByText('Search and duplicates follow').waitFor();
    await page.getByText('Its key is vehicles').waitFor();
    assert.deepEqual(await grip.boundingBox(), before);
    await letGo();
    assert.deepEqual(complaints, []);
  });

  test('a new kind says first what would not fit; values stay, and the card marks them', async () => {
    const { page, address, api, list, fields, complaints } = await enter('fields');
    await page.getByRole('button', { name: 'Add a field' }).click();
    await addField(page, 'Switchboard', 'Text');
    await page.getByText('Its key is switchboard').waitFor();
    const lead = await api('POST', `/lists/${list.id}/leads`, {
      lead: { company_name: 'Kestrel', switchboard: 'ask for Denise' },
    });
    await page.reload();
    await openField(page, 'Switchboard', 'Change its kind');
    await page.getByRole('form', { name: 'Switchboard' }).getByLabel('Kind').selectOption({ label: 'Phone' });
    await page.getByText('1 of 1 values would not fit.').waitFor();
    await page.getByText('ask for Denise').first().waitFor();
    await page.getByRole('button', { name: 'Change to phone' }).click();
    await eventually('it is one', async () =>
      JSON.stringify(await fields()).includes('"key":"switchboard","label":"Switchboard","kind":"phone"'),
    );
    await page.goto(`${address}/leads/${lead.id}`);
    await page.getByText('ask for Denise').waitFor();
    await page.getByText('Not a phone').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('a removed field is hidden with its values, which come back when it is made again', async () => {
    const { page, api, list, complaints } = await enter('fields');
    const [lead] = await api('GET', `/lists/${list.id}/leads`);
    await api('PATCH', `/leads/${lead.id}`, { lead: { title: 'Fleet manager' } });
    const told = async () => (await api('GET', `/leads/${lead.id}`)).lead_data.title as string | undefined;
    await page.reload();
    await openField(page, 'Title', 'Remove');
    await page.getByText('1 lead has a value in it').waitFor();
    await page.getByRole('button', { name: 'Remove the field' }).click();
    await page.getByRole('button', { name: 'Move Title' }).waitFor({ state: 'hidden' });
    assert.equal(await told(), undefined);
    await page.getByRole('button', { name: 'Add a field' }).click();
    await addField(page, 'Title', 'Text');
    await page.getByText('Its key is title').waitFor();
    assert.equal(await told(), 'Fleet manager');
    assert.deepEqual(complaints, []);
  });

  test('while one field is being removed, added or renamed others are, too; none is taken for what is answered then', async () => {
    const { page, app, at, fields, complaints } = await enter('fields');
    for (const label of ['Vehicles', 'Depot']) await app('POST', `${at}/fields`, { field: { label } });
    await page.reload();
    let answer = Promise.withResolvers<void>();
    const asked: string[] = [];
    await intercept(page, /\/app\/lists\/\d+\/fields(\/\d+(\?seen=\d+)?)?$/, async (route) => {
      const method = route.request().method();
      if (method !== 'GET') {
        asked.push(method);
        await answer.promise;
      }
      await route.continue();
    });
    const question = (label: string) => page.getByRole('dialog', { name: `Remove ${label}` });
    await openField(page, 'Vehicles', 'Remove');
    await question('Vehicles').getByRole('button', { name: 'Remove the field' }).click();
    await eventually('it is on its way', async () => asked.join() === 'DELETE');
    await page.keyboard.press('Escape');
    await question('Vehicles').waitFor({ state: 'hidden' });
    await openField(page, 'Depot', 'Remove');
    const keep = question('Depot').getByRole('button', { name: 'Keep it', disabled: false });
    await keep.waitFor();
    answer.resolve();
    await eventually('it is gone', async () => !(await shown(page)).includes('Vehicles'));
    await keep.click();
    await question('Depot').waitFor({ state: 'hidden' });
    const actions = page.getByRole('button', { name: 'Actions for Depot', exact: true });
    await actions.and(page.locator(':focus')).waitFor();

    answer = Promise.withResolvers<void>();
    const adding = page.getByRole('form', { name: 'Add a field' });
    await page.getByRole('button', { name: 'Add a field' }).click();
    await addField(page, 'Budget', 'Text');
    await eventually('it is on its way', async () => asked.join() === 'DELETE,POST');
    await adding.getByRole('button', { name: 'Done' }).click();
    await adding.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Add a field' }).click();
    await adding.getByLabel('Label').fill('Region');
    answer.resolve();
    await page.getByText('Its key is budget').waitFor();
    await eventually('it is shown', async () => (await shown(page)).includes('Budget'));
    assert.equal(await adding.getByLabel('Label').inputValue(), 'Region');

    answer = Promise.withResolvers<void>();
    const renaming = page.getByRole('form', { name: /^(Depot|Site)$/ });
    await openField(page, 'Depot', 'Rename');
    await renaming.getByLabel('Label').fill('Site');
    await page.keyboard.press('Enter');
    await eventually('it is on its way', async () => asked.join() === 'DELETE,POST,PATCH');
    await page.keyboard.press('Escape');
    await renaming.waitFor({ state: 'hidden' });
    await openField(page, 'Depot', 'Rename');
    await renaming.getByLabel('Label').fill('Yard');
    answer.resolve();
    await page.getByRole('form', { name: 'Site' }).waitFor();
    assert.equal(await renaming.getByLabel('Label').inputValue(), 'Yard');
    assert.ok((await fields()).some(({ key }) => key === 'depot'));
    assert.deepEqual(complaints, []);
  });

  test('a category that could not be removed comes back, and that is told once', async () => {
    const { page, at, complaints } = await enter('outcomes');
    await intercept(page, `**/app${at}`, (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 422, json: { error: 'Not now.' } })
        : route.continue(),
    );
    await openField(page, 'Positive', 'Remove');
    await page.getByRole('button', { name: 'Remove the category' }).click();
    await page.getByText('Not now.').first().waitFor();
    await page.getByRole('button', { name: 'Actions for Positive', exact: true }).waitFor();
    assert.equal(await page.getByText('Not now.').count(), 1);
    assert.deepEqual(withoutRefusals(complaints), []);
  });

  test('categories are added with Enter, renamed with their leads, given delays, moved and removed', async () => {
    const { page, api, list, settings, complaints } = await enter('outcomes');
    const [lead] = await api('GET', `/lists/${list.id}/leads`);
    await api('POST', `/leads/${lead.id}/call_back`, { lead: { category: 'Bad time' } });
    const section = page.getByRole('region', { name: 'Call back' });
    await section.getByRole('button', { name: 'Add a category of call back' }).click();
    const name = section.getByLabel('New category of call back');
    for (const [typed, said] of [
      ['Busy, later', 'A name has no comma'],
      ['Bad time', 'Bad time is there already.'],
      ['x'.repeat(300), 'A name has 255 characters at most'],
      [' ', 'Write a name first.'],
    ] as const) {
      await name.fill(typed);
      await name.press('Enter');
      await section.getByText(said).waitFor();
    }
    await name.fill('Busy');
    await name.press('Enter');
    await name.fill('Gatekeeper');
    await name.press('Enter');
    await name.press('Escape');
    await eventually(
      'both are kept',
      async () => (await settings()).categories.call_back.slice(-2).join() === 'Busy,Gatekeeper',
    );

    await page.getByLabel('Busy comes back after').selectOption({ label: '30 minutes' });
    await page.getByLabel('Busy is archived after').selectOption({ label: '5 tries' });
    await eventually('they hold', async () => {
      const { comes_back_after, archived_after } = (await settings()).retries.Busy;
      return comes_back_after === 30 && archived_after === 5;
    });
    await page
      .getByRole('region', { name: 'What the agent will see' })
      .getByText('Back in 30 minutes, third of five tries')
      .waitFor();

    await openField(page, 'Bad time', 'Rename');
    await page.getByText('Takes 1 lead along, tells nobody.').waitFor();
    await page.getByLabel('New name of Bad time').fill('Front desk');
    await page.keyboard.press('Enter');
    await eventually(
      'the lead goes along',
      async () => (await api('GET', `/leads/${lead.id}`)).category === 'Front desk',
    );

    await section.getByRole('button', { name: 'Move Gatekeeper' }).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await openField(page, 'Positive', 'Remove');
    await page.getByText('No lead carries it').waitFor();
    await page.getByRole('button', { name: 'Remove the category' }).click();
    await eventually(
      'in this order',
      async () => (await settings()).categories.call_back.join() === 'Front desk,No answer,Gatekeeper,Busy',
    );
    assert.deepEqual(complaints, []);
  });

  test('what is moved while another gets a new name is moved beside the new one', async () => {
    const { page, settings, complaints } = await enter('outcomes');
    const naming = Promise.withResolvers<void>();
    await intercept(page, '**/categories', async (route) => {
      await naming.promise;
      await route.continue();
    });
    await openField(page, 'Bad time', 'Rename');
    await page.getByLabel('New name of Bad time').fill('Front desk');
    const asked = page.waitForRequest('**/categories');
    await page.keyboard.press('Enter');
    await asked;
    await page.getByRole('button', { name: 'Move No answer', exact: true }).focus();
    await page.keyboard.press('Alt+ArrowUp');
    naming.resolve();
    await eventually(
      'both hold',
      async () => (await settings()).categories.call_back.join() === 'Front desk,No answer,Positive',
    );
    assert.deepEqual(complaints, []);
  });

  test('what a colleague removes while it is dragged is gone, and nothing else with it', async () => {
    const { page, app, at, settings, complaints } = await enter('outcomes');
    const grip = (name: string) => page.getByRole('button', { name: `Move ${name}`, exact: true });
    await grip('Positive').hover();
    await page.mouse.down();
    const to = (await grip('Bad time').boundingBox())!;
    await page.mouse.move(to.x + 8, to.y + 2, { steps: 5 });
    await hears(page);
    await app('PATCH', at, { list: { categories: { call_back: ['Bad time', 'No answer'] } } });
    await grip('Positive').waitFor({ state: 'detached' });
    await page.mouse.up();
    await grip('Bad time').focus();
    await page.keyboard.press('Alt+ArrowDown');
    await eventually('the others are moved on', async () => (await settings()).categories.call_back[1] === 'Bad time');
    assert.deepEqual((await settings()).categories.call_back, ['No answer', 'Bad time']);
    assert.deepEqual(complaints, []);
  });

  test('a script is filled in for a real lead, names stray tags, and is kept until it is saved', async () => {
    const { page, path, address, settings, complaints } = await enter('script');
    const area = page.getByRole('textbox', { name: 'Script' });
    await area.fill('# Opening\n\nGood morning {{compnay_name}}');
    await page.getByText('names no field: did you mean company_name?').waitFor();
    await page.getByRole('button', { name: 'Replace' }).click();
    const preview = page.getByRole('region', { name: 'As agents will read it' });
    await preview.getByText(/Ashdown Couriers|Marlowe Freight/).waitFor();
    await page.getByRole('button', { name: 'Put in a field' }).click();
    await page.getByRole('menuitem', { name: 'E-mail' }).click();
    await eventually('it stands in the script', async () => (await area.inputValue()).includes('{{e_mail}}'));
    const written = await area.inputValue();
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByText('It stays in this browser').waitFor();
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.waitForURL('**/people');
    await page.goto(address + path);
    assert.equal(await area.inputValue(), written);
    await area.press('Control+s');
    await eventually('it is saved', async () => (await settings()).description === written);
    await page.getByText('Not saved yet').waitFor({ state: 'hidden' });
    assert.deepEqual(complaints, []);
  });

  test('a script of a megabyte is kept and refused with a sentence; two who write at once see both', async () => {
    const { page, app, at, settings, complaints } = await enter('script');
    const area = page.getByRole('textbox', { name: 'Script' });
    await area.fill('x'.repeat(1_000_000));
    await page.getByText('A script has 100,000 characters at most. Take 900,000 away').waitFor();
    assert.equal((await area.inputValue()).length, 1_000_000);
    assert.ok(await page.getByRole('button', { name: 'Save', exact: false }).isDisabled());
    await area.fill('Mine');
    await app('PATCH', at, { list: { description: 'Theirs' } });
    await page.getByLabel('Theirs', { exact: true }).getByText('Theirs').waitFor();
    assert.equal(await page.getByLabel('Yours', { exact: true }).innerText(), 'Mine');
    await page.getByRole('button', { name: 'Save mine over it' }).click();
    await eventually('mine is saved', async () => (await settings()).description === 'Mine');
    assert.deepEqual(complaints, []);
  });

  test('queue, claims, matching, caller ID and recording are saved where they are changed', async () => {
    const { page, address, at, settings, complaints } = await enter('queue');
    await page.getByLabel('Before everything else').check();
    const order = page.getByRole('region', { name: 'What an agent gets next' });
    await order.getByRole('listitem').nth(1).getByText('New leads').waitFor();
    await page.getByRole('radiogroup', { name: 'Winning claims the lead' }).getByText('On', { exact: true }).click();
    await eventually('both hold', async () => {
      const now = await settings();
      return now.queue_new_before_due && now.claim_on_win === true;
    });
    await page.goto(`${address}${at}/settings/duplicates`);
    await page.getByLabel('The same value in one more field').selectOption({ label: 'Website' });
    await page.getByText('Marks of 2 leads are rewritten.').waitFor();
    await page.getByRole('button', { name: 'Change the matching' }).click();
    await eventually('it matches on one more', async () => (await settings()).duplicates_match_on === 'website');
    await page.goto(`${address}${at}/settings/calls`);
    await page.getByLabel('Caller number').fill('70 10 10 10');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Write it with + and the code of the country').waitFor();
    await page.getByLabel('Caller number').fill('+45 70 10 10 10');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await eventually('it is kept', async () => (await settings()).caller_number === '+4570101010');
    await page.getByRole('radiogroup', { name: 'Record calls' }).getByText('Off', { exact: true }).click();
    await eventually('none is recorded', async () => (await settings()).record_calls === false);
    assert.deepEqual(withoutRefusals(complaints), []);
  });

  test('whoever leaves a part with something unsaved is told what would be lost', async () => {
    const { page, settings, labels } = await enter('calls');
    const parts = page.getByRole('navigation', { name: 'Settings' });
    const dialog = page.getByRole('dialog', { name: 'Leave without saving' });
    const leaveTo = async (part: string, lost: string[]) => {
      await parts.getByRole('link', { name: part }).click();
      await dialog.waitFor();
      assert.deepEqual(await dialog.getByRole('listitem').allInnerTexts(), lost);
      await dialog.getByRole('button', { name: 'Discard and leave' }).click();
      await page.waitForURL(`**/settings/${part.toLowerCase()}`);
    };
    await page.getByLabel('Caller name').fill('Marlowe');
    await leaveTo('Duplicates', ['Caller name']);
    await page.getByLabel('The same value in one more field').selectOption({ label: 'Website' });
    await leaveTo('Fields', ['The same value in one more field']);
    await openField(page, 'Title', 'Rename');
    await page.getByRole('form', { name: 'Title' }).getByLabel('Label').fill('Position');
    await openField(page, 'Website', 'Rename');
    await openField(page, 'E-mail', 'Rename');
    assert.equal(await page.getByRole('form', { name: 'Website' }).count(), 0, 'nothing was typed there');
    await page.getByRole('form', { name: 'E-mail' }).getByLabel('Label').fill('Address');
    await page.getByRole('button', { name: 'Add a field' }).click();
    await page.getByRole('form', { name: 'Add a field' }).getByLabel('Label').fill('Fleet size');
    await leaveTo('Duplicates', ['Fleet size', 'Title', 'E-mail']);
    const { caller_name, duplicates_match_on } = await settings();
    assert.deepEqual([caller_name, duplicates_match_on], [null, '']);
    assert.ok(!(await labels()).includes('Position'));
  });

  test('what one chooses is shown at once, not after a moment in which it jumps back', async () => {
    const { page, settings, complaints } = await enter('queue');
    const isChosen = await page.getByLabel('Before everything else').evaluate(async (choice: HTMLInputElement) => {
      choice.click();
      // Neither a timer nor a picture comes in between.
      for (let turns = 0; turns < 200; turns += 1) await Promise.resolve();
      return choice.checked;
    });
    assert.ok(isChosen);
    await eventually('it holds', async () => (await settings()).queue_new_before_due);
    assert.deepEqual(complaints, []);
  });

  test('people are put on a list by a tick, and invited from there', async () => {
    const { page, app, at, list, complaints } = await enter('people');
    const owner = page.getByRole('checkbox', { name: OWNER.email });
    await owner.press('Space');
    await page.getByText('One works it').waitFor();
    await eventually('the service knows', async () => (await app('GET', `${at}/people`)).user_ids.length === 1);
    await owner.press('Space');
    await page.getByText('Nobody works it yet').waitFor();
    await page.getByRole('button', { name: 'Invite someone' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(list.name).first().waitFor();
    await dialog.getByLabel('E-mail').fill('ben@example.com');
    await dialog.getByRole('button', { name: 'Invite, show the link' }).click();
    await dialog
      .getByText(/https?:\/\//)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'ben@example.com', checked: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('what a colleague changes appears, and what one is typing stays', async () => {
    const { page, app, at, complaints } = await enter('fields');
    await openField(page, 'Title', 'Rename');
    const label = page.getByRole('form', { name: 'Title' }).getByLabel('Label');
    await label.fill('Position');
    await hears(page);
    await app('POST', `${at}/fields`, { field: { label: 'From a colleague' } });
    await page.getByText('From a colleague').first().waitFor();
    assert.equal(await label.inputValue(), 'Position');
    assert.deepEqual(complaints, []);
  });

  test('two who change the same field or caller ID at once: the second is told, keeps what was typed, and may go on', async () => {
    const { page, app, at, address, fields, settings, complaints } = await enter('fields');
    await openField(page, 'Title', 'Rename');
    const form = page.getByRole('form', { name: 'Title' });
    await form.getByLabel('Label').fill('Position');
    const { id } = (await fields()).find(({ key }) => key === 'title')!;
    await app('PATCH', `${at}/fields/${id}`, { field: { required: true } });
    await page.getByText('Needed').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('has changed the fields since you looked').waitFor();
    assert.equal(await form.getByLabel('Label').inputValue(), 'Position');
    await form.getByRole('button', { name: 'Save' }).click();
    await eventually('it is renamed', async () => (await fields()).some(({ label }) => label === 'Position'));

    await page.goto(`${address}${at}/settings/calls`);
    await page.getByLabel('Caller name').fill('Mine');
    await hears(page);
    await app('PATCH', at, { list: { caller_name: 'Theirs' } });
    await page.getByRole('region', { name: 'Who is seen to call' }).getByText('Theirs').waitFor();
    assert.equal(await page.getByLabel('Caller name').inputValue(), 'Mine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Save mine all the same' }).click();
    await eventually('mine holds', async () => (await settings()).caller_name === 'Mine');
    assert.deepEqual(withoutRefusals(complaints), []);
  });

  test('what is typed on while a part is saved stays, and is saved next without a clash', async () => {
    const { page, at, address, settings, complaints } = await enter('calls');
    let saving = Promise.withResolvers<void>();
    let asked = Promise.withResolvers<void>();
    await intercept(page, `**/app${at}`, async (route) => {
      if (route.request().method() === 'PATCH') {
        asked.resolve();
        await saving.promise;
      }
      await route.continue();
    });
    const save = page.getByRole('button', { name: 'Save', exact: true });
    const name = page.getByLabel('Caller name');
    await page.getByLabel('Caller number').fill('+45 70 10 10 10');
    await name.fill('Marlowe');
    await save.click();
    await asked.promise;
    await name.fill('Marlowe Freight');
    saving.resolve();
    const side = page.getByRole('region', { name: 'Who is seen to call' });
    await side.getByText('Marlowe', { exact: true }).waitFor();
    const number = page.getByLabel('Caller number');
    await eventually('the answer is there', async () => (await number.inputValue()) === '+4570101010');
    assert.equal(await name.inputValue(), 'Marlowe Freight');
    await save.click();
    await side.getByText('Marlowe Freight', { exact: true }).waitFor();
    await page.getByText('Not saved yet').waitFor({ state: 'hidden' });

    await page.goto(`${address}${at}/settings/duplicates`);
    [saving, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const change = page.getByRole('button', { name: 'Change the matching' });
    const field = page.getByLabel('The same value in one more field');
    await field.selectOption({ label: 'Website' });
    await change.click();
    await asked.promise;
    await field.selectOption({ label: 'Title' });
    saving.resolve();
    await eventually('the first is kept', async () => (await settings()).duplicates_match_on === 'website');
    await page.locator('.save-foot button[aria-busy="false"]', { hasText: 'Change the matching' }).waitFor();
    await change.click();
    await eventually('the second is kept', async () => (await settings()).duplicates_match_on === 'title');
    assert.deepEqual(complaints, []);
  });

  test('five hundred fields are still used; one more is refused with a sentence', async () => {
    const { page, api, address, complaints } = await enter('fields');
    const labels = Array.from({ length: 500 }, (_, index) => ({ label: `Field ${index + 1}` }));
    const { id } = await api('POST', '/lists', { list: { name: 'Wide', columns_attributes: labels } });
    await page.goto(`${address}/lists/${id}/settings/fields`);
    await page.getByText('field_500', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Move Field 500', exact: true }).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByText('Field 500: 499 of 500.').waitFor();
    await page.getByRole('button', { name: 'Add a field' }).click();
    await addField(page, 'Field 501', 'Text');
    await page.getByText('a list has at most 500 fields').waitFor();
    assert.deepEqual(withoutRefusals(complaints), []);
  });

  test('an analyst reads all of it, changes nothing, and is told who may', async () => {
    const { page, address, at, app, invite, accept, complaints } = await enter('fields');
    const link = await invite('analyst@example.com', []);
    const { id } = (await app('GET', '/users')).find(({ email }: { email: string }) => email === 'analyst@example.com');
    await app('PATCH', `/users/${id}`, { user: { agent: false, analyst: true } });
    // What it still asked for would be refused.
    await page.goto('about:blank');
    await page.context().clearCookies();
    await accept(page, link, `${at}/settings/fields`);
    for (const part of ['fields', 'outcomes', 'script', 'queue', 'duplicates', 'calls']) {
      await page.goto(`${address}${at}/settings/${part}`);
      await page.getByText('Data managers and owners change this.').waitFor();
    }
    await page.goto(`${address}${at}/settings/people`);
    await page.getByText('say who works a list').waitFor();
    await page.goto(`${address}${at}/settings/fields`);
    assert.ok(await page.getByRole('button', { name: 'Hide Title' }).isDisabled());
    await page.getByText('Your role does not open leads').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('a field that is removed while someone types in it gives the text back', async () => {
    const { page, address, app, api, at, list, fields, complaints } = await enter('fields');
    await lingerNotices(page);
    const [lead] = await api('GET', `/lists/${list.id}/leads`);
    await page.goto(`${address}/leads/${lead.id}`);
    await page.locator('[data-field="title"]').click();
    await page.keyboard.type('Fleet manager');
    const { id } = (await fields()).find(({ key }) => key === 'title')!;
    await app('DELETE', `${at}/fields/${id}?seen=0`);
    await page.keyboard.press('Enter');
    await page.getByText('You had typed: Fleet manager').waitFor();
    await page.locator('#field-title').waitFor({ state: 'hidden' });
    assert.deepEqual(withoutRefusals(complaints), []);
  });
});
