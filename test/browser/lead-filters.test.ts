import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { besides, expectAccessible, expectFitting, intercept, openBrowser, openPage, withBrowser } from './browser.ts';
import { isDrawn } from './geometry.ts';
import { furnish, openService } from './service.ts';

const service = await openService();
const viewport = { width: 1440, height: 900 };

const open = async () => openPage(await openBrowser(), { viewport, locale: 'en-GB', reducedMotion: 'reduce' });

/** A list with three leads that have 12, 64 and 112 vehicles, and its owner at a page. */
async function enter(path: (listId: number) => string) {
  const account = await furnish(service);
  const { app, api, list } = account;
  const field = (await app('POST', `/lists/${list.id}/fields`, { field: { label: 'Vehicles', kind: 'integer' } })) as {
    id: number;
  };
  const ids: number[] = [];
  for (const [company_name, vehicles] of [
    ['Quarry Lane', '12'],
    ['Marlowe Freight', '64'],
    ['Ashdown Couriers', '112'],
  ])
    ids.push((await api('POST', `/lists/${list.id}/leads`, { lead: { company_name, vehicles } })).id);
  const opened = await open();
  const { page } = opened;
  await account.signIn(page, path(list.id));
  return { ...account, ...opened, field, ids };
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
const bar = (page: Page) => page.getByRole('search', { name: 'Which leads' });
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const shows = async (page: Page, names: string[], others: string[] = []) => {
  for (const name of names) await row(page, name).waitFor();
  for (const name of others) await row(page, name).waitFor({ state: 'detached' });
};
const addressed = (page: Page, ...f: string[]) =>
  page.waitForURL((url) => JSON.stringify(url.searchParams.getAll('f')) === JSON.stringify(f));
/** Typed into what has the focus by then. */
const say = async (page: Page, field: string, text: string) => {
  await page.getByRole('dialog').getByLabel(field, { exact: true }).first().fill(text);
  await page.keyboard.press('Enter');
};
const act = async (page: Page, of: string, what: string) => {
  await page.getByRole('button', { name: `Actions for ${of}` }).click();
  await page.getByRole('menuitem', { name: what }).click();
};
const inViews = async (page: Page, name: string) => {
  await page.getByRole('button', { name: /Views|Change the view/ }).click();
  await page.getByRole('menuitem', { name }).click();
};
/** What the columns of the table are called, without the one that chooses rows. */
const expectColumns = (page: Page, ...names: string[]) =>
  page.waitForFunction((wanted) => {
    const heads = [...document.querySelectorAll('[role="columnheader"]')].map(({ textContent }) => textContent);
    return heads.slice(1).join() === wanted;
  }, names.join());
const turnColumn = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name, exact: true }).click();
  await page.keyboard.press('Escape');
};

describe('filters of the leads', withBrowser, () => {
  test('are put together by keyboard, changed in their place, and stand in the address', async () => {
    const { page, api, ids, complaints } = await enter((id) => `/lists/${id}/leads`);
    await shows(page, ['Quarry Lane', 'Marlowe Freight', 'Ashdown Couriers']);
    const add = page.getByRole('button', { name: 'Add filter' });
    await add.focus();
    await page.keyboard.press('Enter');
    await say(page, 'Filter by', 'vehi');
    await say(page, 'How', 'at least');
    const value = page.getByRole('dialog').getByLabel('Value', { exact: true });
    await value.waitFor();
    await expectAccessible(page, 'the value of a filter');
    // Backspace on nothing goes back, and Enter on again.
    await value.press('Backspace');
    await say(page, 'How', 'at least');
    await say(page, 'Value', 'many');
    await page.getByText('A whole number is wanted, such as 20.').waitFor();
    await say(page, 'Value', '64');
    await addressed(page, 'field.vehicles:at_least:64');
    await shows(page, ['Marlowe Freight', 'Ashdown Couriers'], ['Quarry Lane']);
    await bar(page).getByText('2 leads, in queue order').waitFor();

    await add.click();
    await say(page, 'Filter by', 'company');
    await say(page, 'How', 'is one of');
    await say(page, 'Add a value', 'Ashdown Couriers');
    // What still stands in the field is meant, too.
    await page.getByLabel('Add a value').fill('Oakhanger, Timber');
    await page.getByRole('button', { name: 'Apply 2' }).click();
    await addressed(page, 'field.vehicles:at_least:64', 'field.company_name:in:Ashdown Couriers,Oakhanger\\, Timber');
    await shows(page, ['Ashdown Couriers'], ['Marlowe Freight']);
    await page.reload();
    await shows(page, ['Ashdown Couriers'], ['Marlowe Freight']);
    await page.goBack();
    await shows(page, ['Marlowe Freight', 'Ashdown Couriers'], ['Quarry Lane']);

    await page.getByRole('button', { name: '64. Change the value' }).click();
    await say(page, 'Value', '100');
    await addressed(page, 'field.vehicles:at_least:100');
    await shows(page, ['Ashdown Couriers'], ['Marlowe Freight']);
    await page.getByRole('button', { name: 'Remove Vehicles at least 100' }).click();
    await addressed(page);
    await shows(page, ['Quarry Lane']);

    // A state tab is a token, too; arrows go from one to the other.
    await api('POST', `/leads/${ids[1]}/winner`, { lead: { category: 'Order' } });
    const tab = (name: RegExp) => page.getByRole('button', { name, pressed: true });
    await bar(page)
      .getByRole('button', { name: /^Won 1$/ })
      .waitFor();
    await tab(/^All 3$/).focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    await tab(/^Won 1$/).waitFor();
    await addressed(page, 'state:is:won');
    await shows(page, ['Marlowe Freight'], ['Quarry Lane']);
    await page.goBack();
    await tab(/^All 3$/).waitFor();
    await page.keyboard.press('/');
    await page.waitForFunction(() => document.activeElement?.hasAttribute('data-search'));
    await page.keyboard.type('quarry');
    await page.waitForURL((url) => url.searchParams.get('q') === 'quarry');
    await shows(page, ['Quarry Lane'], ['Ashdown Couriers']);
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.searchParams.has('q'));
    await shows(page, ['Ashdown Couriers']);
    assert.deepEqual(complaints, []);
  });

  test('a day that is said without its year stays the one it was, whatever else is changed', async () => {
    const { page, address, complaints } = await enter(() => '/leads');
    await page.clock.setFixedTime('2026-11-16T12:00');
    await page.goto(`${address}/leads?f=due:between:2026-11-02,2026-11-30`);
    await page.getByRole('button', { name: '2 Nov and 30 Nov. Change the value' }).click();
    await say(page, 'To', '2026-11-13');
    await addressed(page, 'due:between:2026-11-02,2026-11-13');
    // What it was is said in the field where it is not written.
    await page.getByRole('button', { name: '2 Nov and 13 Nov. Change the value' }).click();
    await say(page, 'From', '2026-11-05');
    await say(page, 'To', '13 nov');
    await addressed(page, 'due:between:2026-11-05,2026-11-13');
    await page.goto(`${address}/leads?f=due:at_most:2026-11-13`);
    await page.getByRole('button', { name: '13 Nov. Change the value' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Value', { exact: true }).fill('13 nov');
    await dialog.getByText('13 Nov', { exact: true }).waitFor();
    await dialog.getByLabel('Value', { exact: true }).fill('12 nov');
    await dialog.getByText('12 Nov 2027', { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('that cannot hold say why and are taken away; so does a view of a field that was removed', async () => {
    const { page, app, address, list, field, complaints } = await enter(
      (id) => `/leads?lists=${id}&f=field.vehicles:at_least:64&f=nonsense`,
    );
    const fault = bar(page).getByRole('alert');
    await fault.getByText('“nonsense” is no filter that we know.').waitFor();
    await fault.getByRole('button', { name: 'Remove' }).click();
    await addressed(page, 'field.vehicles:at_least:64');
    await shows(page, ['Marlowe Freight'], ['Quarry Lane']);

    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save as a view' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save as a view' });
    await dialog.getByLabel('Name').fill('Large fleets');
    await dialog.getByText('Share it').click();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Large fleets. Change the view' }).waitFor();
    const views = async () => (await app('GET', '/views')) as { name: string; shared: boolean; shows: object }[];
    assert.deepEqual(
      (await views()).map(({ name, shared }) => [name, shared]),
      [['Large fleets', true]],
    );
    await app('DELETE', `/lists/${list.id}/fields/${field.id}`);
    await page.goto(`${address}/leads`);
    await shows(page, ['Quarry Lane']);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Large fleets' }).click();
    await fault.getByText(/^vehicles is no field of these lists/).waitFor();
    await expectFitting(page, 'a view of a field that was removed');
    await page.setViewportSize(viewport);
    await fault.getByRole('button', { name: 'Remove' }).click();
    await shows(page, ['Quarry Lane', 'Marlowe Freight']);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' });
    assert.ok(!JSON.stringify((await views())[0]!.shows).includes('vehicles'));

    // What others share is to be looked at, and its address opens it.
    const [{ id }] = (await app('GET', '/views')) as [{ id: number }];
    await page.goto(`${address}/leads?view=${id}`);
    await page.waitForURL((url) => url.searchParams.get('lists') === String(list.id));
    await page.getByRole('button', { name: 'Large fleets. Change the view' }).click();
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete the view' }).click();
    await page.getByRole('button', { name: 'Views', exact: true }).waitFor();
    assert.deepEqual(await views(), []);
    assert.deepEqual(besides(complaints, /status of 422/), []);
  });

  test('a view has its columns, and leaves one’s own as they are, here and in another tab', async () => {
    const { page, app, address, list } = await enter(() => '/leads');
    const columns = [{ name: 'lead' }, { name: 'state' }, { name: 'field.vehicles' }];
    const shown = { list_ids: [list.id], order: 'queue', columns };
    await app('POST', '/views', { view: { name: 'Fleets', shows: shown } });
    await app('POST', '/views', { view: { name: 'Bare', shows: { ...shown, columns: columns.slice(0, 1) } } });
    const own = ['Lead', 'List', 'State', 'Due', 'Claimed by', 'Last activity', 'Calls'];
    await page.reload();
    await turnColumn(page, 'Phone');
    await expectColumns(page, ...own);
    await inViews(page, 'Fleets');
    await expectColumns(page, 'Lead', 'State', 'Vehicles');
    const opening = page.waitForEvent('popup');
    await page.evaluate((to) => void window.open(to), `${address}/leads`);
    const other = await opening;
    other.setDefaultTimeout(120_000);
    await expectColumns(other, ...own);
    await inViews(other, 'Bare');
    await expectColumns(other, 'Lead');
    await inViews(page, 'All leads');
    await expectColumns(page, ...own);
    await page.goBack();
    await expectColumns(page, 'Lead', 'State', 'Vehicles');

    // What is changed in it is a change of the view.
    await turnColumn(page, 'Phone');
    await expectColumns(page, 'Lead', 'State', 'Vehicles', 'Phone');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' });
    const views = (await app('GET', '/views')) as { name: string; shows: { columns: object[] } }[];
    assert.deepEqual(views.find(({ name }) => name === 'Fleets')!.shows.columns, [...columns, { name: 'phone' }]);

    // While nothing is known of the fields, theirs are kept.
    await intercept(page, /\/app\/leads\/subjects/, (route) => route.abort());
    await page.reload();
    await expectColumns(page, 'Lead', 'State', 'Phone');
    await turnColumn(page, 'State');
    await expectColumns(page, 'Lead', 'Phone');
    await page.unrouteAll();
    await page.reload();
    await expectColumns(page, 'Lead', 'Vehicles', 'Phone');
    await page.getByRole('button', { name: 'As saved' }).click();
    await expectColumns(page, 'Lead', 'State', 'Vehicles', 'Phone');
  });

  test('of a view whose list is gone, all lists are the way out; all leads are those of every list', async () => {
    const { page, api, app, address, list } = await enter(() => '/leads');
    const { id: gone } = await api('POST', '/lists', { list: { name: 'Depot expo' } });
    const view = { name: 'Expo', shows: { list_ids: [gone], order: '-created' } };
    const { id } = (await app('POST', '/views', { view })) as { id: number };
    await app('DELETE', `/lists/${gone}`, { list: { name: 'Depot expo' } });
    await page.goto(`${address}/leads?view=${id}`);
    await page.getByText(/which is no list that you may see/).waitFor();
    await page.getByRole('button', { name: 'All lists' }).click();
    await shows(page, ['Quarry Lane']);
    await page.getByRole('button', { name: 'Save changes' }).waitFor();
    await page.goBack();
    await page.getByText(/which is no list that you may see/).waitFor();
    await inViews(page, 'All leads');
    await page.waitForURL((url) => url.search === '');
    await shows(page, ['Quarry Lane']);

    const isAllTicked = () => page.getByRole('menuitem', { name: 'All leads' }).getAttribute('aria-current');
    await page.goto(`${address}/leads?lists=${list.id}`);
    await page.getByRole('button', { name: 'Views' }).click();
    assert.equal(await isAllTicked(), 'false');
    await page.goto(`${address}/lists/${list.id}/leads?q=quarry`);
    await shows(page, ['Quarry Lane'], ['Marlowe Freight']);
    await inViews(page, 'All leads');
    await shows(page, ['Marlowe Freight']);
    assert.equal(new URL(page.url()).pathname, `/lists/${list.id}/leads`);
    await page.getByRole('button', { name: 'Views' }).click();
    assert.equal(await isAllTicked(), 'true');
  });

  test('whoever has a view deleted and goes elsewhere meanwhile stays there', async () => {
    const { page, app, list, complaints } = await enter(() => '/leads');
    await app('POST', '/views', { view: { name: 'Fleets', shows: { list_ids: [list.id], order: 'queue' } } });
    await page.reload();
    await inViews(page, 'Fleets');
    const answer = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await intercept(page, '**/app/views/*', async (route) => {
      asked.resolve();
      await answer.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Fleets. Change the view' }).click();
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Delete the view Fleets?' });
    await question.getByRole('button', { name: 'Delete the view' }).click();
    await asked.promise;
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Lists', exact: true }).click();
    await heading(page, 'Lists');
    const told = page.waitForResponse((response) => response.request().method() === 'DELETE');
    answer.resolve();
    await (await told).finished();
    await isDrawn(page);
    assert.equal(new URL(page.url()).pathname, '/lists');
    assert.deepEqual(await app('GET', '/views'), []);
    assert.deepEqual(complaints, []);
  });

  test('what someone who has left shares is taken away by those who may share', async () => {
    const { page, app, join, address } = await enter(() => '/leads');
    const { page: theirs } = await open();
    await join(theirs, 'sue@example.com', undefined, 'Sue');
    const people = (await app('GET', '/users')) as { id: number; email: string }[];
    const { id } = people.find(({ email }) => email === 'sue@example.com')!;
    await app('PATCH', `/users/${id}`, { user: { supervisor: true } });
    await theirs.goto(`${address}/leads?q=quarry`);
    await theirs.getByRole('button', { name: 'Views' }).click();
    await theirs.getByRole('menuitem', { name: 'Save as a view' }).click();
    await theirs.getByLabel('Name').fill('Quarries');
    await theirs.getByText('Share it').click();
    await theirs.keyboard.press('Enter');
    await theirs.getByRole('button', { name: 'Quarries. Change the view' }).waitFor();
    await page.reload();
    await inViews(page, 'Quarries');
    await page.getByRole('button', { name: 'Quarries. Change the view' }).click();
    await page.getByRole('menuitem', { name: /^Delete.*It is/ }).waitFor();
    await app('POST', `/users/${id}/disable`);
    await page.reload();
    await inViews(page, 'Stop sharing');
    await page.getByRole('button', { name: 'Views', exact: true }).waitFor();
    assert.deepEqual(await app('GET', '/views'), []);
  });

  test('say about how many match, and count them when someone wants to know', async () => {
    const { page, app } = await enter(() => '/leads');
    await shows(page, ['Quarry Lane']);
    // As it is where there are too many to count for every page.
    const table = (await app('GET', '/leads')) as { leads: { id: number }[] };
    let rows = 0;
    await intercept(page, /\/app\/leads\?/, (route) => {
      const leads = Array.from({ length: 100 }, () => ({ ...table.leads[0], id: (rows += 1) }));
      return route.fulfill({ json: { ...table, leads, after: `${rows}`, total: { number: 410_000, about: true } } });
    });
    await page.reload();
    await bar(page).getByText('About 410,000 leads').waitFor();
    await bar(page)
      .getByRole('button', { name: /^Count/ })
      .click();
    await bar(page)
      .getByText(/^3 leads, counted/)
      .waitFor();
  });
});

describe('a lead at its page', withBrowser, () => {
  test('is made new again, merged with one that is looked for, deleted and brought back', async () => {
    const { page, api, address, list, ids, complaints } = await enter((id) => `/lists/${id}/leads`);
    const [quarry, marlowe, ashdown] = ids as [number, number, number];
    await api('POST', `/leads/${marlowe}/loser`, { lead: {} });
    await page.goto(`${address}/leads/${marlowe}`);
    await heading(page, 'Marlowe Freight');
    await act(page, 'Marlowe Freight', 'Make new again');
    await page.getByRole('region', { name: 'Lead', exact: true }).getByText('New', { exact: true }).waitFor();
    assert.equal((await api('GET', `/leads/${marlowe}`)).state, 'new');

    await act(page, 'Marlowe Freight', 'Merge with another lead');
    await page.getByLabel('The other lead').fill('Quarry');
    await page.getByRole('button', { name: /^Quarry Lane/ }).click();
    await page.getByRole('button', { name: 'Merge into this lead' }).waitFor();
    await page.getByRole('radio', { name: 'Vehicles: the duplicate, 12' }).check();
    await page.getByRole('button', { name: 'Merge into this lead' }).click();
    await page.getByRole('button', { name: 'Merge the two' }).click();
    await page.getByRole('dialog', { name: 'Compare' }).waitFor({ state: 'detached' });
    assert.equal((await api('GET', `/leads/${marlowe}`)).lead_data.vehicles, '12');
    const left = (await api('GET', `/lists/${list.id}/leads`)) as { id: number }[];
    assert.deepEqual(new Set(left.map(({ id }) => id)), new Set([marlowe, ashdown]));
    await page.goto(`${address}/leads/${quarry}`);
    await page.waitForURL(`**/leads/${marlowe}`);

    await page.goto(`${address}/leads`);
    await row(page, 'Ashdown Couriers').waitFor();
    await page.goto(`${address}/leads/${ashdown}`);
    await heading(page, 'Ashdown Couriers');
    await act(page, 'Ashdown Couriers', 'Delete');
    await page.getByText(/It can be brought back with its history until/).waitFor();
    await page.getByRole('button', { name: 'Delete the lead' }).click();
    await page.waitForURL((url) => url.pathname === '/leads');
    await shows(page, ['Marlowe Freight'], ['Ashdown Couriers']);

    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Deleted leads' }).click();
    await heading(page, 'Deleted leads');
    await page.getByRole('button', { name: 'Bring back Ashdown Couriers' }).waitFor();
    await page.goto(`${address}/leads/${ashdown}`);
    await heading(page, 'Ashdown Couriers was deleted.');
    await page.getByRole('button', { name: 'Bring back Ashdown Couriers' }).click();
    await heading(page, /^Ashdown Couriers$/);
    assert.equal((await api('GET', `/leads/${ashdown}`)).id, ashdown);
    assert.deepEqual(besides(complaints, /status of 404/), []);
  });

  test('tells agents who merges and deletes', async () => {
    const { join, address, ids } = await enter((id) => `/lists/${id}/leads`);
    const { page } = await open();
    await join(page, 'ann@example.com');
    await page.goto(`${address}/leads/${ids[1]}`);
    await page.getByRole('button', { name: 'Actions for Marlowe Freight' }).click();
    const items = page.getByRole('menuitem').filter({ hasText: 'Data managers and owners merge and delete leads.' });
    assert.equal(await items.count(), 2);
    await items.first().click({ force: true });
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('dialog').count(), 0);
  });
});
