import type { Page } from 'playwright-core';
import { eventually, makeInstallation, startLeadline } from '../leadline.ts';
import { openBrowser, openPage } from './browser.ts';
import { furnish, OWNER, type Service } from './service.ts';

/** Below this there is one column, and what was open in another closes. */
const ONE_COLUMN = 1_100;
const START = { width: 1440, height: 900 };
const NARROW = { width: 900, height: 1180 };

/** Is shown each page in each state, under a name, with the sizes at which it stays so. */
export type Look = (page: Page, name: string, fits: (width: number) => boolean) => Promise<void>;
const DUPLICATE = '+442079460183';

/** Long words, as there are in other languages. */
const LONG = {
  company_name: 'Donaudampfschifffahrtsgesellschaft Marlowe & Söhne',
  first_name: 'Imogen',
  last_name: 'Hartley-Featherstonehaugh',
  title: 'Fuhrparkverantwortliche',
  work_office_phone: DUPLICATE,
  mobile_phone: '+442079460644',
  e_mail: 'imogen.hartley-featherstonehaugh@marlowe-freight.example',
  website: 'https://marlowe-freight.example/about/the/fleet',
};

/** Every page and every state of it, one after the other, in one browser. */
export async function walkStates(service: Service, look: Look): Promise<void> {
  await walkDesk(service, look);
  await walkLeads(service, look);
  await walkLeadTable(service, look);
  await walkFilters(service, look);
  await walkLists(service, look);
  await walkSettings(service, look);
  await walkManage(service, look);
  await walkDoor(service, look);
}

const open = async () =>
  (await openPage(await openBrowser(), { viewport: START, locale: 'en-GB', reducedMotion: 'reduce' })).page;

/** And the desk is drawn again, where that makes one column of three or three of one. */
export async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await page.waitForFunction((width) => {
    const desk = document.querySelector('.desk');
    return desk === null || desk.classList.contains('one-column') === innerWidth < width;
  }, ONE_COLUMN);
}

const atStart = (look: Look, page: Page) => async (name: string) => {
  await look(page, name, () => true);
  await resize(page, START);
};

/** What closes where three columns become one: opened and looked at in both. */
const inBoth = (look: Look, page: Page) => async (name: string, act: (isNarrow: boolean) => Promise<void>) => {
  await act(false);
  await look(page, name, (width) => width >= ONE_COLUMN);
  await resize(page, START);
  await leave(page);
  await resize(page, NARROW);
  await act(true);
  await look(page, name, (width) => width < ONE_COLUMN);
  await resize(page, NARROW);
  await leave(page);
};

async function signIn(page: Page, address: string, to: string): Promise<void> {
  await page.goto(`${address}/sign-in?to=${to}`);
  await page.getByLabel('E-mail').fill(OWNER.email);
  await page.getByLabel('Password').fill(OWNER.password);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
}

const pressAll = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

/** As whoever is signed in there. */
const askAs = (page: Page, path: string): Promise<unknown> =>
  page.evaluate(async (asked) => (await fetch(asked)).json(), path);

/** Out of whatever is open. */
async function leave(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page
    .locator(':popover-open, [role="dialog"], [role="listbox"]')
    .filter({ visible: true })
    .first()
    .waitFor({ state: 'hidden' });
}

async function walkDesk(service: Service, look: Look): Promise<void> {
  const { app, api, list, join, holdCalls } = await furnish(service);
  const add = async (lead: Record<string, string>): Promise<number> =>
    (await api('POST', `/lists/${list.id}/leads`, { lead })).id;
  await add(LONG);
  await add({ company_name: 'Ashdown Couriers', first_name: 'Neil', work_office_phone: '+442079460140' });
  await add({ company_name: 'Marlowe Freight (Hull)', work_office_phone: DUPLICATE });
  await api('POST', '/lists', { list: { name: 'Erneuerbare-Energien-Interessenten, Norddeutschland' } });
  const page = await open();
  const show = atStart(look, page);
  await join(page, 'ann@example.com');
  const dial = page.getByRole('button', { name: /^Dial/, disabled: false });
  await dial.waitFor();
  await page.getByRole('button', { name: 'Compare' }).waitFor();
  await show('work, ready');
  const showBoth = inBoth(look, page);
  await showBoth('work, comparing', async (isNarrow) => {
    if (isNarrow) await page.getByRole('tab', { name: 'Lead' }).click();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('dialog').waitFor();
  });
  await look(page, 'work, lead tab', (width) => width < ONE_COLUMN);
  await resize(page, NARROW);
  await page.getByRole('tab', { name: /^Activity/ }).click();
  await look(page, 'work, activity tab', (width) => width < ONE_COLUMN);
  await resize(page, START);
  await page.getByRole('button', { name: /: menu$/ }).click();
  await show('work, menu open');
  await leave(page);
  await pressAll(page, 'g');
  await show('work, lists open');
  await leave(page);
  await pressAll(page, '/');
  await page.getByRole('dialog', { name: 'Commands' }).getByLabel('Search').fill('mar');
  await page.getByText('Marlowe Freight (Hull)').last().waitFor();
  await show('work, commands open');
  await leave(page);
  await showBoth('work, picker open', async () => {
    await pressAll(page, 'c', 't');
    await page.getByRole('textbox', { name: 'When' }).waitFor();
  });
  await resize(page, START);
  await pressAll(page, 'w');
  await show('work, winner chosen');
  await pressAll(page, 'l');
  await show('work, loser chosen');
  await page.route('**/app/calls', (route) => route.abort());
  await pressAll(page, 'Escape', 'd');
  await page.getByText('That did not work').first().waitFor();
  await show('work, a notice');
  await page.unroute('**/app/calls');
  await page.getByRole('button', { name: 'Close' }).first().click();

  await pressAll(page, 'd');
  await page.getByText('Connected').waitFor();
  await show('work, in a call');
  await pressAll(page, 'c', '2', 'e');
  await page.keyboard.type('Budget opens in January. Wants the figures before the call, and a word with the depot.');
  await page.getByRole('radio', { name: /^Tomorrow/ }).click();
  await show('work, in a call, call back chosen');
  await page.getByRole('button', { name: /^Hang up, save, next/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Ashdown Couriers' }).waitFor();

  // Rings for as long as one looks.
  await dial.waitFor();
  const stopRinging = await holdCalls();
  await pressAll(page, 'd');
  await page.getByText(/^Ringing/).waitFor();
  await show('work, ringing');
  await stopRinging();
  await page.getByText('No answer').first().waitFor();
  await show('work, after no answer');
  await pressAll(page, 'a', 'Enter');
  await page.getByRole('heading', { level: 1, name: /Hull/ }).waitFor();
  const stopCalling = await holdCalls();
  await app('POST', '/simulate', { kind: 'inbound_call', from: '+442079460140' });
  await page.getByText(/is calling$/).waitFor();
  await show('work, called in');
  await stopCalling();
  await pressAll(page, 'h', 'a', 'Enter');
  await page.getByRole('heading', { level: 1, name: /^All caught up/ }).waitFor();
  await show('work, idle');
  await page.route('**/app/live*', (route) => route.abort());
  await page.reload();
  await page
    .getByText(/Connection lost|Reconnecting/)
    .first()
    .waitFor();
  await show('work, offline');

  const other = await open();
  await join(other, 'bo@example.com', []);
  await other.getByText('No list is yours yet.').waitFor();
  await look(other, 'work, no list', () => true);
  await other.close();
  await page.close();
}

async function walkLeads(service: Service, look: Look): Promise<void> {
  const { app, api, list, address } = await furnish(service);
  const add = async (lead: Record<string, string>): Promise<number> =>
    (await api('POST', `/lists/${list.id}/leads`, { lead })).id;
  const id = await add(LONG);
  await add({ ...LONG, company_name: 'Marlowe Freight (Hull)', title: 'Fleet Manager', mobile_phone: '' });
  const alone = await add({ company_name: 'Quarry Lane', work_office_phone: '+442079460111' });
  await api('POST', `/leads/${id}/comments`, { comment: 'Reception is friendly. Ask for Imogen, after ten.' });
  const call = await app('POST', '/calls', { call: { lead_id: alone } });
  await eventually('it is recorded', async () => (await api('GET', `/calls/${call.id}`)).recordings.length > 0);
  const page = await open();
  const show = atStart(look, page);
  await signIn(page, address, `/leads/${id}`);
  await page.getByRole('button', { name: 'Merge into this lead' }).waitFor();
  await show('lead, with a duplicate');
  await page.getByRole('button', { name: 'Merge into this lead' }).click();
  await page.getByRole('dialog').waitFor();
  await show('lead, merging');
  await leave(page);
  await page.getByRole('button', { name: 'Set outcome' }).click();
  await page.getByRole('radio', { name: 'Call back' }).click();
  await show('lead, setting an outcome');
  await leave(page);
  await page.getByRole('button', { name: 'Delegate' }).click();
  await page.getByPlaceholder('Find a colleague').waitFor();
  await show('lead, delegating');
  await page.goto(`${address}/leads/${alone}`);
  await page.getByRole('slider', { name: 'Position' }).waitFor();
  await show('lead, with a recording');
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await show('keys');
  await page.goto(`${address}/leads/1234567`);
  await page.getByRole('heading', { level: 1 }).or(page.locator('.empty')).first().waitFor();
  await show('lead, none of that number');
  await page.close();
}

/** The table of leads, its filters, and acts on many. */
async function walkLeadTable(service: Service, look: Look): Promise<void> {
  const { api, app, list, address, addLeads } = await furnish(service);
  await addLeads([LONG.company_name, 'Ashdown Couriers', 'Quarry Lane', 'Oakhanger Timber'], '0183');
  const [won, later] = (await api('GET', `/lists/${list.id}/leads`)) as { id: number }[];
  await api('POST', `/leads/${won!.id}/winner`, { lead: { category: 'Order' } });
  await api('POST', `/leads/${later!.id}/call_back`, { lead: { category: 'Positive' } });
  const empty = await app('POST', '/lists', { list: { name: 'Lapsed customers' } });
  const page = await open();
  const show = atStart(look, page);
  await signIn(page, address, '/leads');
  const row = page.getByRole('row').filter({ hasText: 'Quarry Lane' });
  await row.waitFor();
  await show('leads');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Company name' }).waitFor();
  await show('leads, columns');
  await leave(page);
  await pressAll(page, 'j', 'x');
  await page.getByRole('toolbar', { name: 'Selected leads' }).waitFor();
  await show('leads, one selected');
  await page.getByRole('button', { name: 'More to do with them' }).click();
  await page.getByRole('menuitem', { name: 'Release' }).click();
  await page.getByText('1 is claimed by nobody').waitFor();
  await show('leads, a question');
  await page.getByRole('button', { name: 'Release 1 lead' }).click();
  await page.getByRole('button', { name: 'see why' }).click();
  await show('leads, an act and why not');
  await page.getByRole('region', { name: 'Bulk acts' }).getByRole('button', { name: 'Close' }).click();
  await pressAll(page, 'Escape', 'j', 'Enter');
  await page.getByRole('region', { name: 'The lead beside the table' }).getByText('In this list').waitFor();
  await show('leads, one beside');
  await page.goto(`${address}/leads?f=state:is:lost`);
  await page.getByText('No lead matches.').waitFor();
  await show('leads, none matches');
  await page.goto(`${address}/leads?order=field.nobody`);
  await page.getByRole('alert').waitFor();
  await show('leads, refused');
  await page.goto(`${address}/lists/${list.id}/leads`);
  await row.waitFor();
  await show('a list, its leads');
  await page.goto(`${address}/lists/${empty.id}/leads`);
  await page.getByText('This list has no leads yet.').waitFor();
  await show('a list, no leads');
  await page.close();
}

async function walkFilters(service: Service, look: Look): Promise<void> {
  const { api, app, list, address, addLeads } = await furnish(service);
  await addLeads([LONG.company_name, 'Ashdown Couriers'], '0183');
  await api('POST', `/lists/${list.id}/leads`, { lead: { company_name: 'Quarry Lane' } });
  const [quarry] = (await api('GET', `/lists/${list.id}/leads`)) as [{ id: number }];
  const shows = { filter: [{ name: 'state', operator: 'in', values: ['new', 'call_back'] }] };
  const view = await app('POST', '/views', { view: { name: LONG.company_name, shared: true, shows } });
  const page = await open();
  const show = atStart(look, page);
  const filtered = `f=claimed_by:empty&f=created:between:2026-01-01,2036-01-01&f=field.company_name:in:${LONG.e_mail},B,C`;
  await signIn(page, address, '/leads');
  await page.goto(`${address}/leads?${filtered}&f=nonsense`);
  await page.getByText('“nonsense” is no filter that we know.').waitFor();
  await show('filters, one cannot hold');
  const add = page.getByRole('button', { name: 'Add filter' });
  await add.click();
  await page.getByRole('option', { name: 'Website' }).waitFor();
  await show('filters, one more');
  await page.keyboard.type('created');
  await pressAll(page, 'Enter', 'Enter');
  await page.getByRole('button', { name: 'Month before' }).waitFor();
  await show('filters, a time');
  await leave(page);
  await add.click();
  await page.keyboard.type('state');
  await page.keyboard.press('Enter');
  await page.keyboard.type('one of');
  await pressAll(page, 'Enter', 'ArrowDown', 'Enter');
  await page.getByRole('button', { name: 'Apply 1' }).waitFor();
  await show('filters, several values');
  await leave(page);
  await page.goto(`${address}/leads?view=${view.id}`);
  await page.getByRole('button', { name: 'Change the view' }).click();
  await page.getByRole('menuitem', { name: 'Stop sharing' }).waitFor();
  await show('leads, views');
  await page.getByRole('menuitem', { name: 'Save as a view' }).click();
  await page.getByRole('dialog', { name: 'Save as a view' }).waitFor();
  await show('leads, a view to be saved');
  await page.goto(`${address}/leads/${quarry.id}`);
  await page.getByRole('button', { name: 'Actions for Quarry Lane' }).click();
  await page.getByRole('menuitem', { name: 'Merge with another lead' }).waitFor();
  await show('a lead, its menu');
  await page.getByRole('menuitem', { name: 'Merge with another lead' }).click();
  await page.getByLabel('The other lead').fill('Imogen');
  await page.getByRole('button', { name: /^Ashdown/ }).waitFor();
  await show('a lead, to be merged');
  await page.getByRole('button', { name: /^Donau/ }).click();
  await page.getByRole('button', { name: 'Merge into this lead' }).waitFor();
  await show('a lead, compared with another');
  await app('DELETE', `/leads/${quarry.id}`);
  await page.goto(`${address}/leads/${quarry.id}`);
  await page.getByRole('heading', { name: 'Quarry Lane was deleted.' }).waitFor();
  await show('a deleted lead');
  await page.goto(`${address}/leads/deleted`);
  await page.getByRole('button', { name: 'Bring back Quarry Lane' }).waitFor();
  await show('deleted leads');
  await page.close();
}

async function walkLists(service: Service, look: Look): Promise<void> {
  const { api, app, list, address, addLeads } = await furnish(service);
  await addLeads([LONG.company_name, 'Ashdown Couriers', 'Quarry Lane'], '0183');
  const [won, lost] = (await api('GET', `/lists/${list.id}/leads`)) as { id: number }[];
  await api('POST', `/leads/${won!.id}/winner`, { lead: { category: 'Order' } });
  await api('POST', `/leads/${lost!.id}/loser`, { lead: {} });
  const long = 'Erneuerbare-Energien-Interessenten, Norddeutschland und Niedersachsen';
  const empty = await app('POST', '/lists', {
    list: { name: long, purpose: 'Messekontakte der Windenergietage, noch niemandem zugewiesen' },
  });
  for (const first_name of ['Priya', 'Daniel', 'Carla', 'Eva', 'Tom'])
    await api('POST', '/users', {
      accept_charge_upon_invitation_acceptance: '1',
      user: { email: `${first_name}@example.com`, first_name, last_name: 'Nair', listing_ids: [list.id] },
    });
  await app('PATCH', `/lists/${list.id}`, { list: { paused: true } });
  const gone = await app('POST', '/lists', { list: { name: 'Lapsed customers' } });
  await app('DELETE', `/lists/${gone.id}`, { list: { name: 'Lapsed customers' } });
  const page = await open();
  const show = atStart(look, page);
  await signIn(page, address, '/lists');
  await page.getByRole('link', { name: 'Fleet charging' }).waitFor();
  await page.getByRole('button', { name: 'Deleted (1)' }).waitFor();
  await show('lists');
  await page
    .getByRole('button', { name: /^Actions for/ })
    .last()
    .click();
  await show('lists, menu open');
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').waitFor();
  await show('lists, deleting one');
  await leave(page);
  await page.getByRole('button', { name: 'Deleted (1)' }).click();
  await page.getByRole('button', { name: 'Bring back Lapsed customers' }).waitFor();
  await show('lists, deleted');
  await page.goto(`${address}/lists/new?from=${list.id}`);
  await page.getByLabel('Which list').waitFor();
  await show('a new list');
  await page.goto(`${address}/lists/${list.id}`);
  await page.getByRole('region', { name: 'Outcomes' }).getByText('Order').waitFor();
  await show('a list');
  await page.keyboard.press('g');
  await show('a list, switching');
  await leave(page);
  await page.getByRole('button', { name: /^Add a lead/ }).click();
  await page.getByLabel('Work/Office phone').fill('+44 20 7946 0183');
  await page.getByRole('list', { name: 'Possible duplicates' }).waitFor();
  await show('a list, a lead by hand');
  await page.goto(`${address}/lists/${empty.id}`);
  await page.getByRole('region', { name: 'Before the first call' }).waitFor();
  await show('a list, empty');
  await page.goto(`${address}/lists/${gone.id}`);
  await page.getByRole('heading', { level: 1, name: 'Lapsed customers was deleted.' }).waitFor();
  await show('a list, deleted');
  await page.close();
}

async function walkSettings(service: Service, look: Look): Promise<void> {
  const { api, app, list, address, addLeads, invite } = await furnish(service);
  await addLeads([LONG.company_name, 'Ashdown Couriers'], '0183');
  const at = `/lists/${list.id}`;
  await app('POST', `${at}/fields`, { field: { label: 'Vertragsverlängerungsdatum der Fuhrparkverwaltung' } });
  await app('PATCH', at, {
    list: {
      description: '# Begrüßung\n\nGuten Tag {{frist_name}} von {{company_name}}, {{title}}',
      categories: { loser: ['Donaudampfschifffahrtsgesellschaft', 'Zu teuer'], archive: [] },
    },
  });
  const [lead] = (await api('GET', `${at}/leads`)) as { id: number }[];
  await api('PATCH', `/leads/${lead!.id}`, { lead: { title: 'Fuhrparkverantwortliche' } });
  const page = await open();
  const show = atStart(look, page);
  const menu = async (of: string, item: string) => {
    await page.getByRole('button', { name: `Actions for ${of}`, exact: true }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await signIn(page, address, `${at}/settings/fields`);
  await page
    .getByRole('heading', { level: 3, name: LONG.company_name })
    .or(page.getByText('Ashdown'))
    .first()
    .waitFor();
  await show('settings, fields');
  await menu('Title', 'Change its kind');
  await page.getByLabel('Kind').selectOption({ label: 'Phone' });
  await page.getByText('would not fit').waitFor();
  await show('settings, another kind');
  await page.getByRole('button', { name: 'Close Title' }).click();
  await page.getByRole('button', { name: 'Add a field' }).click();
  await page.getByLabel('Kind').selectOption({ label: 'Choice' });
  await page.getByRole('button', { name: 'Add the field' }).click();
  await show('settings, adding a field');
  await page.getByRole('button', { name: 'Done' }).click();
  await menu('Title', 'Remove');
  await page.getByRole('dialog').waitFor();
  await show('settings, removing a field');
  await page.goto(`${address}${at}/settings/outcomes`);
  await page.getByText('leads').first().waitFor();
  await show('settings, outcomes');
  await menu('Bad time', 'Rename');
  await page.getByLabel('New name of Bad time').fill('Front desk');
  await page.getByRole('button', { name: 'Add a category of loser' }).click();
  await page.getByLabel('New category of loser').fill('Too dear, tied in');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await show('settings, renaming and adding a category');
  await page.goto(`${address}${at}/settings/script`);
  await page.getByText('names no field').waitFor();
  await show('settings, script');
  await page.getByRole('textbox', { name: 'Script' }).fill('Mine');
  await app('PATCH', at, { list: { description: 'Theirs' } });
  await page.getByRole('button', { name: 'Go on with theirs' }).waitFor();
  await show('settings, two scripts');
  await page.getByRole('button', { name: 'Go on with theirs' }).click();
  await page.getByRole('button', { name: 'Save', exact: false }).waitFor({ state: 'hidden' });
  await page.goto(`${address}${at}/settings/duplicates`);
  await page.getByText('The same phone number').click();
  await show('settings, duplicates');
  await page.goto(`${address}${at}/settings/calls`);
  await page.getByLabel('Numbers without +').selectOption({ label: 'A prefix of its own' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Write it with + and digits').waitFor();
  await show('settings, calls');
  const link = await invite('ana@example.com', []);
  const people = (await app('GET', '/users')) as { id: number; email: string }[];
  const { id } = people.find(({ email }) => email === 'ana@example.com')!;
  for (const part of ['queue', 'people']) {
    await page.goto(`${address}${at}/settings/${part}`);
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await page.waitForLoadState('networkidle');
    await show(`settings, ${part}`);
  }
  await app('PATCH', `/users/${id}`, { user: { agent: false, analyst: true } });
  await page.context().clearCookies();
  await page.goto(link);
  await page.getByLabel('Password').fill(OWNER.password);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname !== new URL(link).pathname);
  await page.goto(`${address}${at}/settings/fields`);
  await page.getByText('Your role does not open leads').waitFor();
  await show('settings, as an analyst');
  await page.close();
}

async function walkManage(service: Service, look: Look): Promise<void> {
  const { api, list, address } = await furnish(service);
  const listing_ids = [list.id];
  for (const [first_name, last_name] of [
    ['Priya', 'Nair'],
    ['Maximiliane', 'Oberhauser-Schwarzenberger'],
  ]) {
    const email = `${first_name}.${last_name}@halyard-energy.example`.toLowerCase();
    await api('POST', '/users', {
      accept_charge_upon_invitation_acceptance: '1',
      user: { email, first_name, last_name, listing_ids, supervisor: true },
    });
  }
  const page = await open();
  const show = atStart(look, page);
  await signIn(page, address, '/manage/users');
  await page.getByText('Maximiliane').first().waitFor();
  await show('users');
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await show('users, menu open');
  await page.getByRole('menuitem', { name: 'Change roles and lists' }).click();
  await page.getByRole('dialog').waitFor();
  await show('users, changing one');
  await leave(page);
  await page.getByRole('button', { name: 'Invite someone' }).click();
  await page.getByRole('dialog').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: /invit/i }).click();
  await show('users, inviting');
  for (const name of ['subscription', 'account', 'integrations', 'outbox']) {
    await page.goto(`${address}/manage/${name}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await show(name);
  }
  await page.locator('.row-button').first().click();
  await show('outbox, mails closed');
  await page.goto(`${address}/manage/account`);
  await page.getByLabel('Name', { exact: true }).fill('Donaudampfschifffahrtsgesellschaft');
  await show('account, changed');
  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByRole('dialog').waitFor();
  await show('account, leaving');
  for (const [button, name] of [
    ['Subscribe', 'integrations, subscribing'],
    ['Show', 'integrations, showing the key'],
    ['Replace', 'integrations, replacing the key'],
  ] as const) {
    await page.goto(`${address}/manage/integrations`);
    await page.getByRole('button', { name: button, exact: true }).first().click();
    await page.getByRole('dialog').waitFor();
    await show(name);
  }
  await page.goto(`${address}/manage/integrations`);
  await page.getByRole('button', { name: /^winner/ }).click();
  await page.getByRole('dialog', { name: 'Delivery log' }).waitFor();
  await show('integrations, log open');
  await page.goto(`${address}/preferences/credentials`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  await show('preferences');
  await page.close();
}

async function walkDoor(service: Service, look: Look): Promise<void> {
  const { address, ask, key } = await service.addAccount();
  const page = await open();
  const show = atStart(look, page);
  for (const [path, name] of [
    ['/sign-in', 'sign in'],
    ['/forgotten', 'forgot the password'],
    ['/accept?token=x', 'an invitation that has ended'],
  ]) {
    await page.goto(address + path);
    await show(name!);
  }
  await page.goto(`${address}/sign-in`);
  await page.getByLabel('E-mail').fill(OWNER.email);
  await page.getByLabel('Password').fill('not the right one');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await show('sign in, refused');
  await signIn(page, address, '/work');
  await page.getByText('Nothing here yet.').waitFor();
  await show('work, an account without a list');
  await ask('POST', '/api/v2/lists', { list: { name: 'My first list' } }, { authorization: `Token "${key}"` });
  await page.getByRole('heading', { name: 'My first list has no leads yet' }).waitFor();
  await show('work, the first list, empty');
  await ask(
    'POST',
    '/api/v2/users',
    { accept_charge_upon_invitation_acceptance: '1', user: { email: 'ann@example.com', first_name: 'Ann' } },
    { authorization: `Token "${key}"` },
  );
  const mails = (await askAs(page, '/app/outbox')) as { text: string }[];
  const { pathname, search } = new URL(/https?:\/\/\S+/.exec(mails[0]!.text)![0]);
  await page.context().clearCookies();
  await page.goto(address + pathname + search);
  await page.getByLabel('Password').waitFor();
  await show('invitation');

  const bare = await startLeadline({ env: { DATA_DIR: makeInstallation() } });
  const link = await eventually('a link', () => /"link":"([^"]+)"/.exec(bare.output())?.[1]);
  await page.goto(bare.address);
  await show('first run, before');
  await page.goto(bare.address + new URL(link).pathname + new URL(link).search);
  await page.getByLabel('Account name').waitFor();
  await show('first run');
  await page.close();
  await bare.stop();
}
