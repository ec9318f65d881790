import { furnish, type Service } from '../service.ts';
import { atStart, leave, LONG, type Look, open } from './walk.ts';

export async function walkLists(service: Service, look: Look): Promise<void> {
  const { api, app, list, address, addLeads, signIn } = await furnish(service);
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
  await signIn(page, '/lists');
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

export async function walkSettings(service: Service, look: Look): Promise<void> {
  const { api, app, list, address, addLeads, invite, accept, signIn } = await furnish(service);
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
  await signIn(page, `${at}/settings/fields`);
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
  await accept(page, link, `${at}/settings/fields`);
  await page.getByText('Your role does not open leads').waitFor();
  await show('settings, as an analyst');
  await page.close();
}
