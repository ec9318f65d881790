import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../leadline.ts';
import { besides, expectFitting, intercept, lingerNotices, openBrowser, openPage, withBrowser } from './browser.ts';
import { furnish, openService, OWNER, signInAtDoor } from './service.ts';

const service = await openService();
const viewport = { width: 1440, height: 900 };

const open = async () => openPage(await openBrowser(), { viewport, locale: 'en-GB', reducedMotion: 'reduce' });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const act = async (page: Page, of: string, what: string) => {
  await page.getByRole('button', { name: `Actions for ${of}` }).click();
  await page.getByRole('menuitem', { name: what, exact: true }).click();
};

/** The owner of an account, signed in. */
async function enter(path: string) {
  const account = await furnish(service);
  const opened = await open();
  await account.signIn(opened.page, path);
  return { ...account, ...opened };
}

describe('lists', withBrowser, () => {
  test('from nothing: a list, its first leads and the desk, by keyboard, with a checklist that goes when all is there', async () => {
    const { address, ask, key } = await service.addAccount();
    const { page, complaints } = await open();
    await signInAtDoor(page, address, '/work');
    await page.getByText('Nothing here yet.').waitFor();
    await page.getByRole('link', { name: 'Start with an empty list' }).focus();
    await page.keyboard.press('Enter');
    await heading(page, 'New list');
    // The keyboard is in the first field already, and what is refused is said there.
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await page.keyboard.press('Enter');
    await page.getByText(/^Name must/).waitFor();
    await page.keyboard.type('Autumn');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Visited the stand in October');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/lists\/\d+\/settings\/fields$/);
    await heading(page, 'Autumn. Change the list');
    await page.getByText('Visited the stand in October').waitFor();

    await page.getByRole('link', { name: 'Overview' }).click();
    const checklist = page.getByRole('region', { name: 'Before the first call' });
    await checklist.getByText('Nobody works it yet.').waitFor();
    await page.keyboard.press('a');
    const form = page.getByRole('dialog', { name: 'Add a lead' });
    await form.getByLabel('Company name').waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await page.keyboard.type('Marlowe Freight');
    const saving = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await intercept(page, '**/app/lists/*/leads', async (route) => {
      asked.resolve();
      await saving.promise;
      await route.continue();
    });
    await page.keyboard.press('Control+Enter');
    await asked.promise;
    // Whoever begins the next one meanwhile keeps what they wrote.
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Quarry Lane');
    saving.resolve();
    await form.getByText('Added Marlowe Freight as it was when you sent it.').waitFor();
    assert.equal(await form.getByLabel('Company name').inputValue(), 'Quarry Lane');
    await page.unroute('**/app/lists/*/leads');
    await page.keyboard.press('Control+Enter');
    await form.getByText('Added Quarry Lane. Here is room for the next.').waitFor();
    assert.equal(await form.getByLabel('Company name').inputValue(), '');
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'hidden' });
    await checklist.getByText('2 leads', { exact: true }).waitFor();

    await checklist.getByRole('link', { name: 'Go to the desk' }).click();
    await heading(page, 'Marlowe Freight');

    // With someone who works it the checklist is through, and goes.
    const authorization = `Token "${key}"`;
    const [list] = (await ask('GET', '/api/v2/lists', undefined, { authorization })).body as { id: number }[];
    await ask(
      'POST',
      '/api/v2/users',
      {
        accept_charge_upon_invitation_acceptance: '1',
        user: { email: 'ann@example.com', first_name: 'Ann', listing_ids: [list!.id] },
      },
      { authorization },
    );
    await page.getByRole('link', { name: 'Lists' }).click();
    await page.getByText('1 list, 2 leads').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await heading(page, 'Autumn. Change the list');
    await page.getByText('1 person').waitFor();
    assert.equal(await checklist.count(), 0);
    assert.deepEqual(besides(complaints, /status of 422/), []);
  });

  test('Lists tells how every campaign stands, follows what happens, and is for everyone', async () => {
    const { address, api, page, complaints, list, addLeads } = await enter('/lists');
    await rowOf(page, 'Fleet charging').getByText('0 leads').waitFor();
    await addLeads(['Marlowe Freight', 'Ashdown Couriers', 'Quarry Lane'], '0101');
    await rowOf(page, 'Fleet charging').getByText('3 leads').waitFor();
    const [won, lost] = (await api('GET', `/lists/${list.id}/leads`)) as { id: number }[];
    await api('POST', `/leads/${won!.id}/winner`, { lead: { category: 'Order' } });
    await rowOf(page, 'Fleet charging').getByText('100 %').waitFor();
    await api('POST', `/leads/${lost!.id}/loser`, { lead: {} });
    await rowOf(page, 'Fleet charging').getByText('50 %').waitFor();
    await rowOf(page, 'Fleet charging').getByRole('link', { name: 'Add people' }).waitFor();
    await api('POST', '/lists', { list: { name: 'Depot expo, Birmingham' } });
    await rowOf(page, 'Depot expo').waitFor();

    await page.getByLabel('Find a list').fill('depot');
    await rowOf(page, 'Fleet charging').waitFor({ state: 'hidden' });
    await page.getByLabel('Find a list').fill('none like this');
    await page.getByText('No list of that name.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    // By the keyboard, and by its name from anywhere.
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await heading(page, 'Fleet charging. Change the list');
    await page.getByRole('region', { name: 'Outcomes' }).getByText('Order').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).getByLabel('Search').fill('depot');
    await page.getByRole('button', { name: 'Depot expo, Birmingham' }).waitFor();
    await page.keyboard.press('Enter');
    await heading(page, 'Depot expo, Birmingham. Change the list');
    await page.keyboard.press('g');
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'menuitem');
    await page.keyboard.type('fleet');
    await page.keyboard.press('Enter');
    await heading(page, 'Fleet charging. Change the list');
    await intercept(page, '**/app/lists/progress', (route) => route.abort());
    await page.goto(`${address}/lists`);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.unroute('**/app/lists/progress');
    await page.getByRole('button', { name: 'Try again' }).click();
    await rowOf(page, 'Fleet charging').waitFor();
    assert.deepEqual(besides(complaints, /ERR_FAILED/), []);
  });

  test('a paused list says so at the desk within a moment, gives no other lead, and goes on when it is resumed', async () => {
    const { page, complaints, list, api, addLeads, join } = await enter('/lists');
    await addLeads(['Marlowe Freight', 'Ashdown Couriers'], '0101');
    const other = await api('POST', '/lists', { list: { name: 'Depot expo' } });
    await api('POST', `/lists/${other.id}/leads`, { lead: { company_name: 'Quarry Lane' } });
    const { page: ann } = await open();
    for (const one of [page, ann]) await lingerNotices(one);
    await join(ann, 'ann@example.com', [list.id, other.id]);
    // Nobody has chosen it.
    await heading(ann, 'Marlowe Freight');

    await act(page, 'Fleet charging', 'Pause');
    await page.getByText('Fleet charging is paused.').waitFor();
    await rowOf(page, 'Fleet charging').getByText('Paused').waitFor();
    await ann.getByText('Paused. Finish this lead, no other comes.').waitFor();
    await ann.keyboard.press('n');
    await ann.getByText('Finish this lead. No other comes until it is resumed.').waitFor();
    await heading(ann, 'Marlowe Freight');
    await ann.keyboard.press('a');
    await ann.keyboard.press('Enter');
    await heading(ann, 'Fleet charging is paused');
    await ann.getByText('Leads are waiting in your other lists').waitFor();
    await expectFitting(ann, 'a paused list at the desk');
    await ann.setViewportSize(viewport);
    await ann.keyboard.press('g');
    await ann.getByRole('menuitem', { name: /^Fleet charging.*paused$/ }).waitFor();
    await ann.keyboard.press('Escape');

    await act(page, 'Fleet charging', 'Resume');
    await heading(ann, 'Ashdown Couriers');
    await act(page, 'Fleet charging', 'Pause');
    await ann.getByText('Paused. Finish this lead, no other comes.').waitFor();
    // Archived, it is out of sight there, once the lead in hand is finished.
    await act(page, 'Fleet charging', 'Archive');
    await ann.getByText('Archived. Finish this lead, no other comes.').waitFor();
    await ann.keyboard.press('w');
    await ann.keyboard.press('Enter');
    await ann.getByText('Winner saved').waitFor();
    await ann.getByText('It was archived. What you wrote is kept.').waitFor();
    await ann.getByRole('button', { name: 'Go on with Depot expo' }).click();
    await heading(ann, 'Quarry Lane');
    await page.getByRole('button', { name: 'Archived (1)' }).click();
    await act(page, 'Fleet charging', 'Take out of the archive');
    await rowOf(page, 'Fleet charging').waitFor();
    await act(page, 'Depot expo', 'Pause');
    const told = page.getByRole('alert').filter({ hasText: 'Depot expo is paused.' });
    await told.getByRole('button', { name: 'Undo' }).click();
    await rowOf(page, 'Depot expo').getByText('Paused').waitFor({ state: 'hidden' });
    assert.deepEqual(complaints, []);
  });

  test('deleting asks for the name; the list is gone for all at once, and comes back whole', async () => {
    const { page, complaints, list, addLeads, join } = await enter('/lists');
    await addLeads(['Marlowe Freight'], '0101');
    await lingerNotices(page);
    const { page: ann } = await open();
    await join(ann, 'ann@example.com');
    await heading(ann, 'Marlowe Freight');
    await act(page, 'Fleet charging', 'Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete Fleet charging' });
    await dialog.getByText(/^1 lead goes with it/).waitFor();
    const isFocused = (name: string) =>
      dialog.getByRole('button', { name }).evaluate((button) => button === document.activeElement);
    await eventually('the safe one has the keyboard', () => isFocused('Keep the list'));
    await dialog.getByLabel('Its name, to be sure').fill('Another');
    await page.keyboard.press('Enter');
    await dialog.getByText(/^The name /).waitFor();
    await dialog.getByLabel('Its name, to be sure').fill('Fleet charging');
    await page.keyboard.press('Enter');
    await page.getByText('Fleet charging was deleted.').waitFor();
    await ann.getByText('This list was deleted, or is not yours any more. What you wrote is kept.').waitFor();

    await page.getByRole('button', { name: 'Deleted (1)' }).click();
    await page.getByText(/Deleted by .*gone for good/).waitFor();
    await page.goto(new URL(`/lists/${list.id}`, page.url()).href);
    await heading(page, 'Fleet charging was deleted.');
    await page.getByRole('button', { name: 'Bring back Fleet charging' }).click();
    await heading(page, 'Fleet charging. Change the list');
    await heading(ann, 'Marlowe Freight');
    assert.deepEqual(besides(complaints, /status of (404|422)/), []);
  });

  test('two managers rename a list at once: the second keeps what was typed and decides whose it is to be', async () => {
    const { page, complaints, list, app } = await enter('/lists');
    await page.getByRole('link', { name: 'Fleet charging' }).click();
    await heading(page, 'Fleet charging. Change the list');
    const clashing = async (theirs: string, mine: string) => {
      await act(page, theirs === 'Vans' ? 'Fleet charging' : 'Vans', 'Rename');
      const dialog = page.getByRole('dialog', { name: /^Rename/ });
      await dialog.getByLabel('Name').fill(mine);
      await app('PATCH', `/lists/${list.id}`, { list: { name: theirs } });
      // Heard of, and yet not taken for what was seen.
      await heading(page, `${theirs}. Change the list`);
      await page.keyboard.press('Enter');
      await dialog.getByText(/has changed .* What you typed is still here\.$/).waitFor();
      assert.equal(await dialog.getByLabel('Name').inputValue(), mine);
      return dialog;
    };
    const first = await clashing('Vans', 'Lorries');
    await expectFitting(page, 'two changes at once');
    await page.setViewportSize(viewport);
    await first.getByRole('button', { name: 'Show theirs' }).click();
    await first.getByText('What you typed is still here').waitFor({ state: 'hidden' });
    assert.equal(await first.getByLabel('Name').inputValue(), 'Vans');
    await page.keyboard.press('Escape');
    await first.waitFor({ state: 'hidden' });
    const second = await clashing('Buses', 'Trams');
    await second.getByRole('button', { name: 'Save mine all the same' }).click();
    await heading(page, 'Trams. Change the list');
    assert.deepEqual(besides(complaints, /status of 409/), []);
  });

  test('a lead that is written by hand shows those that it may be, and is not lost while the service is away', async () => {
    const { api, list, addLeads, join } = await furnish(service);
    await addLeads(['Ashdown Couriers', 'Marlowe Freight'], '0183');
    const { page, complaints } = await open();
    await join(page, 'ann@example.com');
    await heading(page, 'Ashdown Couriers');
    // With a lead open: by the strip's menu, and by a command.
    await page.getByRole('button', { name: /^Status:/ }).click();
    await page.getByRole('menuitem', { name: 'Add a lead' }).click();
    const form = page.getByRole('dialog', { name: 'Add a lead' });
    await form.getByLabel('Company name').fill('Ashdown');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).getByLabel('Search').fill('add a lead');
    await page.keyboard.press('Enter');
    // The keyboard is where one begins, with what was written before, and stays there.
    await form.getByLabel('Company name').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.type(' Limited Company', { delay: 10 });
    assert.equal(await form.getByLabel('Company name').inputValue(), 'Ashdown Limited Company');
    await form.getByLabel('Company name').fill('Ashdown Ltd');
    await form.getByLabel('Work/Office phone').fill('+44 20 7946 0183');
    const alike = form.getByRole('list', { name: 'Possible duplicates' });
    await alike.getByText('· New').first().waitFor();
    await alike.getByRole('link', { name: 'Ashdown Couriers, Fleet charging' }).waitFor();
    await expectFitting(page, 'possible duplicates');
    await page.setViewportSize(viewport);
    let isAway = true;
    await intercept(page, `**/app/lists/${list.id}/leads`, (route) => (isAway ? route.abort() : route.continue()));
    await page.keyboard.press('Enter');
    await page.getByText('Not saved yet').waitFor();
    assert.equal(await form.getByLabel('Company name').inputValue(), 'Ashdown Ltd');
    isAway = false;
    await heading(page, 'Ashdown Ltd');
    const leads = (await api('GET', `/lists/${list.id}/leads`)) as unknown[];
    assert.equal(leads.length, 3);
    assert.deepEqual(besides(complaints, /ERR_FAILED/), []);
  });

  test('what is answered late takes nobody away who has left its form', async () => {
    const { address, app, list, addLeads, signIn } = await furnish(service);
    await addLeads(['Ashdown Couriers'], '0101');
    const { page, complaints } = await open();
    await lingerNotices(page);
    await signIn(page, '/work');
    await heading(page, 'Ashdown Couriers');
    let answer = Promise.withResolvers<void>();
    const asked: string[] = [];
    await intercept(page, /\/app\/lists(\/\d+\/leads)?$/, async (route) => {
      if (route.request().method() === 'POST') {
        asked.push(route.request().url());
        await answer.promise;
      }
      await route.continue();
    });
    const form = page.getByRole('dialog', { name: 'Add a lead' });
    const begin = async () => {
      await page.getByRole('button', { name: /^Status:/ }).click();
      await page.getByRole('menuitem', { name: 'Add a lead' }).click();
    };
    await begin();
    await form.getByLabel('Company name').fill('Marlowe Freight');
    await page.keyboard.press('Enter');
    await eventually('it is on its way', async () => asked.length === 1);
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'hidden' });
    // Opened again it is for the next lead: the one that is being added is not added once more.
    await begin();
    assert.equal(await form.getByLabel('Company name').inputValue(), '');
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'hidden' });
    answer.resolve();
    await page.getByText('Added Marlowe Freight.').waitFor();
    await heading(page, 'Ashdown Couriers');
    await begin();
    assert.equal(await form.getByLabel('Company name').inputValue(), '');

    await page.goto(`${address}/lists/new`);
    answer = Promise.withResolvers<void>();
    await page.getByLabel('Name').fill('Renewals');
    await page.keyboard.press('Enter');
    await eventually('it is on its way', async () => asked.length === 2);
    await page.getByRole('link', { name: 'Leads', exact: true }).click();
    await heading(page, 'Leads');
    answer.resolve();
    await eventually('it is made', async () => (await app('GET', '/lists')).length === 2);
    await page.getByRole('link', { name: 'Lists', exact: true }).click();
    await page.getByRole('link', { name: 'Renewals' }).waitFor();
    await page.waitForURL(`${address}/lists`);
    assert.equal((await app('GET', `/lists/${list.id}`)).leads_count, 2);
    assert.deepEqual(complaints, []);
  });

  test('what is refused late is told to whoever has left its form, and what they wrote is there again', async () => {
    const { address, list, addLeads, signIn } = await furnish(service);
    await addLeads(['Ashdown Couriers'], '0101');
    const { page, complaints } = await open();
    await lingerNotices(page);
    await signIn(page, '/lists/new');
    let answer = Promise.withResolvers<void>();
    const asked: string[] = [];
    await intercept(page, /\/app\/lists(\/\d+\/leads)?$/, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      asked.push(route.request().url());
      const error = `Refused, number ${asked.length}.`;
      await answer.promise;
      return route.fulfill({ status: 422, json: { error } });
    });
    await page.getByLabel('Name').fill('Renewals');
    await page.keyboard.press('Enter');
    await eventually('it is on its way', async () => asked.length === 1);
    await page.getByRole('link', { name: 'Leads', exact: true }).click();
    await heading(page, 'Leads');
    answer.resolve();
    await page.getByText('Refused, number 1.').waitFor();

    await page.goto(`${address}/lists/${list.id}`);
    answer = Promise.withResolvers<void>();
    const form = page.getByRole('dialog', { name: 'Add a lead' });
    const begin = () => page.getByRole('button', { name: /^Add a lead/ }).click();
    await begin();
    await form.getByLabel('Company name').fill('Marlowe Freight');
    await page.keyboard.press('Enter');
    await eventually('it is on its way', async () => asked.length === 2);
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'hidden' });
    answer.resolve();
    await page.getByText('Refused, number 2.').waitFor();
    await begin();
    assert.equal(await form.getByLabel('Company name').inputValue(), 'Marlowe Freight');
    assert.deepEqual(besides(complaints, /status of 422/), []);
  });

  test('Ctrl and Enter held down add one lead, and a form with nothing in it adds none', async () => {
    const { api, list, addLeads, signIn } = await furnish(service);
    await addLeads(['Ashdown Couriers'], '0101');
    const { page, complaints } = await open();
    await signIn(page, `/lists/${list.id}`);
    await page.getByRole('button', { name: /^Add a lead/ }).click();
    const form = page.getByRole('dialog', { name: 'Add a lead' });
    await form.getByLabel('Company name').fill('Marlowe Freight');
    await page.keyboard.down('Control');
    await page.keyboard.down('Enter');
    await form.getByText('Added Marlowe Freight. Here is room for the next.').waitFor();
    // As a keyboard does that repeats what is held down.
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.up('Control');
    await form.getByLabel('Company name').fill(' ');
    await page.keyboard.press('Enter');
    await form.getByLabel('Company name').fill('Quarry Lane');
    await page.keyboard.press('Control+Enter');
    await form.getByText('Added Quarry Lane. Here is room for the next.').waitFor();
    assert.equal(((await api('GET', `/lists/${list.id}/leads`)) as unknown[]).length, 3);
    assert.deepEqual(complaints, []);
  });

  test('who looks after lists lands there, and is told who may change them; agents have no such page', async () => {
    const { address, api, app, list, join } = await furnish(service);
    await api('POST', '/users', {
      accept_charge_upon_invitation_acceptance: '1',
      user: { email: 'sue@example.com', first_name: 'Sue', agent: false, supervisor: true },
    });
    const mails = (await app('GET', '/outbox')) as { recipient: string; text: string }[];
    const { pathname, search } = new URL(
      /https?:\/\/\S+/.exec(mails.find(({ recipient }) => recipient === 'sue@example.com')!.text)![0],
    );
    const { page: sue, complaints } = await open();
    await sue.goto(address + pathname + search);
    await sue.getByLabel('Password').fill(OWNER.password);
    await sue.keyboard.press('Enter');
    await sue.waitForURL('**/lists');
    const button = sue.getByRole('button', { name: 'New list' });
    await button.focus();
    await sue.getByText('Data managers and owners make lists.').waitFor();
    await sue.getByRole('button', { name: 'Actions for Fleet charging' }).click();
    const pausing = sue.getByRole('menuitem', { name: /^Pause/ });
    assert.equal(await pausing.getAttribute('aria-disabled'), 'true');
    await pausing.getByText('Data managers and owners change lists.').waitFor();
    await sue.keyboard.press('Escape');
    await sue.goto(`${address}/lists/new`);
    await sue.getByText('Your role does not make lists.').waitFor();
    await expectFitting(sue, 'no right to make a list');

    const { page: ann } = await open();
    await join(ann, 'ann@example.com');
    await heading(ann, 'Fleet charging has no leads yet');
    assert.equal(await ann.getByRole('link', { name: 'Lists' }).count(), 0);
    await ann.goto(`${address}/lists`);
    await heading(ann, 'There is nothing here.');
    await ann.goto(`${address}/lists/${list.id}`);
    await heading(ann, 'There is nothing here.');
    assert.deepEqual(complaints, []);
  });
});
